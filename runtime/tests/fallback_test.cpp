// Operations that a backend lacks are computed on the host, counted, and come back to the device.
#include "runtime/backend/layers/validate.h"
#include "runtime/tests/support.h"

namespace ts::tests {

using testing::ElementsAre;

class Fallback : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(find_layer<ValidateLayer>(*backend_)->violations(), 0U); }
  Tensor counting(const Dims& shape) const {
    return reshape(arange(element_count(shape), DType::kF32, device_), shape);
  }

  std::shared_ptr<Backend> backend_ = add_layers(open_tiny(), {"validate"});
  Device device_ = Device::of(backend_);
};

TEST_F(Fallback, GivesTheResultOnTheDeviceAndIsCounted) {
  // TS_CITES(backend.35)
  const Tensor z = multiply(counting({3}), 2);
  EXPECT_EQ(z.device(), device_);
  EXPECT_THAT(numbers(z), ElementsAre(0, 2, 4));
  EXPECT_EQ(device_.fallbacks(), (std::map<int32_t, uint64_t>{{TS_OP_MULTIPLY, 1}}));
}

TEST_F(Fallback, SupportedOperationsDoNotFallBack) {
  EXPECT_THAT(numbers(add(counting({3}), 2)), ElementsAre(2, 3, 4));
  EXPECT_TRUE(device_.fallbacks().empty());
}

TEST_F(Fallback, KeepsWhatLiesBetweenTheElementsOfAView) {
  const Tensor x = counting({2, 4});
  multiply_(slice(x, 1, {1, 4, 2}), 10);
  EXPECT_THAT(numbers(x), ElementsAre(0, 10, 2, 30, 4, 50, 6, 70));
  sum_out(slice(select(x, 0, 1), 0, {std::nullopt, std::nullopt, -2}), counting({2, 3}), 1);
  EXPECT_THAT(numbers(x), ElementsAre(0, 10, 2, 30, 4, 12, 6, 3));
}

TEST_F(Fallback, ReadsAndWritesAnInoutOperand) {
  const Tensor x = counting({4});
  scatter_add_(x, from_values<int64_t>({1, 1}, device_), counting({2}) + 5, 0);
  EXPECT_THAT(numbers(x), ElementsAre(0, 12, 2, 3));
}

TEST_F(Fallback, CarriesBroadcastsNegativeStridesAndEmpties) {
  EXPECT_THAT(numbers(subtract(flip(counting({3}), {0}), expand(counting({1}), {3}))), ElementsAre(2, 1, 0));
  EXPECT_EQ(exp(zeros({0, 3}, DType::kF32, device_)).numel(), 0);
  EXPECT_EQ(max(zeros({0, 3}, DType::kF32, device_), 1).numel(), 0);
}

TEST_F(Fallback, ErrorsLeaveTheResultAlone) {
  const Tensor out = full({1}, 9, DType::kF32, device_);
  EXPECT_THROW(gather_out(out, counting({3}), from_values<int64_t>({5}, device_), 0), IndexError);
  EXPECT_THAT(numbers(out), ElementsAre(9));
}

TEST_F(Fallback, WhatTheHostLacksTooIsATypeError) {
  // A host device that supports nothing is not at hand; the host's own refusal comes the same way.
  EXPECT_THROW(mean(arange(3, DType::kI64, device_)), TypeError);
}

} // namespace ts::tests
