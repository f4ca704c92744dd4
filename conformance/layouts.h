// The catalogue of layouts: the ways in which a logical tensor may lie in a buffer. Every case names one per operand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// One way to lay out a tensor; spec/layout.md draws each.
enum class Layout : uint8_t {
  dense,            ///< row-major from element 0 of the buffer
  offset_1,         ///< row-major from element 1: breaks every vector alignment
  offset_5,         ///< row-major from element 5
  transposed,       ///< the last two axes swapped
  permuted,         ///< axes rotated, rank 3 and up
  gap_free,         ///< column-major: no gaps, yet not row-major
  stepped_inner,    ///< every second element of the last axis
  stepped_outer,    ///< every second slice of the first axis
  reversed_inner,   ///< the last axis backwards
  reversed_outer,   ///< the first axis backwards
  reversed_all,     ///< every axis backwards
  narrowed,         ///< a window on wider rows: pitch > width
  pitched,          ///< the same, with rows further apart than 2^16 elements
  broadcast_inner,  ///< stride 0 on the last axis
  broadcast_middle, ///< stride 0 on an inner axis
  broadcast_outer,  ///< stride 0 on the first axis
  broadcast_all,    ///< stride 0 everywhere: one element
  window,           ///< sliding windows: the last two axes step through the same elements
  wild,             ///< absurd strides on axes of extent 1, where strides mean nothing
  mixed,            ///< offset, swapped axes, a step and a reversal at once
  immediate,        ///< no buffer: the value travels in the call
};

inline constexpr int kLayoutCount = static_cast<int>(Layout::immediate) + 1;

/// All layouts in declaration order.
std::array<Layout, kLayoutCount> all_layouts();

/// The name that case names carry.
std::string_view name_of(Layout layout);
std::optional<Layout> layout_named(std::string_view name);

/// Whether the layout differs from those before it for tensors of this shape.
bool exists_for(Layout layout, const std::vector<int64_t>& shape);

/// Whether distinct elements have distinct positions whatever the shape: only then may it be written.
bool is_injective(Layout layout);

/// Where the elements of one tensor lie in a buffer.
struct Placement {
  std::vector<int64_t> shape;
  int64_t storage = 0;           ///< elements of the buffer, guards included
  int64_t offset = 0;            ///< of element (0, 0, ...), as a view states it
  std::vector<int64_t> stride;   ///< as a view states it
  std::vector<int64_t> position; ///< of every element in row-major order, counted through the parent's coordinates
};

/// Elements of the buffer that a layout of a shape needs, guards included. Throws as place does.
int64_t buffer_elements(Layout layout, const std::vector<int64_t>& shape, int64_t itemsize);

/// Lays out a shape. Throws ValueError where the layout does not exist for it, or needs more than 2^31 elements; `immediate` has no placement.
Placement place(Layout layout, const std::vector<int64_t>& shape, int64_t itemsize);

} // namespace ts::conformance
