// A number without a dtype of its own: it takes the tensor's, and must fit.
#pragma once

#include "runtime/base/dtype.h"

#include <concepts>
#include <cstdint>
#include <string>

namespace ts {

/// A bool, an integer or a real. Integers never pass through a double, which does not hold every int64.
class Scalar {
public:
  Scalar() = default;
  Scalar(bool value) : kind_(DTypeClass::kBool), integer_(value ? 1 : 0) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Scalar(T value) : kind_(DTypeClass::kInteger), integer_(checked(value)) {}
  Scalar(double value) : kind_(DTypeClass::kFloating), real_(value) {}
  Scalar(float value) : Scalar(static_cast<double>(value)) {}

  DTypeClass kind() const { return kind_; }
  bool is_real() const { return kind_ == DTypeClass::kFloating; }
  /// The value of a bool or an integer; a real is truncated and saturates, NaN is 0.
  int64_t integer() const;
  /// The value as a double, rounded where it is an integer beyond 2^53.
  double real() const { return is_real() ? real_ : static_cast<double>(integer_); }
  bool truth() const { return is_real() ? real_ != 0 : integer_ != 0; }
  std::string str() const;

  /// Whether a tensor of this dtype can hold it: an integer in range, a finite real that stays finite. A real fits no
  /// integer dtype; 0 and 1 fit bool.
  bool fits(DType dtype) const;
  /// The element as it lies in memory, in the low bytes. The value is converted as `convert` does.
  uint64_t encode(DType dtype) const;
  /// The value of an element, from its bytes in the low end.
  static Scalar decode(DType dtype, uint64_t bits);

  friend bool operator==(const Scalar& a, const Scalar& b);

private:
  template <class T> static int64_t checked(T value) {
    if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
      return checked_unsigned(value);
    else
      return static_cast<int64_t>(value);
  }
  static int64_t checked_unsigned(uint64_t value);

  DTypeClass kind_ = DTypeClass::kInteger;
  int64_t integer_ = 0;
  double real_ = 0;
};

} // namespace ts
