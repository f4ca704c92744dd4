// What the gather and scatter families share: the index operand, the walk over its elements, and the report of an index
// that lies outside its axis.
//
// An item of work is an element of the walk: of index for gather and scatter, of z (or source) for index_select and
// index_add, whose index has one axis. All strides follow the walk's axes; on the indexed axis x has none, the index
// itself is multiplied by x's stride there.
#pragma once

#include "backends/kernels/atomic.h"
#include "backends/kernels/attributes.h"
#include "backends/kernels/mutate.h"
#include "backends/kernels/offsets.h"

#include <string>

namespace ts::kernels {

/// The index operand: i32 or i64, in memory or one value.
struct IndexOperand {
  const std::byte* data; ///< null for an immediate
  int64_t immediate;
  bool wide; ///< i64

  /// An index as it comes from memory: nothing waits for it before its value is asked for.
  struct Loaded {
    int64_t wide;
    int32_t narrow;
  };
  TS_HD Loaded load(int64_t offset) const {
    Loaded loaded{immediate, 0};
    if (data == nullptr) return loaded;
    if (wide)
      loaded.wide = *reinterpret_cast<const int64_t*>(data + offset);
    else
      loaded.narrow = *reinterpret_cast<const int32_t*>(data + offset);
    return loaded;
  }
  TS_HD int64_t value(const Loaded& loaded) const {
    const int64_t index = data == nullptr || wide ? loaded.wide : loaded.narrow;
    return TS_MUTATE("IX12", index, index < 0 ? 0 : index);
  }
  TS_HD int64_t at(int64_t offset) const { return value(load(offset)); }
};

/// The indexed axis of x, and which element of index an item reads.
struct IndexedAxis {
  int64_t extent;
  int64_t stride; ///< bytes of x
  int64_t inner;  ///< items between two elements of a rank-1 index
  int64_t count;  ///< elements of a rank-1 index; 0 where every item has its own
  IndexFault* fault;

  TS_HD int64_t element(int64_t item) const { return count == 0 ? item : item / inner % count; }

  /// True for an index inside the axis; notes the fault otherwise.
  TS_HD bool holds(int64_t index, int64_t item) const {
    if (index >= 0 && index < extent) return true;
    if (TS_MUTATE("IX13", true, false)) note_index_fault(fault, element(item));
    return false;
  }
};

/// Completes the cell of the smallest faulty element. One work item, after all others.
struct ReportIndexFault {
  IndexOperand index;
  Offsets<1> elements; ///< of the index operand
  IndexedAxis axis;
  int64_t operand;

  TS_HD void operator()(int64_t) const {
    IndexFault& fault = *axis.fault;
    if (fault.element == INT64_MAX) return;
    int64_t offset[1];
    elements.at(fault.element, offset);
    fault.value = index.at(offset[0]);
    fault.extent = axis.extent;
    fault.operand = operand;
  }
};

/// One call of an indexing op, pure. Operands of the walk: index, x (none on the axis), other (z or source), and the
/// place in the region that the call can write (row-major, in elements, none on the axis).
struct IndexingPlan {
  Plan walk;
  IndexedAxis axis;
  int64_t region;       ///< places that indices can name
  int64_t place_stride; ///< of the axis in the region, in elements
};

namespace detail {

[[noreturn]] inline void refuse(const std::string& what) { throw Refusal(TS_INVALID_ARGUMENT, what); }

inline void check_index(const Operand& index, const View& x, int64_t axis) {
  const int32_t dtype = index.view.dtype;
  if (dtype != TS_DTYPE_I32 && dtype != TS_DTYPE_I64) throw Refusal(TS_UNSUPPORTED, "an index is i32 or i64");
  if (axis < 0 || axis >= x.rank)
    refuse("axis " + std::to_string(axis) + " lies outside an operand of rank " + std::to_string(x.rank));
}

} // namespace detail

/// Plans a call over `other`, the view that has one element an item. along_axis: index has rank 1 and serves whole slices.
inline IndexingPlan plan_indexing(const View& x, const View& index, const View& other, int axis, bool along_axis) {
  if (other.rank != x.rank || index.rank != (along_axis ? 1 : x.rank)) detail::refuse("ranks do not agree");
  IndexingPlan plan{};
  plan.walk = begin_plan(other.rank, other.shape);
  plan.axis.extent = x.shape[axis];
  plan.axis.stride = x.shape[axis] == 1 ? 0 : x.stride[axis] * itemsize(x.dtype);
  plan.axis.inner = 1;
  plan.axis.count = along_axis ? index.shape[0] : 0;
  int64_t index_stride[TS_RANK_MAX] = {}, x_stride[TS_RANK_MAX] = {}, place[TS_RANK_MAX] = {};
  const int64_t steps = TS_MUTATE("SI01", int64_t{TS_RANK_MAX}, x.shape[axis]); // of the walk over x
  plan.region = 1;
  for (int a = other.rank - 1; a >= 0; --a) {
    const int64_t count = along_axis && a == axis ? index.shape[0] : along_axis ? x.shape[a] : index.shape[a];
    if (other.shape[a] != count || (a != axis && count > x.shape[a]))
      detail::refuse("the extents of axis " + std::to_string(a) + " do not agree");
    index_stride[a] = !along_axis ? index.stride[a] : a == axis ? index.stride[0] : 0;
    x_stride[a] = a == axis || other.rank - a > steps ? 0 : x.stride[a];
    place[a] = a == axis ? 0 : plan.region;
    if (a == axis) plan.place_stride = TS_MUTATE("IX14", plan.region, 1);
    if (a > axis) plan.axis.inner *= other.shape[a];
    plan.region *= a == axis ? x.shape[a] : other.shape[a];
  }
  add_operand(plan.walk, index_stride, itemsize(index.dtype));
  add_operand(plan.walk, x_stride, itemsize(x.dtype));
  add_operand(plan.walk, other.stride, itemsize(other.dtype));
  add_operand(plan.walk, place, 1);
  merge_axes(plan.walk);
  return plan;
}

namespace detail {

inline IndexOperand index_operand(const Operand& index) {
  const bool wide = index.view.dtype == TS_DTYPE_I64;
  const int64_t value = wide ? static_cast<int64_t>(index.bits) : static_cast<int32_t>(index.bits);
  return {index.immediate ? nullptr : index.view.data, value, wide};
}

template <class Launcher>
void launch_report(const Operand& index, const IndexedAxis& axis, int64_t operand, Launcher& launcher) {
  const Plan elements = plan_views({&index.view});
  launcher.flat("index_fault", "report", 1,
                ReportIndexFault{index_operand(index), Offsets<1>::of(elements), axis, operand});
}

} // namespace detail

} // namespace ts::kernels
