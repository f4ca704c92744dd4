// The gather family: elements or slices of x picked along one axis by an index.
#pragma once

#include "backends/kernels/indexing.h"
#include "backends/kernels/sort_keys.h"

namespace ts::kernels {

/// One element of z. U is the unsigned type of an element's width.
template <class U> struct GatherTask {
  const std::byte* x; ///< null for an immediate
  U immediate;
  std::byte* z;
  IndexOperand index;
  IndexedAxis axis;
  Offsets<3> walk; ///< of index, x and z
  U limit;         ///< 1 for bool, which is written as 0 or 1

  TS_HD void operator()(int64_t number) const {
    const int64_t item = TS_MUTATE("IW08", number, number & 0xffff);
    int64_t offset[3];
    walk.at(item, offset);
    const int64_t position = index.at(offset[0]);
    if (!axis.holds(position, item)) return;
    const int64_t step = TS_MUTATE("IW17", position * axis.stride, position * axis.stride % (1 << 16));
    const U bits = x == nullptr ? immediate : *reinterpret_cast<const U*>(x + offset[1] + step);
    *reinterpret_cast<U*>(z + offset[2]) = bits < limit ? bits : limit;
  }
};

namespace detail {

inline IndexingPlan plan_gather(const Call& call) {
  const View& x = call.inputs[0].view;
  const int64_t axis = Attributes(call).integer(0);
  check_index(call.inputs[1], x, axis);
  if (call.outputs[0].dtype != x.dtype) throw Refusal(TS_UNSUPPORTED, "the result has the dtype of the operand");
  return plan_indexing(x, call.inputs[1].view, call.outputs[0], static_cast<int>(axis), call.op == TS_OP_INDEX_SELECT);
}

} // namespace detail

inline uint64_t gather_workspace(const Call& call) {
  detail::plan_gather(call);
  return 0;
}

/// gather index_select: x by index along the axis of slot 0.
template <class Launcher> void gather(const Call& call, Launcher& launcher) {
  IndexingPlan plan = detail::plan_gather(call);
  if (plan.walk.count == 0) return;
  const Operand& x = call.inputs[0];
  plan.axis.fault = launcher.fault();
  with_bits(x.view.dtype, [&](auto type) {
    using U = typename decltype(type)::type;
    GatherTask<U> task{};
    task.x = x.immediate ? nullptr : x.view.data;
    memcpy(&task.immediate, &x.bits, sizeof(U));
    task.z = call.outputs[0].data;
    task.index = detail::index_operand(call.inputs[1]);
    task.axis = plan.axis;
    task.walk = Offsets<3>::of(plan.walk);
    task.limit = x.view.dtype == TS_DTYPE_BOOL ? U{1} : static_cast<U>(~U{0});
    launcher.flat("gather", plan.axis.count == 0 ? "elements" : "slices", plan.walk.count, task);
  });
  detail::launch_report(call.inputs[1], plan.axis, 1, launcher);
}

} // namespace ts::kernels
