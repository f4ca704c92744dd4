// Activation functions of neural networks, and clamp. Those with attributes bind them first: `bind<D>(attributes)` gives
// the functor that holds them in the type arithmetic on dtype D is done in.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/functors/arithmetic.h"
#include "backends/kernels/functors/transcendental.h"

namespace ts::kernels {

/// -0 gives +0; NaN stays.
struct Relu {
  template <class T> TS_HD T operator()(T x) const { return x > 0 || math::is_nan(x) ? x : T{0}; }
};

struct LeakyRelu {
  template <class C> struct Bound {
    C slope;
    TS_HD C operator()(C x) const { return x < 0 ? x * slope : x; }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) {
    return {attributes.real<Compute<D>>(0)};
  }
};

/// alpha * expm1(x) below zero; -0 is kept.
struct Elu {
  template <class C> struct Bound {
    C alpha;
    TS_HD C operator()(C x) const { return x < 0 ? alpha * math::expm1(x) : x; }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) {
    return {attributes.real<Compute<D>>(0)};
  }
};

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
    const T small = math::exp(x < 0 ? x : -x);
    return x < 0 ? x * small / (T{1} + small) : x / (T{1} + small);
  }
};

/// log(1 + exp(x)), with no threshold.
struct Softplus {
  template <class T> TS_HD T operator()(T x) const {
    return (x > 0 ? x : T{0}) + math::log1p(math::exp(x > 0 ? -x : x));
  }
};

/// x/2 * erfc(-x / sqrt 2). The tail of erfc multiplies an error of its argument by that argument, so what rounding
/// took from -x / sqrt 2 is put back by the derivative.
struct Gelu {
  template <class T> TS_HD T operator()(T x) const {
    constexpr double kRootHalf = 0.70710678118654752440;
    constexpr T kHigh = static_cast<T>(kRootHalf);
    constexpr T kLow = std::is_same_v<T, float> ? static_cast<T>(kRootHalf - static_cast<double>(kHigh))
                                                : static_cast<T>(-4.833646656726457e-17);
    const T t = -x * kHigh;
    const T tail = math::erfc(t);
    if (tail == 0) return T{-0.0};
    if (!(math::fabs(t) < T{40})) return x; // far above zero, or NaN
    const T error = math::fma(-x, kHigh, -t) - x * kLow;
    const T slope = T(-1.12837916709551257390) * math::exp(-t * t);
    return T{0.5} * x * (tail + slope * error);
  }
};

/// x/2 * (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3), written as x * sigmoid(2u): no cancellation below zero.
struct GeluTanh {
  template <class T> TS_HD T operator()(T x) const {
    const T u = T(1.59576912160573071176) * (x + T(0.044715) * x * x * x);
    const T small = math::exp(u < 0 ? u : -u);
    if (small == 0 && u < 0) return T{-0.0};
    return u < 0 ? x * small / (T{1} + small) : x / (T{1} + small);
  }
};

/// min(max(x, lo), hi): hi where lo > hi; NaN in any of the three gives NaN.
struct Clamp {
  template <class C> struct Bound {
    C low, high;
    TS_HD C operator()(C x) const {
      return TS_MUTATE("clamp.order", Minimum{}(Maximum{}(x, low), high), Maximum{}(Minimum{}(x, high), low));
    }
  };
  template <class D> static Bound<Compute<D>> bind(const Attributes& attributes) {
    return {attributes.value<D>(0), attributes.value<D>(1)};
  }
};

} // namespace ts::kernels
