// Division that rounds to an integer, and its remainders. Integer traps are guarded: by zero gives 0, the lowest value
// by -1 gives itself with remainder 0.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

namespace detail {

/// floor(x / y) of the exact quotient where that is less than 2^50 in size; x and y finite, y not 0.
TS_HD double floor_of_small_quotient(double x, double y) {
  const double rest = math::fmod(x, y);
  double quotient = (x - rest) / y; // the truncated quotient, but for two roundings that stay below one half
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
  const double floored = math::floor(quotient);
  return (quotient - floored > 0.5 ? floored + 1 : floored) + 0.0; // and never -0
}

/// floor(x / y) of the exact quotient, rounded once to double. Where doubles lie more than 1 apart the floor can still
/// decide a tie, so the error of the rounded quotient, which fma gives exactly, is floored as well.
TS_HD double floor_of_quotient(double x, double y) {
  constexpr double kInfinity = math::infinity<double>();
  const double quotient = x / y;
  if (math::is_nan(quotient)) return quotient;
  if (y == 0) return quotient; // floor_divide.3, an infinite dividend included
  if (math::fabs(x) == kInfinity) return math::quiet_nan<double>();
  if (math::fabs(quotient) == kInfinity) return quotient;
  if (quotient == 0 || math::fabs(y) == kInfinity) return x != 0 && (x < 0) != (y < 0) ? -1 : quotient;
  constexpr double kSmall = 1125899906842624; // 2^50
  if (math::fabs(quotient) < kSmall) return floor_of_small_quotient(x, y);
  const double floored = math::floor(quotient);
  if (floored != quotient) return floored;
  const double error = math::fma(-quotient, y, x);
  const double correction = error / y;
  return quotient + (math::fabs(correction) < kSmall ? floor_of_small_quotient(error, y) : correction);
}

template <class T> TS_HD bool division_traps(T x, T y) {
  (void)x;
  if constexpr (std::is_signed_v<T>)
    return TS_MUTATE("IN07", y == 0 || y == -1, y == 0);
  else
    return y == 0;
}

} // namespace detail

struct FloorDivide {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (is_integer<T>) {
      if (detail::division_traps(x, y)) return y == 0 ? T{0} : static_cast<T>(math::Wrap<T>(0) - math::Wrap<T>(x));
      const T quotient = static_cast<T>(x / y);
      const bool inexact = x % y != 0 && (x < 0) != (y < 0);
      const T floored = TS_MUTATE("floor_divide.truncates", static_cast<T>(quotient - (inexact ? 1 : 0)), quotient);
      return TS_MUTATE("IN04", TS_MUTATE("IN08", floored, wrong::floor_by_size(x, y, inexact)),
                       wrong::floor_by_float(x, y));
    } else if constexpr (std::is_same_v<T, float>) {
      // A quotient of floats is a double to within far less than what separates it from a midpoint between floats.
      return static_cast<float>(detail::floor_of_quotient(static_cast<double>(x), static_cast<double>(y)));
    } else {
      return TS_MUTATE("floor_divide.floor_of_quotient", detail::floor_of_quotient(x, y), math::floor(x / y));
    }
  }
};

/// The remainder of floor_divide: it has the divisor's sign, zero included.
struct Remainder {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (is_integer<T>) {
      if (detail::division_traps(x, y)) return 0;
      const T rest = static_cast<T>(x % y);
      return static_cast<T>(rest + (rest != 0 && (rest < 0) != (y < 0) ? y : T{0}));
    } else {
      const T rest = math::fmod(x, y);
      if (rest == 0) return TS_MUTATE("remainder.zero", math::copysign(T{0}, y), rest);
      return !math::is_nan(rest) && (rest < 0) != (y < 0) ? rest + y : rest;
    }
  }
};

/// The remainder of truncated division: it has the dividend's sign, zero included.
struct Fmod {
  template <class T> TS_HD T operator()(T x, T y) const {
    if constexpr (is_integer<T>)
      return detail::division_traps(x, y) ? T{0} : TS_MUTATE("IN03", static_cast<T>(x % y), wrong::fmod_by_float(x, y));
    else
      return math::fmod(x, y);
  }
};

} // namespace ts::kernels
