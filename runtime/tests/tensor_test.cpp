// Tensors on devices: factories, moving, reading back, printing, and what crosses to the host.
#include "runtime/tensor/print.h"
#include "runtime/tests/support.h"

#include <cmath>
#include <limits>

namespace ts::tests {

using testing::ElementsAre;

class TensorOn : public OnEveryDevice {};
TS_ON_EVERY_DEVICE(TensorOn);

constexpr DType kAll[] = {DType::kBool, DType::kU8,   DType::kI32, DType::kI64,
                          DType::kF16,  DType::kBF16, DType::kF32, DType::kF64};

TEST_P(TensorOn, FactoriesMakeTheirValuesOnTheDevice) {
  for (const DType dtype : kAll) {
    EXPECT_THAT(numbers(zeros({2}, dtype, device_)), ElementsAre(0, 0));
    EXPECT_THAT(numbers(ones({2}, dtype, device_)), ElementsAre(1, 1));
    EXPECT_EQ(ones({2}, dtype, device_).device(), device_);
  }
  EXPECT_THAT(numbers(arange(2, 11, 3, DType::kI32, device_)), ElementsAre(2, 5, 8));
  EXPECT_THAT(numbers(arange(5, 0, -2, DType::kF32, device_)), ElementsAre(5, 3, 1));
  EXPECT_THAT(numbers(arange(0, 1, 0.25, DType::kF16, device_)), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_THROW(arange(0, 1, 0, DType::kI64, device_), ValueError);
  EXPECT_THAT(numbers(linspace(-1, 1, 5, DType::kF64, device_)), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(numbers(eye(2, 3, 1, DType::kI64, device_)), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_EQ(zeros({0, 3}, DType::kF32, device_).numel(), 0);
}

TEST_P(TensorOn, FillKeepsEveryBitOfAnInteger) {
  const int64_t odd = (int64_t{1} << 53) + 1;
  EXPECT_EQ(full({1}, odd, DType::kI64, device_).item(), Scalar(odd));
  EXPECT_THROW(full({1}, 256, DType::kU8, device_), ValueError);
  EXPECT_THROW(full({1}, 0.5, DType::kI32, device_), ValueError);
  EXPECT_THROW(full({1}, 1e6, DType::kF16, device_), ValueError);
}

TEST_P(TensorOn, ValuesAgreeInEveryDtype) {
  EXPECT_EQ((from_values<bool>({true, false}, device_).values<bool>()), (std::vector<bool>{true, false}));
  EXPECT_EQ((from_values<uint8_t>({1, 255}, device_).values<uint8_t>()), (std::vector<uint8_t>{1, 255}));
  const int64_t odd = (int64_t{1} << 53) + 1;
  EXPECT_EQ((from_values<int64_t>({odd, -odd}, device_).values<int64_t>()), (std::vector<int64_t>{odd, -odd}));
  EXPECT_THROW(from_values<int32_t>({1}, device_).values<float>(), TypeError);
  EXPECT_THROW(from_values<float>({1, 2}, Dims{3}, device_), ValueError);
}

TEST_P(TensorOn, ConversionFollowsTheSpec) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = from_values<double>({-1.7, 300.5, infinity, -infinity, nan, 0.25}, device_);
  EXPECT_EQ(x.to(DType::kU8).values<uint8_t>(), (std::vector<uint8_t>{0, 255, 255, 0, 0, 0}));
  EXPECT_EQ(x.to(DType::kI64).values<int64_t>(), (std::vector<int64_t>{-1, 300, std::numeric_limits<int64_t>::max(),
                                                                       std::numeric_limits<int64_t>::min(), 0, 0}));
  EXPECT_EQ(x.to(DType::kBool).values<bool>(), (std::vector<bool>{true, true, true, true, true, true}));
  EXPECT_EQ(from_values<int32_t>({300, -1}, device_).to(DType::kU8).values<uint8_t>(), (std::vector<uint8_t>{44, 255}));
  EXPECT_TRUE(x.to(DType::kF64).same_as(x));
}

TEST_P(TensorOn, ItemReadsTheElementOfAView) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(select(select(x, 0, 1), 0, 1).item(), Scalar(4.0));
  expect_error<ValueError>([&] { x.item(); }, {"(2, 3)", "6"});
}

TEST_P(TensorOn, SameDeviceReturnsTheSameTensor) {
  const Tensor x = counting({3});
  EXPECT_TRUE(x.to(device_).same_as(x));
}

TEST_P(TensorOn, TransfersRoundTripAndMakeDense) {
  const Tensor host = transpose(reshape(arange(6, DType::kF32, host_device()), {2, 3}), 0, 1);
  const Tensor there = host.to(device_);
  EXPECT_EQ(there.device(), device_);
  if (!(device_ == host_device())) {
    EXPECT_THAT(there.strides(), ElementsAre(2, 1));
  }
  EXPECT_THAT(numbers(there), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(numbers(slice(there, 0, {std::nullopt, std::nullopt, -1}).cpu()), ElementsAre(2, 5, 1, 4, 0, 3));
  EXPECT_EQ(zeros({0, 3}, DType::kF32, device_).cpu().numel(), 0);
}

TEST_P(TensorOn, MoveInPlaceIsSeenByEveryHandle) {
  for (const std::string& name : device_names()) {
    const Device target = device_named(name);
    const Tensor x = counting({2, 3});
    const Tensor handle = x; // NOLINT(performance-unnecessary-copy-initialization): a second handle
    const uint64_t version = x.version();
    x.move_to_(target);
    EXPECT_EQ(handle.device(), target);
    EXPECT_TRUE(handle.same_as(x));
    EXPECT_THAT(numbers(handle), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(handle.version() > version, !(target == device_));
  }
}

TEST_P(TensorOn, CopyAcrossDevicesConvertsAndBroadcasts) {
  const Tensor target = zeros({2, 3}, DType::kF64, device_);
  for (const std::string& name : device_names()) {
    target.copy_(arange(3, DType::kI32, device_named(name)));
    EXPECT_THAT(numbers(target), ElementsAre(0, 1, 2, 0, 1, 2)) << name;
    target.fill_(9);
  }
}

TEST_P(TensorOn, HostOnlyAccessFailsClearly) {
  // TS_CITES(backend.52)
  const Tensor x = counting({3});
  if (device_.row().host_memory()) {
    EXPECT_EQ(slice(x, 0, {1, 3, 1}).data<float>()[1], 2.0F);
    EXPECT_THROW(x.data<double>(), TypeError);
  } else {
    expect_error<DeviceError>([&] { x.data<float>(); }, {"[backend.52]", device_.name(), "cpu() first"});
  }
}

TEST_P(TensorOn, ReadingCopiesOnlyWhatTheViewHolds) {
  const Tensor x = counting({100, 100});
  const Tensor view = index(x, {Slice{10, 20, 5}, Slice{0, 2, 1}});
  const uint64_t before = device_.transfers().to_host_bytes;
  EXPECT_THAT(numbers(view), ElementsAre(1000, 1001, 1500, 1501));
  EXPECT_EQ(device_.transfers().to_host_bytes - before, 4 * sizeof(double));
}

TEST_P(TensorOn, ABroadcastCrossesOnce) {
  if (device_ == host_device()) GTEST_SKIP() << "stays where it is";
  const Tensor wide = expand(unsqueeze(counting({2, 3}), 2), {2, 3, 4});
  const uint64_t before = device_.transfers().to_host_bytes;
  const Tensor host = wide.cpu();
  EXPECT_EQ(device_.transfers().to_host_bytes - before, 24U);
  EXPECT_THAT(host.strides(), ElementsAre(12, 4, 1));
  EXPECT_THAT(numbers(select(host, 2, 1)), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(TensorOn, PrintsLikeArraysDo) {
  EXPECT_EQ(counting({2, 3}, DType::kI64).str(),
            "tensor([[0, 1, 2],\n        [3, 4, 5]], shape=(2, 3), dtype=i64, device=" + device_.name() + ")");
  EXPECT_EQ(from_values<float>({1, -2.5F, 0.125F}, device_).str(),
            "tensor([ 1.0000, -2.5000,  0.1250], shape=(3,), dtype=f32, device=" + device_.name() + ")");
  EXPECT_EQ(counting({2}).str(), "tensor([0., 1.], shape=(2,), dtype=f32, device=" + device_.name() + ")");
  EXPECT_EQ(full({}, 3, DType::kI32, device_).str(), "tensor(3, shape=(), dtype=i32, device=" + device_.name() + ")");
  EXPECT_EQ(zeros({0, 2}, DType::kF32, device_).str(),
            "tensor([], shape=(0, 2), dtype=f32, device=" + device_.name() + ")");
  EXPECT_EQ(ones({2}, DType::kBool, device_).str(),
            "tensor([true, true], shape=(2,), dtype=bool, device=" + device_.name() + ")");
  // Where fixed digits would lose the small ones: from a ratio of 1e5 on.
  EXPECT_THAT(from_values<float>({0.5F, 50001}, device_).str(), testing::StartsWith("tensor([5.0000e-01, 5.0001e+04]"));
  EXPECT_THAT(from_values<float>({0.5F, 50000}, device_).str(), testing::StartsWith("tensor([    0.5000, 50000.0000]"));
}

TEST_P(TensorOn, PrintingCopiesOnlyWhatItShows) {
  const Tensor x = counting({2, 3});
  const Tensor columns = slice(x, 1, {1, 3, 1}); // four of six elements: 16 bytes, not 24
  uint64_t before = device_.transfers().to_host_bytes;
  EXPECT_THAT(columns.str(), testing::StartsWith("tensor([[1., 2.],\n        [4., 5.]]"));
  EXPECT_EQ(device_.transfers().to_host_bytes - before, 16U);
  const Tensor big = counting({100, 200}, DType::kI32);
  before = device_.transfers().to_host_bytes;
  const std::string text = big.str();
  EXPECT_EQ(device_.transfers().to_host_bytes - before, 36 * sizeof(int32_t));
  EXPECT_THAT(text, testing::HasSubstr("[    0,     1,     2, ...,   197,   198,   199],"));
  EXPECT_THAT(text, testing::HasSubstr("        ...,\n        [19400, "));
  EXPECT_THAT(text, testing::HasSubstr("19999]], shape=(100, 200)"));
}

TEST_P(TensorOn, CloneHasStorageOfItsOwn) {
  const Tensor x = counting({3});
  const Tensor copy = x.clone();
  copy.fill_(7);
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 2));
  EXPECT_NE(copy.storage(), x.storage());
}

TEST_P(TensorOn, WritesAreCountedForAllViews) {
  const Tensor x = counting({3});
  const Tensor view = slice(x, 0, {1, 3, 1});
  const uint64_t before = view.version();
  x.fill_(1);
  EXPECT_GT(view.version(), before);
}

TEST(Dtype, SixteenBitFormatsRoundOnceToEven) {
  EXPECT_EQ(Float16::round(1.0).bits, 0x3c00);
  EXPECT_EQ(Float16::round(65504.0).bits, 0x7bff);
  EXPECT_EQ(Float16::round(65519.999).bits, 0x7bff);
  EXPECT_EQ(Float16::round(65520.0).bits, 0x7c00);
  EXPECT_EQ(Float16::round(-0x1p-24).bits, 0x8001);
  EXPECT_EQ(Float16::round(0x1p-25).bits, 0x0000);     // half the smallest subnormal: to even
  EXPECT_EQ(Float16::round(0x1.8p-24).bits, 0x0002);   // tie between 1 and 2
  EXPECT_EQ(Float16::round(0x1.ffcp-15).bits, 0x0400); // rounds up to the smallest normal
  EXPECT_EQ(BrainFloat16::round(1.0 + 0x1p-8).bits, 0x3f80);
  EXPECT_EQ(BrainFloat16::round(1.0 + 0x1.8p-7).bits, 0x3f82);
  EXPECT_EQ(BrainFloat16::round(0x1.ffp127).bits, 0x7f80);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const bool half_holds =
        std::isnan(static_cast<double>(half)) || Float16::round(static_cast<double>(half)).bits == bits;
    const BrainFloat16 brain{static_cast<uint16_t>(bits)};
    const bool brain_holds =
        std::isnan(static_cast<double>(brain)) || BrainFloat16::round(static_cast<double>(brain)).bits == bits;
    ASSERT_TRUE(half_holds && brain_holds) << bits;
  }
}

TEST(Dtype, IntegersRoundOnceToSixteenBits) {
  // 2^62 + 2^51 + 1 is above the tie of bf16 between 2^62 and 2^62 + 2^55 ... and a double would lose the one.
  const int64_t above_tie = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(Scalar(above_tie).encode(DType::kBF16), static_cast<uint64_t>(BrainFloat16::round(0x1.02p62).bits));
  EXPECT_EQ(Scalar(above_tie - 1).encode(DType::kBF16), static_cast<uint64_t>(BrainFloat16::round(0x1p62).bits));
}

} // namespace ts::tests
