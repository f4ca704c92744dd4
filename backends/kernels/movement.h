// Movement: fill, conversion between all dtypes, and the strided copy, which has a tiled route for transpositions.
#pragma once

#include "backends/kernels/elementwise.h"
#include "backends/kernels/unroll.h"
#include "backends/kernels/wrong.h"

namespace ts::kernels {

/// Writes one value everywhere.
template <class D> struct FillWith {
  static constexpr bool kOnStorage = true;
  D value;
  TS_HD D operator()() const { return value; }
};

template <class To> struct ConvertTo {
  static constexpr bool kOnStorage = true;
  template <class From> TS_HD To operator()(From x) const {
    return TS_MUTATE(
        "CV05", TS_MUTATE("CV07", TS_MUTATE("CV12", convert<To>(x), wrong::raw_bool<To>(x)), wrong::plain_cast<To>(x)),
        wrong::copied_bits<To>(x));
  }
};

/// Copies bits of one size, whatever they mean. A bool goes through ConvertTo instead, which writes 0 or 1.
struct CopyBits {
  static constexpr bool kOnStorage = true;
  template <class D> TS_HD D operator()(D x) const { return x; }
};

/// A copy between a side that is dense along `columns` (the output) and one that is dense along `rows` (the input), in
/// tiles of 64 x 64 that turn in shared memory; a column more than needed spreads a tile's columns over all banks.
template <class D> struct TransposeTask {
  static constexpr int kThreads = 256;
  static constexpr int kTile = 64;
  static constexpr int kRowsAtOnce = kThreads / kTile;

  struct Load {};
  struct Store {};
  struct Shared {
    D tile[kTile][kTile + 1];
  };
  struct Local {
    int64_t row, column; ///< of this thread's first element on the way in
    int64_t out, in;     ///< bytes to the plane
    bool whole;          ///< the tile lies inside the matrix
  };
  using Phases = Sequence<Once<Load>, Once<Store>>;

  const std::byte* in;
  std::byte* out;
  int64_t rows, columns;
  int64_t row_tiles, column_tiles;
  int64_t in_column_stride, out_row_stride; ///< bytes; the other two are the itemsize
  Offsets<2> outer;                         ///< of output and input over the remaining axes

  TS_HD void operator()(Load, const At& at, Shared& shared, Local& local) const {
    const int64_t tiles = row_tiles * column_tiles;
    const int64_t plane = at.block / tiles, within = at.block - plane * tiles;
    const int64_t row_tile = within / column_tiles;
    int64_t offset[2];
    outer.at(plane, offset);
    local.row = row_tile * kTile;
    local.column = (within - row_tile * column_tiles) * kTile;
    local.out = offset[0];
    local.in = offset[1];
    local.whole = local.row + kTile <= rows && local.column + kTile <= columns;
    const int lane = at.thread % kTile, first = at.thread / kTile;
    const std::byte* source = in + local.in + (local.column + first) * in_column_stride +
                              (local.row + lane) * static_cast<int64_t>(sizeof(D));
    if (local.whole) {
      TS_UNROLL_ON_DEVICE
      for (int j = 0; j < kTile; j += kRowsAtOnce)
        shared.tile[first + j][lane] = *reinterpret_cast<const D*>(source + j * in_column_stride);
      return;
    }
    for (int j = 0; j < kTile; j += kRowsAtOnce)
      if (local.row + lane < rows && local.column + first + j < columns)
        shared.tile[first + j][lane] = *reinterpret_cast<const D*>(source + j * in_column_stride);
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local& local) const {
    const int lane = at.thread % kTile, first = at.thread / kTile;
    std::byte* target = out + local.out + (local.row + first) * out_row_stride +
                        (local.column + lane) * static_cast<int64_t>(sizeof(D));
    if (local.whole) {
      TS_UNROLL_ON_DEVICE
      for (int j = 0; j < kTile; j += kRowsAtOnce)
        *reinterpret_cast<D*>(target + j * out_row_stride) = shared.tile[lane][first + j];
      return;
    }
    for (int j = 0; j < kTile; j += kRowsAtOnce)
      if (local.row + first + j < rows && local.column + lane < columns)
        *reinterpret_cast<D*>(target + j * out_row_stride) = shared.tile[lane][first + j];
  }
};

namespace detail {

/// The axis along which the input of a copy is dense, where a tile pays; -1 otherwise.
inline int transposed_axis(const Plan& plan, int itemsize) {
  constexpr int64_t kExtentMin = 16; // below that most of a tile would be empty
  const int last = plan.rank - 1;
  if (plan.rank < 2 || plan.stride[0][last] != itemsize || plan.shape[last] < kExtentMin) return -1;
  for (int axis = 0; axis < last; ++axis)
    if (plan.stride[1][axis] == itemsize && plan.shape[axis] >= kExtentMin) return axis;
  return -1;
}

template <class D, class Launcher>
void launch_transpose(const Call& call, const Plan& plan, int row_axis, Launcher& launcher) {
  const int last = plan.rank - 1;
  Plan outer{};
  outer.count = 1;
  outer.operands = 2;
  for (int axis = 0; axis < last; ++axis) {
    if (axis == row_axis) continue;
    outer.shape[outer.rank] = plan.shape[axis];
    for (int k = 0; k < 2; ++k) outer.stride[k][outer.rank] = plan.stride[k][axis];
    outer.count *= plan.shape[axis];
    ++outer.rank;
  }
  TransposeTask<D> task{};
  task.in = call.inputs[0].view.data;
  task.out = call.outputs[0].data;
  task.rows = plan.shape[row_axis];
  task.columns = plan.shape[last];
  task.row_tiles = ceil_div(task.rows, TransposeTask<D>::kTile);
  task.column_tiles = ceil_div(task.columns, TransposeTask<D>::kTile);
  task.in_column_stride = plan.stride[1][last];
  task.out_row_stride = plan.stride[0][row_axis];
  task.outer = Offsets<2>::of(outer);
  launcher.blocks("convert", "tiled", outer.count * task.row_tiles * task.column_tiles, task);
}

/// True where both sides of a copy have lines of whole aligned Wides: the same copy of 16 bytes at a time.
inline bool moves_wide(const Plan& plan, const Call& call, int itemsize) {
  const int last = plan.rank - 1;
  if (call.inputs[0].immediate || plan.rank < 2 || plan.stride[0][last] != itemsize || plan.stride[1][last] != itemsize)
    return false;
  bool wide = is_aligned(call.outputs[0].data, 16) && is_aligned(call.inputs[0].view.data, 16) &&
              plan.shape[last] * itemsize % 16 == 0;
  for (int axis = 0; axis < last; ++axis)
    for (int k = 0; k < 2; ++k) wide = wide && plan.stride[k][axis] % 16 == 0;
  return wide;
}

template <class Launcher> void launch_wide_copy(const Call& call, Plan plan, int itemsize, Launcher& launcher) {
  const int last = plan.rank - 1;
  plan.shape[last] = plan.shape[last] * itemsize / 16;
  plan.count = plan.count * itemsize / 16;
  plan.stride[0][last] = plan.stride[1][last] = 16;
  StridedTask<CopyBits, Wide, Wide> task{CopyBits{}, call.outputs[0].data, {}, Offsets<2>::of(plan)};
  task.in[0] = {call.inputs[0].view.data, 0, 1};
  launcher.flat("convert", "wide", plan.count, task);
}

template <class D, class Launcher> void copy_bits(const Call& call, Launcher& launcher) {
  const Plan plan = elementwise_plan(call);
  const int row_axis = call.inputs[0].immediate ? -1 : transposed_axis(plan, sizeof(D));
  if (plan.count > 0 && row_axis >= 0)
    launch_transpose<D>(call, plan, row_axis, launcher);
  else if (plan.count > 0 && moves_wide(plan, call, sizeof(D)))
    launch_wide_copy(call, plan, sizeof(D), launcher);
  else
    launch_elementwise<D, D>("convert", CopyBits{}, call, launcher);
}

} // namespace detail

/// fill(; value) -> z.
template <class Launcher> void fill(const Call& call, Launcher& launcher) {
  with_dtype(call.outputs[0].dtype, [&](auto type) {
    using D = typename decltype(type)::type;
    launch_elementwise<D>("fill", FillWith<D>{Attributes(call).stored<D>(0)}, call, launcher);
  });
}

/// convert(x) -> z to one element type, from every other.
template <class To, class Launcher> void convert_to(const Call& call, Launcher& launcher) {
  with_dtype(call.inputs[0].view.dtype, [&](auto type) {
    using From = typename decltype(type)::type;
    if constexpr (!std::is_same_v<To, From> || is_bool<To>)
      launch_elementwise<To, From>("convert", ConvertTo<To>{}, call, launcher);
  });
}

/// convert(x) -> z; the same dtype is the strided copy.
template <class Launcher> void convert(const Call& call, Launcher& launcher) {
  const int32_t to = call.outputs[0].dtype;
  if (to != call.inputs[0].view.dtype || to == TS_DTYPE_BOOL) {
    with_dtype(to, [&](auto type) { convert_to<typename decltype(type)::type>(call, launcher); });
    return;
  }
  switch (itemsize(to)) {
    case 1: return detail::copy_bits<uint8_t>(call, launcher);
    case 2: return detail::copy_bits<uint16_t>(call, launcher);
    case 4: return detail::copy_bits<uint32_t>(call, launcher);
    default: return detail::copy_bits<uint64_t>(call, launcher);
  }
}

} // namespace ts::kernels
