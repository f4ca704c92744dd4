// The families of fused operations: softmax and norms. Plans rows, then runs one launch where a block holds a row, else the
// reduction that finds what is to be known of it and one launch that writes.
#pragma once

#include "backends/kernels/fused_rows.h"
#include "backends/kernels/reduce.h"

#include <algorithm>

namespace ts::kernels {

/// Rows of operands and result, pure: what follows from shapes, strides and the axes.
struct FusedPlan {
  int64_t length; ///< elements of a row
  int64_t rows;
  bool by_rows; ///< a row lies along the last axis longer than 1
  int operands;
  Plan kept;               ///< of the operands and the result, over rows
  Plan along;              ///< of the same, over the elements of a row
  ReductionPlan reduction; ///< of x alone
};

/// A set bit of axes is an axis that rows lie along.
inline FusedPlan plan_fused(const Call& call, uint64_t axes) {
  const View& x = call.inputs[0].view;
  if (axes >> x.rank != 0) throw Refusal(TS_INVALID_ARGUMENT, "axes name an axis that the operand lacks");
  int64_t shape[2][TS_RANK_MAX] = {};
  int rank[2] = {0, 0};
  int last = 0; // of axes longer than 1: 1 where rows lie along it
  for (int axis = 0; axis < x.rank; ++axis) {
    const int part = static_cast<int>(axes >> axis & 1);
    if (x.shape[axis] != 1) last = part;
    shape[part][rank[part]++] = x.shape[axis];
  }
  FusedPlan plan{};
  plan.operands = call.input_count;
  plan.by_rows = last == 1;
  Plan* parts[2] = {&plan.kept, &plan.along};
  for (int part = 0; part < 2; ++part) *parts[part] = begin_plan(rank[part], shape[part]);
  for (int k = 0; k <= call.input_count; ++k) {
    const View& view = k < call.input_count ? call.inputs[k].view : call.outputs[0];
    int64_t stride[2][TS_RANK_MAX] = {};
    int next[2] = {0, 0};
    for (int axis = 0; axis < x.rank; ++axis) {
      if (view.shape[axis] != x.shape[axis])
        throw Refusal(TS_INVALID_ARGUMENT, "an operand or the result does not have the shape of x");
      const int part = static_cast<int>(axes >> axis & 1);
      stride[part][next[part]++] = view.stride[axis];
    }
    for (int part = 0; part < 2; ++part) add_operand(*parts[part], stride[part], itemsize(view.dtype));
  }
  plan.length = plan.along.count;
  plan.rows = plan.kept.count;
  plan.reduction.length = plan.length;
  plan.reduction.outputs = plan.rows;
  plan.reduction.by_rows = plan.by_rows;
  plan.reduction.kept = plan.kept;
  plan.reduction.reduced = plan.along;
  plan.reduction.kept.operands = plan.reduction.reduced.operands = 1;
  for (Plan* each : {&plan.kept, &plan.along, &plan.reduction.kept, &plan.reduction.reduced}) merge_axes(*each);
  return plan;
}

/// Runs of 16 that a thread holds at most: a quarter of its registers. // execution.34
template <class A> inline constexpr int kFusedRuns = sizeof(A) == 4 ? 4 : 2;

/// Whether a row stays in a block's registers.
template <class A> bool row_is_held(const FusedPlan& plan) {
  return plan.by_rows && plan.length <= kFusedRuns<A> * kFusedChunk;
}

/// Bytes of what is known of each row, then of the levels of the reduction that finds it.
template <class Rule, class Reducer, class A> uint64_t fused_workspace(const FusedPlan& plan) {
  if (plan.rows == 0 || plan.length == 0 || row_is_held<A>(plan)) return 0;
  const uint64_t facts = static_cast<uint64_t>(plan.rows) * sizeof(typename Rule::Facts);
  return (facts + 15) / 16 * 16 + reduction_workspace(plan.reduction, sizeof(typename Reducer::Acc));
}

namespace detail {

template <class T, int kOperands> FusedElements<T, kOperands> fused_elements(const Call& call, const FusedPlan& plan) {
  FusedElements<T, kOperands> elements{};
  elements.z = call.outputs[0].data;
  elements.kept = Offsets<kOperands + 1>::of(plan.kept);
  elements.along = Offsets<kOperands + 1>::of(plan.along);
  elements.length = plan.length;
  constexpr int kWide = static_cast<int>(sizeof(FourElements<T>));
  for (int k = 0; k <= kOperands; ++k) {
    const std::byte* data = elements.z;
    if (k < kOperands) {
      const Operand& operand = call.inputs[k];
      data = elements.data[k] = operand.immediate ? nullptr : operand.view.data;
      memcpy(&elements.immediate[k], &operand.bits, sizeof(T));
    }
    bool wide = plan.by_rows && data != nullptr && is_aligned(data, kWide) && plan.along.rank == 1 &&
                plan.along.stride[k][0] == static_cast<int64_t>(sizeof(T));
    for (int axis = 0; axis < plan.kept.rank; ++axis) wide = wide && plan.kept.stride[k][axis] % kWide == 0;
    elements.wide[k] = wide;
  }
  return elements;
}

template <int kRuns, bool kWhole, class Rule, class T, class Launcher>
void launch_rows(const FusedPlan& plan, const Rule& rule, const FusedElements<T, Rule::kOperands>& elements,
                 Launcher& launcher) {
  const FusedRows<Rule, T, kRuns, kWhole> task{rule, elements, plan.rows, reduction_width_log2(plan.length)};
  launcher.blocks("fused_rows", kWhole ? "wide" : "strided", task.blocks(), task);
}

template <int kRuns, class Rule, class T, class Launcher>
void launch_held(const FusedPlan& plan, const Rule& rule, const FusedElements<T, Rule::kOperands>& elements,
                 Launcher& launcher) {
  if (elements.whole()) return launch_rows<kRuns, true>(plan, rule, elements, launcher);
  launch_rows<kRuns, false>(plan, rule, elements, launcher);
}

/// The levels of a reduction of x whose results are facts.
template <class T, class Reducer, class Launcher>
void launch_facts(const FusedPlan& fused, const Reducer& reducer, const Call& call, std::byte* facts,
                  int64_t facts_bytes, std::byte* levels, Launcher& launcher) {
  using Acc = typename Reducer::Acc;
  const ReductionPlan& plan = fused.reduction;
  Plan target = begin_plan(1, &plan.outputs);
  target.stride[target.operands++][0] = facts_bytes;
  const ReduceTarget<Acc> out{facts, Offsets<1>::of(target), nullptr};
  launch_levels(plan, reducer, reduce_elements<T>(call.inputs[0], plan), out, levels, launcher);
}

} // namespace detail

/// The program of a fused operation on elements of T.
template <class T, class Rule, class Reducer, class Launcher>
void launch_fused(const FusedPlan& plan, const Rule& rule, const Reducer& reducer, const Call& call,
                  Launcher& launcher) {
  using A = Accumulator<T>;
  if (plan.rows == 0 || plan.length == 0) return;
  if (call.workspace_bytes < fused_workspace<Rule, Reducer, A>(plan))
    throw Refusal(TS_INVALID_ARGUMENT, "the workspace is smaller than query asked for");
  const auto elements = detail::fused_elements<T, Rule::kOperands>(call, plan);
  if (row_is_held<A>(plan)) {
    if (plan.length <= kFusedChunk) return detail::launch_held<1>(plan, rule, elements, launcher);
    if (plan.length <= 2 * kFusedChunk) return detail::launch_held<2>(plan, rule, elements, launcher);
    return detail::launch_held<kFusedRuns<A>>(plan, rule, elements, launcher);
  }
  using Facts = typename Rule::Facts;
  const int64_t known = ceil_div(plan.rows * static_cast<int64_t>(sizeof(Facts)), 16) * 16;
  detail::launch_facts<T>(plan, reducer, call, call.workspace, sizeof(Facts), call.workspace + known, launcher);
  const int64_t fours = ceil_div(plan.length, kReduceLanes);
  const char* route = elements.wide[0] && elements.wide[Rule::kOperands] ? "wide" : "strided";
  launcher.flat("fused_apply", route, plan.rows * fours,
                FusedApply<Rule, T>{rule, elements, reinterpret_cast<const Facts*>(call.workspace), plan.rows, fours,
                                    plan.by_rows});
}

// Softmax.

namespace detail {

inline FusedPlan plan_softmax(const Call& call) {
  const int64_t axis = Attributes(call).integer(0);
  if (axis < 0 || axis >= call.inputs[0].view.rank) throw Refusal(TS_INVALID_ARGUMENT, "axis lies outside the operand");
  return plan_fused(call, uint64_t{1} << TS_MUTATE("FU06", axis, call.inputs[0].view.rank - 1));
}

} // namespace detail

inline uint64_t softmax_workspace(const Call& call) {
  uint64_t bytes = 0;
  const FusedPlan plan = detail::plan_softmax(call);
  detail::with_floating(call.inputs[0].view.dtype, [&](auto type) {
    using A = Accumulator<typename decltype(type)::type>;
    bytes = fused_workspace<SoftmaxRule<A>, SoftmaxReducer<A>, A>(plan);
  });
  return bytes;
}

/// softmax and log_softmax: x along the axis of slot 0.
template <class Launcher> void softmax(const Call& call, Launcher& launcher) {
  const FusedPlan plan = detail::plan_softmax(call);
  detail::with_floating(call.inputs[0].view.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    using A = Accumulator<T>;
    const SoftmaxRule<A> rule{call.op == TS_OP_LOG_SOFTMAX};
    const SoftmaxReducer<A> reducer{{call.outputs[0].dtype}, rule};
    launch_fused<T>(plan, rule, reducer, call, launcher);
  });
}

// Norms.

namespace detail {

inline FusedPlan plan_norm(const Call& call) {
  return plan_fused(call, static_cast<uint64_t>(Attributes(call).integer(0)));
}

/// Calls visit(rule, reducer, Type<element>{}) for the call's op and dtype, or refuses.
template <class Visit> void with_norm(const Call& call, const FusedPlan& plan, Visit&& visit) {
  const int32_t dtype = call.inputs[0].view.dtype;
  const double eps = TS_MUTATE("FU07", Attributes(call).real<double>(1), 0.0);
  const auto length = static_cast<double>(plan.length);
  with_floating(dtype, [&](auto type) {
    using A = Accumulator<typename decltype(type)::type>;
    if (call.op == TS_OP_RMS_NORM) {
      const RmsNormRule<A> rule{length, eps};
      visit(rule, RmsNormReducer<A>{rule}, type);
    } else {
      const LayerNormRule<A> rule{length, eps};
      visit(rule, LayerNormReducer<A>{{dtype, false, length, length}, rule}, type);
    }
  });
}

} // namespace detail

inline uint64_t normalize_workspace(const Call& call) {
  uint64_t bytes = 0;
  const FusedPlan plan = detail::plan_norm(call);
  detail::with_norm(call, plan, [&](auto rule, auto reducer, auto type) {
    bytes = fused_workspace<decltype(rule), decltype(reducer), Accumulator<typename decltype(type)::type>>(plan);
  });
  return bytes;
}

/// layer_norm and rms_norm: x, weight and bias over the axes of slot 0, eps in slot 1.
template <class Launcher> void normalize(const Call& call, Launcher& launcher) {
  const FusedPlan plan = detail::plan_norm(call);
  detail::with_norm(call, plan, [&](auto rule, auto reducer, auto type) {
    launch_fused<typename decltype(type)::type>(plan, rule, reducer, call, launcher);
  });
}

} // namespace ts::kernels
