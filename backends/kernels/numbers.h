// The element types of the spec and conversion between them (spec/numerics.md).
//
// f16 and bf16 are storage formats: arithmetic widens to f32 and rounds once on the way back. A bool is a byte that is
// read as true when any bit is set and written as 0 or 1.
#pragma once

#include "backends/abi/backend.h"
#include "backends/kernels/task.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ts {

/// The unsigned type of T's width.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

namespace detail {

template <class To, class From> TS_HD To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from); // no call of memcpy where kernels are compiled to be checked
}

/// Rounds x once, to nearest with ties to even, to a 16-bit format with the given widths. NaN becomes the canonical NaN.
template <int kExponentBits, int kFractionBits> TS_HD uint16_t narrow(double x) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr int kExponentMax = (1 << kExponentBits) - 1;
  const uint64_t bits = bit_cast<uint64_t>(x);
  const uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffffULL;
  if (exponent == 0x7ff) {
    if (fraction != 0) return static_cast<uint16_t>(kExponentMax << kFractionBits | 1 << (kFractionBits - 1));
    return static_cast<uint16_t>(sign | kExponentMax << kFractionBits);
  }
  if (exponent == 0) return sign; // a subnormal double is far below half the smallest subnormal of either format
  int target = exponent - 1023 + kBias;
  int shift = 52 - kFractionBits;
  uint64_t significand = fraction | 1ULL << 52;
  if (target <= 0) { // subnormal result: shift further, keep no implicit bit
    shift += 1 - target;
    target = 0;
    if (shift > 54) return sign;
  } else {
    significand &= ~(1ULL << 52);
  }
  const uint64_t half = 1ULL << (shift - 1), low = significand & ((1ULL << shift) - 1);
  uint64_t rounded = (static_cast<uint64_t>(target) << kFractionBits) + (significand >> shift);
  if (low > half || (low == half && (rounded & 1) != 0)) ++rounded; // a carry moves into the exponent, up to infinity
  if (rounded >= static_cast<uint64_t>(kExponentMax) << kFractionBits)
    rounded = static_cast<uint64_t>(kExponentMax) << kFractionBits;
  return static_cast<uint16_t>(sign | rounded);
}

/// The value of a 16-bit format, which f32 holds exactly.
template <int kExponentBits, int kFractionBits> TS_HD float widen(uint16_t bits) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = bits >> kFractionBits & ((1U << kExponentBits) - 1);
  uint32_t fraction = bits & ((1U << kFractionBits) - 1);
  if (exponent == (1U << kExponentBits) - 1) {
    return bit_cast<float>(sign | 0x7f800000U | fraction << (23 - kFractionBits));
  }
  if (exponent == 0) {
    if (fraction == 0) return bit_cast<float>(sign);
    int e = 127 - kBias + 1;
    if (e <= 1) return bit_cast<float>(sign | fraction << (23 - kFractionBits)); // as wide an exponent as f32's
    while ((fraction >> kFractionBits & 1U) == 0) {
      fraction <<= 1;
      --e;
    }
    fraction &= (1U << kFractionBits) - 1;
    return bit_cast<float>(sign | static_cast<uint32_t>(e) << 23 | fraction << (23 - kFractionBits));
  }
  return bit_cast<float>(sign | (exponent + static_cast<uint32_t>(127 - kBias)) << 23 |
                         fraction << (23 - kFractionBits));
}

/// An integer as a double whose rounding to at most 51 bits equals the integer's own: the bits that a double cannot hold
/// are kept as one sticky bit.
TS_HD double sticky_double(int64_t x) {
  const bool negative = x < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  if (magnitude >> 53 != 0) {
    const uint64_t lost = magnitude & 0x7ff;
    magnitude = (magnitude & ~0x7ffULL) | (lost != 0 ? 0x800ULL : 0ULL);
  }
  const double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

} // namespace detail

/// IEEE 754 binary16. A device has instructions for both ways, which lose the bits of a NaN: those are put back as a host has
/// them.
struct Half {
  uint16_t bits;
  TS_HD operator float() const {
#if defined(__CUDA_ARCH__)
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    // The sign, shifted in from the left, and the ones of the exponent fill that of the wider format.
    const int32_t stretched = static_cast<int32_t>(static_cast<uint32_t>(bits) << 16) >> 3;
    return x == x ? x : detail::bit_cast<float>(stretched | 0x70000000);
#else
    return detail::widen<5, 10>(bits);
#endif
  }
  TS_HD static Half round(double x) { return {detail::narrow<5, 10>(x)}; }
  TS_HD static Half round(float x) {
#if defined(__CUDA_ARCH__)
    uint16_t rounded;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(x));
    return {x == x ? rounded : uint16_t{0x7e00}};
#else
    return round(static_cast<double>(x));
#endif
  }
};

/// bfloat16: the upper half of a binary32.
struct BFloat16 {
  uint16_t bits;
  TS_HD operator float() const { return detail::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  TS_HD static BFloat16 round(double x) { return {detail::narrow<8, 7>(x)}; }
  TS_HD static BFloat16 round(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint16_t rounded;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(x));
    return {x == x ? rounded : uint16_t{0x7fc0}};
#else
    if (x != x) return {0x7fc0};
    const uint32_t whole = detail::bit_cast<uint32_t>(x);
    return {static_cast<uint16_t>((whole + 0x7fffU + (whole >> 16 & 1U)) >> 16)}; // a carry moves into the exponent
#endif
  }
};

/// A truth value in a byte.
struct Bool {
  uint8_t byte;
  TS_HD operator bool() const { return byte != 0; }
  TS_HD static Bool of(bool truth) { return {static_cast<uint8_t>(truth ? 1 : 0)}; }
};

template <class T> inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T> inline constexpr bool is_floating = std::is_floating_point_v<T> || is_half<T>;
template <class T> inline constexpr bool is_bool = std::is_same_v<T, Bool>;
template <class T> inline constexpr bool is_integer = std::is_integral_v<T>;

/// The type arithmetic on T is done in.
template <class T> using Compute = std::conditional_t<is_half<T>, float, std::conditional_t<is_bool<T>, bool, T>>;

/// Converts as spec/numerics.md says: to floating rounds once; floating to integer truncates, saturates, NaN to 0;
/// integer to integer wraps; anything nonzero, NaN included, is true.
template <class To, class From> TS_HD To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    if constexpr (is_bool<From>)
      return To::of(x);
    else
      return x;
  } else if constexpr (is_bool<To>) {
    if constexpr (is_half<From>)
      return To::of(static_cast<float>(x) != 0.0F);
    else
      return To::of(x != From{0});
  } else if constexpr (is_bool<From>) {
    return convert<To>(static_cast<int32_t>(static_cast<bool>(x) ? 1 : 0));
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (is_half<To>) {
    if constexpr (is_integer<From>)
      return To::round(detail::sticky_double(static_cast<int64_t>(x)));
    else
      return To::round(x);
  } else if constexpr (std::is_floating_point_v<From> && is_integer<To>) {
    if (x != x) return To{0};
    // 2^bits of To is exact in From; the comparison is against the first value past the range.
    constexpr From kEnd =
        static_cast<From>(static_cast<To>(1) << (sizeof(To) * 8 - 2)) * (std::is_signed_v<To> ? From{2} : From{4});
    if (x >= kEnd) return std::numeric_limits<To>::max();
    if (std::is_signed_v<To> ? x < -kEnd : x <= From{-1}) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// Bytes of one element, 0 for a dtype this header does not know.
TS_HD constexpr int itemsize(int32_t dtype) {
  switch (dtype) {
    case TS_DTYPE_BOOL:
    case TS_DTYPE_U8: return 1;
    case TS_DTYPE_F16:
    case TS_DTYPE_BF16: return 2;
    case TS_DTYPE_I32:
    case TS_DTYPE_F32: return 4;
    case TS_DTYPE_I64:
    case TS_DTYPE_F64: return 8;
    default: return 0;
  }
}

/// Sixteen bytes that move together: what an element is to a task that only moves.
struct alignas(16) Wide {
  uint64_t half[2];
};

/// Names an element type at compile time: the argument with_dtype passes on.
template <class T> struct Type { using type = T; };

/// Calls visit(Type<T>{}) with the element type of a dtype; false for a dtype this header does not know.
template <class Visit> bool with_dtype(int32_t dtype, Visit&& visit) {
  switch (dtype) {
    case TS_DTYPE_BOOL: visit(Type<Bool>{}); return true;
    case TS_DTYPE_U8: visit(Type<uint8_t>{}); return true;
    case TS_DTYPE_I32: visit(Type<int32_t>{}); return true;
    case TS_DTYPE_I64: visit(Type<int64_t>{}); return true;
    case TS_DTYPE_F16: visit(Type<Half>{}); return true;
    case TS_DTYPE_BF16: visit(Type<BFloat16>{}); return true;
    case TS_DTYPE_F32: visit(Type<float>{}); return true;
    case TS_DTYPE_F64: visit(Type<double>{}); return true;
    default: return false;
  }
}

} // namespace ts
