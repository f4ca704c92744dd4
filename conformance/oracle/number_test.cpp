// Rounding of MPFR numbers to dtypes, against rounding of doubles where both are exact, and where doubles cannot follow.
#include "conformance/oracle/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ts::judge {
namespace {

Number number(const char* text, long precision = 256) {
  Number n(precision);
  mpfr_set_str(n.get(), text, 0, MPFR_RNDN);
  return n;
}

TEST(Rounding, AgreesWithEncodeOnEveryHalfwayPointOfF16) {
  Number n(64);
  for (uint64_t bits = 0; bits < 0x7bff; ++bits) {
    const double middle = (decode(TS_DTYPE_F16, bits) + decode(TS_DTYPE_F16, bits + 1)) / 2;
    for (double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9), -middle}) {
      set_double(n, value);
      ASSERT_EQ(round_to(TS_DTYPE_F16, n).bits, encode(TS_DTYPE_F16, value)) << value;
    }
  }
}

TEST(Rounding, IsOneRoundingWhereADoubleWouldRoundTwice) {
  // 1 + 2^-11 + 2^-80 is above the halfway point of f16 by less than a double sees.
  EXPECT_EQ(round_to(TS_DTYPE_F16, number("0x1.002000000000000000001p0")).bits, 0x3c01U);
  EXPECT_EQ(encode(TS_DTYPE_F16, mpfr_get_d(number("0x1.002000000000000000001p0").get(), MPFR_RNDN)), 0x3c00U);
  EXPECT_EQ(round_to(TS_DTYPE_F16, number("0x1.001fffffffffffffffffp0")).bits, 0x3c00U);
}

TEST(Rounding, ResidualIsWhatWasTakenAwayInUlps) {
  const Rounded r = round_to(TS_DTYPE_F32, number("0x1.0000004p0")); // 1 + 2^-26: an eighth of an ulp
  EXPECT_EQ(decode(TS_DTYPE_F32, r.bits), 1.0);
  EXPECT_DOUBLE_EQ(r.residual, 0.125);
  EXPECT_DOUBLE_EQ(round_to(TS_DTYPE_F32, number("-0x1.0000004p0")).residual, -0.125);
  // Just below 2: rounds up to 2, whose ulp is twice as long.
  const Rounded carried = round_to(TS_DTYPE_F32, number("0x1.ffffffp0"));
  EXPECT_EQ(decode(TS_DTYPE_F32, carried.bits), 2.0);
  EXPECT_DOUBLE_EQ(carried.residual, -0.25);
}

TEST(Rounding, SubnormalsAndZeroesKeepTheirSign) {
  EXPECT_EQ(round_to(TS_DTYPE_F32, number("-1e-60")).bits, 0x80000000U);
  EXPECT_EQ(round_to(TS_DTYPE_F32, number("0x1p-149")).bits, 1U);
  EXPECT_EQ(round_to(TS_DTYPE_F32, number("0x1p-150")).bits, 0U); // the tie goes to even
  EXPECT_EQ(round_to(TS_DTYPE_F32, number("0x1.0000001p-150")).bits, 1U);
  EXPECT_EQ(round_to(TS_DTYPE_F64, number("0x1.8p-1074")).bits, 2U);
  EXPECT_EQ(round_to(TS_DTYPE_F32, number("0x1.fffffffp-127")).bits, 0x00800000U); // up to the smallest normal
}

TEST(Rounding, OverflowIsMarkedAndMeasuredFromThePowerOfTwo) {
  const Rounded by_rounding = round_to(TS_DTYPE_F16, number("65520"));
  EXPECT_TRUE(by_rounding.overflowed);
  EXPECT_EQ(by_rounding.bits, 0x7c00U);
  EXPECT_DOUBLE_EQ(by_rounding.residual, -0.5);
  const Rounded beyond = round_to(TS_DTYPE_F16, number("-65600"));
  EXPECT_TRUE(beyond.overflowed);
  EXPECT_EQ(beyond.bits, 0xfc00U);
  EXPECT_DOUBLE_EQ(beyond.residual, -2);
  EXPECT_FALSE(round_to(TS_DTYPE_F16, number("@inf@")).overflowed);
}

TEST(Rounding, DoubtIsSeenOnlyNearHalfwayPoints) {
  EXPECT_FALSE(rounds_safely(TS_DTYPE_F32, number("0x1.0000010000000000000000001p0", 128), 88));
  EXPECT_TRUE(rounds_safely(TS_DTYPE_F32, number("0x1.00000100001p0", 128), 88));
  EXPECT_TRUE(rounds_safely(TS_DTYPE_F32, number("1.1", 128), 88));
}

TEST(Storing, IntegersTruncateAndSaturateAndNaNIsZero) {
  Array a(TS_DTYPE_I32, {5});
  store(a, 0, number("-2.9"));
  store(a, 1, number("1e30"));
  store(a, 2, number("-1e30"));
  store(a, 3, number("@nan@"));
  store(a, 4, number("2147483646.99"));
  EXPECT_EQ(a, Array::of_integers(TS_DTYPE_I32, {5}, {-2, 2147483647, -2147483648LL, 0, 2147483646}));
}

} // namespace
} // namespace ts::judge
