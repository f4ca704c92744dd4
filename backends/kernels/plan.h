// Planning of strided iteration, pure and on the host: which axes of N operands merge, how far each operand reaches,
// how wide an index must be, and which route through a kernel is open.
//
// A plan speaks of bytes: operand k of element (i0, i1, ...) lies at sum(i_a * stride[k][a]) from its element zero.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/numbers.h"

#include <cstdint>
#include <initializer_list>

namespace ts::kernels {

inline constexpr int kOperandsMax = 6;

/// One iteration space and the byte strides of every operand over it, outermost axis first.
struct Plan {
  int rank;      ///< axes left; 0 for a single element
  int operands;  ///< rows of stride in use
  int64_t count; ///< elements visited, 0 where an extent is 0
  int64_t shape[TS_RANK_MAX];
  int64_t stride[kOperandsMax][TS_RANK_MAX];
};

/// How far an operand goes from its element zero, in bytes: low <= 0, high >= 0, both to first bytes of elements.
struct Reach {
  int64_t low;
  int64_t high;
};

/// One path through a kernel; its name is what the census reports.
enum class Route {
  kContiguous, ///< every operand is dense, or one value for all elements
  kStrided,    ///< anything
  kTiled       ///< a copy whose two sides have different inner axes: through shared memory, 32 x 32 at a time
};

inline const char* route_name(Route route) {
  switch (route) {
    case Route::kContiguous: return "contiguous";
    case Route::kStrided: return "strided";
    case Route::kTiled: return "tiled";
  }
  return "";
}

/// A plan over a shape, with no operand yet. The product of the extents fits int64 (the door has checked).
inline Plan begin_plan(int rank, const int64_t* shape) {
  Plan plan{};
  plan.rank = rank;
  plan.count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    plan.shape[axis] = shape[axis];
    plan.count *= shape[axis];
  }
  return plan;
}

/// Adds an operand by its strides in elements. All strides zero is a broadcast single value.
inline void add_operand(Plan& plan, const int64_t* stride, int itemsize) {
  for (int axis = 0; axis < plan.rank; ++axis) plan.stride[plan.operands][axis] = stride[axis] * itemsize;
  ++plan.operands;
}

/// Removes axes of extent 1: whatever their strides, they address nothing. // layout.6
inline void drop_unit_axes(Plan& plan) {
  int kept = 0;
  for (int axis = 0; axis < plan.rank; ++axis) {
    if (plan.shape[axis] == 1) continue;
    plan.shape[kept] = plan.shape[axis];
    for (int k = 0; k < plan.operands; ++k) plan.stride[k][kept] = plan.stride[k][axis];
    ++kept;
  }
  plan.rank = kept;
}

/// Merges neighbouring axes wherever stride[outer] == shape[inner] * stride[inner] holds for every operand. Row-major
/// order of elements stays as it was, so a linear index over the plan is one over the shape.
inline void merge_axes(Plan& plan) {
  drop_unit_axes(plan);
  if (plan.rank == 0) return;
  int last = 0;
  for (int axis = 1; axis < plan.rank; ++axis) {
    bool merges = true;
    for (int k = 0; k < plan.operands; ++k) {
      int64_t step = 0;
      merges = merges && !__builtin_mul_overflow(plan.shape[axis], plan.stride[k][axis], &step) &&
               plan.stride[k][last] == step;
    }
    if (merges) {
      plan.shape[last] *= plan.shape[axis];
    } else {
      ++last;
      plan.shape[last] = plan.shape[axis];
    }
    for (int k = 0; k < plan.operands; ++k) plan.stride[k][last] = plan.stride[k][axis];
  }
  plan.rank = last + 1;
}

/// Orders axes by the size of operand 0's strides, largest first. For operations in which no element's place matters
/// but its own (elementwise, copy): a linear index no longer counts row-major, and layouts that are dense in another
/// order become one axis.
inline void sort_axes(Plan& plan) {
  const auto magnitude = [&](int axis) {
    return plan.stride[0][axis] < 0 ? -plan.stride[0][axis] : plan.stride[0][axis];
  };
  const auto exchange = [](int64_t& a, int64_t& b) {
    const int64_t keep = a;
    a = b;
    b = keep;
  };
  for (int end = 1; end < plan.rank; ++end) {
    for (int axis = end; axis > 0 && magnitude(axis - 1) < magnitude(axis); --axis) {
      exchange(plan.shape[axis - 1], plan.shape[axis]);
      for (int k = 0; k < plan.operands; ++k) exchange(plan.stride[k][axis - 1], plan.stride[k][axis]);
    }
  }
}

/// The merged plan of views that share one shape, in row-major order of elements: what indexed families iterate.
inline Plan plan_views(std::initializer_list<const View*> views) {
  const View& first = **views.begin();
  Plan plan = begin_plan(first.rank, first.shape);
  for (const View* view : views) add_operand(plan, view->stride, itemsize(view->dtype));
  merge_axes(plan);
  return plan;
}

/// The reach of one operand; false where it does not fit int64.
inline bool reach_of(int rank, const int64_t* shape, const int64_t* stride, Reach* reach) {
  *reach = {0, 0};
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] == 0) {
      *reach = {0, 0};
      return true;
    }
    int64_t length = 0;
    if (shape[axis] == 1) continue;
    if (__builtin_mul_overflow(shape[axis] - 1, stride[axis], &length)) return false;
    int64_t& end = length < 0 ? reach->low : reach->high;
    if (__builtin_add_overflow(end, length, &end)) return false;
  }
  return true;
}

/// The reach of operand k of a plan, in bytes.
inline Reach reach(const Plan& plan, int k) {
  Reach found{};
  reach_of(plan.rank, plan.shape, plan.stride[k], &found);
  return found;
}

/// True where a 32-bit index will do: the count and every offset in bytes lie below 2^31. Reach decides, not count:
/// a few elements may lie far apart. // layout.9
inline bool index_is_narrow(const Plan& plan) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  if (plan.count >= kLimit) return false;
  for (int k = 0; k < plan.operands; ++k) {
    const Reach found = reach(plan, k);
    if (found.low <= -kLimit || found.high >= kLimit) return false;
  }
  return true;
}

/// True where an address may be read or written in pieces of `bytes` (a power of two).
inline bool is_aligned(const void* address, int bytes) {
  return (reinterpret_cast<uintptr_t>(address) & static_cast<uintptr_t>(bytes - 1)) == 0;
}

/// True where operand k is one value for every element.
inline bool is_single(const Plan& plan, int k) {
  for (int axis = 0; axis < plan.rank; ++axis)
    if (plan.stride[k][axis] != 0) return false;
  return true;
}

/// True where operand k's elements follow each other without gaps in the plan's order.
inline bool is_dense(const Plan& plan, int k, int itemsize) {
  return plan.rank == 0 || (plan.rank == 1 && plan.stride[k][0] == itemsize);
}

/// Ceiling of a / b, for a >= 0 and b > 0 without overflow.
TS_HD constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

inline constexpr int kFlatThreads = 256;      ///< threads of a block of a flat launch
inline constexpr int64_t kFlatBlocks = 65535; ///< blocks of a flat launch at most; each thread then does several items

/// How a device launches `count` work items: item i, i + threads, ... belong to thread i.
struct FlatLaunch {
  int64_t blocks;  ///< 0 for no work: nothing is launched
  int64_t threads; ///< of all blocks together
  int64_t idle;    ///< threads that find no item
};

inline FlatLaunch flat_launch(int64_t count) {
  const int64_t wanted = ceil_div(count, kFlatThreads);
  const int64_t blocks = wanted < kFlatBlocks ? wanted : kFlatBlocks;
  const int64_t threads = blocks * kFlatThreads;
  return {blocks, threads, threads > count ? threads - count : 0};
}

} // namespace ts::kernels
