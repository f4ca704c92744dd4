// What the parts of the door say alike: how operands, numbers and shapes read in an error, and shapes on the stack.
#pragma once

#include "backends/kernels/door.h"

#include <algorithm>
#include <concepts>
#include <string>

namespace ts::kernels::door {

inline DoorError invalid(const std::string& what) { return {TS_INVALID_ARGUMENT, what}; }

inline std::string text(std::integral auto number) { return std::to_string(number); }

/// "output 0" or "input 2", spelled only where an error needs it.
struct OperandName {
  bool is_output;
  int k;
  std::string text() const { return (is_output ? "output " : "input ") + std::to_string(k); }
  /// The operand field of ts_error: the input, or -1.
  int32_t number() const { return is_output ? -1 : k; }
};
inline OperandName output(int k) { return {true, k}; }
inline OperandName input(int k) { return {false, k}; }
inline std::string operator+(const OperandName& name, const std::string& rest) { return name.text() + rest; }
inline std::string operator+(const std::string& start, const OperandName& name) { return start + name.text(); }

/// The extents of a view, by value.
struct Shape {
  int32_t rank = 0;
  int64_t extent[TS_RANK_MAX] = {};

  static Shape of(const ts_view& view) {
    Shape shape;
    shape.rank = view.rank;
    std::copy(view.shape, view.shape + view.rank, shape.extent);
    return shape;
  }
  Shape with(int64_t axis, int64_t value) const {
    Shape changed = *this;
    changed.extent[axis] = value;
    return changed;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank == b.rank && std::equal(a.extent, a.extent + a.rank, b.extent);
  }
  std::string text() const {
    std::string joined = "(";
    for (int axis = 0; axis < rank; ++axis) joined += (axis > 0 ? "," : "") + std::to_string(extent[axis]);
    return joined + ")";
  }
};

} // namespace ts::kernels::door
