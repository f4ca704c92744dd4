// Activation functions of neural networks, and clamp. Those with attributes bind them first: `bind<D>(attributes)` gives
// the functor that holds them in the type arithmetic on dtype D is done in.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/functors/arithmetic.h"
#include "backends/kernels/functors/transcendental.h"

namespace ts::kernels {

/// max(x, 0), so -0 gives +0 and NaN stays.
struct Relu {
  template <class T> TS_HD T operator()(T x) const {
    return TS_MUTATE("relu.nan", Maximum{}(x, T{0}), x > T{0} ? x : T{0});
  }
};

struct LeakyRelu {
  template <class C> struct Bound {
    C slope;
    TS_HD C operator()(C x) const { return x > 0 ? x : slope * x; }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) { return {attributes.value<D>(0)}; }
};

/// alpha * expm1(x) at and below zero.
struct Elu {
  template <class C> struct Bound {
    C alpha;
    TS_HD C operator()(C x) const { return x > 0 ? x : alpha * math::expm1(x); }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) { return {attributes.value<D>(0)}; }
};

namespace detail {

/// x * exp(u) for u <= 0, where exp(u) alone may be a subnormal with few bits left. // silu.2
template <class T> TS_HD T times_exp(T x, T u) {
  constexpr T kNormal = std::is_same_v<T, float> ? T{-80} : T{-700};
  if (!(u < kNormal)) return x * math::exp(u);
  const T root = math::exp(T{0.5} * u);
  return x * root * root;
}

} // namespace detail

/// 1 / (1 + exp(-x)); below zero by exp(x), so that the tail is a subnormal and not 0.
struct Sigmoid {
  template <class T> TS_HD T operator()(T x) const {
    if (TS_MUTATE("sigmoid.tail", x < 0, false)) {
      const T small = math::exp(x);
      return small / (T{1} + small);
    }
    return T{1} / (T{1} + math::exp(-x));
  }
};

/// x * sigmoid(x); at -inf the limit from below zero, -0.
struct Silu {
  template <class T> TS_HD T operator()(T x) const {
    if (x == -math::infinity<T>()) return T{-0.0};
    if (x < 0)
      return TS_MUTATE("silu.tail", detail::times_exp(x, x) / (T{1} + math::exp(x)), x / (T{1} + math::exp(-x)));
    return x / (T{1} + math::exp(-x));
  }
};

/// log(1 + exp(x)), with no threshold.
struct Softplus {
  template <class T> TS_HD T operator()(T x) const {
    return TS_MUTATE("softplus.threshold", (x > 0 ? x : T{0}) + math::log1p(math::exp(x > 0 ? -x : x)),
                     x > T{20} ? x : math::log1p(math::exp(x)));
  }
};

/// log(1 / (1 + exp(-x))) = -softplus(-x): the exponential is only taken of what is not positive.
struct LogSigmoid {
  template <class T> TS_HD T operator()(T x) const {
    return (x < 0 ? x : T{-0.0}) - math::log1p(math::exp(x < 0 ? x : -x));
  }
};

/// x/2 * erfc(-x / sqrt 2).
struct Gelu {
  static constexpr bool kHeavy = true;
  // One way for all x: erfc(t) = exp(-t^2) / (t + 3) * p(u), u = (t - 3) / (t + 3), with t = |x| / sqrt 2 and p a minimax
  // polynomial for t in [0, 10.4], off by 6.5e-9 (Chebyshev fit of exp(t^2) erfc(t) (t + 3)). What rounding took from x^2 is
  // put back; exp(-t^2) in two halves keeps the digits of what becomes a subnormal with them.
  TS_HD float operator()(float x) const {
    const float size = math::fabs(x), a = size < 16.0F ? size : 16.0F; // beyond, the tail is 0
    const float v = 1.0F / math::fma(a, 0.70710678F, 3.0F), u = math::fma(-6.0F, v, 1.0F);
    float p = -0.0003333842532F;
    p = math::fma(p, u, -0.000497802855F);
    p = math::fma(p, u, 0.003079116118F);
    p = math::fma(p, u, -0.001217110468F);
    p = math::fma(p, u, -0.02683716875F);
    p = math::fma(p, u, 0.1195271227F);
    p = math::fma(p, u, -0.3104665499F);
    p = math::fma(p, u, 0.59022844F);
    p = math::fma(p, u, -0.8833944628F);
    p = math::fma(p, u, 1.074006906F);
    const float square = a * a, rest = math::fma(a, a, -square);
    const float half = math::exp(-0.25F * square), scale = 0.5F * a * v * p;
    const float tail = math::fma(scale, -0.5F * rest, scale) * half * half; // |x|/2 * erfc(|x| / sqrt 2)
    if (x < 0) return TS_MUTATE("gelu.tail", -tail, 0.5F * x * (1.0F + math::erf(x * 0.70710678F)));
    return x - tail;
  }

  // The tail of erfc multiplies an error of its argument by that argument, so what rounding took from -x / sqrt 2 is put back
  // by the derivative; where erfc itself becomes a subnormal, its series takes over.
  TS_HD double operator()(double x) const {
    constexpr double kHigh = 0.70710678118654752440, kLow = -4.833646656726457e-17;
    if (x < -36) return far_tail(x);
    if (!(x < 40)) return x; // above every digit of the dtype, or NaN
    const double t = -x * kHigh;
    const double error = math::fma(-x, kHigh, -t) - x * kLow;
    const double slope = -1.12837916709551257390 * math::exp(-t * t); // -2 / sqrt(pi)
    return 0.5 * x * TS_MUTATE("gelu.tail", math::erfc(t) + slope * error, 1.0 - math::erf(t));
  }

private:
  // -exp(-x^2 / 2) / sqrt(2 pi) * (1 - q + 3 q^2 - 15 q^3 ...), q = 1 / x^2: Abramowitz and Stegun 7.1.23.
  TS_HD static double far_tail(double x) {
    if (x < -60) return -0.0;
    const double square = x * x, rest = math::fma(x, x, -square), q = 1.0 / square;
    double series = -135135.0 * q + 10395.0;
    series = series * q - 945.0;
    series = series * q + 105.0;
    series = series * q - 15.0;
    series = series * q + 3.0;
    series = (series * q - 1.0) * q + 1.0;
    const double factor = -0.39894228040143267794 * series * (1.0 - 0.5 * rest);
    return detail::times_exp(factor, -0.5 * square);
  }
};

/// x/2 * (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), written as x * sigmoid(2u): no cancellation below zero.
struct GeluTanh {
  template <class T> TS_HD T operator()(T x) const {
    const T u = T(1.59576912160573071176) * (x + T(0.044715) * x * x * x); // 2 sqrt(2/pi)
    if (TS_MUTATE("ST02", false, true)) {                                  // by a tanh that overflows
      const T small = math::exp(-u);
      return T{0.5} * x * (T{1} + (T{1} - small) / (T{1} + small));
    }
    if (!(u < 0)) return x / (T{1} + math::exp(-u));
    if (u == -math::infinity<T>()) return T{-0.0};
    return detail::times_exp(x, u) / (T{1} + math::exp(u));
  }
};

/// min(max(x, lo), hi): hi where lo > hi; NaN in any of the three gives NaN.
struct Clamp {
  template <class C> struct Bound {
    C low, high;
    TS_HD C operator()(C x) const {
      const C inside = TS_MUTATE("clamp.order", Minimum{}(Maximum{}(x, low), high), Maximum{}(Minimum{}(x, high), low));
      return TS_MUTATE("SP03", inside, math::is_nan(x) ? low : inside);
    }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) {
    return {attributes.value<D>(0), attributes.value<D>(1)};
  }
};

} // namespace ts::kernels
