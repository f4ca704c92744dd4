#include "conformance/layouts.h"

#include "runtime/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace ts::conformance {

namespace {

constexpr std::array<std::string_view, kLayoutCount> kNames = {
    "dense",         "offset_1",        "offset_5",         "transposed",      "permuted",      "gap_free",
    "stepped_inner", "stepped_outer",   "reversed_inner",   "reversed_outer",  "reversed_all",  "narrowed",
    "pitched",       "broadcast_inner", "broadcast_middle", "broadcast_outer", "broadcast_all", "window",
    "wild",          "mixed",           "immediate"};

constexpr int64_t kGuardBytes = 64;
// Under a sanitizer the last element touches the end of its buffer: what lies behind is guarded by the sanitizer itself,
// which sees reads as well.
#if defined(TS_SANITIZE)
constexpr int64_t kTailBytes = 0;
#else
constexpr int64_t kTailBytes = kGuardBytes;
#endif
constexpr int64_t kPitch = 65'539; // past 2^16, and prime
constexpr int64_t kCellsMax = int64_t{1} << 31;

// How one logical axis walks the parent: coordinate c stands at start + step * c of the parent's axis.
struct Walk {
  int axis;
  int64_t start = 0;
  int64_t step = 1;
};

// A row-major parent tensor behind `lead` elements, and the walk of every logical axis through it.
struct Parent {
  std::vector<int64_t> extents;
  std::vector<Walk> walks;
  int64_t lead = 0;
};

Parent identity(const std::vector<int64_t>& shape) {
  Parent parent{shape, {}, 0};
  for (size_t k = 0; k < shape.size(); ++k) parent.walks.push_back({static_cast<int>(k)});
  return parent;
}

// Logical axis order[k] is axis k of the parent.
Parent permuted(const std::vector<int64_t>& shape, const std::vector<int>& order) {
  Parent parent = identity(shape);
  for (size_t k = 0; k < order.size(); ++k) {
    parent.extents[k] = shape[static_cast<size_t>(order[k])];
    parent.walks[static_cast<size_t>(order[k])].axis = static_cast<int>(k);
  }
  return parent;
}

void reverse(Parent& parent, size_t k, int64_t extent) {
  Walk& walk = parent.walks[k];
  walk.start += walk.step * std::max<int64_t>(extent - 1, 0);
  walk.step = -walk.step;
}

void step(Parent& parent, size_t k, int64_t extent, int64_t by) {
  Walk& walk = parent.walks[k];
  walk.start = 1;
  walk.step = by;
  parent.extents[static_cast<size_t>(walk.axis)] = by * extent + 1;
}

void broadcast(Parent& parent, size_t k) {
  parent.walks[k].step = 0;
  parent.extents[static_cast<size_t>(parent.walks[k].axis)] = 1;
}

std::vector<int> swapped_last_two(size_t rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

Parent mixed(const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  Parent parent = permuted(shape, swapped_last_two(rank));
  parent.lead = 3;
  step(parent, rank - 1, shape[rank - 1], 3);
  reverse(parent, 0, shape[0]);
  return parent;
}

Parent window(const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  Parent parent = identity(shape);
  parent.extents.pop_back();
  parent.extents.back() = shape[rank - 2] + shape[rank - 1];
  parent.walks[rank - 1].axis = static_cast<int>(rank - 2);
  return parent;
}

Parent parent_of(Layout layout, const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  Parent parent = identity(shape);
  switch (layout) {
    case Layout::dense:
    case Layout::wild:
    case Layout::immediate: break;
    case Layout::offset_1: parent.lead = 1; break;
    case Layout::offset_5: parent.lead = 5; break;
    case Layout::transposed: return permuted(shape, swapped_last_two(rank));
    case Layout::permuted: {
      std::vector<int> order(rank);
      std::iota(order.begin(), order.end(), 0);
      std::rotate(order.begin(), order.begin() + 1, order.end());
      return permuted(shape, order);
    }
    case Layout::gap_free: {
      std::vector<int> order(rank);
      std::iota(order.rbegin(), order.rend(), 0);
      return permuted(shape, order);
    }
    case Layout::stepped_inner: step(parent, rank - 1, shape[rank - 1], 2); break;
    case Layout::stepped_outer: step(parent, 0, shape[0], 2); break;
    case Layout::reversed_inner: reverse(parent, rank - 1, shape[rank - 1]); break;
    case Layout::reversed_outer: reverse(parent, 0, shape[0]); break;
    case Layout::reversed_all:
      for (size_t k = 0; k < rank; ++k) reverse(parent, k, shape[k]);
      break;
    case Layout::narrowed:
      parent.walks[rank - 1].start = 2;
      parent.extents[rank - 1] += 3;
      break;
    case Layout::pitched:
      parent.walks[rank - 1].start = 3;
      parent.extents[rank - 1] += kPitch;
      break;
    case Layout::broadcast_inner: broadcast(parent, rank - 1); break;
    case Layout::broadcast_middle:
      for (size_t k = 1; k + 1 < rank; ++k) broadcast(parent, k);
      break;
    case Layout::broadcast_outer: broadcast(parent, 0); break;
    case Layout::broadcast_all:
      for (size_t k = 0; k < rank; ++k) broadcast(parent, k);
      break;
    case Layout::window: return window(shape);
    case Layout::mixed: return mixed(shape);
  }
  return parent;
}

// What a view states: offset and strides from the parent's pitches.
void describe(const Parent& parent, Placement& placement) {
  std::vector<int64_t> pitch(parent.extents.size(), 1);
  for (size_t k = pitch.size(); k-- > 1;) pitch[k - 1] = pitch[k] * parent.extents[k];
  placement.offset = parent.lead;
  for (const Walk& walk : parent.walks) {
    const int64_t p = pitch[static_cast<size_t>(walk.axis)];
    placement.offset += walk.start * p;
    placement.stride.push_back(walk.step * p);
  }
}

// Where the elements are, counted without pitches or strides: through the coordinates of the parent.
void enumerate(const Parent& parent, Placement& placement) {
  const std::vector<int64_t>& shape = placement.shape;
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  placement.position.reserve(static_cast<size_t>(count));
  std::vector<int64_t> at(shape.size(), 0), in_parent(parent.extents.size());
  for (int64_t i = 0; i < count; ++i) {
    std::fill(in_parent.begin(), in_parent.end(), 0);
    for (size_t k = 0; k < shape.size(); ++k) {
      const Walk& walk = parent.walks[k];
      in_parent[static_cast<size_t>(walk.axis)] += walk.start + walk.step * at[k];
    }
    int64_t position = 0;
    for (size_t k = 0; k < in_parent.size(); ++k) position = position * parent.extents[k] + in_parent[k];
    placement.position.push_back(parent.lead + position);
    for (size_t k = shape.size(); k-- > 0;) {
      if (++at[k] < shape[k]) break;
      at[k] = 0;
    }
  }
}

// The offset layouts are guarded by their own lead; dense begins at the very start, as a new allocation does.
Parent guarded_parent(Layout layout, const std::vector<int64_t>& shape, int64_t itemsize) {
  Parent parent = parent_of(layout, shape);
  if (layout != Layout::dense && parent.lead != 1 && parent.lead != 5) parent.lead += kGuardBytes / itemsize;
  return parent;
}

} // namespace

std::array<Layout, kLayoutCount> all_layouts() {
  std::array<Layout, kLayoutCount> layouts{};
  for (int k = 0; k < kLayoutCount; ++k) layouts[static_cast<size_t>(k)] = static_cast<Layout>(k);
  return layouts;
}

std::string_view name_of(Layout layout) { return kNames[static_cast<size_t>(layout)]; }

std::optional<Layout> layout_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Layout>(found - kNames.begin());
}

bool exists_for(Layout layout, const std::vector<int64_t>& shape) {
  const size_t rank = shape.size();
  switch (layout) {
    case Layout::dense:
    case Layout::offset_1:
    case Layout::offset_5:
    case Layout::immediate: return true;
    case Layout::stepped_inner:
    case Layout::reversed_inner:
    case Layout::broadcast_inner: return rank >= 1;
    case Layout::transposed:
    case Layout::stepped_outer:
    case Layout::reversed_outer:
    case Layout::reversed_all:
    case Layout::narrowed:
    case Layout::pitched:
    case Layout::broadcast_outer:
    case Layout::broadcast_all:
    case Layout::window:
    case Layout::mixed: return rank >= 2;
    case Layout::permuted:
    case Layout::gap_free:
    case Layout::broadcast_middle: return rank >= 3;
    case Layout::wild: return std::find(shape.begin(), shape.end(), 1) != shape.end();
  }
  return false;
}

bool is_injective(Layout layout) {
  switch (layout) {
    case Layout::broadcast_inner:
    case Layout::broadcast_middle:
    case Layout::broadcast_outer:
    case Layout::broadcast_all:
    case Layout::window:
    case Layout::immediate: return false;
    default: return true;
  }
}

int64_t buffer_elements(Layout layout, const std::vector<int64_t>& shape, int64_t itemsize) {
  if (layout == Layout::immediate || !exists_for(layout, shape)) {
    throw ValueError(fmt::format("layout {} has no placement for shape ({})", name_of(layout), fmt::join(shape, ",")));
  }
  const Parent parent = guarded_parent(layout, shape, itemsize);
  int64_t cells = 1;
  bool beyond = false;
  for (const int64_t extent : parent.extents) beyond = __builtin_mul_overflow(cells, extent, &cells) || beyond;
  const bool empty = std::find(parent.extents.begin(), parent.extents.end(), 0) != parent.extents.end();
  if (!empty && (beyond || cells > kCellsMax))
    throw ValueError(fmt::format("layout {} of shape ({}) needs a buffer of more than {} elements", name_of(layout),
                                 fmt::join(shape, ","), kCellsMax));
  return parent.lead + kTailBytes / itemsize + (empty ? 0 : cells);
}

Placement place(Layout layout, const std::vector<int64_t>& shape, int64_t itemsize) {
  Placement placement;
  placement.shape = shape;
  placement.storage = buffer_elements(layout, shape, itemsize);
  const Parent parent = guarded_parent(layout, shape, itemsize);
  describe(parent, placement);
  enumerate(parent, placement);
  if (layout == Layout::wild) {
    constexpr std::array<int64_t, 4> kAbsurd = {int64_t{1} << 40, -7, 0, -(int64_t{1} << 33) - 1};
    for (size_t k = 0, n = 0; k < shape.size(); ++k)
      if (shape[k] == 1) placement.stride[k] = kAbsurd[n++ % kAbsurd.size()];
  }
  return placement;
}

} // namespace ts::conformance
