// The matmul family: z = x y over batches, in tiles through shared memory.
//
// Element (i, j) of every route is the same chain of fma over k = 0 .. K - 1, from +0, in f32 for f16, bf16 and f32, in
// f64 for f64, modulo 2^bits for integers; it is rounded once at the end. No padding takes part in the chain.
#pragma once

#include "backends/kernels/math.h"
#include "backends/kernels/offsets.h"
#include "backends/kernels/partition.h"
#include "backends/kernels/reduce_tree.h"
#include "backends/kernels/whole.h"
#include "backends/kernels/wrong.h"

#include <algorithm>
#include <string>

namespace ts::kernels {

/// A matrix of a batch in device memory: byte strides of its two axes, or one value for all elements.
template <class T> struct MatrixOperand {
  const std::byte* data; ///< null for an immediate
  T immediate;
  int64_t row_stride, column_stride;

  TS_HD T at(int64_t batch, int64_t row, int64_t column) const {
    if (data == nullptr) return immediate;
    return *reinterpret_cast<const T*>(data + batch + row * row_stride + column * column_stride);
  }
};

template <class T> using ProductAccumulator = std::conditional_t<is_floating<T>, Compute<T>, math::Wrap<T>>;

/// One product by tiles: a block makes kTile x kTile elements of z, a thread kPatch x kPatch of them.
template <class T, int kTile, int kDepth, int kPatch> struct MatmulTiles {
  using A = ProductAccumulator<T>;
  static constexpr int kThreads = 256;
  static constexpr int kSide = 16; ///< threads along each side of a tile
  static constexpr int kLoads = kTile * kDepth / kThreads;
  static constexpr int kGroup = std::min(kPatch, 4); ///< neighbouring elements of a patch
  static constexpr int kPad = 4;
  static constexpr int kLine = kTile + kPad;                               ///< of a slab
  static constexpr int kMinBlocks = sizeof(A) == 4 && kPatch == 8 ? 2 : 1; ///< of a processor at once
  static_assert(kTile == kSide * kPatch && kLoads * kThreads == kTile * kDepth);
  static_assert(kThreads % kDepth == 0 && kThreads % kTile == 0);

  struct Start {};
  struct Step {};
  struct Store {};
  using Phases = Sequence<Once<Start>, Loop<Step>, Once<Store>>;
  struct Shared {
    A x[2][kDepth][kLine];
    A y[2][kDepth][kLine];
  };
  /// Values that a thread moves at once: out of Local for the time that they are worked on, so that they are registers on
  /// every processor.
  template <int kCount> struct alignas(std::min<size_t>(16, sizeof(A) * kCount)) Values { A at[kCount]; };
  using Patch = Values<kPatch * kPatch>;
  using Slab = Values<kLoads>;
  struct Local {
    Patch sums; ///< row by row
    Slab next_x, next_y;
    int64_t row, column;
    int64_t batch[3];         ///< bytes to this batch's z, x, y
    const std::byte *x, *y;   ///< of this thread's next loads, where the tile lies inside both matrices
    int32_t x_place, y_place; ///< of its first element in a slab of Shared
    bool whole;
  };

  MatrixOperand<T> x, y;
  std::byte* z;
  int64_t z_row_stride, z_column_stride;
  int64_t rows, inner, columns;
  int64_t tiles; ///< of one matrix z
  Offsets<3> batches;
  bool x_along_inner; ///< neighbouring threads load along the axis with the smaller stride
  bool y_along_inner;
  int64_t whole_slabs;      ///< of kDepth along the inner axis
  int64_t x_pitch, y_pitch; ///< bytes between a thread's loads of one slab
  int64_t x_slab, y_slab;   ///< bytes between slabs
  int32_t x_apart, y_apart; ///< elements between a thread's loads in a slab of Shared

  /// Sets what follows from strides and extents.
  void plan_loads() {
    x_along_inner = magnitude(x.column_stride) <= magnitude(x.row_stride);
    y_along_inner = magnitude(y.row_stride) < magnitude(y.column_stride);
    whole_slabs = inner / kDepth;
    const Cell of_x = pitch(x_along_inner), of_y = pitch(y_along_inner);
    x_pitch = of_x.side * x.row_stride + of_x.inner * x.column_stride;
    y_pitch = of_y.side * y.column_stride + of_y.inner * y.row_stride;
    x_slab = kDepth * x.column_stride;
    y_slab = kDepth * y.row_stride;
    x_apart = place(of_x);
    y_apart = place(of_y);
  }
  static int64_t magnitude(int64_t stride) { return stride < 0 ? -stride : stride; }

  TS_HD int64_t steps() const { return ceil_div(inner, kDepth); }

  struct Cell {
    int side, inner;
  };
  /// What a thread loads first, and how far apart its loads are: along the sides or along the inner axis.
  TS_HD static Cell cell(int thread, bool along_inner) {
    return along_inner ? Cell{thread / kDepth, thread % kDepth} : Cell{thread % kTile, thread / kTile};
  }
  TS_HD static constexpr Cell pitch(bool along_inner) {
    return along_inner ? Cell{kThreads / kDepth, 0} : Cell{0, kThreads / kTile};
  }

  template <class Moved> TS_HD static Moved get(const Moved& from) {
    return load_whole<Moved>(reinterpret_cast<const std::byte*>(&from));
  }
  template <class Moved> TS_HD static void set(Moved& to, const Moved& from) {
    store_whole(from, reinterpret_cast<std::byte*>(&to));
  }

  TS_HD static A widen(T value) { return static_cast<A>(static_cast<Compute<T>>(value)); }

  /// A thread's part of a slab of x or y that lies inside the matrix.
  TS_HD static Slab load_slab(const std::byte* place, int64_t step) {
    T value[kLoads];
    Slab next;
    TS_UNROLL
    for (int i = 0; i < kLoads; ++i, place += step) value[i] = *reinterpret_cast<const T*>(place);
    TS_UNROLL
    for (int i = 0; i < kLoads; ++i) next.at[i] = widen(value[i]);
    return next;
  }

  TS_HD void load(int64_t step, int thread, Local& local) const {
    if (local.whole && step < whole_slabs) {
      set(local.next_x, load_slab(local.x, x_pitch));
      set(local.next_y, load_slab(local.y, y_pitch));
      local.x += x_slab;
      local.y += y_slab;
      return;
    }
    const Cell first_x = cell(thread, x_along_inner), first_y = cell(thread, y_along_inner);
    const Cell pitch_x = pitch(x_along_inner), pitch_y = pitch(y_along_inner);
    Slab next_x, next_y;
    TS_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      const int64_t row = local.row + first_x.side + i * pitch_x.side;
      const int64_t k = step * kDepth + first_x.inner + i * pitch_x.inner;
      const int64_t end = TS_MUTATE("TL08", inner, is_half<T> ? inner / 2 * 2 : inner);
      next_x.at[i] = row < rows && k < end ? widen(x.at(local.batch[1], row, k)) : A{0};
      if (TS_MUTATE("TL14", false, k >= inner && steps() > 1 && row < rows))
        next_x.at[i] = widen(x.at(local.batch[1], row, inner - 1));
    }
    TS_UNROLL
    for (int i = 0; i < kLoads; ++i) {
      const int64_t column = local.column + first_y.side + i * pitch_y.side;
      const int64_t k = step * kDepth + first_y.inner + i * pitch_y.inner;
      next_y.at[i] = column < columns && k < inner ? widen(y.at(local.batch[2], k, column)) : A{0};
      if (TS_MUTATE("TL14", false, k >= inner && steps() > 1 && column < columns))
        next_y.at[i] = widen(y.at(local.batch[2], inner - 1, column));
    }
    set(local.next_x, next_x);
    set(local.next_y, next_y);
  }

  TS_HD static constexpr int32_t place(const Cell& cell) { return cell.inner * kLine + cell.side; }
  TS_HD void stage(int buffer, Shared& shared, const Local& local) const {
    stage_one(&shared.x[buffer][0][0] + local.x_place, x_apart, get(local.next_x));
    stage_one(&shared.y[buffer][0][0] + local.y_place, y_apart, get(local.next_y));
  }
  TS_HD static void stage_one(A* place, int32_t apart, const Slab& next) {
    TS_UNROLL
    for (int i = 0; i < kLoads; ++i, place += apart) *place = next.at[i];
  }

  /// Where a thread stands among kSide x kSide: a warp is 4 rows of 8, so that what it takes of a line of either slab are
  /// few neighbours.
  TS_HD static int row_lane(int thread) { return thread / (2 * kWarp) * 4 + thread % kWarp / 8; }
  TS_HD static int column_lane(int thread) { return thread / kWarp % 2 * 8 + thread % 8; }

  /// Element i of a thread's patch along one side of the tile: groups of kGroup, the lanes' groups side by side.
  TS_HD static int slot(int lane, int i) { return i / kGroup * (kSide * kGroup) + lane * kGroup + i % kGroup; }

  TS_HD static A fuse(A a, A b, A c) {
    if constexpr (std::is_floating_point_v<A>)
      return math::fma(a, b, c);
    else
      return a * b + c;
  }

  /// What a thread takes of one line of a slab.
  TS_HD static Values<kPatch> line(const A (&slab)[kLine], int lane) {
    constexpr int kPack = std::min<int>(kGroup, 16 / sizeof(A));
    Values<kPatch> line;
    TS_UNROLL
    for (int i = 0; i < kPatch; i += kPack) {
      const auto pack = load_whole<Values<kPack>>(reinterpret_cast<const std::byte*>(slab + slot(lane, i)));
      TS_UNROLL
      for (int j = 0; j < kPack; ++j) line.at[i + j] = pack.at[j];
    }
    return line;
  }

  TS_HD void multiply(const Shared& shared, int buffer, int k, int thread, Patch& sums) const {
    const auto left = line(shared.x[buffer][k], row_lane(thread)),
               right = line(shared.y[buffer][k], column_lane(thread));
    TS_UNROLL
    for (int i = 0; i < kPatch; ++i) {
      TS_UNROLL
      for (int j = 0; j < kPatch; ++j) {
        A& sum = sums.at[i * kPatch + j];
        sum = fuse(left.at[i], right.at[j], sum);
      }
    }
    static_cast<void>(TS_MUTATE("ST15", 0, narrow_sums(sums)));
  }
#if defined(TS_MUTANTS)
  /// Sums kept in the dtype of the elements. Not inlined into every step of an unrolled product.
  [[gnu::noinline]] static int narrow_sums(Patch& sums) {
    for (A& sum : sums.at) sum = wrong::stored<T>(sum);
    return 0;
  }
#endif

  TS_HD void operator()(Start, const At& at, Shared& shared, Local& local) const {
    const int64_t batch = at.block / tiles;
    const Tile tile = tile_at(rows, columns, kTile, at.block - batch * tiles);
    local.row = tile.row;
    local.column = tile.column;
    batches.at(batch, local.batch);
    local.whole =
        local.row + kTile <= rows && local.column + kTile <= columns && x.data != nullptr && y.data != nullptr;
    const Cell of_x = cell(at.thread, x_along_inner), of_y = cell(at.thread, y_along_inner);
    local.x_place = place(of_x);
    local.y_place = place(of_y);
    if (local.whole) {
      local.x = x.data + local.batch[1] + (local.row + of_x.side) * x.row_stride + of_x.inner * x.column_stride;
      local.y = y.data + local.batch[2] + (local.column + of_y.side) * y.column_stride + of_y.inner * y.row_stride;
    }
    set(local.sums, Patch{});
    if (inner == 0) return;
    load(0, at.thread, local);
    stage(0, shared, local);
  }

  TS_HD int64_t count(Step, int64_t) const { return steps(); }
  TS_HD void operator()(Step, const At& at, Shared& shared, Local& local) const {
    const int buffer = static_cast<int>(at.step & 1);
    const bool more = at.step + 1 < steps();
    if (more) load(at.step + 1, at.thread, local);
    const bool busy =
        local.row + slot(row_lane(at.thread), 0) < rows && local.column + slot(column_lane(at.thread), 0) < columns;
    const int64_t left = TS_MUTATE("TL14", inner - at.step * kDepth, steps() > 1 ? kDepth : inner);
    if (busy) {
      Patch sums = get(local.sums);
      if (left >= kDepth) {
        TS_UNROLL
        for (int k = 0; k < kDepth; ++k) multiply(shared, buffer, k, at.thread, sums);
      } else {
        for (int k = 0; k < static_cast<int>(left); ++k) multiply(shared, buffer, k, at.thread, sums);
      }
      set(local.sums, sums);
    }
    if (more) stage(buffer ^ 1, shared, local);
  }

  TS_HD void operator()(Store, const At& at, Shared&, Local& local) const {
    const Patch sums = get(local.sums);
    TS_UNROLL
    for (int i = 0; i < kPatch; ++i) {
      const int64_t row = local.row + slot(row_lane(at.thread), i);
      TS_UNROLL
      for (int j = 0; j < kPatch; ++j) {
        const int64_t column = local.column + slot(column_lane(at.thread), j);
        if (row >= rows || column >= columns) continue;
        std::byte* target = z + local.batch[0] + row * z_row_stride + column * z_column_stride;
        if constexpr (is_floating<T>)
          *reinterpret_cast<T*>(target) = convert<T>(sums.at[i * kPatch + j]);
        else
          *reinterpret_cast<T*>(target) = static_cast<T>(sums.at[i * kPatch + j]);
      }
    }
  }
};

/// A product, pure: extents of the matrices and the strides of batches. Operands are z, x, y.
struct ProductPlan {
  int64_t rows, inner, columns;
  Plan batches;
};

inline ProductPlan plan_product(const View& z, const View& x, const View& y) {
  const int rank = z.rank;
  if (rank < 2 || x.rank != rank || y.rank != rank)
    throw Refusal(TS_INVALID_ARGUMENT, "matmul takes operands of one rank, 2 or more");
  ProductPlan plan{x.shape[rank - 2], x.shape[rank - 1], y.shape[rank - 1], begin_plan(rank - 2, z.shape)};
  bool fits = z.shape[rank - 2] == plan.rows && z.shape[rank - 1] == plan.columns && y.shape[rank - 2] == plan.inner;
  for (int axis = 0; axis < rank - 2; ++axis)
    fits = fits && x.shape[axis] == z.shape[axis] && y.shape[axis] == z.shape[axis];
  if (!fits) throw Refusal(TS_INVALID_ARGUMENT, "the shapes of a product do not agree");
  for (const View* view : {&z, &x, &y}) add_operand(plan.batches, view->stride, itemsize(view->dtype));
  merge_axes(plan.batches);
  return plan;
}

namespace detail {

/// The byte stride of an axis; an axis of extent 1 has none.
inline int64_t byte_stride(const View& view, int axis) {
  return view.shape[axis] == 1 ? 0 : view.stride[axis] * itemsize(view.dtype);
}

template <class T> MatrixOperand<T> matrix_operand(const Operand& operand) {
  const View& view = operand.view;
  MatrixOperand<T> matrix{operand.immediate ? nullptr : view.data, T{}, byte_stride(view, view.rank - 2),
                          byte_stride(view, view.rank - 1)};
  memcpy(&matrix.immediate, &operand.bits, sizeof(T));
  return matrix;
}

template <class Task, class T, class Launcher>
void launch_product(const char* route, int tile, const Call& call, const ProductPlan& plan, Launcher& launcher) {
  const View& z = call.outputs[0];
  Task task{};
  task.x = matrix_operand<T>(call.inputs[0]);
  task.y = matrix_operand<T>(call.inputs[1]);
  task.z = z.data;
  task.z_row_stride = byte_stride(z, z.rank - 2);
  task.z_column_stride = byte_stride(z, z.rank - 1);
  task.rows = plan.rows;
  task.inner = plan.inner;
  task.columns = plan.columns;
  task.tiles = tile_count(plan.rows, plan.columns, tile);
  task.batches = Offsets<3>::of(plan.batches);
  task.plan_loads();
  launcher.blocks("matmul", route, plan.batches.count * task.tiles, task);
}

inline void check_product(const Call& call) {
  const int32_t dtype = call.outputs[0].dtype;
  if (dtype == TS_DTYPE_BOOL || itemsize(dtype) == 0) throw Refusal(TS_UNSUPPORTED, "matmul takes numbers");
  if (call.inputs[0].view.dtype != dtype || call.inputs[1].view.dtype != dtype)
    throw Refusal(TS_UNSUPPORTED, "matmul takes operands of one dtype");
}

} // namespace detail

/// A product whose sides are both longer takes the large tile.
inline constexpr int kMatmulSmallTile = 32;

inline uint64_t matmul_workspace(const Call& call) {
  detail::check_product(call);
  plan_product(call.outputs[0], call.inputs[0].view, call.inputs[1].view);
  return 0;
}

/// matmul: x (.., M, K) times y (.., K, N).
template <class Launcher> void matmul(const Call& call, Launcher& launcher) {
  detail::check_product(call);
  const ProductPlan plan = plan_product(call.outputs[0], call.inputs[0].view, call.inputs[1].view);
  const bool large = plan.rows > kMatmulSmallTile && plan.columns > kMatmulSmallTile;
  with_dtype(call.outputs[0].dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (!is_bool<T>) {
      constexpr int kLarge = sizeof(ProductAccumulator<T>) == 8 ? 64 : 128;
      if (large) {
        detail::launch_product<MatmulTiles<T, kLarge, 16, kLarge / 16>, T>("large_tile", kLarge, call, plan, launcher);
      } else {
        detail::launch_product<MatmulTiles<T, kMatmulSmallTile, 32, 2>, T>("small_tile", kMatmulSmallTile, call, plan,
                                                                           launcher);
      }
    }
  });
}

} // namespace ts::kernels
