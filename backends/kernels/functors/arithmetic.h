// Arithmetic, one functor per operation (spec/ops/elementwise/). T is the type arithmetic is done in: bool, an integer,
// float (which also serves f16 and bf16) or double.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

struct Add {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>)
      return x || y; // add.4
    else if constexpr (is_integer<T>)
      return TS_MUTATE("CV04", static_cast<T>(math::Wrap<T>(x) + math::Wrap<T>(y)), // add.2
                       wrong::from_float<T>(static_cast<float>(x) + static_cast<float>(y)));
    else
      return x + y;
  }
};

struct Subtract {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(math::Wrap<T>(x) - math::Wrap<T>(y));
    else
      return x - y;
  }
};

struct Multiply {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>)
      return x && y;
    else if constexpr (is_integer<T>)
      return static_cast<T>(math::Wrap<T>(x) * math::Wrap<T>(y));
    else
      return TS_MUTATE("ZS03", x * y, wrong::flushed_f32(x * y));
  }
};

struct Divide {
  template <class T> TS_HD T operator()(T x, T y) const {
    return TS_MUTATE("SP13", TS_MUTATE("ZS03", x / y, wrong::flushed_f32(x / y)), wrong::by_reciprocal(x, y));
  }
};

struct Negative {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (is_integer<T>)
      return static_cast<T>(math::Wrap<T>(0) - math::Wrap<T>(x));
    else
      return -x;
  }
};

struct Positive {
  template <class T> TS_HD T operator()(T x) const { return x; }
};

struct Abs {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>)
      return x;
    else if constexpr (is_integer<T>)
      return TS_MUTATE("CV01", TS_MUTATE("IN13", x < 0 ? Negative{}(x) : x, wrong::saturated_abs(x)), // lowest stays
                       wrong::from_float<T>(math::fabs(static_cast<float>(x))));
    else
      return math::fabs(x);
  }
};

struct Sign {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (is_integer<T>)
      return static_cast<T>((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
    else
      return TS_MUTATE("SP11", math::is_nan(x), false) ? x : static_cast<T>((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
  }
};

struct Square {
  template <class T> TS_HD T operator()(T x) const { return Multiply{}(x, x); }
};

struct Reciprocal {
  template <class T> TS_HD T operator()(T x) const { return T{1} / x; }
};

/// NaN wins; +0 is above -0.
struct Maximum {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (!std::is_floating_point_v<T>) {
      return x < y ? y : x;
    } else {
      const T larger = TS_MUTATE("maximum.zero", x > y || (x == y && !math::sign_bit(x)), x > y) ? x : y;
      return math::is_nan(x) ? x : (math::is_nan(y) ? TS_MUTATE("maximum.nan", y, x) : larger);
    }
  }
};

/// NaN wins; -0 is below +0.
struct Minimum {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (!std::is_floating_point_v<T>) {
      return y < x ? y : x;
    } else {
      const T smaller = x < y || (x == y && math::sign_bit(x)) ? x : y;
      return math::is_nan(x) ? x : (math::is_nan(y) ? y : smaller);
    }
  }
};

/// Integer power by squaring, modulo 2^bits. A negative exponent truncates: only 1 and -1 have a power that is not 0.
template <class T> TS_HD T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return (exponent & 1) != 0 ? T{-1} : T{1};
      return 0;
    }
  }
  math::Wrap<T> result = 1, factor = static_cast<math::Wrap<T>>(base);
  for (auto rest = static_cast<std::make_unsigned_t<T>>(exponent); rest != 0;
       rest = static_cast<decltype(rest)>(rest >> 1)) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

struct Pow {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (is_integer<T>)
      return integer_power(x, y);
    else
      return TS_MUTATE("SP15", math::pow(x, y), y == 0 ? math::exp(y * math::log(math::fabs(x))) : math::pow(x, y));
  }
};

} // namespace ts::kernels
