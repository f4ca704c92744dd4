// The functors whose rounding is easy to get wrong, against exact integer arithmetic; and their corners.
#include "backends/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ts::kernels {
namespace {

__extension__ using Wide = __int128;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T> bool same(T x, T y) { return (x != x && y != y) || (x == y && std::signbit(x) == std::signbit(y)); }

TEST(FloorDivide, IsTheFloorOfTheExactQuotient) {
  const FloorDivide divide;
  EXPECT_EQ(divide(1.0, 0.1), 9);
  EXPECT_EQ(divide(1.0F, 0.1F), 9);
  EXPECT_EQ(divide(1.0, -kInfinity), -1);
  EXPECT_TRUE(same(divide(-1.0, -3.0), 0.0));
  EXPECT_TRUE(same(divide(-0.0, 3.0), -0.0));
  EXPECT_TRUE(std::isnan(divide(INFINITY, 1.0F)));
  EXPECT_EQ(divide(-1.0, 0.0), -kInfinity);
  EXPECT_EQ(divide(kInfinity, -0.0), -kInfinity); // floor_divide.3 before floor_divide.2
  EXPECT_EQ(divide(-5e-324, 1e300), -1);
  std::mt19937_64 random(6);
  for (int k = 0; k < 300'000; ++k) {
    // Integers that both dtypes hold, with quotients from below 1 to far past 2^53.
    const int64_t x = static_cast<int64_t>(random() >> 40) - (1 << 23);
    const int64_t y = (static_cast<int64_t>(random() >> 40) - (1 << 23)) >> (random() % 24);
    const int shift = static_cast<int>(random() % 39);
    if (y == 0) continue;
    const int64_t dividend = x * (int64_t{1} << shift);
    const int64_t floored = dividend / y - (dividend % y != 0 && (dividend < 0) != (y < 0) ? 1 : 0);
    ASSERT_EQ(divide(static_cast<double>(dividend), static_cast<double>(y)), static_cast<double>(floored))
        << dividend << " // " << y;
    ASSERT_EQ(divide(static_cast<float>(dividend), static_cast<float>(y)), static_cast<float>(floored))
        << dividend << " // " << y;
  }
}

TEST(IntegerDivision, GuardsItsTraps) {
  EXPECT_EQ(FloorDivide{}(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(Remainder{}(INT64_MIN, int64_t{-1}), 0);
  EXPECT_EQ(Fmod{}(INT64_MIN, int64_t{-1}), 0);
  EXPECT_EQ(FloorDivide{}(7, 0), 0);
  EXPECT_EQ(Remainder{}(uint8_t{7}, uint8_t{0}), 0);
  EXPECT_EQ(FloorDivide{}(-7, 2), -4);
  EXPECT_EQ(Remainder{}(-7, 2), 1);
  EXPECT_EQ(Fmod{}(-7, 2), -1);
}

TEST(Remainder, HasTheSignOfTheDivisorZeroIncluded) {
  EXPECT_TRUE(same(Remainder{}(-6.0, 3.0), 0.0));
  EXPECT_TRUE(same(Remainder{}(6.0F, -3.0F), -0.0F));
  EXPECT_TRUE(same(Fmod{}(-6.0, 3.0), -0.0));
  EXPECT_EQ(Remainder{}(-1.0, kInfinity), kInfinity);
}

TEST(Maximum, LetsNanWinAndOrdersZeros) {
  for (const double other : {-kInfinity, 0.0, 5.0}) {
    EXPECT_TRUE(std::isnan(Maximum{}(NAN, static_cast<float>(other))));
    EXPECT_TRUE(std::isnan(Minimum{}(other, kNan)));
  }
  EXPECT_TRUE(same(Maximum{}(-0.0, 0.0), 0.0));
  EXPECT_TRUE(same(Maximum{}(0.0, -0.0), 0.0));
  EXPECT_TRUE(same(Minimum{}(0.0, -0.0), -0.0));
  EXPECT_TRUE(same(Relu{}(-0.0), 0.0));
}

TEST(Pow, OfIntegersWrapsAndTruncates) {
  EXPECT_EQ(Pow{}(3, 40), static_cast<int32_t>(static_cast<uint32_t>(12157665459056928801ULL)));
  EXPECT_EQ(Pow{}(-1, -3), -1);
  EXPECT_EQ(Pow{}(2, -1), 0);
  EXPECT_EQ(Pow{}(0, -1), 0);
  EXPECT_EQ(Pow{}(uint8_t{3}, uint8_t{5}), 243);
  EXPECT_EQ(Pow{}(0, 0), 1);
}

TEST(Shift, PastTheWidthOrBelowZero) {
  EXPECT_EQ(BitwiseLeftShift{}(1, 32), 0);
  EXPECT_EQ(BitwiseLeftShift{}(1, -1), 0);
  EXPECT_EQ(BitwiseLeftShift{}(1, 31), INT32_MIN);
  EXPECT_EQ(BitwiseRightShift{}(-5, 40), -1);
  EXPECT_EQ(BitwiseRightShift{}(int64_t{5}, int64_t{-1}), 0);
  EXPECT_EQ(BitwiseRightShift{}(uint8_t{255}, uint8_t{9}), 0);
}

// x * y + z of halves in units of 2^-48, exactly.
Wide exact_fma(Half x, Half y, Half z) {
  const auto units = [](Half h, int scale) {
    return static_cast<Wide>(std::ldexp(static_cast<double>(static_cast<float>(h)), scale));
  };
  return units(x, 24) * units(y, 24) + units(z, 24) * (Wide{1} << 24);
}

// The half nearest to an exact number in units of 2^-48, ties to even.
uint16_t nearest_half(Wide exact) {
  const Wide size = exact < 0 ? -exact : exact;
  const auto units = [](uint32_t bits) {
    const double value =
        bits == 0x7c00 ? 65536.0 : static_cast<double>(static_cast<float>(Half{static_cast<uint16_t>(bits)}));
    return static_cast<Wide>(std::ldexp(value, 24)) * (Wide{1} << 24);
  };
  uint32_t low = 0;
  for (uint32_t step = 0x4000; step > 0; step /= 2)
    if (low + step <= 0x7bff && units(low + step) <= size) low += step;
  const Wide down = size - units(low), up = units(low + 1) - size;
  const bool rises = down > up || (down == up && (low & 1) != 0);
  return static_cast<uint16_t>(std::min(low + (rises ? 1 : 0), 0x7c00U) | (exact < 0 ? 0x8000U : 0U));
}

TEST(Fma, OfHalvesRoundsOnce) {
  std::mt19937_64 random(7);
  int64_t tried = 0;
  for (int k = 0; k < 2'000'000; ++k) {
    const Half x{static_cast<uint16_t>(random())}, y{static_cast<uint16_t>(random())};
    Half z{static_cast<uint16_t>(random())};
    if (k % 2 == 0) { // an addend that leaves the sum near a midpoint
      const float product = static_cast<float>(x) * static_cast<float>(y);
      z = Half::round(static_cast<double>(product) * std::ldexp(1.0, -static_cast<int>(random() % 24)));
    }
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    const Wide exact = exact_fma(x, y, z);
    if (exact == 0) continue;
    ++tried;
    ASSERT_EQ((apply<Half>(Fma{}, x, y, z).bits), nearest_half(exact)) << x.bits << " " << y.bits << " " << z.bits;
  }
  EXPECT_GT(tried, 1'000'000);
}

TEST(Nextafter, StepsInTheBitsOfTheDtype) {
  const Nextafter next;
  EXPECT_EQ(next(Half{0x3c00}, Half{0x7c00}).bits, 0x3c01);
  EXPECT_EQ(next(BFloat16{0x3f80}, BFloat16{0}).bits, 0x3f7f);
  EXPECT_EQ(next(Half{0x8000}, Half{0x3c00}).bits, 0x0001);
  EXPECT_EQ(next(Half{0}, Half{0x8000}).bits, 0x8000);
  EXPECT_EQ(next(Half{0x7bff}, Half{0x7c00}).bits, 0x7c00);
  EXPECT_EQ(next(1.0F, 2.0F), std::nextafterf(1.0F, 2.0F));
  EXPECT_EQ(next(-1e-310, 1.0), std::nextafter(-1e-310, 1.0));
}

TEST(Activations, KeepTheirTails) {
  EXPECT_GT(Sigmoid{}(-710.0), 0.0);
  EXPECT_TRUE(same(Silu{}(-INFINITY), -0.0F));
  EXPECT_NEAR(Silu{}(-740.0) / -740.0, std::exp(-740.0), 2 * 5e-324);
  EXPECT_TRUE(same(Gelu{}(-INFINITY), -0.0F));
  EXPECT_EQ(Gelu{}(INFINITY), INFINITY);
  EXPECT_TRUE(same(GeluTanh{}(-1e30F), -0.0F));
  EXPECT_EQ(GeluTanh{}(1e30F), 1e30F);
  EXPECT_TRUE(same(Gelu{}(-0.0), -0.0));
  // gelu in f32 against f64, over the whole range and the seam of its two expressions.
  for (int k = 0; k < 16'500; ++k) {
    const float x = -14.0F + 0.0017F * static_cast<float>(k);
    const double wanted = 0.5 * static_cast<double>(x) * std::erfc(-static_cast<double>(x) * 0.70710678118654752440);
    const double unit = std::max(std::ldexp(1.0, std::ilogb(static_cast<float>(wanted)) - 23), std::ldexp(1.0, -149));
    ASSERT_LE(std::fabs(static_cast<double>(Gelu{}(x)) - wanted) / unit, 10) << x;
  }
}

TEST(Lerp, IsExactAtBothEnds) {
  EXPECT_EQ(Lerp{}(1e30F, 1.0F, 1.0F), 1.0F);
  EXPECT_EQ(Lerp{}(1e30F, 1.0F, 0.0F), 1e30F);
}

} // namespace
} // namespace ts::kernels
