// The larger and the smaller of two numbers, NaN and signed zeros included: what reductions to an extreme are made of.
#pragma once

#include "backends/kernels/math.h"

namespace ts::kernels::math {

namespace detail {

template <class T> TS_HD BitsOf<T> bits_of(T x) { return ts::detail::bit_cast<BitsOf<T>>(x); }
/// A number by its bits, NaN where a or b is.
template <class T> TS_HD T joined(BitsOf<T> bits, T a, T b) {
  return ts::detail::bit_cast<T>(bits | (a != a || b != b ? ~BitsOf<T>{0} : BitsOf<T>{0}));
}

} // namespace detail

/// The larger and the smaller of two, of one number type: NaN where either is, +0 above -0. // max.1, max.2
template <class T> TS_HD T maximum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b ? b : a;
  } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == 4) {
      float larger;
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
      return larger;
    }
#endif
    // Two choices that agree but where zeros are equal or one is NaN: both or neither of their bits.
    return detail::joined<T>(detail::bits_of(a > b ? a : b) & detail::bits_of(b > a ? b : a), a, b);
  }
}
template <class T> TS_HD T minimum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return b < a ? b : a;
  } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == 4) {
      float smaller;
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(a), "f"(b));
      return smaller;
    }
#endif
    return detail::joined<T>(detail::bits_of(a < b ? a : b) | detail::bits_of(b < a ? b : a), a, b);
  }
}

} // namespace ts::kernels::math
