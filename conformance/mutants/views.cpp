#include "conformance/mutants/views.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ts::conformance::mutants {

int64_t count_of(const ts_view& view) {
  int64_t count = 1;
  for (int axis = 0; axis < view.rank; ++axis) count *= view.shape[axis];
  return count;
}

int64_t itemsize_of(int32_t dtype) {
  constexpr std::array<int64_t, TS_DTYPE_COUNT> kBytes = {0, 1, 1, 4, 8, 2, 2, 4, 8};
  return kBytes[static_cast<size_t>(dtype)];
}

bool is_dense(const ts_view& view) {
  int64_t step = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    if (view.shape[axis] != 1 && view.stride[axis] != step) return false;
    step *= view.shape[axis];
  }
  return true;
}

bool is_gap_free(const ts_view& view) {
  std::vector<std::pair<int64_t, int64_t>> axes; // stride, extent
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.shape[axis] != 1) axes.emplace_back(view.stride[axis], view.shape[axis]);
  std::sort(axes.begin(), axes.end());
  int64_t step = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride != step) return false;
    step *= extent;
  }
  return true;
}

bool same_positions(const ts_view& a, const ts_view& b) {
  if (a.offset != b.offset || a.rank != b.rank) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.shape[axis] != b.shape[axis]) return false;
    if (a.shape[axis] > 1 && a.stride[axis] != b.stride[axis]) return false;
  }
  return true;
}

Reach reach_of(const ts_view& view) {
  Reach reach{view.offset, view.offset};
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] == 0) return {0, -1};
    if (view.shape[axis] == 1) continue;
    const int64_t length = (view.shape[axis] - 1) * view.stride[axis];
    (length < 0 ? reach.low : reach.high) += length;
  }
  return reach;
}

bool make_dense(ts_view& view) {
  const ts_view before = view;
  int64_t step = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    view.stride[axis] = step;
    step *= view.shape[axis];
  }
  return !same_positions(before, view);
}

bool take_magnitudes(ts_view& view) {
  const ts_view before = view;
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.stride[axis] < 0) view.stride[axis] = -view.stride[axis];
  return !same_positions(before, view);
}

bool start_at_origin(ts_view& view) {
  const bool elsewhere = view.offset != 0;
  view.offset = 0;
  return elsewhere;
}

bool swap_last_strides(ts_view& view) {
  if (view.rank < 2) return false;
  const ts_view before = view;
  std::swap(view.stride[view.rank - 1], view.stride[view.rank - 2]);
  return !same_positions(before, view);
}

bool narrow_strides(ts_view& view) {
  const ts_view before = view;
  for (int axis = 0; axis < view.rank; ++axis) view.stride[axis] %= int64_t{1} << 16;
  return !same_positions(before, view);
}

bool shift_inside(ts_view& view, int64_t elements) {
  const Reach reach = reach_of(view);
  if (reach.high - reach.low >= elements) return false;
  if (reach.low < 0) view.offset -= reach.low;
  if (reach.high >= elements) view.offset -= reach.high - (elements - 1);
  return true;
}

ts_view slice(const ts_view& view, int axis, int64_t begin, int64_t count) {
  ts_view part = view;
  if (begin > 0) part.offset += begin * view.stride[axis];
  part.shape[axis] = count;
  return part;
}

ts_view flipped(const ts_view& view, int axis) {
  ts_view backwards = view;
  if (view.shape[axis] < 2) return backwards;
  backwards.offset += (view.shape[axis] - 1) * view.stride[axis];
  backwards.stride[axis] = -view.stride[axis];
  return backwards;
}

} // namespace ts::conformance::mutants
