// Comparison: what is wrong is found, at the right element, with its distance; what is right passes; what proves nothing is
// called trivial.
#include "conformance/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

Array f32(const std::vector<double>& values) {
  return Array::of(TS_DTYPE_F32, {static_cast<int64_t>(values.size())}, values);
}

Bounds ulp(double n) {
  Bounds b;
  b.kind = Bounds::Kind::ulp;
  b.ulps = n;
  return b;
}

Bounds absolute(std::vector<double> bound) {
  Bounds b;
  b.kind = Bounds::Kind::absolute;
  b.absolute = std::move(bound);
  return b;
}

TEST(Compare, APlantedWrongValueIsReportedAtItsElement) {
  const Array want = Array::of(TS_DTYPE_F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  Array got = want;
  got.set_bits(4, got.bits(4) + 1);
  const Comparison c = compare(got, want, Bounds{});
  EXPECT_FALSE(c.pass);
  EXPECT_EQ(c.first_coordinates, (Shape{1, 1}));
  EXPECT_EQ(c.got, "5.0000005 (0x40a00001)");
  EXPECT_EQ(c.want, "5 (0x40a00000)");
  EXPECT_EQ(c.ulp_distance, 1);
  EXPECT_EQ(c.different, 1);
  EXPECT_NE(c.why.find("(1,1)"), std::string::npos);
  EXPECT_TRUE(compare(want, want, Bounds{}).pass);
}

TEST(Compare, EveryElementOfALongArrayCounts) {
  const Array want(TS_DTYPE_F32, {9001});
  for (const int64_t at : {0, 4095, 4096, 4097, 9000}) {
    Array got = want;
    got.set_real(at, 1);
    EXPECT_EQ(compare(got, want, Bounds{}).first, at);
  }
}

TEST(Compare, DtypeAndShapeComeFirst) {
  EXPECT_FALSE(compare(Array(TS_DTYPE_F32, {2}), Array(TS_DTYPE_F64, {2}), Bounds{}).pass);
  EXPECT_NE(compare(Array(TS_DTYPE_F32, {2}), Array(TS_DTYPE_F32, {1, 2}), Bounds{}).why.find("shape"),
            std::string::npos);
}

TEST(Compare, ClassesOfValueNeverPassByDistance) {
  for (const Bounds& b : {Bounds{}, ulp(1e30), absolute({1e30})}) {
    EXPECT_FALSE(compare(f32({kNaN}), f32({1}), b).pass);
    EXPECT_FALSE(compare(f32({1}), f32({kNaN}), b).pass);
    EXPECT_FALSE(compare(f32({kInf}), f32({-kInf}), b).pass);
    EXPECT_FALSE(compare(f32({3e38}), f32({kInf}), b).pass); // an infinity of the mathematics
    EXPECT_TRUE(compare(f32({kNaN}), f32({-kNaN}), b).pass);
    EXPECT_TRUE(compare(f32({-kInf}), f32({-kInf}), b).pass);
  }
  EXPECT_FALSE(compare(f32({1}), f32({2}), absolute({kInf})).pass ||
               compare(f32({1}), f32({2}), absolute({kNaN})).pass);
}

TEST(Compare, SignOfZeroCountsWhereTheRowIsExactOrInUlps) {
  EXPECT_FALSE(compare(f32({0.0}), f32({-0.0}), Bounds{}).pass);
  EXPECT_FALSE(compare(f32({0.0}), f32({-0.0}), ulp(4)).pass);
  EXPECT_TRUE(compare(f32({0.0}), f32({-0.0}), absolute({1e-6})).pass);
  Bounds b = absolute({1e-6});
  b.signed_zero = {1};
  EXPECT_FALSE(compare(f32({0.0}), f32({-0.0}), b).pass);
}

TEST(Compare, UlpsAreCountedFromTheUnroundedValue) {
  Bounds b = ulp(1);
  b.residual = {0.4};
  const Array want = f32({1.5});
  Array got = want;
  got.set_bits(0, want.bits(0) + 1);
  EXPECT_NEAR(compare(got, want, b).worst_ulp, 0.6, 1e-12);
  EXPECT_TRUE(compare(got, want, b).pass);
  got.set_bits(0, want.bits(0) - 1);
  const Comparison c = compare(got, want, b);
  EXPECT_NEAR(c.ulp_distance, 1.4, 1e-12);
  EXPECT_FALSE(c.pass);
  // A hair past what is allowed is past it.
  b.ulps = 1.4 + 1e-6;
  EXPECT_TRUE(compare(got, want, b).pass);
  b.ulps = 1.4 - 1e-6;
  EXPECT_FALSE(compare(got, want, b).pass);
}

TEST(Compare, BelowAPowerOfTwoAnUlpIsHalfAsLong) {
  Bounds b = ulp(2);
  b.residual = {-0.25}; // exact value 1 - 2^-25, in a binade of ulp 2^-24
  Array got = f32({1});
  got.set_bits(0, got.bits(0) - 2);
  EXPECT_NEAR(compare(got, f32({1}), b).worst_ulp, 1.5, 1e-12);
  got.set_bits(0, f32({1}).bits(0) + 1);
  EXPECT_NEAR(compare(got, f32({1}), b).worst_ulp, 2.5, 1e-12);
}

TEST(Compare, OverflowIsOneUlpPastTheLargest) {
  Bounds b = ulp(2);
  b.overflowed = {1};
  b.residual = {-0.5};
  const double largest = std::numeric_limits<float>::max();
  EXPECT_TRUE(compare(f32({kInf}), f32({kInf}), b).pass);
  EXPECT_TRUE(compare(f32({largest}), f32({kInf}), b).pass);
  EXPECT_FALSE(compare(f32({largest / 2}), f32({kInf}), b).pass);
  EXPECT_FALSE(compare(f32({-kInf}), f32({kInf}), b).pass);
  EXPECT_TRUE(compare(f32({kInf}), f32({largest}), ulp(1)).pass);
  EXPECT_FALSE(compare(f32({kInf}), f32({largest}), ulp(0.5)).pass);
  b.residual = {1e300}; // far past the range: only the infinity is right
  EXPECT_TRUE(compare(f32({kInf}), f32({kInf}), b).pass);
  EXPECT_FALSE(compare(f32({largest}), f32({kInf}), b).pass);
}

TEST(Compare, AbsoluteBoundsHoldPerElement) {
  const Array want = f32({1, 1000});
  EXPECT_TRUE(compare(f32({1.0005, 1000.5}), want, absolute({1e-3, 1})).pass);
  const Comparison c = compare(f32({1.5, 1000.5}), want, absolute({1e-3, 1}));
  EXPECT_EQ(c.first, 0);
  EXPECT_NEAR(c.worst_ratio, 500, 1e-3);
  EXPECT_EQ(c.worst_ratio_at, 0);
  EXPECT_FALSE(compare(f32({std::nextafter(1.0F, 2.0F), 1000}), want, absolute({0, 1})).pass);
}

TEST(Compare, SubnormalsOfF64HaveTheirUlp) {
  Bounds b = ulp(1);
  b.residual = {0.25};
  const Array want = Array::of(TS_DTYPE_F64, {1}, {0x3p-1074});
  EXPECT_TRUE(compare(Array::of(TS_DTYPE_F64, {1}, {0x4p-1074}), want, b).pass);
  EXPECT_FALSE(compare(Array::of(TS_DTYPE_F64, {1}, {0x2p-1074}), want, b).pass);
}

TEST(Compare, PayloadCountsInMovementOnly) {
  Array got = f32({kNaN, 1});
  Array want = got;
  got.set_bits(0, 0x7fc12345);
  Bounds b;
  EXPECT_TRUE(compare(got, want, b).pass);
  b.payload = true;
  EXPECT_FALSE(compare(got, want, b).pass);
}

TEST(Compare, BoolIsZeroOrOne) {
  Array got = Array::of_integers(TS_DTYPE_BOOL, {2}, {1, 0});
  const Array want = got;
  got.set_bits(0, 2);
  EXPECT_NE(compare(got, want, Bounds{}).why.find("neither 0 nor 1"), std::string::npos);
}

TEST(Compare, WhatProvesNothingIsTrivial) {
  const auto why = [](const Array& a, const Bounds& b = Bounds{}) { return compare(a, a, b).trivial_why; };
  EXPECT_EQ(why(Array(TS_DTYPE_F32, {0})), "empty");
  EXPECT_EQ(why(f32({0, -0.0})), "all zero");
  EXPECT_EQ(why(f32({kNaN, -kNaN})), "all NaN");
  EXPECT_EQ(why(f32({3, 3, 3})), "constant");
  EXPECT_EQ(why(f32({3})), "");
  EXPECT_EQ(why(f32({3, 4})), "");
  Bounds b;
  b.excluded = {1, 1};
  EXPECT_EQ(why(f32({3, 4}), b), "all excluded");
  b.excluded = {1, 0};
  EXPECT_EQ(compare(f32({9, 4}), f32({3, 4}), b).excluded, 1);
  EXPECT_TRUE(compare(f32({9, 4}), f32({3, 4}), b).pass);
}

TEST(Compare, AResultWhereAnErrorIsDueFails) {
  Expected expected;
  expected.error = "IndexError";
  EXPECT_FALSE(compare(f32({1}), expected).pass);
  EXPECT_NE(compare(f32({1}), expected).why.find("IndexError"), std::string::npos);
}

} // namespace
} // namespace ts::judge
