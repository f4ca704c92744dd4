// Fused operations that a backend lacks are composed of others on the device itself, counted, and right.
#include "runtime/backend/layers/hide.h"
#include "runtime/backend/layers/validate.h"
#include "runtime/tests/support.h"

#include <cmath>

namespace ts::tests {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

class Compose : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(find_layer<ValidateLayer>(*backend_)->violations(), 0U); }
  Tensor rough(const Dims& shape, DType dtype) const {
    return reshape(sin(arange(element_count(shape), DType::kF32, device_) * 7) * 5, shape).to(dtype);
  }
  uint64_t composed(int32_t op) const {
    const auto counts = device_.compositions();
    return counts.contains(op) ? counts.at(op) : 0;
  }

  std::shared_ptr<Backend> backend_ = add_layers(open_backend("cpu"), {"hide:composed", "validate"});
  Device device_ = Device::of(backend_), whole_ = Device("cpu");
};

TEST_F(Compose, IsDoneOnTheDeviceAndCounted) {
  // TS_CITES(fused.8)
  EXPECT_THAT(numbers(softmax(zeros({4}, DType::kF32, device_), 0)), ElementsAre(0.25, 0.25, 0.25, 0.25));
  EXPECT_EQ(composed(TS_OP_SOFTMAX), 1U);
  EXPECT_TRUE(device_.fallbacks().empty());
  EXPECT_TRUE(whole_.compositions().empty());
  EXPECT_EQ(softmax(zeros({4}, DType::kF32, device_), 0).device(), device_);
}

TEST_F(Compose, GivesWhatTheKernelGives) {
  // TS_CITES(fused.8, fused.4)
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    const Tensor x = rough({3, 4, 5}, dtype), weight = rough({4, 1}, dtype), bias = rough({5}, dtype);
    const double near = dtype == DType::kF64 ? 1e-12 : dtype == DType::kF32 ? 1e-5 : 0.04;
    const auto same = [&](const Tensor& here, const Tensor& there) {
      EXPECT_EQ(here.dtype(), dtype);
      EXPECT_THAT(numbers(here), Pointwise(DoubleNear(near), numbers(there)));
    };
    for (const int64_t axis : {0, 1, 2}) {
      same(softmax(x, axis), softmax(x.to(whole_), axis));
      same(log_softmax(x, axis), log_softmax(x.to(whole_), axis));
    }
    same(layer_norm(x, weight, bias, {1, 2}), layer_norm(x.to(whole_), weight.to(whole_), bias.to(whole_), {1, 2}));
    same(layer_norm(x, 1, 0, 0, 0.5), layer_norm(x.to(whole_), 1, 0, 0, 0.5));
    same(rms_norm(x, bias, -1), rms_norm(x.to(whole_), bias.to(whole_), -1));
  }
  EXPECT_TRUE(device_.fallbacks().empty());
}

TEST_F(Compose, KeepsSmallDifferencesOfHalves) {
  // A sum in f16 would stop at 2048.
  const Tensor z = softmax(zeros({4096}, DType::kF16, device_), 0);
  EXPECT_THAT(numbers(z), testing::Each(0x1p-12));
}

TEST_F(Compose, WritesViewsAndOverItsOperand) {
  const Tensor x = rough({2, 6}, DType::kF32), half = slice(x, 1, {0, 6, 2}), copy = half.clone();
  softmax_out(half, half, 1);
  EXPECT_THAT(numbers(half), Pointwise(DoubleNear(1e-6), numbers(softmax(copy.to(whole_), 1))));
  const Tensor out = zeros({3, 2}, DType::kF32, device_);
  rms_norm_out(transpose(out, 0, 1), copy, 1, 1);
  EXPECT_THAT(numbers(transpose(out, 0, 1)), Pointwise(DoubleNear(1e-5), numbers(rms_norm(copy.to(whole_), 1, 1))));
}

TEST_F(Compose, OfNothingIsNothing) {
  EXPECT_EQ(softmax(zeros({0, 3}, DType::kF32, device_), 0).numel(), 0);
  EXPECT_EQ(layer_norm(zeros({3, 0}, DType::kF32, device_), 1, 0, 1).numel(), 0);
}

TEST_F(Compose, RefusesAsTheKernelDoes) {
  EXPECT_THROW(softmax(zeros({3}, DType::kF32, device_), 1), IndexError);
  EXPECT_THROW(softmax(zeros({3}, DType::kI32, device_), 0), TypeError);
  EXPECT_THROW(layer_norm(zeros({3}, DType::kF32, device_), zeros({2, 3}, DType::kF32, device_), 0, 0), ValueError);
  EXPECT_THROW(layer_norm(1, zeros({3}, DType::kF32, device_), 0, 0), TypeError);
}

TEST_F(Compose, ABackendWithoutTheOperationsOfItsStepsFallsBackInThem) {
  const Device tiny = Device::of(open_tiny());
  const Tensor z = softmax(zeros({2}, DType::kF32, tiny), 0);
  EXPECT_THAT(numbers(z), ElementsAre(0.5, 0.5));
  EXPECT_EQ(tiny.compositions().at(TS_OP_SOFTMAX), 1U);
  EXPECT_EQ(tiny.fallbacks().count(TS_OP_SOFTMAX), 0U);
  EXPECT_EQ(tiny.fallbacks().at(TS_OP_EXP), 1U);
}

TEST(HideLayer, NamesWhatItHides) {
  expect_error<ValueError>([] { add_layers(open_tiny(), {"hide"}); }, {"layer hide", "names of operations"});
  expect_error<ValueError>([] { add_layers(open_tiny(), {"hide:no_such"}); }, {"no_such"});
}

} // namespace ts::tests
