// What mutants do where the fault takes more than an expression: the `wrong` of TS_MUTATE. A build without mutants has
// none of it.
#pragma once

#include "backends/kernels/mutate.h"

#if defined(TS_MUTANTS)

#include "backends/kernels/math.h"

namespace ts::kernels::wrong {

/// Subnormals as zero, as in a process that flushes them.
template <class T> T flushed(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return math::fabs(x) < std::numeric_limits<T>::min() ? T{0} : x;
  else
    return x;
}

/// Only f32 flushed.
template <class T> T flushed_f32(T x) {
  if constexpr (std::is_same_v<T, float>)
    return flushed(x);
  else
    return x;
}

/// x / y by a reciprocal and one correction.
template <class T> T by_reciprocal(T x, T y) {
  const T inverse = T{1} / y, quotient = x * inverse;
  return quotient + (x - quotient * y) * inverse;
}

/// Integers on their way through f32.
template <class T> T from_float(float x) { return static_cast<T>(static_cast<int64_t>(x)); }
template <class T> T floor_by_float(T x, T y) {
  return from_float<T>(math::floor(static_cast<float>(x) * (1.0F / static_cast<float>(y))));
}
template <class T> T fmod_by_float(T x, T y) {
  return from_float<T>(math::fmod(static_cast<float>(x), static_cast<float>(y)));
}

/// |x| / |y| with the sign put back: |lowest| is negative.
template <class T> T floor_by_size(T x, T y, bool inexact) {
  using W = math::Wrap<T>;
  const T a = x < 0 ? static_cast<T>(W{0} - static_cast<W>(x)) : x;
  const T b = y < 0 ? static_cast<T>(W{0} - static_cast<W>(y)) : y;
  const T size = static_cast<T>(a / b);
  const bool negative = (x < 0) != (y < 0);
  return static_cast<T>((negative ? W{0} - static_cast<W>(size) : static_cast<W>(size)) - (inexact ? W{1} : W{0}));
}

/// |x| that stops at the highest value.
template <class T> T saturated_abs(T x) {
  if (x == std::numeric_limits<T>::lowest()) return std::numeric_limits<T>::max();
  return static_cast<T>(x < 0 ? -x : x);
}

/// A conversion by the language's cast.
template <class To, class From> To plain_cast(From x) {
  if constexpr (is_half<From> && is_integer<To>)
    return static_cast<To>(static_cast<float>(x));
  else if constexpr (std::is_floating_point_v<From> && is_integer<To>)
    return static_cast<To>(x);
  else
    return convert<To>(x);
}

/// i64 to f32 with the low bits as they are.
template <class To, class From> To copied_bits(From x) {
  if constexpr (std::is_same_v<To, float> && std::is_same_v<From, int64_t>)
    return ts::detail::bit_cast<float>(static_cast<int32_t>(x));
  else
    return convert<To>(x);
}

/// A bool by its byte, whatever it holds.
template <class To, class From> To raw_bool(From x) {
  if constexpr (is_bool<From> && !is_bool<To>)
    return convert<To>(static_cast<int32_t>(x.byte));
  else
    return convert<To>(x);
}

/// The value of a 16-bit float taken from the number that its bits spell.
template <class T> T number_of_bits(T x) {
  if constexpr (is_half<T>)
    return T::round(static_cast<double>(x.bits));
  else
    return x;
}

/// An accumulator rounded to the dtype of the elements.
template <class T, class A> A stored(A x) {
  if constexpr (is_half<T>)
    return static_cast<A>(convert<T>(x));
  else
    return x;
}

/// A sum of integers in f32.
template <class A> A added_as_float(A a, A b) {
  if constexpr (std::is_same_v<A, uint64_t>)
    return static_cast<A>(
        from_float<int64_t>(static_cast<float>(static_cast<int64_t>(a)) + static_cast<float>(static_cast<int64_t>(b))));
  else
    return a + b;
}

/// A value rounded to a 16-bit dtype, where it is one.
template <class A> A rounded_to(int32_t dtype, A x) {
  if constexpr (std::is_floating_point_v<A>) {
    if (dtype == TS_DTYPE_F16) return static_cast<A>(static_cast<float>(Half::round(static_cast<double>(x))));
    if (dtype == TS_DTYPE_BF16) return static_cast<A>(static_cast<float>(BFloat16::round(static_cast<double>(x))));
  }
  return x;
}

} // namespace ts::kernels::wrong

#endif
