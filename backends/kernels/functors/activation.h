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

/// x/2 * erfc(-x / sqrt 2). The tail of erfc multiplies an error of its argument by that argument, so what rounding
/// took from -x / sqrt 2 is put back by the derivative; where erfc itself becomes a subnormal, its series takes over.
struct Gelu {
  template <class T> TS_HD T operator()(T x) const {
    constexpr double kRootHalf = 0.70710678118654752440;
    constexpr bool kFloat = std::is_same_v<T, float>;
    constexpr T kHigh = static_cast<T>(kRootHalf);
    constexpr T kLow = kFloat ? static_cast<T>(kRootHalf - static_cast<double>(kHigh)) : T(-4.833646656726457e-17);
    if (x < (kFloat ? T{-12.5} : T{-36})) return far_tail(x);
    if (!(x < T{40})) return x; // above every digit of the dtype, or NaN
    const T t = -x * kHigh;
    const T error = math::fma(-x, kHigh, -t) - x * kLow;
    const T slope = T(-1.12837916709551257390) * math::exp(-t * t); // -2 / sqrt(pi)
    return T{0.5} * x * TS_MUTATE("gelu.tail", math::erfc(t) + slope * error, T{1} - math::erf(t));
  }

private:
  // -exp(-x^2 / 2) / sqrt(2 pi) * (1 - q + 3 q^2 - 15 q^3 ...), q = 1 / x^2: Abramowitz and Stegun 7.1.23.
  template <class T> TS_HD static T far_tail(T x) {
    if (x < T{-60}) return T{-0.0};
    const T square = x * x, rest = math::fma(x, x, -square), q = T{1} / square;
    T series = T{-135135} * q + T{10395};
    series = series * q - T{945};
    series = series * q + T{105};
    series = series * q - T{15};
    series = series * q + T{3};
    series = (series * q - T{1}) * q + T{1};
    const T factor = T(-0.39894228040143267794) * series * (T{1} - T{0.5} * rest);
    return detail::times_exp(factor, T{-0.5} * square);
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
