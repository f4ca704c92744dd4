// Encodings: every 16-bit pattern, rounding at and beside every halfway point, text that reads back.
#include "conformance/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

class Sixteen : public testing::TestWithParam<int32_t> {};

TEST_P(Sixteen, EveryPatternReadsAndWritesBack) {
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const double value = decode(GetParam(), bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode(GetParam(), encode(GetParam(), value))));
    } else {
      ASSERT_EQ(encode(GetParam(), value), bits) << value;
    }
  }
}

TEST_P(Sixteen, RoundsToNearestTiesToEvenBetweenAllNeighbours) {
  const Encoding& e = encoding(GetParam());
  const uint64_t infinity = static_cast<uint64_t>(2 * e.exponent_max + 1) << (e.precision - 1);
  for (uint64_t bits = 0; bits + 1 < infinity; ++bits) {
    const double low = decode(GetParam(), bits), high = decode(GetParam(), bits + 1);
    const double middle = low + (high - low) / 2;
    const uint64_t even = (bits & 1) == 0 ? bits : bits + 1;
    ASSERT_EQ(encode(GetParam(), middle), even) << bits;
    ASSERT_EQ(encode(GetParam(), std::nextafter(middle, 0.0)), bits) << bits;
    ASSERT_EQ(encode(GetParam(), std::nextafter(middle, HUGE_VAL)), bits + 1) << bits;
    ASSERT_EQ(encode(GetParam(), -middle), even | 0x8000) << bits;
  }
}

TEST_P(Sixteen, PastHalfAnUlpAboveTheLargestIsInfinity) {
  const Encoding& e = encoding(GetParam());
  const uint64_t infinity = static_cast<uint64_t>(2 * e.exponent_max + 1) << (e.precision - 1);
  const double largest = decode(GetParam(), infinity - 1);
  const double edge = largest + std::ldexp(1.0, e.exponent_max - e.precision); // half an ulp
  EXPECT_EQ(encode(GetParam(), edge), infinity);
  EXPECT_EQ(encode(GetParam(), std::nextafter(edge, 0.0)), infinity - 1);
  EXPECT_EQ(encode(GetParam(), 1e300), infinity);
  EXPECT_EQ(encode(GetParam(), 5e-324), 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, Sixteen, testing::Values(TS_DTYPE_F16, TS_DTYPE_BF16),
                         [](const auto& format) { return std::string(name_of(format.param)); });

TEST(Array, TextReadsBackToTheSameElement) {
  for (int32_t dtype : {TS_DTYPE_F16, TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64}) {
    for (double value : {0.1, 1.0 / 3, 65504.0, 6.0e-8, 1e-40, 123456.789, -2.5}) {
      Array a = Array::of(dtype, {}, {value});
      EXPECT_EQ(encode(dtype, std::strtod(a.text(0).c_str(), nullptr)), a.bits(0)) << a.text(0);
    }
  }
  EXPECT_EQ(Array::of(TS_DTYPE_F32, {}, {-0.0}).text(0), "-0");
  EXPECT_EQ(Array::of(TS_DTYPE_BF16, {}, {10}).text(0), "10");
  EXPECT_EQ(Array::of(TS_DTYPE_F16, {}, {-2048}).text(0), "-2048");
  EXPECT_EQ(Array::of(TS_DTYPE_F16, {}, {0.1}).hex(0), "0x2e66");
}

TEST(Array, IntegersWrapAndBoolsReadAnyByte) {
  Array a(TS_DTYPE_U8, {2});
  a.set_integer(0, 300);
  a.set_integer(1, -1);
  EXPECT_EQ(a.integer(0), 44);
  EXPECT_EQ(a.integer(1), 255);
  Array b(TS_DTYPE_BOOL, {1});
  b.set_bits(0, 7);
  EXPECT_EQ(b.integer(0), 1);
}

TEST(Array, ShapesThatDoNotFitAreRefused) {
  EXPECT_THROW(count_of({int64_t{1} << 40, int64_t{1} << 40}), InputError);
  EXPECT_THROW(count_of({2, -1}), InputError);
  EXPECT_EQ(count_of({int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(count_of({}), 1);
  EXPECT_EQ(coordinates({2, 3, 4}, 17), (Shape{1, 1, 1}));
}

} // namespace
} // namespace ts::judge
