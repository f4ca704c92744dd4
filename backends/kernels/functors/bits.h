// Operations on bits: bitwise logic, shifts, copysign and nextafter.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/mutate.h"

namespace ts::kernels {

struct BitwiseAnd {
  template <class T> TS_HD T operator()(T x, T y) const { return static_cast<T>(x & y); }
};
struct BitwiseOr {
  template <class T> TS_HD T operator()(T x, T y) const { return static_cast<T>(x | y); }
};
struct BitwiseXor {
  template <class T> TS_HD T operator()(T x, T y) const { return static_cast<T>(x ^ y); }
};
struct BitwiseInvert {
  template <class T> TS_HD T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

/// A shift by less than 0 or by the width and more leaves nothing.
struct BitwiseLeftShift {
  template <class T> TS_HD T operator()(T x, T y) const {
    constexpr T kWidth = static_cast<T>(sizeof(T) * 8);
    if (TS_MUTATE("shift.width", y < 0 || y >= kWidth, false)) return 0;
    return static_cast<T>(math::Wrap<T>(x) << (static_cast<unsigned>(y) % (sizeof(math::Wrap<T>) * 8)));
  }
};

/// A shift by less than 0 or by the width and more leaves the sign in every bit.
struct BitwiseRightShift {
  template <class T> TS_HD T operator()(T x, T y) const {
    constexpr T kWidth = static_cast<T>(sizeof(T) * 8);
    if (y < 0 || y >= kWidth) return x < 0 ? static_cast<T>(-1) : T{0};
    return static_cast<T>(x >> static_cast<unsigned>(y));
  }
};

struct Copysign {
  template <class T> TS_HD T operator()(T x, T y) const { return math::copysign(x, y); }
};

/// The next value of the dtype from x towards y; y itself where they are equal.
struct Nextafter {
  static constexpr bool kOnStorage = true;
  template <class D> TS_HD D operator()(D x, D y) const {
    using Bits = std::conditional_t<sizeof(D) == 2, uint16_t, std::conditional_t<sizeof(D) == 4, uint32_t, uint64_t>>;
    const Compute<D> a = x, b = y;
    if (math::is_nan(a)) return x;
    if (math::is_nan(b) || a == b) return y;
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (sizeof(D) * 8 - 1));
    if (a == 0) return ts::detail::bit_cast<D>(static_cast<Bits>((b < 0 ? kSign : Bits{0}) | 1)); // smallest subnormal
    const Bits bits = ts::detail::bit_cast<Bits>(x);
    const bool away = (a < b) == (a > 0);
    return ts::detail::bit_cast<D>(static_cast<Bits>(away ? bits + 1 : bits - 1));
  }
};

} // namespace ts::kernels
