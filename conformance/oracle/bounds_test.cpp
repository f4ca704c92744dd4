// Tolerance classes: by hand on small groups, growing with what they depend on, and tight enough to see a lost element.
#include "conformance/compare.h"
#include "conformance/oracle/bounds.h"
#include "conformance/oracle/row_bounds.h"
#include "conformance/oracle/test_op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Instance instance(const std::string& tolerance, int32_t dtype = TS_DTYPE_F32, int32_t acc = TS_DTYPE_F32) {
  Instance i;
  i.in = {dtype};
  i.out = {dtype};
  i.acc = acc;
  i.eval = Eval::real;
  i.tolerance = tolerance;
  return i;
}

struct Judged {
  double bound;
  bool excluded, signed_zero;
};

Judged judged(const Instance& i, const std::vector<double>& values, double exact, double correction = 0) {
  Bounds b = bounds_of(i, 0, 1);
  Terms terms;
  terms.correction = correction;
  for (double v : values) terms.add(v);
  judge_group(b, 0, i, 0, terms, exact);
  return {b.absolute[0], !b.excluded.empty(), !b.signed_zero.empty()};
}

constexpr double kU = 0x1p-24, kSub = 0x1p-149;

TEST(Bounds, AreTheFormulasOfTheirClass) {
  const std::vector<double> v = {0.5, -1.5, 4.25}; // n 3, k 3 + 2
  EXPECT_DOUBLE_EQ(judged(instance("sum"), v, 3.25).bound, 5 * kU * 6.25 + kU * 3.25 + kSub);
  EXPECT_DOUBLE_EQ(judged(instance("dot"), v, 3.25).bound, 3 * kU * 6.25 + kU * 3.25 + kSub);
  EXPECT_DOUBLE_EQ(judged(instance("serial"), v, 3.25).bound, 3 * kU * 6.25 + kU * 3.25 + kSub);
  EXPECT_DOUBLE_EQ(judged(instance("mean"), v, 1).bound, 6 * kU * 6.25 / 3 + kU + kSub);
  EXPECT_DOUBLE_EQ(judged(instance("prod"), v, -3.1875).bound, 3 * kU * 3.1875 + kU * 3.1875 + kSub);
  EXPECT_DOUBLE_EQ(judged(instance("norm"), v, 4).bound, 4.5 * kU * 4 + kU * 4 + kSub);
  const double mean_error = 5 * kU * 6.25 / 3;
  const double var = 9 * kU * 2 + mean_error * mean_error * 3 / 2;
  EXPECT_DOUBLE_EQ(judged(instance("var"), v, 2, 1).bound, var + kU * 2 + kSub);
  const double variance = std::sqrt(2.0) * std::sqrt(2.0);
  const double b = 9 * kU * variance + mean_error * mean_error * 3 / 2;
  EXPECT_DOUBLE_EQ(judged(instance("std"), v, std::sqrt(2.0), 1).bound,
                   b / std::sqrt(2.0) + kU * std::sqrt(2.0) + kSub);
  const double s = 1 + std::exp(-3.75) + std::exp(-5.75), far = 3.75 * std::exp(-3.75) + 5.75 * std::exp(-5.75);
  EXPECT_NEAR(judged(instance("logsumexp"), v, 4.3).bound / kU, far / s + 4 + 5 + 4 * std::log(s) + 4.3 + 4.3, 1e-9);
}

double row_bound(const std::string& kind, const std::vector<double>& row, const RowElement& element, double exact,
                 double eps = 0, bool* excluded = nullptr) {
  const Instance i = instance(kind);
  Bounds b = bounds_of(i, 0, 1);
  Terms terms;
  for (const double value : row) terms.add(value);
  RowBounds(i, terms, eps).judge(b, 0, element, exact);
  if (excluded != nullptr) *excluded = !b.excluded.empty();
  return b.absolute[0];
}

TEST(Bounds, OfRowsAreTheFormulasOfTheirClass) {
  const std::vector<double> v = {0.5, -1.5, 4.25}; // n 3, k 5, m 4.25
  const double s = 1 + std::exp(-3.75) + std::exp(-5.75);
  const double far = (3.75 * std::exp(-3.75) + 5.75 * std::exp(-5.75)) / s;
  const double y = std::exp(-3.75) / s;
  EXPECT_NEAR(row_bound("softmax", v, {0.5}, y), kU * y * (3.75 + far + 8 + 5 + 2) + 4 * kSub + kU * y + kSub, 1e-20);
  const double z = -3.75 - std::log(s);
  EXPECT_NEAR(row_bound("log_softmax", v, {0.5}, z), kU * (3.75 + far + 4 + 5 + 4 * std::log(s) - z) + kU * -z + kSub,
              1e-18);
  const std::vector<double> w = {1, 2, 6}; // mean 3, variance 14 / 3, mean of squares 41 / 3
  const double variance = 14.0 / 3, b = 9 * kU * variance + 25 * kU * kU * 9 + kSub, r = 1 / std::sqrt(variance + 1);
  EXPECT_NEAR(row_bound("layer_norm", w, {6, -2, 7}, -6 * r + 7, 1),
              2 * r * (5 * kU * 3 + 3 * kU * 3 + 1.5 * (b / (variance + 1) + 4 * kU)) + kU * (6 * r + 7) +
                  kU * std::fabs(-6 * r + 7) + kSub,
              1e-17);
  EXPECT_NEAR(row_bound("rms_norm", w, {6, 1, 0}, 1.5, 1), 1.5 * 8.5 * kU + 1.5 * kU + kSub, 1e-17);
}

TEST(Bounds, OfRowsExcludeWhatTheOrderDecides) {
  // TS_CITES(numerics.32)
  bool excluded = false;
  row_bound("layer_norm", {1e30, -1e30}, {1e30}, 1, 0, &excluded);
  EXPECT_TRUE(excluded);
  row_bound("rms_norm", {1e30, 1}, {1}, 0, 0, &excluded);
  EXPECT_TRUE(excluded);
  row_bound("layer_norm", {0.1, 0.1, 0.1}, {0.1}, NAN, 0, &excluded); // a spread of 0 that may come out as another
  EXPECT_TRUE(excluded);
  row_bound("layer_norm", {7, 7}, {7}, NAN, 0, &excluded); // integers: 0 it is
  EXPECT_FALSE(excluded);
  row_bound("layer_norm", {1, 3}, {1}, -1, 0, &excluded);
  EXPECT_FALSE(excluded);
  row_bound("softmax", {1e30, -1e30}, {1e30}, 1, 0, &excluded);
  EXPECT_FALSE(excluded);
}

TEST(Bounds, OfRowsSeeALostElementAndALargeMean) {
  std::vector<double> constant(4097, 3);
  // Of 4097 equal elements one is lost from the sum: every result is larger by 1 / 4096 of itself.
  EXPECT_LT(row_bound("softmax", constant, {3}, 1.0 / 4097), 1.0 / 4096 - 1.0 / 4097);
  // E[x^2] - E[x]^2 of a mean of 10,000 loses the variance.
  EXPECT_LT(row_bound("layer_norm", {9999, 10001, 9999, 10001}, {9999}, -1), 0.01);
}

TEST(Bounds, UseTheAccumulatorsAndTheOutputsRoundoff) {
  const Judged half = judged(instance("sum", TS_DTYPE_F16, TS_DTYPE_F32), {0.5, 0.25}, 0.75);
  EXPECT_DOUBLE_EQ(half.bound, 3 * kU * 0.75 + 0x1p-11 * 0.75 + 0x1p-24);
}

TEST(Bounds, GrowWithEveryTermAndItsSize) {
  for (const char* kind : {"sum", "dot", "serial", "mean", "prod", "norm"}) {
    std::vector<double> terms = {1.5};
    double last = judged(instance(kind), terms, 1.5).bound;
    for (int i = 0; i < 40; ++i) {
      terms.push_back(1.5);
      const double next = judged(instance(kind), terms, 1.5).bound;
      if (std::string(kind) == "mean") {
        EXPECT_GE(next, last * (1 - 1e-12)) << kind << i;
      } else {
        EXPECT_GT(next, last) << kind << i;
      }
      last = next;
    }
    std::vector<double> larger = terms;
    larger[0] = 2.5;
    EXPECT_GE(judged(instance(kind), larger, 1.5).bound, last) << kind;
  }
}

TEST(Bounds, SeeASerialSum) {
  const std::vector<double> tenths(65537, 0.1F);
  const double exact = 65537 * static_cast<double>(0.1F);
  EXPECT_LT(judged(instance("sum"), tenths, exact).bound, 0.11);
  float serial = 0;
  for (double tenth : tenths) serial += static_cast<float>(tenth);
  EXPECT_GT(std::fabs(static_cast<double>(serial) - exact), judged(instance("sum"), tenths, exact).bound);
}

TEST(Bounds, IntegerPayloadsAreExact) {
  EXPECT_EQ(judged(instance("sum"), {1, 2, -3, 1000}, 1000).bound, 0);
  EXPECT_GT(judged(instance("sum"), {1, 2, -3, 0x1p24}, 0x1p24).bound, 0); // past what f32 counts
  EXPECT_GT(judged(instance("sum"), {1, 2.5}, 3.5).bound, 0);
  EXPECT_EQ(judged(instance("prod"), {3, -5, 7}, -105).bound, 0);
  EXPECT_EQ(judged(instance("serial", TS_DTYPE_F16, TS_DTYPE_F16), {2000, 48}, 2048).bound, 0);
  EXPECT_GT(judged(instance("serial", TS_DTYPE_F16, TS_DTYPE_F16), {2000, 49}, 2049).bound, 0);
  EXPECT_DOUBLE_EQ(judged(instance("mean"), {1, 2}, 1.5).bound, 3 * kU * 1.5 + kSub); // maybe a product with 1/n
}

TEST(Bounds, SeeALostElementOfMany) {
  std::vector<double> balanced(32769, 3);
  balanced.insert(balanced.end(), 32768, -3);
  EXPECT_LT(judged(instance("sum"), balanced, 3).bound, 3);
  const double lost = 3.0 / 65537; // the mean, and what it changes by
  EXPECT_LT(judged(instance("mean"), balanced, lost).bound, lost);
  const std::vector<double> tenths(20000, 0.1F);
  EXPECT_LT(judged(instance("sum"), tenths, 2000).bound, 0.1);
}

TEST(Bounds, WhatDependsOnOrderIsExcluded) {
  // TS_CITES(numerics.32)
  const double max = std::numeric_limits<float>::max();
  EXPECT_TRUE(judged(instance("sum"), {max, max, -max}, max).excluded);
  EXPECT_FALSE(judged(instance("sum"), {max, 1}, max).excluded);
  EXPECT_FALSE(judged(instance("sum"), {kInf, 1}, kInf).excluded);
  EXPECT_TRUE(judged(instance("prod"), {1e30, 1e30, 1e-30}, 1e30).excluded);
  EXPECT_TRUE(judged(instance("prod"), {1e30, 1e-30, 1e-30}, 1e-30).excluded);
  EXPECT_FALSE(judged(instance("prod"), {1e30, 1e-30}, 1).excluded);
  EXPECT_FALSE(judged(instance("prod"), {0, 1e30, 1e-30, 1e-30}, 0).excluded);
  EXPECT_TRUE(judged(instance("prod"), {0, 1e30, 1e30}, 0).excluded);
  EXPECT_FALSE(judged(instance("prod"), {0, kInf, 1e30, 1e30}, NAN).excluded);
}

TEST(Bounds, SignOfZeroCountsWhereEveryTermIsZero) {
  EXPECT_TRUE(judged(instance("sum"), {-0.0, -0.0}, 0).signed_zero);
  EXPECT_FALSE(judged(instance("sum"), {1, -1}, 0).signed_zero);
}

TEST(Tolerances, ReadWhatRowsWrite) {
  EXPECT_EQ(parse_tolerance("ulp(2.5)").ulps, 2.5);
  EXPECT_EQ(parse_tolerance("dot").kind, Tolerance::Kind::dot);
  for (const char* bad : {"ulp", "ulp()", "ulp(x)", "ulp(1", "about", ""})
    EXPECT_THROW(parse_tolerance(bad), InputError) << bad;
}

} // namespace
} // namespace ts::judge
