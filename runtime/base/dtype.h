// The element types, and what the host knows of their values: their classes, and the two 16-bit formats, which C++ 20
// has no types for.
#pragma once

#include "backends/abi/backend.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace ts {

/// Numbered as at the door.
enum class DType : int32_t {
  kBool = TS_DTYPE_BOOL,
  kU8 = TS_DTYPE_U8,
  kI32 = TS_DTYPE_I32,
  kI64 = TS_DTYPE_I64,
  kF16 = TS_DTYPE_F16,
  kBF16 = TS_DTYPE_BF16,
  kF32 = TS_DTYPE_F32,
  kF64 = TS_DTYPE_F64,
};

/// In the order of promotion: a scalar of a later class lifts a tensor of an earlier one.
enum class DTypeClass { kBool, kInteger, kFloating };

/// `f32`, as the spec writes it.
std::string_view name(DType dtype);
/// The dtype of a name; throws TypeError with the names there are.
DType parse_dtype(std::string_view name);

inline DTypeClass class_of(DType dtype) {
  if (dtype == DType::kBool) return DTypeClass::kBool;
  return dtype < DType::kF16 ? DTypeClass::kInteger : DTypeClass::kFloating;
}
inline bool is_floating(DType dtype) { return class_of(dtype) == DTypeClass::kFloating; }

/// Bytes of one element.
inline int64_t itemsize(DType dtype) {
  constexpr int8_t kBytes[TS_DTYPE_COUNT] = {0, 1, 1, 4, 8, 2, 2, 4, 8};
  return kBytes[static_cast<int>(dtype)];
}

/// The smallest and largest value of an integer dtype (bool counts as 0 to 1).
struct IntegerRange {
  int64_t low, high;
};
IntegerRange integer_range(DType dtype);

/// A 16-bit floating value as host code holds it: only its bits.
struct Float16 {
  uint16_t bits;
  explicit operator double() const;
  static Float16 round(double value); ///< to nearest, ties to even, once
};
struct BrainFloat16 {
  uint16_t bits;
  explicit operator double() const;
  static BrainFloat16 round(double value); ///< to nearest, ties to even, once
};

/// The dtype of a host element type.
template <class T> constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::kBool;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::kU8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::kI32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::kI64;
  else if constexpr (std::is_same_v<T, Float16>)
    return DType::kF16;
  else if constexpr (std::is_same_v<T, BrainFloat16>)
    return DType::kBF16;
  else if constexpr (std::is_same_v<T, float>)
    return DType::kF32;
  else {
    static_assert(std::is_same_v<T, double>, "not an element type");
    return DType::kF64;
  }
}

} // namespace ts
