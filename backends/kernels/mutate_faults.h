// What planted faults do: misreadings of layouts and lost bits that TS_MUTATE switches on. Only a build with mutants has
// them. Where a fault could write out of bounds it is held inside, so that it shows as a wrong result.
#pragma once

#include "backends/kernels/mutate.h"

#if defined(TS_MUTANTS)

#include "backends/kernels/plan.h"

#include <algorithm>

namespace ts::kernels::mutant {

/// The view as if its elements lay row-major without gaps.
inline View row_major(View view) {
  int64_t pitch = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    view.stride[axis] = pitch;
    pitch *= view.shape[axis];
  }
  return view;
}

inline bool is_row_major(const View& view) { return is_dense(plan_views({&view}), 0, itemsize(view.dtype)); }

/// Elements without gaps and without overlap, in whichever order of axes.
inline bool is_gap_free(const View& view) {
  Plan plan = begin_plan(view.rank, view.shape);
  add_operand(plan, view.stride, itemsize(view.dtype));
  drop_unit_axes(plan);
  sort_axes(plan);
  merge_axes(plan);
  return is_dense(plan, 0, itemsize(view.dtype));
}

/// Row-major pitches where they stay inside the view's own reach.
inline View with_shape_pitches(View view) {
  const View dense = row_major(view);
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.stride[axis] > 0) view.stride[axis] = std::min(view.stride[axis], dense.stride[axis]);
  return view;
}

/// The strides `wrong` where they reach no further than `right` does, over a shape.
inline const int64_t* within(int rank, const int64_t* shape, const int64_t* right, const int64_t* wrong) {
  Reach inside{}, outside{};
  reach_of(rank, shape, right, &inside);
  reach_of(rank, shape, wrong, &outside);
  return outside.low >= inside.low && outside.high <= inside.high ? wrong : right;
}

/// All axes as one, with the innermost stride.
inline Plan merged_blindly(Plan plan) {
  if (plan.rank < 2) return plan;
  for (int k = 0; k < plan.operands; ++k) plan.stride[k][0] = plan.stride[k][plan.rank - 1];
  plan.shape[0] = plan.count;
  plan.rank = 1;
  return plan;
}

/// A positive offset or count cut to 16 bits.
TS_HD int64_t narrow(int64_t x) { return x < 0 ? x : x & 0xffff; }

/// A positive stride replaced.
TS_HD int64_t stride_as(int64_t stride, int64_t wrong) { return stride > 0 && wrong < stride ? wrong : stride; }

/// What a start of a block is off by when a negative stride is taken as positive there.
TS_HD int64_t unsigned_start(int64_t first, int64_t stride) { return stride < 0 ? -2 * first * stride : 0; }

/// y read as dense whenever x is.
inline Operand dense_beside(const Operand& x, Operand y) {
  if (!x.immediate && is_row_major(x.view)) y.view = row_major(y.view);
  return y;
}

/// An accumulator that wraps as the integer type of the elements.
template <class T, class A> TS_HD A as_input(A value) {
  if constexpr (is_integer<T>)
    return static_cast<A>(static_cast<int64_t>(static_cast<T>(value)));
  else
    return value;
}

/// An f32 accumulator that keeps the bits of an f16.
template <class A> TS_HD A as_half(A value) { return value; }
template <> TS_HD float as_half(float value) { return Half::round(value); }

/// The bits of a half taken for an integer.
template <class T, class U> TS_HD T half_from_integer(U bits) {
  if constexpr (is_half<T>)
    return convert<T>(static_cast<float>(bits));
  else
    return ts::detail::bit_cast<T>(bits);
}

} // namespace ts::kernels::mutant

#endif
