#include "runtime/base/scalar.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts {

namespace {

template <class T> uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> T value_of(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// An integer as a double that rounds to 16-bit formats as the integer itself does: lost low bits leave a sticky one.
double sticky(int64_t value) {
  const bool negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude >> 53 != 0) magnitude = (magnitude & ~0x7ffULL) | ((magnitude & 0x7ff) != 0 ? 0x800ULL : 0ULL);
  const auto rounded = static_cast<double>(magnitude);
  return negative ? -rounded : rounded;
}

double finite_value(DType dtype, double value) {
  switch (dtype) {
    case DType::kF16: return static_cast<double>(Float16::round(value));
    case DType::kBF16: return static_cast<double>(BrainFloat16::round(value));
    case DType::kF32: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

} // namespace

int64_t Scalar::checked_unsigned(uint64_t value) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw ValueError(fmt::format("scalar {} is beyond int64", value));
  return static_cast<int64_t>(value);
}

int64_t Scalar::integer() const {
  if (!is_real()) return integer_;
  if (std::isnan(real_)) return 0;
  if (real_ >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (real_ < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(real_);
}

std::string Scalar::str() const {
  if (kind_ == DTypeClass::kBool) return integer_ != 0 ? "true" : "false";
  return is_real() ? fmt::format("{}", real_) : fmt::format("{}", integer_);
}

bool Scalar::fits(DType dtype) const {
  if (is_floating(dtype)) return !std::isfinite(real()) || std::isfinite(finite_value(dtype, real()));
  if (is_real()) return false;
  const IntegerRange range = integer_range(dtype);
  return range.low <= integer_ && integer_ <= range.high;
}

uint64_t Scalar::encode(DType dtype) const {
  switch (dtype) {
    case DType::kBool: return truth() || (is_real() && std::isnan(real_)) ? 1 : 0;
    case DType::kU8: {
      const int64_t value = integer();
      if (!is_real()) return bits_of(static_cast<uint8_t>(value)); // wraps
      return static_cast<uint64_t>(std::clamp<int64_t>(value, 0, 255));
    }
    case DType::kI32: {
      const int64_t value = integer();
      if (!is_real()) return bits_of(static_cast<int32_t>(value)); // wraps
      const IntegerRange range = integer_range(dtype);
      return bits_of(static_cast<int32_t>(std::clamp(value, range.low, range.high)));
    }
    case DType::kI64: return bits_of(integer());
    case DType::kF16: return Float16::round(is_real() ? real_ : sticky(integer_)).bits;
    case DType::kBF16: return BrainFloat16::round(is_real() ? real_ : sticky(integer_)).bits;
    case DType::kF32: return bits_of(is_real() ? static_cast<float>(real_) : static_cast<float>(integer_));
    case DType::kF64: return bits_of(real());
  }
  return 0;
}

Scalar Scalar::decode(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kBool: return {(bits & 0xff) != 0};
    case DType::kU8: return {value_of<uint8_t>(bits)};
    case DType::kI32: return {value_of<int32_t>(bits)};
    case DType::kI64: return {value_of<int64_t>(bits)};
    case DType::kF16: return {static_cast<double>(Float16{static_cast<uint16_t>(bits)})};
    case DType::kBF16: return {static_cast<double>(BrainFloat16{static_cast<uint16_t>(bits)})};
    case DType::kF32: return {static_cast<double>(value_of<float>(bits))};
    case DType::kF64: return {value_of<double>(bits)};
  }
  return {};
}

bool operator==(const Scalar& a, const Scalar& b) {
  if (a.is_real() || b.is_real()) return a.is_real() == b.is_real() && a.real_ == b.real_;
  return a.integer_ == b.integer_;
}

} // namespace ts
