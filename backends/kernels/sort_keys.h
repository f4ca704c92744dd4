// Order as unsigned numbers: a rule maps the bits of any dtype to keys that compare as the values do, so that maxima,
// searches for extremes and sorting are written once per key width and never meet a comparison of floats.
#pragma once

#include "backends/kernels/mutate.h"
#include "backends/kernels/numbers.h"

#include <cstdint>

namespace ts::kernels {

/// Which key NaN takes: the largest always (it wins), or the largest before reversal (last ascending, first descending).
enum class NanPlace { kWins, kSorted };

/// Maps element bits, zero-extended to K (uint32_t or uint64_t), to keys and back.
template <class K> struct KeyRule {
  K limit;     ///< largest bits of a value: 1 for bool, whose other bytes all mean true
  K sign;      ///< the sign bit, 0 for an unsigned type
  K magnitude; ///< the bits beside the sign of a floating type, every bit of an integer
  K infinity;  ///< magnitude of infinity; what lies above is NaN
  K body;      ///< all bits of a floating type: negative values count downwards. 0 for integers
  K joined;    ///< what is left of the bits of a zero: all but the sign, since zeros are equal
  K flip;      ///< all bits of the type to reverse the order, else 0
  K rising;    ///< what makes keys of values without the sign, by exclusive or
  K falling;   ///< and of values with it
  K nan;       ///< the key of NaN
  K quiet;     ///< the canonical NaN

  /// Of elements U: only those of one byte may be bool.
  template <class U> TS_HD K key(U element) const {
    const K bits = limited(element), size = bits & magnitude;
    return size > infinity ? nan : placed(size == 0 ? bits & joined : bits);
  }
  /// The bits of a key; NaN comes back canonical.
  TS_HD K bits(K key) const {
    if (key == nan && body != 0) return quiet;
    const K straight = key ^ flip;
    return straight ^ (sign | ((straight & sign) != 0 ? K{0} : body));
  }

  /// NaN counts as nonzero, -0 as zero.
  TS_HD bool nonzero(K bits) const { return (bits & magnitude) != 0; }

private:
  template <class U> TS_HD K limited(U element) const {
    const auto bits = static_cast<K>(element);
    if constexpr (sizeof(U) == 1) return bits < limit ? bits : limit;
    return bits;
  }
  TS_HD K placed(K bits) const { return bits ^ ((bits & sign) != 0 ? falling : rising); }
};

/// The rule of a dtype whose elements fit K. reverse turns the order round.
template <class K> KeyRule<K> key_rule(int32_t dtype, bool reverse, NanPlace place) {
  const int bits = itemsize(dtype) * 8;
  if (bits == 0) return {};
  const K all = static_cast<K>(~K{0}) >> (static_cast<int>(sizeof(K)) * 8 - bits);
  const K top = static_cast<K>(K{1} << (bits - 1));
  KeyRule<K> rule{};
  rule.limit = dtype == TS_DTYPE_BOOL ? K{1} : all;
  rule.magnitude = all;
  rule.infinity = all;
  rule.joined = all;
  rule.flip = reverse ? all : K{0};
  rule.nan = reverse && place == NanPlace::kSorted ? K{0} : all;
  int fraction = 0;
  switch (dtype) {
    case TS_DTYPE_I32:
    case TS_DTYPE_I64: rule.sign = top; break;
    case TS_DTYPE_F16: fraction = 10; break;
    case TS_DTYPE_BF16: fraction = 7; break;
    case TS_DTYPE_F32: fraction = 23; break;
    case TS_DTYPE_F64: fraction = 52; break;
    default: break;
  }
  if (fraction > 0) {
    rule.sign = top;
    rule.magnitude = all ^ top;
    rule.infinity = rule.magnitude >> fraction << fraction;
    rule.quiet = rule.infinity | static_cast<K>(K{1} << (fraction - 1));
    rule.body = all;
    rule.joined = rule.magnitude;
  }
  rule.rising = rule.sign ^ rule.flip;
  rule.falling = (rule.sign | rule.body) ^ rule.flip;
  return rule;
}

/// Calls visit(Type<U>{}) with the unsigned type of a dtype's width: what families that only move or order values see.
template <class Visit> bool with_bits(int32_t dtype, Visit&& visit) {
  switch (itemsize(dtype)) {
    case 1: visit(Type<uint8_t>{}); return true;
    case 2: visit(Type<uint16_t>{}); return true;
    case 4: visit(Type<uint32_t>{}); return true;
    case 8: visit(Type<uint64_t>{}); return true;
    default: return false;
  }
}

/// The key type of element bits U.
template <class U> using KeyOf = std::conditional_t<sizeof(U) == 8, uint64_t, uint32_t>;

} // namespace ts::kernels
