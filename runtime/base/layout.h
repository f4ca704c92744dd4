// Where the elements of a view lie: shape, signed element strides and an offset, and the questions that have answers in
// these numbers alone (spec/layout.md). Nothing here touches memory.
#pragma once

#include "runtime/base/dtype.h"
#include "runtime/base/small_vector.h"

#include <cstdint>
#include <string>

namespace ts {

/// Element (i0, i1, ...) lies at position offset + sum(i_k * strides[k]). Strides of axes of extent 1 mean nothing.
struct Layout {
  Dims shape;
  Dims strides;
  int64_t offset = 0;

  int rank() const { return static_cast<int>(shape.size()); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// `(2, 3)`, `(3,)` for one axis, `()` for none.
std::string shape_text(std::span<const int64_t> shape);

/// Number of elements; ValueError where an extent is negative or the product leaves int64.
int64_t element_count(std::span<const int64_t> shape);

/// The strides of a dense tensor in row-major order.
Dims row_major(std::span<const int64_t> shape);

/// The lowest and highest position a layout touches; high < low where it has no element. ValueError where a position
/// leaves int64.
struct Reach {
  int64_t low, high;
};
Reach reach(const Layout& layout);

/// Whether elements lie in row-major order without gaps; true for no element.
bool is_contiguous(const Layout& layout);

/// Whether two different indices name one position.
bool self_overlaps(const Layout& layout);

enum class Overlap { kNone, kIdentical, kSome };
/// How two layouts of one buffer meet. Exact for up to 2^22 elements; beyond that, kSome where ranges meet.
Overlap overlap(const Layout& a, int64_t itemsize_a, const Layout& b, int64_t itemsize_b);
/// The same from their ranges alone: kSome where they may meet.
Overlap range_overlap(const Layout& a, int64_t itemsize_a, const Layout& b, int64_t itemsize_b);

/// The shape that two shapes broadcast to; ValueError naming both where they do not. `op` leads the message.
Dims broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b, const char* op);

/// A layout read at a larger shape: new and extent-1 axes get stride 0. ValueError where it does not broadcast.
Layout broadcast(const Layout& layout, std::span<const int64_t> shape, const char* op);

/// An axis counted from the end where negative; IndexError where there is none.
int normalize_axis(int64_t axis, int rank, const char* op);

/// The group of an axis that merges with no other.
inline constexpr int64_t kAlone = -1;
/// Drops axes of extent 1 and merges neighbours of one group that advance together in every layout. All layouts have one
/// rank, and equal extents within a group (or all 1, as reduced axes of a result have). An axis of group kAlone stays.
void merge_axes(std::span<Layout> layouts, Dims& groups);

} // namespace ts
