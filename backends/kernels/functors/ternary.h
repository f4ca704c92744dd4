// fma and lerp: three operands, and a rounding that must happen once.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/mutate.h"

namespace ts::kernels {

namespace detail {

/// x + y rounded to odd: any rounding to at most 51 bits that follows gives what one rounding of the exact sum gives.
/// Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
TS_HD double add_to_odd(double x, double y) {
  const double sum = x + y;
  if (!(math::fabs(sum) < math::infinity<double>())) return sum;
  const double other = sum - x;
  const double error = (x - (sum - other)) + (y - other);
  const uint64_t bits = ts::detail::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool outward = (error > 0) == (sum > 0);
  return ts::detail::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

} // namespace detail

/// x * y + z, rounded once. The product of two 16-bit floats is exact in a double, the sum is rounded to odd there.
struct Fma {
  static constexpr bool kOnStorage = true;
  template <class D> TS_HD auto operator()(D x, D y, D z) const {
    if constexpr (is_half<D>) {
      const double product = static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(y));
      const double addend = static_cast<double>(static_cast<float>(z));
      return TS_MUTATE("fma.half_twice", detail::add_to_odd(product, addend),
                       static_cast<double>(static_cast<float>(product + addend)));
    } else if constexpr (is_integer<D>) {
      return static_cast<D>(math::Wrap<D>(x) * math::Wrap<D>(y) + math::Wrap<D>(z));
    } else {
      return TS_MUTATE("fma.twice", math::fma(x, y, z), x * y + z);
    }
  }
};

/// weight * y + (x - weight * x): exact at weights 0 and 1.
struct Lerp {
  template <class T> TS_HD T operator()(T x, T y, T weight) const {
    return TS_MUTATE("lerp.ends", math::fma(weight, y, math::fma(-weight, x, x)), x + weight * (y - x));
  }
};

} // namespace ts::kernels
