// Views of device memory for reports: their elements and their reach.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/numbers.h"
#include "backends/kernels/plan.h"

#include <functional>
#include <string>

namespace ts::emulator::checked {

inline int64_t item_bytes(int32_t dtype) { return itemsize(dtype); }

int64_t view_count(const kernels::View& view);

/// First byte of any element, and one past the last.
struct ByteReach {
  const std::byte* low;
  const std::byte* high;
};
ByteReach reach_of_view(const kernels::View& view);
inline bool overlap(const ByteReach& a, const ByteReach& b) { return a.low < b.high && b.low < a.high; }
inline bool contains(const ByteReach& reach, const std::byte* address) {
  return address >= reach.low && address < reach.high;
}

/// Calls visit(data, bytes) for stretches of elements that follow each other, in row-major order, until it gives false.
void for_each_run(const kernels::View& view, const std::function<bool(const std::byte* data, uint64_t bytes)>& visit);

/// "element (2,3)" for the element that holds the address; "" where there is none, or where rows lie in each other and none of
/// the first million elements does.
std::string element_text(const kernels::View& view, const std::byte* address);

} // namespace ts::emulator::checked
