// The C99 functions of <math.h> by one name for float and double, on host and device alike, and the few exact helpers
// that the functors share. On a device the same names are CUDA's, whose documented errors bound ours (spec/numerics.md).
#pragma once

#include "backends/kernels/numbers.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ts::kernels::math {

#define TS_MATH_1(name)                                                                                                \
  TS_HD float name(float x) { return ::name##f(x); }                                                                   \
  TS_HD double name(double x) { return ::name(x); }
#define TS_MATH_2(name)                                                                                                \
  TS_HD float name(float x, float y) { return ::name##f(x, y); }                                                       \
  TS_HD double name(double x, double y) { return ::name(x, y); }

TS_MATH_1(sqrt)
TS_MATH_1(exp)
TS_MATH_1(exp2)
TS_MATH_1(expm1)
TS_MATH_1(log)
TS_MATH_1(log1p)
TS_MATH_1(log2)
TS_MATH_1(log10)
TS_MATH_1(sin)
TS_MATH_1(cos)
TS_MATH_1(tan)
TS_MATH_1(asin)
TS_MATH_1(acos)
TS_MATH_1(atan)
TS_MATH_1(sinh)
TS_MATH_1(cosh)
TS_MATH_1(tanh)
TS_MATH_1(asinh)
TS_MATH_1(acosh)
TS_MATH_1(atanh)
TS_MATH_1(erf)
TS_MATH_1(erfc)
TS_MATH_1(ceil)
TS_MATH_1(floor)
TS_MATH_1(trunc)
TS_MATH_1(rint)
TS_MATH_1(fabs)
TS_MATH_2(atan2)
TS_MATH_2(pow)
TS_MATH_2(hypot)
TS_MATH_2(fmod)
TS_MATH_2(copysign)

#undef TS_MATH_1
#undef TS_MATH_2

TS_HD float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
TS_HD double fma(double x, double y, double z) { return ::fma(x, y, z); }

/// The unsigned type that arithmetic on integer T wraps in: at least as wide as int, so that nothing is promoted.
template <class T> using Wrap = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <class T> TS_HD bool is_nan(T x) { return x != x; }
template <class T> TS_HD bool sign_bit(T x) {
  if constexpr (sizeof(T) == 4)
    return (ts::detail::bit_cast<uint32_t>(x) >> 31) != 0;
  else
    return (ts::detail::bit_cast<uint64_t>(x) >> 63) != 0;
}
template <class T> TS_HD constexpr T infinity() { return std::numeric_limits<T>::infinity(); }
template <class T> TS_HD constexpr T quiet_nan() { return std::numeric_limits<T>::quiet_NaN(); }

} // namespace ts::kernels::math
