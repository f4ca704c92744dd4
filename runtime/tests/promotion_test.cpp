// Which dtype an operation computes in, and what becomes of numbers that have none.
#include "runtime/ops/promotion.h"
#include "runtime/tests/support.h"

#include <limits>

namespace ts::tests {

using testing::ElementsAre;

TEST(Promotion, FollowsTheTable) {
  constexpr DType kOrder[] = {DType::kBool, DType::kU8,   DType::kI32, DType::kI64,
                              DType::kF16,  DType::kBF16, DType::kF32, DType::kF64};
  const char* const kTable[8] = {"bool u8 i32 i64 f16 bf16 f32 f64", "u8 u8 i32 i64 f16 bf16 f32 f64",
                                 "i32 i32 i32 i64 f16 bf16 f32 f64", "i64 i64 i64 i64 f16 bf16 f32 f64",
                                 "f16 f16 f16 f16 f16 f32 f32 f64",  "bf16 bf16 bf16 bf16 f32 bf16 f32 f64",
                                 "f32 f32 f32 f32 f32 f32 f32 f64",  "f64 f64 f64 f64 f64 f64 f64 f64"};
  for (int row = 0; row < 8; ++row) {
    std::string got;
    for (const DType column : kOrder) got += (got.empty() ? "" : " ") + std::string(name(promote(kOrder[row], column)));
    EXPECT_EQ(got, kTable[row]);
  }
}

class Promotion : public OnEveryDevice {};
TS_ON_EVERY_DEVICE(Promotion);

TEST_P(Promotion, TensorsMeetInTheWiderDtype) {
  const Tensor x = counting({3}, DType::kU8), y = counting({3}, DType::kI32), z = counting({3}, DType::kF16);
  EXPECT_EQ(add(x, y).dtype(), DType::kI32);
  EXPECT_EQ(add(y, z).dtype(), DType::kF16);
  EXPECT_EQ(add(z, counting({3}, DType::kBF16)).dtype(), DType::kF32);
  EXPECT_THAT(numbers(add(x, z)), ElementsAre(0, 2, 4));
  EXPECT_EQ(add(x, full({}, 1, DType::kI64, device_)).dtype(), DType::kI64); // rank 0 promotes as any tensor
}

TEST_P(Promotion, NumbersTakeTheTensorsDtypeUnlessTheirClassIsLater) {
  EXPECT_EQ(add(counting({2}, DType::kU8), 1).dtype(), DType::kU8);
  EXPECT_EQ(add(counting({2}, DType::kF16), 1).dtype(), DType::kF16);
  EXPECT_EQ(add(counting({2}, DType::kF16), 1.5).dtype(), DType::kF16);
  EXPECT_EQ(add(counting({2}, DType::kI64), 1.5).dtype(), DType::kF32);
  EXPECT_EQ(add(ones({2}, DType::kBool, device_), 1).dtype(), DType::kI64);
  EXPECT_EQ(add(ones({2}, DType::kBool, device_), true).dtype(), DType::kBool);
  EXPECT_EQ(where(ones({2}, DType::kBool, device_), 1, 2.5).dtype(), DType::kF32);
  EXPECT_EQ(where(ones({2}, DType::kBool, device_), 2.5, 1).dtype(), DType::kF32);
  EXPECT_EQ(where(ones({2}, DType::kBool, device_), 2, true).dtype(), DType::kI64);
}

TEST_P(Promotion, AnIntegerTensorMeetsARealNumberUntruncated) {
  EXPECT_THAT(numbers(fmod(from_values<int32_t>({2, 7}, device_), 1.5)), ElementsAre(0.5, 1));
}

TEST_P(Promotion, ANumberThatDoesNotFitRaisesInArithmetic) {
  expect_error<ValueError>([&] { add(counting({2}, DType::kI32), int64_t{1} << 40); },
                           {"[numerics.16] add", "1099511627776", "i32"});
  EXPECT_THROW(add(counting({2}, DType::kU8), -1), ValueError);
  EXPECT_THROW(multiply(counting({2}, DType::kF16), 1e6), ValueError);
  EXPECT_THROW(clamp(counting({2}, DType::kU8), 0, 256), ValueError);
  EXPECT_THROW(masked_fill(counting({2}, DType::kI32), ones({2}, DType::kBool, device_), 0.5), ValueError);
}

TEST_P(Promotion, IntegerConstantsKeepEveryBit) {
  const int64_t odd = (int64_t{1} << 53) + 1;
  const Tensor x = from_values<int64_t>({odd + 1, odd, odd - 1}, device_);
  EXPECT_EQ(clamp(x, 0, odd).values<int64_t>(), (std::vector<int64_t>{odd, odd, odd - 1}));
  EXPECT_EQ(masked_fill(x, ones({3}, DType::kBool, device_), odd).values<int64_t>(),
            (std::vector<int64_t>{odd, odd, odd}));
  EXPECT_EQ(add(x, odd).values<int64_t>(), (std::vector<int64_t>{2 * odd + 1, 2 * odd, 2 * odd - 1}));
}

struct Comparisons {
  bool equal, less, greater;
};
// All six comparisons of each element with a number, and the mirrored ones.
void expect_comparisons(const Tensor& x, const Scalar& number, const std::vector<Comparisons>& expected) {
  const auto result = [](const Tensor& t) { return t.values<bool>(); };
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto [equals, below, above] = expected[i];
    const bool ordered = equals || below || above;
    SCOPED_TRACE(number.str() + " at element " + std::to_string(i));
    EXPECT_EQ(result(x == number)[i], equals);
    EXPECT_EQ(result(x != number)[i], !equals);
    EXPECT_EQ(result(x < number)[i], below);
    EXPECT_EQ(result(x <= number)[i], below || equals);
    EXPECT_EQ(result(x > number)[i], above);
    EXPECT_EQ(result(x >= number)[i], ordered && !below);
    EXPECT_EQ(result(less(number, x))[i], above);
    EXPECT_EQ(result(greater_equal(number, x))[i], ordered && !above);
    EXPECT_EQ(result(equal(number, x))[i], equals);
  }
}
constexpr Comparisons kLess{false, true, false}, kGreater{false, false, true}, kEqual{true, false, false},
    kUnordered{false, false, false};

TEST_P(Promotion, ComparisonWithANumberIsExact) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_comparisons(from_values<uint8_t>({44, 255}, device_), 300, {kLess, kLess});
  expect_comparisons(from_values<uint8_t>({0, 200}, device_), -1, {kGreater, kGreater});
  expect_comparisons(from_values<int32_t>({2, 3}, device_), 2.5, {kLess, kGreater});
  expect_comparisons(from_values<int32_t>({2, 3}, device_), 2.0, {kEqual, kGreater});
  expect_comparisons(from_values<int32_t>({-2, -3}, device_), -2.5, {kGreater, kLess});
  expect_comparisons(from_values<int32_t>({2}, device_), kInfinity, {kLess});
  expect_comparisons(from_values<int32_t>({2}, device_), std::numeric_limits<double>::quiet_NaN(), {kUnordered});
  const int64_t odd = (int64_t{1} << 53) + 1, top = std::numeric_limits<int64_t>::max();
  expect_comparisons(from_values<int64_t>({odd, odd - 1}, device_), 0x1p53, {kGreater, kEqual});
  expect_comparisons(from_values<int64_t>({top, -top - 1}, device_), 0x1p63, {kLess, kLess});
  expect_comparisons(from_values<bool>({false, true}, device_), 2, {kLess, kLess});
  expect_comparisons(from_values<bool>({false, true}, device_), 1, {kLess, kEqual});
}

TEST_P(Promotion, ComparisonOfAFloatWithAnIntegerIsExact) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const int64_t past = (int64_t{1} << 24) + 1; // between two floats
  expect_comparisons(from_values<float>({0x1p24F, 0x1p24F + 2, nan, inf}, device_), past,
                     {kLess, kGreater, kUnordered, kGreater});
  expect_comparisons(from_values<double>({0x1p53, 0x1p53 + 2}, device_), (int64_t{1} << 53) + 1, {kLess, kGreater});
  const Tensor half = from_values<float>({65504, -65504, inf, -inf, nan}, device_).to(DType::kF16);
  expect_comparisons(half, 1e6, {kLess, kLess, kGreater, kLess, kUnordered});
  expect_comparisons(half, -100000, {kGreater, kGreater, kGreater, kLess, kUnordered});
  expect_comparisons(from_values<float>({2048, 2050}, device_).to(DType::kF16), 2049, {kLess, kGreater});
}

TEST_P(Promotion, RealNumbersTakeTheDtypesPrecision) {
  expect_comparisons(from_values<float>({0.1F, 0.2F}, device_), 0.1, {kEqual, kGreater});
}

TEST_P(Promotion, MasksAndIndicesAreNotPromoted) {
  expect_error<TypeError>([&] { where(counting({2}), 1, 2); }, {"[numerics.19]", "where", "condition", "f32", "bool"});
  expect_error<TypeError>([&] { gather(counting({2}), counting({2}, DType::kU8), 0); }, {"index", "u8", "i32 i64"});
}

TEST_P(Promotion, ADtypeThatTheOperationLacksIsATypeError) {
  expect_error<TypeError>([&] { mean(counting({2}, DType::kI64)); },
                          {"[numerics.38] mean", "x", "i64", "f16 bf16 f32 f64"});
  expect_error<TypeError>([&] { divide(counting({2}, DType::kI32), 2); }, {"[numerics.38] divide", "i32"});
  EXPECT_THROW(matmul(ones({2, 2}, DType::kBool, device_), ones({2, 2}, DType::kBool, device_)), TypeError);
  EXPECT_THROW(add(1, 2), TypeError);
}

TEST_P(Promotion, InPlaceKeepsTheDtypeOrRefuses) {
  // TS_CITES(numerics.37)
  const Tensor x = counting({3}, DType::kF64);
  add_(x, counting({3}, DType::kI32));
  EXPECT_EQ(x.dtype(), DType::kF64);
  EXPECT_THAT(numbers(x), ElementsAre(0, 2, 4));
  expect_error<TypeError>([&] { add_(counting({3}, DType::kI32), 0.5); }, {"[numerics.37] add", "f32", "i32"});
  EXPECT_THROW(add_(counting({3}, DType::kU8), counting({3}, DType::kI64)), TypeError);
}

} // namespace ts::tests
