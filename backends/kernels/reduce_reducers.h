// What reductions combine: a Reducer per kind of accumulator. Its Acc is what trees carry, its Item what an element
// becomes; run() folds up to 16 items, combine() two accumulators, store() writes the result.
//
// Accumulators: f32 for f16, bf16 and f32, f64 for f64, 64 bits that wrap for integers and bool. The 2-norm of f16, bf16
// and f32 squares in f64, where no square overflows or underflows.
#pragma once

#include "backends/kernels/extremes.h"
#include "backends/kernels/reduce_tree.h"
#include "backends/kernels/sort_keys.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

/// The accumulator of sums and products of T.
template <class T> using Accumulator = std::conditional_t<is_floating<T>, Compute<T>, uint64_t>;

/// A value as an accumulator: integers widen to 64 bits, bool is 0 or 1.
template <class T> TS_HD Accumulator<T> accumulate(T x) {
  if constexpr (is_bool<T>)
    return static_cast<bool>(x) ? 1U : 0U;
  else if constexpr (is_integer<T>)
    return static_cast<uint64_t>(static_cast<int64_t>(x));
  else
    return static_cast<Compute<T>>(x);
}

/// Writes a real as a floating dtype, rounded once.
TS_HD void store_real(std::byte* z, int32_t dtype, double value) {
  switch (dtype) {
    case TS_DTYPE_F16: *reinterpret_cast<Half*>(z) = Half::round(value); return;
    case TS_DTYPE_BF16: *reinterpret_cast<BFloat16*>(z) = BFloat16::round(value); return;
    case TS_DTYPE_F32: *reinterpret_cast<float*>(z) = static_cast<float>(value); return;
    default: *reinterpret_cast<double*>(z) = value; return;
  }
}

/// The same for an accumulator of f32, which needs no detour through double.
TS_HD void store_real(std::byte* z, int32_t dtype, float value) {
  switch (dtype) {
    case TS_DTYPE_F16: *reinterpret_cast<Half*>(z) = Half::round(value); return;
    case TS_DTYPE_BF16: *reinterpret_cast<BFloat16*>(z) = BFloat16::round(value); return;
    case TS_DTYPE_F32: *reinterpret_cast<float*>(z) = value; return;
    default: *reinterpret_cast<double*>(z) = static_cast<double>(value); return;
  }
}

/// The default run: items are accumulators already.
template <class Reducer>
TS_HD typename Reducer::Acc run_in_lanes(const Reducer& reducer, const typename Reducer::Acc (&item)[kReduceRun],
                                         int count) {
  using Acc = typename Reducer::Acc;
  const auto combine = [&reducer](const Acc& a, const Acc& b) { return reducer.combine(a, b); };
  return fold_lanes(reducer.identity(), item, count, combine, combine);
}

/// sum and, with a divisor, mean. A sum starts at +0: the sum of zeros of either sign is +0. // sum
template <class A> struct SumReducer {
  using Acc = A;
  using Item = A;
  static constexpr bool kPlaced = false;
  int32_t dtype; ///< of the result
  double length;
  bool mean; ///< divide by length

  template <class T> TS_HD A lift(T x, int64_t) const { return accumulate(x); }
  TS_HD A identity() const { return A{0}; }
  TS_HD A run(const A (&item)[kReduceRun], int count) const { return run_in_lanes(*this, item, count); }
  TS_HD A combine(A a, A b) const { return TS_MUTATE("CV03", a + b, wrong::added_as_float(a, b)); }
  TS_HD void store(A value, std::byte* z) const {
    if constexpr (is_integer<A>) {
      *reinterpret_cast<int64_t*>(z) = static_cast<int64_t>(value);
    } else {
      const A sum = TS_MUTATE("ST13", value, wrong::rounded_to(dtype, value));
      if (mean && TS_MUTATE("EM06", true, length > 0))
        store_real(z, dtype, static_cast<double>(sum) / length);
      else
        store_real(z, dtype, sum);
    }
  }
};

/// prod.
template <class A> struct ProductReducer {
  using Acc = A;
  using Item = A;
  static constexpr bool kPlaced = false;
  int32_t dtype;

  template <class T> TS_HD A lift(T x, int64_t) const { return accumulate(x); }
  TS_HD A identity() const { return A{1}; }
  TS_HD A run(const A (&item)[kReduceRun], int count) const { return run_in_lanes(*this, item, count); }
  TS_HD A combine(A a, A b) const { return a * b; }
  TS_HD void store(A value, std::byte* z) const {
    if constexpr (is_integer<A>)
      *reinterpret_cast<int64_t*>(z) = static_cast<int64_t>(value);
    else
      store_real(z, dtype, value);
  }
};

/// count_nonzero, any and all: how many elements are nonzero, NaN among them.
struct CountReducer {
  enum class Asks : int32_t { kHowMany, kAny, kAll };
  using Acc = uint64_t;
  using Item = uint64_t;
  static constexpr bool kPlaced = false;
  uint64_t magnitude; ///< bits that make an element nonzero: all but the sign of a floating type
  uint64_t length;
  Asks asks;

  template <class U> TS_HD Acc lift(U bits, int64_t) const { return (bits & magnitude) != 0 ? 1U : 0U; }
  TS_HD Acc identity() const { return 0; }
  TS_HD Acc run(const Acc (&item)[kReduceRun], int count) const { return run_in_lanes(*this, item, count); }
  TS_HD Acc combine(Acc a, Acc b) const { return a + b; }
  TS_HD void store(Acc value, std::byte* z) const {
    if (asks == Asks::kHowMany)
      *reinterpret_cast<int64_t*>(z) = static_cast<int64_t>(value);
    else
      *reinterpret_cast<Bool*>(z) = Bool::of(asks == Asks::kAny ? value != 0 : value == length);
  }
};

/// What elements of T are compared as: halves as f32, bytes in 32 bits.
template <class T>
using Ordered = std::conditional_t<is_floating<T>, Compute<T>, std::conditional_t<sizeof(T) == 1, uint32_t, T>>;

/// A value as it is compared: bool is 0 or 1.
template <class T> TS_HD Ordered<T> ordered(T x) {
  if constexpr (is_bool<T>)
    return static_cast<bool>(x) ? 1U : 0U;
  else
    return static_cast<Ordered<T>>(x);
}

/// The largest or the smallest of a run. NaN wins, +0 lies above -0.
template <class V> TS_HD V extreme_of(bool smallest, const V& identity, const V (&item)[kReduceRun], int count) {
  const auto lower = [](V a, V b) { return math::minimum(a, b); };
  const auto higher = [](V a, V b) { return math::maximum(a, b); };
  return smallest ? fold_lanes(identity, item, count, lower, lower) : fold_lanes(identity, item, count, higher, higher);
}

/// What no value lies beyond.
template <class V> TS_HD V extreme_identity(bool smallest) {
  using Limits = std::numeric_limits<V>;
  if constexpr (std::is_floating_point_v<V>)
    return smallest ? Limits::infinity() : -Limits::infinity();
  else
    return smallest ? Limits::max() : Limits::lowest();
}

/// max and min.
template <class V> struct ExtremeReducer {
  using Acc = V;
  using Item = V;
  static constexpr bool kPlaced = false;
  int32_t dtype;
  bool smallest;

  template <class T> TS_HD V lift(T x, int64_t) const { return ordered(x); }
  TS_HD V identity() const {
    const V right = extreme_identity<V>(smallest);
    [[maybe_unused]] const bool largest = std::is_floating_point_v<V> && !smallest;
    return TS_MUTATE("RD02", TS_MUTATE("RD03", right, largest ? V{0} : right),
                     largest ? std::numeric_limits<V>::lowest() : right);
  }
  TS_HD V run(const V (&item)[kReduceRun], int count) const { return extreme_of(smallest, identity(), item, count); }
  TS_HD V combine(V a, V b) const { return smallest ? math::minimum(a, b) : math::maximum(a, b); }
  TS_HD void store(V value, std::byte* z) const {
    if constexpr (std::is_floating_point_v<V>)
      store_real(z, dtype, math::is_nan(value) ? math::quiet_nan<V>() : value); // one NaN on host and device
    else if constexpr (sizeof(V) == 8 || std::is_signed_v<V>)
      *reinterpret_cast<V*>(z) = value;
    else
      *reinterpret_cast<uint8_t*>(z) = static_cast<uint8_t>(value);
  }
};

/// A key and where it was found.
template <class K, class Index = int64_t> struct KeyedIndex {
  K key;
  Index index;
};

/// argmax and argmin: the first of the largest keys. Zeros are equal, NaN wins. A run finds its extreme by value first.
template <class V> struct ArgExtremeReducer {
  using K = std::conditional_t<sizeof(V) == 8, uint64_t, uint32_t>;
  using Acc = KeyedIndex<K>;
  using Near = KeyedIndex<K, uint32_t>; ///< within a chunk: counts from its first element
  using Item = V;
  static constexpr bool kPlaced = true;
  KeyRule<K> rule; ///< of V
  bool smallest;

  template <class T> TS_HD V lift(T x, int64_t) const {
    const V value = ordered(x);
    return TS_MUTATE("ZS01", value, wrong::flushed(value));
  }
  template <class Found> TS_HD Found identity() const { // any element is before it
    return {0, std::numeric_limits<decltype(Found::index)>::max()};
  }
  TS_HD Near run(const V (&item)[kReduceRun], int count, int64_t first, int pitch) const {
    if (count == 0) return identity<Near>();
    const V value = extreme_of(smallest, extreme_identity<V>(smallest), item, count);
    const K key = rule.key(math::detail::bits_of(value));
    const int i = math::is_nan(value) ? place_of(item, count, key, [](V x) { return math::is_nan(x); })
                                      : place_of(item, count, key, [value](V x) { return x == value; });
    return {key, static_cast<uint32_t>(run_index(first % kReduceChunk, pitch, i))};
  }
  template <class Found> TS_HD Found combine(const Found& a, const Found& b) const {
    constexpr auto kNone = std::numeric_limits<decltype(Found::index)>::max();
    const bool later = last_of_equals(a.key) && a.index != kNone && b.index != kNone;
    return a.key < b.key || (a.key == b.key && (later ? b.index > a.index : b.index < a.index)) ? b : a;
  }
  /// As an index: `index` is that of any element of the same kReduceChunk.
  TS_HD Acc widen(const Near& near, int64_t index) const {
    return {near.key, index / kReduceChunk * kReduceChunk + near.index};
  }
  TS_HD void store(const Acc& value, std::byte* z) const {
    [[maybe_unused]] const bool nan = is_nan_key(value.key);
    *reinterpret_cast<int64_t*>(z) = TS_MUTATE("SP05", value.index, nan ? INT32_MAX : value.index);
  }

private:
  TS_HD bool is_nan_key(K key) const { return std::is_floating_point_v<V> && key == rule.nan; }
  TS_HD bool last_of_equals(K key) const {
    (void)key;
    return TS_MUTATE("OR02", false, true) || TS_MUTATE("SP06", false, is_nan_key(key));
  }
  /// The first element of a run that is one looked for: there is one.
  template <class Found> TS_HD int place_of(const V (&item)[kReduceRun], int count, K key, const Found& found) const {
    const bool last = last_of_equals(key);
    int place = 0;
    if (count == kReduceRun) {
      TS_UNROLL
      for (int i = kReduceRun - 1; i >= 0; --i) place = found(item[i]) && !(last && place > i) ? i : place;
      return place;
    }
    TS_UNROLL_ON_DEVICE
    for (int i = kReduceRun - 1; i >= 0; --i)
      if (i < count && found(item[i]) && !(last && place > i)) place = i;
    return place;
  }
};

/// Count, a mean that need not be exact, and the first and second moments about that very number. The residual takes up
/// what the mean lost to rounding, so that no error of the mean enters the variance at first order.
/// After Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
template <class A> struct Moments { A count, mean, residual, squares; };

/// var and std.
template <class A> struct MomentsReducer {
  using Acc = Moments<A>;
  using Item = A;
  static constexpr bool kPlaced = false;
  int32_t dtype;
  bool root; ///< std
  double length;
  double divisor; ///< length - correction; not above 0 gives NaN

  template <class T> TS_HD A lift(T x, int64_t) const { return accumulate(x); }
  TS_HD Acc identity() const { return {0, 0, 0, 0}; }
  TS_HD Acc run(const A (&item)[kReduceRun], int count) const {
    if (count == kReduceRun) return whole_run(item);
    if (count == 0) return identity();
    const auto add = [](A a, A b) { return a + b; };
    Acc acc{static_cast<A>(count), 0, 0, 0};
    acc.mean = fold_lanes(A{0}, item, count, add, add) / acc.count;
    // Once more, so that the mean of a constant is the constant.
    acc.mean += fold_lanes(
                    A{0}, item, count, [&acc](A a, A x) { return a + (x - acc.mean); }, add) /
                acc.count;
    const A mean = acc.mean = planted(acc.mean);
    acc.residual = fold_lanes(
        A{0}, item, count, [mean](A a, A x) { return a + (x - mean); }, add);
    acc.squares = fold_lanes(
        A{0}, item, count, [mean](A a, A x) { return math::fma(x - mean, x - mean, a); }, add);
    return acc;
  }
  TS_HD Acc combine(const Acc& a, const Acc& b) const {
    A weight = A{0.5};
    if (a.count != b.count) { // at the end of a row, or a lane's beginning: the only division
      if (a.count == 0) return b;
      if (b.count == 0) return a;
      weight = b.count / (a.count + b.count);
    }
    const A mean = math::fma(weight, b.mean - a.mean, a.mean);
    const A from_a = a.mean - mean, from_b = b.mean - mean;
    return {a.count + b.count, mean, math::fma(a.count, from_a, a.residual) + math::fma(b.count, from_b, b.residual),
            moved_squares(a, from_a) + moved_squares(b, from_b)};
  }
  TS_HD void store(const Acc& acc, std::byte* z) const {
    if (!(divisor > 0) || acc.count == 0) return store_real(z, dtype, math::quiet_nan<double>());
    const double residual = acc.residual;
    double squares = static_cast<double>(acc.squares) - residual * residual / length;
    if (squares < 0) squares = TS_MUTATE("ST10", 0.0, squares); // rounding only
    const double variance = squares / divisor;
    store_real(z, dtype, root ? math::sqrt(variance) : variance);
  }

private:
  /// Sums of 16 equal items in pairs are exact: the mean of a constant is the constant. // execution.35
  TS_HD static Acc whole_run(const A (&item)[kReduceRun]) {
    const A mean = planted(sum_in_pairs(item) * A{1.0 / kReduceRun});
    A distance[kReduceRun];
    TS_UNROLL
    for (int i = 0; i < kReduceRun; ++i) distance[i] = item[i] - mean;
    const auto add = [](A a, A b) { return a + b; };
    const A squares = fold_lanes(
        A{0}, distance, kReduceRun, [](A a, A d) { return math::fma(d, d, a); }, add);
    return {A{kReduceRun}, mean, sum_in_pairs(distance), squares};
  }
  TS_HD static A planted(A mean) { return TS_MUTATE("ST09", TS_MUTATE("ST10", mean, A{0}), A{0}); }
  /// Squares of distances from a point that lies `from` below the mean.
  TS_HD static A moved_squares(const Acc& a, A from) {
    return math::fma(from, math::fma(a.count, from, a.residual + a.residual), a.squares);
  }
};

/// The 2-norm of types whose squares f64 holds.
struct NormReducer {
  using Acc = double;
  using Item = double;
  static constexpr bool kPlaced = false;
  int32_t dtype;

  template <class T> TS_HD double lift(T x, int64_t) const { return static_cast<double>(accumulate(x)); }
  TS_HD double identity() const { return 0; }
  TS_HD double run(const double (&item)[kReduceRun], int count) const {
    return fold_lanes(
        0.0, item, count, [](double a, double x) { return math::fma(x, x, a); },
        [](double a, double b) { return a + b; });
  }
  TS_HD double combine(double a, double b) const { return a + b; }
  TS_HD void store(double value, std::byte* z) const { store_real(z, dtype, math::sqrt(value)); }
};

/// Sums of squares of values that are small, medium and big, the outer two scaled into range.
/// After Blue, "A portable Fortran program to find the Euclidean norm of a vector", 1978.
struct ScaledSquares {
  double small, medium, big;
};

/// The 2-norm of f64 without spurious overflow or underflow.
struct ScaledNormReducer {
  using Acc = ScaledSquares;
  using Item = double;
  static constexpr bool kPlaced = false;
  static constexpr double kSmall = 0x1p-511, kBig = 0x1p486; ///< squares between are normal, and 2^52 of them finite
  static constexpr double kUp = 0x1p537, kDown = 0x1p-538;
  int32_t dtype;

  template <class T> TS_HD double lift(T x, int64_t) const { return static_cast<double>(accumulate(x)); }
  TS_HD Acc identity() const { return {0, 0, 0}; }
  TS_HD Acc run(const double (&item)[kReduceRun], int count) const {
    return fold_lanes(
        identity(), item, count,
        [](Acc acc, double x) {
          const double size = math::fabs(x);
          const double up = size * kUp, down = size * kDown;
          if (size > kBig)
            acc.big = math::fma(down, down, acc.big);
          else if (size < kSmall)
            acc.small = math::fma(up, up, acc.small);
          else
            acc.medium = math::fma(size, size, acc.medium); // NaN too
          return acc;
        },
        [this](const Acc& a, const Acc& b) { return combine(a, b); });
  }
  TS_HD Acc combine(const Acc& a, const Acc& b) const {
    return {a.small + b.small, a.medium + b.medium, a.big + b.big};
  }
  TS_HD void store(const Acc& acc, std::byte* z) const {
    double norm = 0;
    if (acc.big != 0)
      norm = math::sqrt(acc.big + acc.medium * kDown * kDown) / kDown;
    else if (acc.medium != 0)
      norm = math::sqrt(acc.medium + acc.small / kUp / kUp);
    else
      norm = math::sqrt(acc.small) / kUp;
    store_real(z, dtype, norm);
  }
};

/// The largest value and the sum of exponentials of distances from it.
template <class A> struct ScaledExponentials { A top, sum; };

/// logsumexp. An element at the top counts 1 without subtraction, so that rows of equal infinities are themselves.
template <class A> struct LogSumExpReducer {
  using Acc = ScaledExponentials<A>;
  using Item = A;
  static constexpr bool kPlaced = false;
  int32_t dtype;

  TS_HD static A weight(A x, A top) { return TS_MUTATE("ST06", x == top, false) ? A{1} : math::exp(x - top); }
  TS_HD static A larger(A a, A b) { return b > a || b != b ? b : a; } // NaN stays
  template <class T> TS_HD A lift(T x, int64_t) const { return accumulate(x); }
  TS_HD Acc identity() const { return {-math::infinity<A>(), 0}; }
  TS_HD Acc run(const A (&item)[kReduceRun], int count) const {
    const auto add = [](A a, A b) { return a + b; };
    const A top = TS_MUTATE("ST05", fold_lanes(-math::infinity<A>(), item, count, larger, larger), A{0});
    return {top, fold_lanes(
                     A{0}, item, count, [top](A a, A x) { return a + weight(x, top); }, add)};
  }
  TS_HD Acc combine(const Acc& a, const Acc& b) const {
    const A top = larger(a.top, b.top);
    return {top, a.sum * weight(a.top, top) + b.sum * weight(b.top, top)};
  }
  TS_HD void store(const Acc& acc, std::byte* z) const {
    store_real(z, dtype, static_cast<double>(acc.top) + static_cast<double>(math::log(acc.sum)));
  }
};

} // namespace ts::kernels
