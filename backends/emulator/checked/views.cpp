#include "backends/emulator/checked/views.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace ts::emulator::checked {

int64_t view_count(const kernels::View& view) {
  int64_t count = 1;
  for (int axis = 0; axis < view.rank; ++axis) count *= view.shape[axis];
  return count;
}

ByteReach reach_of_view(const kernels::View& view) {
  const int64_t itemsize = item_bytes(view.dtype);
  int64_t low = 0, high = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    const int64_t length = view.shape[axis] > 1 ? (view.shape[axis] - 1) * view.stride[axis] : 0;
    (length < 0 ? low : high) += length;
  }
  return {view.data + low * itemsize, view.data + (high + 1) * itemsize};
}

namespace {

// Row-major steps over all axes but the last `inner`. visit(data, index) gives false to stop.
template <class Visit> void walk(const kernels::View& view, int outer, const Visit& visit) {
  if (view_count(view) == 0) return;
  const int64_t itemsize = item_bytes(view.dtype);
  int64_t index[TS_RANK_MAX] = {};
  for (;;) {
    int64_t offset = 0;
    for (int axis = 0; axis < outer; ++axis) offset += index[axis] * view.stride[axis];
    if (!visit(view.data + offset * itemsize, index)) return;
    int axis = outer - 1;
    while (axis >= 0 && ++index[axis] == view.shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

} // namespace

void for_each_run(const kernels::View& view, const std::function<bool(const std::byte*, uint64_t)>& visit) {
  const auto itemsize = static_cast<uint64_t>(item_bytes(view.dtype));
  // Axes at the end that lie densely are one stretch.
  int outer = view.rank;
  int64_t dense = 1;
  while (outer > 0 && (view.shape[outer - 1] == 1 || view.stride[outer - 1] == dense)) dense *= view.shape[--outer];
  walk(view, outer,
       [&](const std::byte* data, const int64_t*) { return visit(data, static_cast<uint64_t>(dense) * itemsize); });
}

namespace {

std::string text_of_index(const kernels::View& view, const int64_t* index) {
  std::string text;
  for (int axis = 0; axis < view.rank; ++axis) text += (axis == 0 ? "" : ",") + std::to_string(index[axis]);
  return "element (" + text + ")";
}

// By the longest steps first: finds the element wherever a view's elements do not lie between those of another row.
bool find_element(const kernels::View& view, const std::byte* address, int64_t* index) {
  const int64_t itemsize = item_bytes(view.dtype);
  std::vector<int> axes(static_cast<size_t>(view.rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::sort(axes.begin(), axes.end(),
            [&](int a, int b) { return std::abs(view.stride[a]) > std::abs(view.stride[b]); });
  int64_t rest = address - reach_of_view(view).low;
  for (const int axis : axes) {
    const int64_t last = view.shape[axis] - 1, step = std::abs(view.stride[axis]) * itemsize;
    const int64_t steps = step == 0 ? 0 : std::min(rest / step, last);
    rest -= steps * step;
    index[axis] = view.stride[axis] < 0 ? last - steps : steps;
  }
  return rest < itemsize;
}

} // namespace

std::string element_text(const kernels::View& view, const std::byte* address) {
  constexpr int64_t kMost = 1 << 20;
  if (view_count(view) == 0 || !contains(reach_of_view(view), address)) return "";
  int64_t found[TS_RANK_MAX] = {};
  if (find_element(view, address, found)) return text_of_index(view, found);
  std::string text;
  int64_t seen = 0;
  walk(view, view.rank, [&](const std::byte* data, const int64_t* index) {
    if (address >= data && address < data + item_bytes(view.dtype)) text = text_of_index(view, index);
    return text.empty() && ++seen < kMost;
  });
  return text;
}

} // namespace ts::emulator::checked
