// The arg_reduce family: where along one axis the largest or smallest value lies. The trees are those of reduce.h.
#pragma once

#include "backends/kernels/reduce.h"

namespace ts::kernels {

namespace detail {

template <class Visit> void with_arg_reducer(const Call& call, Visit&& visit) {
  const View& x = call.inputs[0].view;
  const int64_t axis = Attributes(call).integer(0);
  if (axis < 0 || axis >= x.rank) throw Refusal(TS_INVALID_ARGUMENT, "axis lies outside the operand");
  if (call.outputs[0].dtype != TS_DTYPE_I64) refuse_dtype(call.outputs[0].dtype);
  const bool reverse = call.op == TS_OP_ARGMIN;
  const ReductionPlan plan = plan_reduction(x, call.outputs[0], uint64_t{1} << axis);
  require_elements(plan, reverse ? "argmin" : "argmax");
  with_dtype(x.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    using Reducer = ArgExtremeReducer<Ordered<T>>;
    const int32_t dtype = is_half<T> ? static_cast<int32_t>(TS_DTYPE_F32) : x.dtype; // of what elements are compared as
    visit(plan, Reducer{key_rule<typename Reducer::K>(dtype, reverse, NanPlace::kWins), reverse}, type);
  });
}

} // namespace detail

/// Bytes of workspace that arg_reduce() needs for this call; refuses as arg_reduce() would.
inline uint64_t arg_reduce_workspace(const Call& call) {
  uint64_t bytes = 0;
  detail::with_arg_reducer(call, [&](const ReductionPlan& plan, auto reducer, auto) {
    bytes = reduction_workspace(plan, sizeof(typename decltype(reducer)::Acc));
  });
  return bytes;
}

/// argmax argmin: x along the axis of slot 0.
template <class Launcher> void arg_reduce(const Call& call, Launcher& launcher) {
  detail::with_arg_reducer(call, [&](const ReductionPlan& plan, auto reducer, auto type) {
    launch_reduction<typename decltype(type)::type>(plan, reducer, call, launcher);
  });
}

} // namespace ts::kernels
