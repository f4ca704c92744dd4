// Conversions, exhaustively where the 16-bit formats allow it.
#include "backends/kernels/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ts {
namespace {

template <class H> H from_bits(uint32_t bits) { return H{static_cast<uint16_t>(bits)}; }
template <class H> double value(uint32_t bits) { return static_cast<double>(static_cast<float>(from_bits<H>(bits))); }
template <class H> constexpr uint32_t kInfinity = std::is_same_v<H, Half> ? 0x7c00 : 0x7f80;

template <class H> class Halves : public testing::Test {};
using Formats = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(Halves, Formats);

TYPED_TEST(Halves, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double x = value<TypeParam>(bits);
    const uint32_t back = TypeParam::round(x).bits;
    if (x != x)
      ASSERT_EQ(back, kInfinity<TypeParam> | (kInfinity<TypeParam> == 0x7c00 ? 0x200U : 0x40U));
    else
      ASSERT_EQ(back, bits);
  }
}

TYPED_TEST(Halves, ValuesGrowWithTheirBits) {
  EXPECT_EQ(value<TypeParam>(0), 0);
  for (uint32_t bits = 0; bits < kInfinity<TypeParam>; ++bits)
    ASSERT_LT(value<TypeParam>(bits), value<TypeParam>(bits + 1));
}

// Around every midpoint between neighbours: below it goes down, above it up, on it to the even one. A double that is one
// step from the midpoint would be rounded wrongly through f32.
TYPED_TEST(Halves, RoundOnceAroundEveryMidpoint) {
  for (uint32_t bits = 0; bits + 1 < kInfinity<TypeParam>; ++bits) {
    const double middle = (value<TypeParam>(bits) + value<TypeParam>(bits + 1)) / 2;
    const double below = std::nextafter(middle, 0), above = std::nextafter(middle, INFINITY);
    const uint32_t even = bits + (bits & 1);
    ASSERT_EQ(TypeParam::round(below).bits, bits);
    ASSERT_EQ(TypeParam::round(above).bits, bits + 1);
    ASSERT_EQ(TypeParam::round(middle).bits, even);
    ASSERT_EQ(TypeParam::round(-above).bits, (bits + 1) | 0x8000);
    ASSERT_EQ(TypeParam::round(-middle).bits, even | 0x8000);
  }
}

TYPED_TEST(Halves, OverflowIsInfinity) {
  const double largest = value<TypeParam>(kInfinity<TypeParam> - 1);
  const double step = largest - value<TypeParam>(kInfinity<TypeParam> - 2);
  EXPECT_EQ(TypeParam::round(std::nextafter(largest + step / 2, 0)).bits, kInfinity<TypeParam> - 1);
  EXPECT_EQ(TypeParam::round(largest + step / 2).bits, kInfinity<TypeParam>);
  EXPECT_EQ(TypeParam::round(-1e300).bits, kInfinity<TypeParam> | 0x8000);
}

TYPED_TEST(Halves, IntegersRoundOnce) {
  std::mt19937_64 random(4);
  const auto check = [](int64_t x) {
    // The neighbours of x, found without rounding: long double holds every int64.
    const auto exact = static_cast<long double>(x);
    uint32_t low = 0;
    const long double size = std::fabs(exact);
    for (uint32_t step = 0x4000; step > 0; step /= 2)
      if (low + step < kInfinity<TypeParam> && static_cast<long double>(value<TypeParam>(low + step)) <= size)
        low += step;
    const auto down = static_cast<long double>(value<TypeParam>(low));
    const long double up = low + 1 == kInfinity<TypeParam>
                               ? 2 * down - static_cast<long double>(value<TypeParam>(low - 1))
                               : static_cast<long double>(value<TypeParam>(low + 1));
    const bool rises = size - down > up - size || (size - down == up - size && (low & 1) != 0);
    const uint32_t wanted = (low + (rises ? 1 : 0)) | (x < 0 ? 0x8000U : 0U);
    ASSERT_EQ(convert<TypeParam>(x).bits, wanted) << x;
  };
  for (int k = 0; k < 100'000; ++k) check(static_cast<int64_t>(random()) >> (random() % 64));
  for (int shift = 8; shift < 62; ++shift)
    for (int64_t near = -2; near <= 2; ++near) {
      check((int64_t{0x101} << shift >> 8 << 8) + near);
      check((int64_t{1} << shift) + (int64_t{1} << (shift - 8)) + near);
      check(-((int64_t{3} << (shift - 1)) + (int64_t{1} << (shift - 8)) + near));
    }
  check(INT64_MAX);
  check(INT64_MIN);
}

TEST(Convert, FloatingToIntegerTruncatesSaturatesAndTurnsNanToZero) {
  EXPECT_EQ(convert<int32_t>(2.9F), 2);
  EXPECT_EQ(convert<int32_t>(-2.9), -2);
  EXPECT_EQ(convert<int32_t>(NAN), 0);
  EXPECT_EQ(convert<int32_t>(2147483647.0), INT32_MAX);
  EXPECT_EQ(convert<int32_t>(2147483648.0), INT32_MAX);
  EXPECT_EQ(convert<int32_t>(-2147483648.9), INT32_MIN);
  EXPECT_EQ(convert<int32_t>(-INFINITY), INT32_MIN);
  EXPECT_EQ(convert<int64_t>(9223372036854775808.0), INT64_MAX);
  EXPECT_EQ(convert<int64_t>(-9223372036854775808.0F), INT64_MIN);
  EXPECT_EQ(convert<uint8_t>(255.9F), 255);
  EXPECT_EQ(convert<uint8_t>(256.0F), 255);
  EXPECT_EQ(convert<uint8_t>(-0.9F), 0);
  EXPECT_EQ(convert<uint8_t>(-1.0), 0);
  EXPECT_EQ(convert<int32_t>(Half{0xfc00}), INT32_MIN);
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(convert<uint8_t>(int32_t{300}), 44);
  EXPECT_EQ(convert<int32_t>((int64_t{1} << 32) + 5), 5);
  EXPECT_EQ(convert<uint8_t>(int64_t{-1}), 255);
}

TEST(Convert, AnythingNonzeroIsTrueAndABoolIsWrittenAsOne) {
  EXPECT_EQ(convert<Bool>(0x100).byte, 1);
  EXPECT_EQ(convert<Bool>(NAN).byte, 1);
  EXPECT_EQ(convert<Bool>(-0.0).byte, 0);
  EXPECT_EQ(convert<Bool>(1e-310).byte, 1);
  EXPECT_EQ(convert<Bool>(Half{1}).byte, 1);
  EXPECT_EQ(convert<Bool>(Half{0x8000}).byte, 0);
  EXPECT_EQ(convert<Bool>(Bool{7}).byte, 1);
  EXPECT_EQ(convert<int64_t>(Bool{0x80}), 1);
  EXPECT_EQ(static_cast<float>(convert<Half>(Bool{2})), 1.0F);
}

} // namespace
} // namespace ts
