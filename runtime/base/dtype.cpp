#include "runtime/base/dtype.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts {

namespace {

constexpr std::string_view kNames[TS_DTYPE_COUNT] = {"", "bool", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"};

// Scales the value so that the target's last place is one unit; rint then rounds once, to nearest even.
uint16_t narrow(double value, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | 1 << (fraction_bits - 1));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | infinity;
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const double units = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  // A normal value has 2^fraction_bits units or more; its implicit bit then adds one to the exponent field.
  const int64_t bits = (static_cast<int64_t>(exponent + bias - 1) << fraction_bits) + static_cast<int64_t>(units);
  return static_cast<uint16_t>(sign | (bits >= infinity ? infinity : bits));
}

double widen(uint16_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  double magnitude;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

} // namespace

std::string_view name(DType dtype) { return kNames[static_cast<int>(dtype)]; }

DType parse_dtype(std::string_view text) {
  for (int i = 1; i < TS_DTYPE_COUNT; ++i)
    if (kNames[i] == text) return static_cast<DType>(i);
  throw TypeError(fmt::format("unknown dtype '{}'; there are bool u8 i32 i64 f16 bf16 f32 f64", text));
}

IntegerRange integer_range(DType dtype) {
  switch (dtype) {
    case DType::kBool: return {0, 1};
    case DType::kU8: return {0, 255};
    case DType::kI32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

Float16::operator double() const { return widen(bits, 5, 10); }
Float16 Float16::round(double value) { return {narrow(value, 5, 10)}; }
BrainFloat16::operator double() const { return widen(bits, 8, 7); }
BrainFloat16 BrainFloat16::round(double value) { return {narrow(value, 8, 7)}; }

} // namespace ts
