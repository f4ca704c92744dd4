// The reduce family: plans rows and columns, then climbs the fixed tree of reduce_tree.h, one launch a level.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/partition.h"
#include "backends/kernels/reduce_reducers.h"

#include <string>

namespace ts::kernels {

/// A reduction as rows x length, pure: what follows from shapes, strides and the axes.
struct ReductionPlan {
  int64_t length; ///< elements of each output
  int64_t outputs;
  bool by_rows; ///< the row tree, else the column tree
  Plan kept;    ///< of the input, over outputs
  Plan reduced; ///< of the input, over the elements of one output
  Plan target;  ///< of the output
};

/// Splits the axes of x into kept and reduced ones. A set bit of axes reduces that axis.
inline ReductionPlan plan_reduction(const View& x, const View& z, uint64_t axes) {
  if (axes >> x.rank != 0) throw Refusal(TS_INVALID_ARGUMENT, "axes name an axis that the operand lacks");
  if (z.rank != x.rank) throw Refusal(TS_INVALID_ARGUMENT, "the result's rank is not the operand's");
  int64_t shape[2][TS_RANK_MAX] = {}, stride[2][TS_RANK_MAX] = {}, target[TS_RANK_MAX] = {};
  int rank[2] = {0, 0};
  int last = 0; // of axes longer than 1: 1 where it is reduced
  for (int axis = 0; axis < x.rank; ++axis) {
    const int part = static_cast<int>(axes >> axis & 1);
    if (z.shape[axis] != (part == 1 ? 1 : x.shape[axis]))
      throw Refusal(TS_INVALID_ARGUMENT, "the result's extent of axis " + std::to_string(axis) + " is wrong");
    if (x.shape[axis] != 1) last = part;
    if (part == 0) target[rank[0]] = z.stride[axis];
    shape[part][rank[part]] = x.shape[axis];
    stride[part][rank[part]++] = x.stride[axis];
  }
  // As if no kept axis lay between the reduced ones.
  for (int axis = TS_MUTATE("RD07", 0, x.rank < 6 ? 0 : rank[1] - 1); axis > 0; --axis) {
    const int64_t merged = shape[1][axis] * stride[1][axis], outer = stride[1][axis - 1];
    if (merged * merged < outer * outer) stride[1][axis - 1] = merged;
  }
  ReductionPlan plan{};
  plan.kept = begin_plan(rank[0], shape[0]);
  plan.target = plan.kept;
  plan.reduced = begin_plan(rank[1], shape[1]);
  add_operand(plan.kept, stride[0], itemsize(x.dtype));
  add_operand(plan.reduced, stride[1], itemsize(x.dtype));
  add_operand(plan.target, target, itemsize(z.dtype));
  plan.length = plan.reduced.count;
  plan.outputs = plan.kept.count;
  plan.by_rows = last == 1;
  merge_axes(plan.kept);
  merge_axes(plan.reduced);
  merge_axes(plan.target);
  return plan;
}

/// Elements of the level above: 1 where this level is the last.
inline int64_t reduction_parts(const ReductionPlan& plan, int64_t length) {
  return chunk_count(length, plan.by_rows ? kReduceChunk : kReduceColumnRun);
}

/// Bytes of the levels between the first and the last.
inline uint64_t reduction_workspace(const ReductionPlan& plan, size_t accumulator_bytes) {
  if (plan.outputs == 0) return 0;
  uint64_t elements = 0;
  for (int64_t parts = reduction_parts(plan, plan.length); parts > 1; parts = reduction_parts(plan, parts))
    elements += static_cast<uint64_t>(plan.outputs) * static_cast<uint64_t>(parts);
  return elements * accumulator_bytes;
}

namespace detail {

/// The width of a group of the row tree, as its logarithm.
inline int32_t reduction_width_log2(int64_t length) {
  int32_t log2 = 0;
  while (log2 < 8 && int64_t{kReduceRun} << log2 < length) ++log2;
  return log2;
}

template <class T> ReduceElements<T> reduce_elements(const Operand& x, const ReductionPlan& plan) {
  ReduceElements<T> in{};
  in.data = x.immediate ? nullptr : x.view.data;
  memcpy(&in.immediate, &x.bits, sizeof(T));
  in.kept = Offsets<1>::of(plan.kept);
  in.reduced = Offsets<1>::of(plan.reduced);
  in.length = plan.length;
  in.packed = plan.by_rows && !x.immediate && is_dense(plan.reduced, 0, sizeof(T));
  return in;
}

/// How a level's elements are loaded: in fours that are aligned in every row, in aligned fours that elements lie across,
/// or one by one.
template <class T> const char* elements_route(const ReduceElements<T>& in, const ReductionPlan& plan) {
  if (!in.packed) return "strided";
  constexpr int kFour = static_cast<int>(sizeof(FourElements<T>));
  bool whole = is_aligned(in.data, kFour);
  for (int axis = 0; axis < plan.kept.rank; ++axis)
    whole = whole && (plan.kept.shape[axis] == 1 || plan.kept.stride[0][axis] % kFour == 0);
  return whole ? "wide" : "shifted";
}

/// Whether one block should take a whole row of several chunks: those of rows that are long and few are better apart.
inline bool lines_are_better(const ReductionPlan& plan, int64_t parts) {
  return plan.by_rows && parts > 1 && (parts <= 4 || (parts <= kReduceRun && plan.outputs >= 512));
}

/// Runs a level; true where it was the last, because it took two at once.
template <class Reducer, class Input, class Launcher>
bool launch_level(const ReductionPlan& plan, const char* route, const Reducer& reducer, const Input& in,
                  const ReduceTarget<typename Reducer::Acc>& out, Launcher& launcher) {
  const int64_t parts = reduction_parts(plan, in.length);
  const int64_t groups = plan.outputs * parts;
  if (lines_are_better(plan, parts)) {
    ReduceLines<Reducer, Input> task{reducer, in, out, plan.outputs, static_cast<int32_t>(parts)};
    task.out.partials = nullptr;
    launcher.blocks("reduce_lines", route, plan.outputs, task);
    return true;
  }
  if (plan.by_rows) {
    const ReduceRows<Reducer, Input> task{
        reducer, in, out, plan.outputs, parts, Quotient::of(parts, groups), reduction_width_log2(in.length)};
    launcher.blocks("reduce_rows", route, task.blocks(), task);
  } else {
    launcher.flat("reduce_columns", route, groups,
                  ReduceColumns<Reducer, Input>{reducer, in, out, plan.outputs, Quotient::of(plan.outputs, groups)});
  }
  return parts == 1;
}

/// Runs the levels of a tree: elements first, then the partial values of the level before, which `levels` holds.
template <class T, class Reducer, class Launcher>
void launch_levels(const ReductionPlan& plan, const Reducer& reducer, const ReduceElements<T>& elements,
                   ReduceTarget<typename Reducer::Acc> out, std::byte* levels, Launcher& launcher) {
  using Acc = typename Reducer::Acc;
  Acc* level = reinterpret_cast<Acc*>(levels);
  int64_t parts = reduction_parts(plan, plan.length);
  out.partials = parts > 1 ? level : nullptr;
  bool last = launch_level(plan, elements_route(elements, plan), reducer, elements, out, launcher);
  while (!last) {
    const ReducePartials<Acc> in{level, plan.by_rows ? parts : 1, plan.by_rows ? 1 : plan.outputs, parts};
    level += plan.outputs * parts;
    parts = reduction_parts(plan, parts);
    out.partials = parts > 1 ? level : nullptr;
    last = launch_level(plan, "partials", reducer, in, out, launcher);
  }
}

} // namespace detail

/// The program of a reduction.
template <class T, class Reducer, class Launcher>
void launch_reduction(const ReductionPlan& plan, const Reducer& reducer, const Call& call, Launcher& launcher) {
  using Acc = typename Reducer::Acc;
  if (plan.outputs == 0) return;
  if (call.workspace_bytes < reduction_workspace(plan, sizeof(Acc)))
    throw Refusal(TS_INVALID_ARGUMENT, "the workspace is smaller than query asked for");
  const ReduceTarget<Acc> out{call.outputs[0].data, Offsets<1>::of(plan.target), nullptr};
  detail::launch_levels(plan, reducer, detail::reduce_elements<T>(call.inputs[0], plan), out, call.workspace, launcher);
}

namespace detail {

[[noreturn]] inline void refuse_dtype(int32_t dtype) {
  throw Refusal(TS_UNSUPPORTED, "dtype " + std::to_string(dtype) + " is not one this operation takes");
}

template <class Visit> void with_floating(int32_t dtype, Visit&& visit) {
  bool known = false;
  with_dtype(dtype, [&](auto type) {
    if constexpr (is_floating<typename decltype(type)::type>) {
      known = true;
      visit(type);
    }
  });
  if (!known) refuse_dtype(dtype);
}

/// Refuses a group of nothing, unless there are no groups. // reduce.6, reduce.7
inline void require_elements(const ReductionPlan& plan, const char* op) {
  if (TS_MUTATE("EM07", plan.length == 0 && plan.outputs > 0, false))
    throw Refusal(TS_INVALID_ARGUMENT, std::string(op) + " of no elements has no value");
}

template <class Visit> void with_sum(const Call& call, const ReductionPlan& plan, Visit&& visit) {
  const bool mean = call.op == TS_OP_MEAN;
  const auto visit_sum = [&](auto type) {
    using A = Accumulator<typename decltype(type)::type>;
    visit(SumReducer<A>{call.outputs[0].dtype, static_cast<double>(plan.length), mean}, type);
  };
  if (mean)
    with_floating(call.inputs[0].view.dtype, visit_sum);
  else
    with_dtype(call.inputs[0].view.dtype, visit_sum);
}

template <class Visit> void with_count(const Call& call, const ReductionPlan& plan, Visit&& visit) {
  using Asks = CountReducer::Asks;
  const int32_t dtype = call.inputs[0].view.dtype;
  const Asks asks = call.op == TS_OP_ANY ? Asks::kAny : call.op == TS_OP_ALL ? Asks::kAll : Asks::kHowMany;
  const auto rule = key_rule<uint64_t>(dtype, false, NanPlace::kWins);
  with_bits(dtype, [&](auto type) {
    visit(CountReducer{rule.magnitude, static_cast<uint64_t>(plan.length), asks}, type);
  });
}

template <class Visit> void with_extreme(const Call& call, const ReductionPlan& plan, Visit&& visit) {
  const bool reverse = call.op == TS_OP_MIN;
  require_elements(plan, reverse ? "min" : "max");
  const int32_t dtype = call.inputs[0].view.dtype;
  with_dtype(dtype, [&](auto type) {
    visit(ExtremeReducer<Ordered<typename decltype(type)::type>>{dtype, reverse}, type);
  });
}

template <class Visit> void with_floating_reducer(const Call& call, const ReductionPlan& plan, Visit&& visit) {
  const int32_t dtype = call.inputs[0].view.dtype;
  with_floating(dtype, [&](auto type) {
    using A = Accumulator<typename decltype(type)::type>;
    const double length = static_cast<double>(plan.length);
    switch (call.op) {
      case TS_OP_VAR:
      case TS_OP_STD:
        return visit(MomentsReducer<A>{dtype, call.op == TS_OP_STD, length, length - Attributes(call).real<double>(1)},
                     type);
      case TS_OP_NORM:
        if constexpr (std::is_same_v<A, double>)
          return visit(ScaledNormReducer{dtype}, type);
        else
          return visit(NormReducer{dtype}, type);
      default: return visit(LogSumExpReducer<A>{dtype}, type);
    }
  });
}

/// Calls visit(reducer, Type<element>{}) for the call's op and dtype, or refuses.
template <class Visit> void with_reducer(const Call& call, const ReductionPlan& plan, Visit&& visit) {
  const int32_t dtype = call.inputs[0].view.dtype;
  switch (call.op) {
    case TS_OP_SUM:
    case TS_OP_MEAN: return with_sum(call, plan, visit);
    case TS_OP_PROD:
      with_dtype(dtype, [&](auto type) {
        visit(ProductReducer<Accumulator<typename decltype(type)::type>>{call.outputs[0].dtype}, type);
      });
      return;
    case TS_OP_MAX:
    case TS_OP_MIN: return with_extreme(call, plan, visit);
    case TS_OP_ANY:
    case TS_OP_ALL:
    case TS_OP_COUNT_NONZERO: return with_count(call, plan, visit);
    case TS_OP_VAR:
    case TS_OP_STD:
    case TS_OP_NORM:
    case TS_OP_LOGSUMEXP: return with_floating_reducer(call, plan, visit);
    default: throw Refusal(TS_UNSUPPORTED, "op " + std::to_string(call.op) + " is no reduction");
  }
}

} // namespace detail

/// Bytes of workspace that reduce() needs for this call; refuses as reduce() would.
inline uint64_t reduce_workspace(const Call& call) {
  const ReductionPlan plan =
      plan_reduction(call.inputs[0].view, call.outputs[0], static_cast<uint64_t>(Attributes(call).integer(0)));
  uint64_t bytes = 0;
  detail::with_reducer(call, plan, [&](auto reducer, auto) {
    bytes = reduction_workspace(plan, sizeof(typename decltype(reducer)::Acc));
  });
  return bytes;
}

/// sum prod max min any all mean var std norm logsumexp count_nonzero: x over the axes of slot 0.
template <class Launcher> void reduce(const Call& call, Launcher& launcher) {
  const ReductionPlan plan =
      plan_reduction(call.inputs[0].view, call.outputs[0], static_cast<uint64_t>(Attributes(call).integer(0)));
  detail::with_reducer(call, plan, [&](auto reducer, auto type) {
    launch_reduction<typename decltype(type)::type>(plan, reducer, call, launcher);
  });
}

} // namespace ts::kernels
