// What fused operations compute: a rule per operation. A rule folds a row once or twice into facts about it, and makes a
// result of each element and the facts.
//
// Accumulators: f32 for f16, bf16 and f32, f64 for f64. A run of up to 16 elements folds as in reduce_tree.h.
#pragma once

#include "backends/kernels/reduce_reducers.h"

namespace ts::kernels {

/// What softmax knows of a row: its maximum, and 1 / S or log S.
template <class A> struct SoftmaxFacts { A top, rest; };

/// softmax and log_softmax.
template <class A> struct SoftmaxRule {
  using Facts = SoftmaxFacts<A>;
  using First = A;
  using Second = A;
  static constexpr int kOperands = 1;
  static constexpr bool kTwoPasses = true;
  bool logarithm;

  TS_HD static A larger(A a, A b) { return b > a || b != b ? b : a; } // NaN stays
  TS_HD First first_identity() const { return -math::infinity<A>(); }
  TS_HD First first_run(const A (&item)[kReduceRun], int count) const {
    return fold_lanes(first_identity(), item, count, larger, larger);
  }
  TS_HD First first_combine(A a, A b) const { return larger(a, b); }
  TS_HD void first_settle(A total, Facts& facts) const { facts = {TS_MUTATE("FU01", total, A{0}), 0}; }

  /// Items become distances from the maximum, or their exponentials.
  TS_HD Second second_identity() const { return 0; }
  TS_HD Second second_run(A (&item)[kReduceRun], int count, const Facts& facts) const {
    A power[kReduceRun] = {};
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= count) break;
      const A distance = item[i] - facts.top;
      power[i] = math::exp(distance);
      item[i] = logarithm ? distance : power[i];
    }
    const auto add = [](A a, A b) { return a + b; };
    return fold_lanes(A{0}, power, count, add, add);
  }
  TS_HD Second second_combine(A a, A b) const { return a + b; }
  TS_HD void second_settle(A total, Facts& facts) const { facts.rest = rest_of(total); }
  TS_HD A rest_of(A total) const {
    const A sum = TS_MUTATE("FU02", total, total + 1);
    return logarithm ? math::log(sum) : A{1} / sum;
  }

  /// An element as second_run leaves it.
  TS_HD A prepared(A x, const Facts& facts) const { return logarithm ? x - facts.top : math::exp(x - facts.top); }
  TS_HD A result(A item, const Facts& facts, const A (&)[kOperands]) const {
    return logarithm ? item - facts.rest : item * facts.rest;
  }
};

/// The facts of softmax by the reduction of logsumexp, for rows that are read twice.
template <class A> struct SoftmaxReducer : LogSumExpReducer<A> {
  using Acc = typename LogSumExpReducer<A>::Acc;
  SoftmaxRule<A> rule;

  TS_HD void store(const Acc& acc, std::byte* facts) const {
    const A top = TS_MUTATE("FU01", acc.top, A{0});
    // A row with +inf is NaN throughout, though the other elements are infinitely far from it.
    const A rest = acc.top == math::infinity<A>() ? math::quiet_nan<A>() : rule.rest_of(acc.sum);
    *reinterpret_cast<SoftmaxFacts<A>*>(facts) = {top, rest};
  }
};

/// What a norm knows of a row.
template <class A> struct NormFacts { A mean, scale; };

/// 1 / sqrt(spread + eps), rounded to the accumulator once at the end.
template <class A> TS_HD A norm_scale(double spread, double eps) {
  return static_cast<A>(TS_MUTATE("FU03", 1 / math::sqrt(spread + eps), 1 / (math::sqrt(spread) + eps)));
}

/// layer_norm. The second pass sums distances from a mean that need not be exact, and their squares; the sum of distances
/// takes up what the mean lost to rounding, so that the mean of a constant is the constant.
template <class A> struct LayerNormRule {
  using Facts = NormFacts<A>;
  using First = A;
  struct Second {
    A distance, squares;
  };
  static constexpr int kOperands = 3;
  static constexpr bool kTwoPasses = true;
  double length, eps;

  TS_HD First first_identity() const { return 0; }
  TS_HD First first_run(const A (&item)[kReduceRun], int count) const {
    const auto add = [](A a, A b) { return a + b; };
    return fold_lanes(A{0}, item, count, add, add);
  }
  TS_HD First first_combine(A a, A b) const { return a + b; }
  TS_HD void first_settle(A total, Facts& facts) const {
    facts = {TS_MUTATE("FU04", static_cast<A>(static_cast<double>(total) / length), A{0}), 0};
  }

  TS_HD Second second_identity() const { return {0, 0}; }
  TS_HD Second second_run(A (&item)[kReduceRun], int count, const Facts& facts) const {
    const A mean = facts.mean;
    const auto join = [mean](const Second& a, A x) {
      return Second{a.distance + (x - mean), math::fma(x - mean, x - mean, a.squares)};
    };
    const auto combine = [](const Second& a, const Second& b) {
      return Second{a.distance + b.distance, a.squares + b.squares};
    };
    return fold_lanes(Second{0, 0}, item, count, join, combine);
  }
  TS_HD Second second_combine(const Second& a, const Second& b) const {
    return {a.distance + b.distance, a.squares + b.squares};
  }
  TS_HD void second_settle(const Second& total, Facts& facts) const {
    const double shift = static_cast<double>(total.distance) / length;
    settle(facts.mean, shift, static_cast<double>(total.squares), facts);
  }
  /// From a mean, how far it is off, and the squares of distances from it.
  TS_HD void settle(A about, double shift, double squares, Facts& facts) const {
    double variance = squares / length - shift * shift;
    if (variance < 0) variance = 0; // rounding only
    facts.mean = static_cast<A>(static_cast<double>(about) + shift);
    facts.scale = norm_scale<A>(variance, eps);
  }

  TS_HD A prepared(A x, const Facts&) const { return x; }
  TS_HD A result(A item, const Facts& facts, const A (&operand)[kOperands]) const {
    return (item - facts.mean) * facts.scale * operand[1] + operand[2];
  }
};

/// The facts of layer_norm by the reduction of moments, for rows that are read twice.
template <class A> struct LayerNormReducer : MomentsReducer<A> {
  using Acc = typename MomentsReducer<A>::Acc;
  LayerNormRule<A> rule;

  TS_HD void store(const Acc& acc, std::byte* facts) const {
    rule.settle(acc.mean, static_cast<double>(acc.residual) / rule.length, static_cast<double>(acc.squares),
                *reinterpret_cast<NormFacts<A>*>(facts));
  }
};

/// rms_norm.
template <class A> struct RmsNormRule {
  using Facts = NormFacts<A>;
  using First = A;
  using Second = A;
  static constexpr int kOperands = 2;
  static constexpr bool kTwoPasses = false;
  double length, eps;

  TS_HD First first_identity() const { return 0; }
  TS_HD First first_run(const A (&item)[kReduceRun], int count) const {
    const auto add = [](A a, A b) { return a + b; };
    return fold_lanes(
        A{0}, item, count, [](A a, A x) { return math::fma(x, x, a); }, add);
  }
  TS_HD First first_combine(A a, A b) const { return a + b; }
  TS_HD void first_settle(A total, Facts& facts) const {
    facts = {0, norm_scale<A>(static_cast<double>(total) / length, eps)};
  }

  TS_HD A prepared(A x, const Facts&) const { return x; }
  TS_HD A result(A item, const Facts& facts, const A (&operand)[kOperands]) const {
    return item * facts.scale * operand[1];
  }
};

/// The facts of rms_norm by a reduction of squares.
template <class A> struct RmsNormReducer {
  using Acc = A;
  using Item = A;
  static constexpr bool kPlaced = false;
  RmsNormRule<A> rule;

  template <class T> TS_HD A lift(T x, int64_t) const { return accumulate(x); }
  TS_HD A identity() const { return A{0}; }
  TS_HD A run(const A (&item)[kReduceRun], int count) const { return rule.first_run(item, count); }
  TS_HD A combine(A a, A b) const { return a + b; }
  TS_HD void store(A total, std::byte* facts) const {
    rule.first_settle(total, *reinterpret_cast<NormFacts<A>*>(facts));
  }
};

} // namespace ts::kernels
