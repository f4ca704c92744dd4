// A result is as if every input had been read whole before anything was written, however operands and results overlap.
#include "runtime/backend/layers/validate.h"
#include "runtime/tests/support.h"

namespace ts::tests {

using testing::ElementsAre;

// Every call also passes the validate layer: what reaches the backend keeps the contract.
class Overlapping : public testing::TestWithParam<std::string> {
protected:
  void TearDown() override { EXPECT_EQ(validate_->violations(), 0U); }
  Tensor counting(int64_t count) const { return arange(count, DType::kI64, device_); }

  std::shared_ptr<Backend> backend_ =
      add_layers(GetParam() == "tiny" ? open_tiny() : open_backend(GetParam()), {"validate"});
  Device device_ = Device::of(backend_);
  ValidateLayer* validate_ = find_layer<ValidateLayer>(*backend_);
};
TS_ON_EVERY_DEVICE(Overlapping);

TEST_P(Overlapping, ShiftedSelfInPlace) {
  // TS_CITES(layout.16)
  const Tensor x = counting(6);
  add_(slice(x, 0, {1, 6, 1}), slice(x, 0, {0, 5, 1}));
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 3, 5, 7, 9));
}

TEST_P(Overlapping, TransposedSelfInPlace) {
  // TS_CITES(layout.16)
  const Tensor x = reshape(counting(4), {2, 2});
  add_(x, transpose(x, 0, 1));
  EXPECT_THAT(numbers(x), ElementsAre(0, 3, 3, 6));
}

TEST_P(Overlapping, ReversedSelfOut) {
  // TS_CITES(layout.16)
  const Tensor x = counting(5);
  add_out(x, flip(x, {0}), 0);
  EXPECT_THAT(numbers(x), ElementsAre(4, 3, 2, 1, 0));
}

TEST_P(Overlapping, BroadcastOfItsOwnElement) {
  // TS_CITES(layout.16)
  const Tensor x = counting(4);
  add_(x, slice(x, 0, {3, 4, 1}));
  EXPECT_THAT(numbers(x), ElementsAre(3, 4, 5, 6));
}

TEST_P(Overlapping, IdenticalInputNeedsNoTemporary) {
  const Tensor x = counting(4);
  const uint64_t misses = Allocator::of(device_).stats().misses + Allocator::of(device_).stats().hits;
  add_(x, x);
  EXPECT_THAT(numbers(x), ElementsAre(0, 2, 4, 6));
  // Only numbers() allocated: its conversion to f64.
  EXPECT_EQ(Allocator::of(device_).stats().misses + Allocator::of(device_).stats().hits - misses, 1U);
}

TEST_P(Overlapping, ReductionIntoItsOwnOperand) {
  // TS_CITES(layout.16)
  const Tensor x = reshape(counting(6), {2, 3});
  sum_out(select(x, 0, 0), x, 0);
  EXPECT_THAT(numbers(x), ElementsAre(3, 5, 7, 3, 4, 5));
}

TEST_P(Overlapping, MatmulIntoItsOwnOperand) {
  // TS_CITES(layout.16)
  const Tensor x = reshape(counting(4), {2, 2});
  matmul_out(x, x, x);
  EXPECT_THAT(numbers(x), ElementsAre(2, 3, 6, 11));
}

TEST_P(Overlapping, ScanAndSortIntoTheirOwnOperand) {
  // TS_CITES(layout.16)
  const Tensor x = counting(5);
  cumsum_out(x, x, 0);
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 3, 6, 10));
  const Tensor positions = zeros({5}, DType::kI64, device_);
  sort_out(x, positions, x, 0, true);
  EXPECT_THAT(numbers(x), ElementsAre(10, 6, 3, 1, 0));
  EXPECT_THROW(sort_out(x, x, x, 0), ValueError); // both results to one place
}

TEST_P(Overlapping, ScatterFromItsOwnElements) {
  // TS_CITES(layout.16)
  const Tensor x = counting(5);
  scatter_(x, slice(x, 0, {1, 4, 1}), slice(x, 0, {2, 5, 1}), 0); // x[1] = 2, x[2] = 3, x[3] = 4
  EXPECT_THAT(numbers(x), ElementsAre(0, 2, 3, 4, 4));
}

TEST_P(Overlapping, CopyBetweenOverlappingViews) {
  // TS_CITES(layout.16)
  const Tensor x = counting(10);
  slice(x, 0, {1, 10, 1}).copy_(slice(x, 0, {0, 9, 1}));
  EXPECT_THAT(numbers(x), ElementsAre(0, 0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_P(Overlapping, WideningCopyOntoItsOwnBytes) {
  // TS_CITES(layout.16)
  // Two dtypes on one storage: as many bytes, half as many elements.
  const Tensor bytes = zeros({16}, DType::kU8, device_);
  const Tensor narrow(bytes.storage(), Layout{{2}, {1}, 0}, DType::kI32),
      wide(bytes.storage(), Layout{{2}, {1}, 0}, DType::kI64);
  narrow.copy_(from_values<int32_t>({7, -9}, device_));
  wide.copy_(narrow);
  EXPECT_THAT(numbers(wide), ElementsAre(7, -9));
}

TEST_P(Overlapping, InterleavedViewsDoNotMeet) {
  const Tensor x = counting(6);
  add_(slice(x, 0, {0, 6, 2}), slice(x, 0, {1, 6, 2}));
  EXPECT_THAT(numbers(x), ElementsAre(1, 1, 5, 3, 9, 5));
}

} // namespace ts::tests
