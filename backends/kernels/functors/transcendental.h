// Roots, exponentials, logarithms, trigonometric and hyperbolic functions and their kin. All but sqrt are within an error
// in ULP that their rows bound.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/mutate.h"

namespace ts::kernels {

#define TS_UNARY(Name, expression)                                                                                     \
  struct Name {                                                                                                        \
    template <class T> TS_HD T operator()(T x) const { return expression; }                                            \
  };

TS_UNARY(Sqrt, math::sqrt(x))
TS_UNARY(Rsqrt, T{1} / math::sqrt(x))
TS_UNARY(Exp, math::exp(x))
TS_UNARY(Exp2, math::exp2(x))
TS_UNARY(Expm1, TS_MUTATE("expm1.by_exp", math::expm1(x), math::exp(x) - T{1}))
TS_UNARY(Log, math::log(x))
TS_UNARY(Log1p, TS_MUTATE("log1p.by_log", math::log1p(x), math::log(T{1} + x)))
TS_UNARY(Log2, math::log2(x))
TS_UNARY(Log10, math::log10(x))
TS_UNARY(Sin, math::sin(x))
TS_UNARY(Cos, math::cos(x))
TS_UNARY(Tan, math::tan(x))
TS_UNARY(Asin, math::asin(x))
TS_UNARY(Acos, math::acos(x))
TS_UNARY(Atan, math::atan(x))
TS_UNARY(Sinh, math::sinh(x))
TS_UNARY(Cosh, math::cosh(x))
TS_UNARY(Tanh, TS_MUTATE("ST03", math::tanh(x),
                         x > T{20} ? (math::exp(x + x) - T{1}) / (math::exp(x + x) + T{1}) : math::tanh(x)))
TS_UNARY(Asinh, math::asinh(x))
TS_UNARY(Acosh, math::acosh(x))
TS_UNARY(Atanh, math::atanh(x))
#undef TS_UNARY

/// kHeavy: an element takes so many registers that a device holds few at once.
struct Erf {
  static constexpr bool kHeavy = true;
  template <class T> TS_HD T operator()(T x) const { return math::erf(x); }
};
struct Erfc {
  static constexpr bool kHeavy = true;
  template <class T> TS_HD T operator()(T x) const { return math::erfc(x); }
};

struct Atan2 {
  template <class T> TS_HD T operator()(T x, T y) const { return math::atan2(x, y); }
};

/// hypot(inf, NaN) is inf.
struct Hypot {
  template <class T> TS_HD T operator()(T x, T y) const {
    return TS_MUTATE("hypot.overflow", math::hypot(x, y), math::sqrt(x * x + y * y));
  }
};

/// log(exp(x) + exp(y)) without overflow, with its limits at infinity.
struct Logaddexp {
  template <class T> TS_HD T operator()(T x, T y) const {
    if (math::is_nan(x) || math::is_nan(y)) return x + y;
    const T high = x < y ? y : x, low = x < y ? x : y;
    if (high == low) return high + T(0.693147180559945309417232121458176568); // both infinite, too
    return high + math::log1p(math::exp(low - high));
  }
};

} // namespace ts::kernels
