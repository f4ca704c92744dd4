#include "runtime/base/layout.h"

#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace ts {

namespace {

constexpr int64_t kEnumerated = int64_t{1} << 22;

[[noreturn]] void overflow(std::span<const int64_t> shape) {
  throw ValueError(fmt::format("[layout.15] shape {} and its strides reach beyond int64", shape_text(shape)));
}

template <class Visit> void for_each_position(const Layout& layout, Visit&& visit) {
  const int64_t count = element_count(layout.shape);
  Dims index(layout.shape.size(), 0);
  int64_t position = layout.offset;
  for (int64_t i = 0; i < count; ++i) {
    if (!visit(position)) return;
    for (int axis = layout.rank() - 1; axis >= 0; --axis) {
      position += layout.strides[axis];
      if (++index[axis] < layout.shape[axis]) break;
      position -= layout.strides[axis] * layout.shape[axis];
      index[axis] = 0;
    }
  }
}

struct ByteRange {
  int64_t low, end;
};

ByteRange bytes_of(const Layout& layout, int64_t itemsize) {
  const Reach r = reach(layout);
  return {r.low * itemsize, (r.high + 1) * itemsize};
}

bool same_positions(const Layout& a, const Layout& b) {
  if (a.shape != b.shape || a.offset != b.offset) return false;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  return true;
}

} // namespace

std::string shape_text(std::span<const int64_t> shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

int64_t element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false, over = false;
  for (const int64_t extent : shape) {
    if (extent < 0) {
      throw ValueError(fmt::format("[shape] {} has a negative extent {}", shape_text(shape), extent));
    }
    empty = empty || extent == 0;
    over = over || __builtin_mul_overflow(count, extent, &count);
  }
  if (empty) return 0;
  if (over) overflow(shape);
  return count;
}

Dims row_major(std::span<const int64_t> shape) {
  Dims strides(shape.size(), 1);
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    if (shape[axis] > 1 && __builtin_mul_overflow(stride, shape[axis], &stride)) overflow(shape);
  }
  return strides;
}

Reach reach(const Layout& layout) {
  int64_t low = layout.offset, high = layout.offset;
  for (const int64_t extent : layout.shape)
    if (extent == 0) return {layout.offset, layout.offset - 1};
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (layout.shape[axis] == 1) continue;
    int64_t span;
    if (__builtin_mul_overflow(layout.shape[axis] - 1, layout.strides[axis], &span)) overflow(layout.shape);
    int64_t& bound = span < 0 ? low : high;
    if (__builtin_add_overflow(bound, span, &bound)) overflow(layout.shape);
  }
  return {low, high};
}

bool is_contiguous(const Layout& layout) {
  int64_t expected = 1;
  bool dense = true;
  for (int axis = layout.rank() - 1; axis >= 0; --axis) {
    if (layout.shape[axis] == 0) return true;
    if (layout.shape[axis] == 1) continue;
    dense = dense && layout.strides[axis] == expected;
    expected *= layout.shape[axis];
  }
  return dense;
}

bool self_overlaps(const Layout& layout) {
  if (std::find(layout.shape.begin(), layout.shape.end(), 0) != layout.shape.end()) return false;
  struct Axis {
    int64_t stride, extent;
  };
  SmallVector<Axis, 8> axes;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (layout.shape[axis] == 1) continue;
    if (layout.strides[axis] == 0) return true;
    axes.push_back({std::abs(layout.strides[axis]), layout.shape[axis]});
  }
  // Where each stride steps over everything that the smaller ones reach, no two indices meet.
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  int64_t reached = 0;
  bool nested = true;
  for (const auto& [stride, extent] : axes) {
    nested = nested && stride > reached;
    reached += stride * (extent - 1);
  }
  if (nested) return false;
  const Reach r = reach(layout);
  if (element_count(layout.shape) > r.high - r.low + 1) return true;
  if (r.high - r.low > 8 * kEnumerated) return true;
  std::vector<bool> seen(static_cast<size_t>(r.high - r.low + 1));
  bool twice = false;
  for_each_position(layout, [&](int64_t position) {
    const auto at = static_cast<size_t>(position - r.low);
    twice = seen[at];
    seen[at] = true;
    return !twice;
  });
  return twice;
}

Overlap range_overlap(const Layout& a, int64_t itemsize_a, const Layout& b, int64_t itemsize_b) {
  const ByteRange x = bytes_of(a, itemsize_a), y = bytes_of(b, itemsize_b);
  if (x.end <= x.low || y.end <= y.low || x.end <= y.low || y.end <= x.low) return Overlap::kNone;
  return itemsize_a == itemsize_b && same_positions(a, b) ? Overlap::kIdentical : Overlap::kSome;
}

Overlap overlap(const Layout& a, int64_t itemsize_a, const Layout& b, int64_t itemsize_b) {
  const Overlap ranges = range_overlap(a, itemsize_a, b, itemsize_b);
  if (ranges != Overlap::kSome) return ranges;
  const ByteRange x = bytes_of(a, itemsize_a);
  if (x.end - x.low > 8 * kEnumerated || element_count(b.shape) > kEnumerated) return ranges;
  std::vector<bool> touched(static_cast<size_t>(x.end - x.low));
  for_each_position(a, [&](int64_t position) {
    for (int64_t byte = 0; byte < itemsize_a; ++byte)
      touched[static_cast<size_t>(position * itemsize_a + byte - x.low)] = true;
    return true;
  });
  bool meets = false;
  for_each_position(b, [&](int64_t position) {
    for (int64_t at = position * itemsize_b; at < (position + 1) * itemsize_b; ++at)
      meets = meets || (at >= x.low && at < x.end && touched[static_cast<size_t>(at - x.low)]);
    return !meets;
  });
  return meets ? Overlap::kSome : Overlap::kNone;
}

Dims broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b, const char* op) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return Dims(a);
  const size_t rank = std::max(a.size(), b.size());
  Dims shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) { // from the last axis
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      throw ValueError(fmt::format("[layout.4] {}: shapes {} and {} do not broadcast: {} meets {} on axis {}", op,
                                   shape_text(a), shape_text(b), x, y, rank - 1 - i));
    }
    shape[rank - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

Layout broadcast(const Layout& layout, std::span<const int64_t> shape, const char* op) {
  Layout wide;
  wide.offset = layout.offset;
  wide.shape = shape;
  wide.strides.resize(shape.size());
  const size_t added = shape.size() - layout.shape.size();
  bool fits = shape.size() >= layout.shape.size();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
    const int64_t extent = axis < added ? 1 : layout.shape[axis - added];
    fits = extent == 1 || extent == shape[axis];
    wide.strides[axis] = extent == 1 ? 0 : layout.strides[axis - added];
  }
  if (!fits) {
    throw ValueError(fmt::format("[layout.4] {}: shape {} does not broadcast to {}", op, shape_text(layout.shape),
                                 shape_text(shape)));
  }
  return wide;
}

int normalize_axis(int64_t axis, int rank, const char* op) {
  if (axis < -rank || axis >= rank) {
    throw IndexError(fmt::format("[layout.25] {}: axis {} is out of range for a tensor of {} axes", op, axis, rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void merge_axes(std::span<Layout> layouts, Dims& groups) {
  const auto erase = [&](size_t axis) {
    for (Layout& layout : layouts) {
      layout.shape.erase(axis);
      layout.strides.erase(axis);
    }
    groups.erase(axis);
  };
  const auto extent_one = [&](size_t axis) {
    return std::all_of(layouts.begin(), layouts.end(), [&](const Layout& l) { return l.shape[axis] == 1; });
  };
  for (size_t axis = 0; axis < groups.size();)
    if (groups[axis] != kAlone && extent_one(axis))
      erase(axis);
    else
      ++axis;
  for (size_t axis = 0; axis + 1 < groups.size();) {
    const auto advances = [&](const Layout& l) {
      if (l.shape[axis] == 1 || l.shape[axis + 1] == 1) return true;
      int64_t step;
      return !__builtin_mul_overflow(l.shape[axis + 1], l.strides[axis + 1], &step) && l.strides[axis] == step;
    };
    const bool together = groups[axis] == groups[axis + 1] && groups[axis] != kAlone &&
                          std::all_of(layouts.begin(), layouts.end(), advances);
    if (!together) {
      ++axis;
      continue;
    }
    for (Layout& layout : layouts) {
      if (layout.shape[axis + 1] == 1) layout.strides[axis + 1] = layout.strides[axis];
      layout.shape[axis + 1] *= layout.shape[axis];
    }
    erase(axis);
  }
}

} // namespace ts
