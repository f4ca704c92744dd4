// The gather family: elements or slices of x picked along one axis by an index.
#pragma once

#include "backends/kernels/indexing.h"
#include "backends/kernels/sort_keys.h"
#include "backends/kernels/unroll.h"

#include <algorithm>

namespace ts::kernels {

/// An element of bool is written as 0 or 1: nothing above the limit.
template <class U> TS_HD U limited(U bits, U limit) { return bits < limit ? bits : limit; }
TS_HD Wide limited(Wide bits, Wide) { return bits; }

/// Elements of z. U is the unsigned type of an element's width, or Wide. A work item does kEach of them at a time, a group of items
/// apart, so that several indices, and then what they name, are on their way at once. Of a large z it does more, one batch after
/// another, so that a group stays near what it reads.
template <class U> struct GatherTask {
  static constexpr int kEach = 4;
  static constexpr int64_t kGroup = kFlatThreads, kBatch = kEach * kGroup; ///< elements of a group
  static constexpr int64_t kBatchesMax = 8, kManyBatches = 1024;           ///< of all groups: enough for any device

  const std::byte* x; ///< null for an immediate
  U immediate;
  std::byte* z;
  IndexOperand index;
  IndexedAxis axis;
  Offsets<3> walk; ///< of index, x and z
  U limit;         ///< 1 for bool, else every bit
  int64_t count;
  int64_t batches; ///< of a group

  void plan_items(int64_t elements) {
    count = elements;
    batches = std::clamp<int64_t>(count / (kBatch * kManyBatches), 1, kBatchesMax);
  }
  int64_t items() const {
    const int64_t rest = count % (batches * kBatch);
    return (count - rest) / (batches * kEach) + (rest < kGroup ? rest : kGroup);
  }

  TS_HD void operator()(int64_t item) const {
    const int64_t lane = item & (kGroup - 1), begin = (item - lane) * (batches * kEach) + lane;
    TS_UNROLL_NOT
    for (int64_t b = 0; b < batches && begin + b * kBatch < count; ++b) batch(begin + b * kBatch);
  }

private:
  TS_HD void batch(int64_t first) const {
    int64_t offset[kEach][3] = {};
    IndexOperand::Loaded loaded[kEach];
    U bits[kEach] = {};
    bool held[kEach];
    TS_UNROLL
    for (int k = 0; k < kEach; ++k) {
      loaded[k] = {};
      if (first + k * kGroup >= count) continue;
      const int64_t number = first + k * kGroup;
      walk.at(TS_MUTATE("IW08", number, number & 0xffff), offset[k]);
      loaded[k] = index.load(offset[k][0]);
    }
    TS_UNROLL
    for (int k = 0; k < kEach; ++k) {
      const int64_t number = first + k * kGroup;
      const int64_t position = index.value(loaded[k]);
      held[k] = number < count && axis.holds(position, TS_MUTATE("IW08", number, number & 0xffff));
      if (!held[k]) continue;
      const int64_t step = TS_MUTATE("IW17", position * axis.stride, position * axis.stride % (1 << 16));
      bits[k] = x == nullptr ? immediate : *reinterpret_cast<const U*>(x + offset[k][1] + step);
    }
    TS_UNROLL
    for (int k = 0; k < kEach; ++k)
      if (held[k]) *reinterpret_cast<U*>(z + offset[k][2]) = limited(bits[k], limit);
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

/// True where one index moves lines of whole aligned Wides.
inline bool gathers_wide(const IndexingPlan& plan, const Call& call) {
  const Operand& x = call.inputs[0];
  const Plan& walk = plan.walk;
  const int last = walk.rank - 1, size = itemsize(x.view.dtype);
  if (x.immediate || x.view.dtype == TS_DTYPE_BOOL || plan.axis.count == 0 || walk.rank < 1) return false;
  if (walk.stride[0][last] != 0 || walk.stride[1][last] != size || walk.stride[2][last] != size) return false;
  bool wide = is_aligned(x.view.data, 16) && is_aligned(call.outputs[0].data, 16) &&
              walk.shape[last] * size % 16 == 0 && plan.axis.inner * size % 16 == 0 && plan.axis.stride % 16 == 0;
  for (int axis = 0; axis < last; ++axis)
    for (int k = 1; k < 3; ++k) wide = wide && walk.stride[k][axis] % 16 == 0;
  return wide;
}

/// The same plan with Wides for elements.
inline void widen_walk(IndexingPlan* plan, int size) {
  const int last = plan->walk.rank - 1;
  plan->walk.shape[last] = plan->walk.shape[last] * size / 16;
  plan->walk.count = plan->walk.count * size / 16;
  plan->walk.stride[1][last] = plan->walk.stride[2][last] = 16;
  plan->axis.inner = plan->axis.inner * size / 16;
}

template <class U> GatherTask<U> gather_task(const Call& call, const IndexingPlan& plan) {
  const Operand& x = call.inputs[0];
  GatherTask<U> task{};
  task.x = x.immediate ? nullptr : x.view.data;
  task.z = call.outputs[0].data;
  task.index = index_operand(call.inputs[1]);
  task.axis = plan.axis;
  task.walk = Offsets<3>::of(plan.walk);
  task.plan_items(plan.walk.count);
  return task;
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
  if (detail::gathers_wide(plan, call)) {
    detail::widen_walk(&plan, itemsize(x.view.dtype));
    const auto task = detail::gather_task<Wide>(call, plan);
    launcher.flat("gather", "wide", task.items(), task);
  } else {
    with_bits(x.view.dtype, [&](auto type) {
      using U = typename decltype(type)::type;
      auto task = detail::gather_task<U>(call, plan);
      memcpy(&task.immediate, &x.bits, sizeof(U));
      task.limit = x.view.dtype == TS_DTYPE_BOOL ? U{1} : static_cast<U>(~U{0});
      launcher.flat("gather", plan.axis.count == 0 ? "elements" : "slices", task.items(), task);
    });
  }
  detail::launch_report(call.inputs[1], plan.axis, 1, launcher);
}

} // namespace ts::kernels
