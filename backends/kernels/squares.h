// Elementwise operations whose operands are dense along different axes. A work item does a square of a few elements each way:
// it loads every operand in pieces along the axis that the operand is dense along, and turns in registers what lies across.
#pragma once

#include "backends/kernels/elementwise_source.h"
#include "backends/kernels/offsets.h"
#include "backends/kernels/unroll.h"
#include "backends/kernels/whole.h"

#include <algorithm>
#include <utility>

namespace ts::kernels {

/// The axis along which some input is dense while the output is dense along the last: where squares pay. -1 where none is.
inline int square_axis(const Plan& plan) {
  constexpr int64_t kExtentMin = 16; // below that most of a square would be empty
  const int last = plan.rank - 1;
  int across = -1;
  for (int axis = 0; axis < last; ++axis)
    for (int k = 1; k < plan.operands; ++k) {
      const int64_t here = plan.stride[k][axis], there = plan.stride[k][last];
      if (here != 0 && here * here < there * there && plan.stride[0][last] * plan.stride[0][last] <= 64) across = axis;
    }
  return across >= 0 && plan.shape[across] >= kExtentMin && plan.shape[last] >= kExtentMin ? across : -1;
}

template <class F, class Out, class... In> struct SquareTask {
  static constexpr int kInputs = sizeof...(In), kOperands = 1 + kInputs;
  static constexpr size_t kWidest = std::max({sizeof(Out), sizeof(In)...});
  static constexpr int kSide = kWidest == 8 ? 2 : 4;
  static constexpr int kTile = 16 * kSide; ///< elements along each side of what kFlatThreads items do
  static_assert(kTile / kSide * (kTile / kSide) == kFlatThreads);
  template <class T> struct alignas(sizeof(T) * kSide) Pack { T value[kSide]; };

  /// How an operand lies in whole squares.
  enum class Way : int32_t {
    kSingle,   ///< one value
    kAlong,    ///< aligned packs along the last axis
    kAcross,   ///< aligned packs along the other
    kScattered ///< none of these
  };
  /// An operand's elements of a square: line k is a row, or where turned a column.
  template <class T> struct Square {
    Pack<T> line[kSide];
    bool turned;
  };

  F f;
  std::byte* out;
  Source in[kInputs];
  Way way[kOperands];
  int32_t packed;                                          ///< none is scattered
  int64_t rows, columns;                                   ///< along the axis across, and along the last
  int64_t row_stride[kOperands], column_stride[kOperands]; ///< bytes
  Offsets<kOperands + 2> tiles; ///< of operands, then the row and the column a tile begins at
  int64_t tile_count;

  static SquareTask of(const F& f, std::byte* out, const Source (&sources)[kInputs], const Plan& plan, int across) {
    constexpr int kSizes[] = {static_cast<int>(sizeof(Out)), static_cast<int>(sizeof(In))...};
    const int last = plan.rank - 1;
    SquareTask task{f, out, {}, {}, 1, plan.shape[across], plan.shape[last], {}, {}, {}, 0};
    std::copy(std::begin(sources), std::end(sources), task.in);
    Plan walk = begin_plan(0, nullptr);
    walk.operands = kOperands + 2;
    const auto add = [&](int axis, int64_t extent, int64_t step) {
      for (int k = 0; k < kOperands; ++k) walk.stride[k][walk.rank] = plan.stride[k][axis] * step;
      walk.stride[kOperands][walk.rank] = axis == across ? step : 0;
      walk.stride[kOperands + 1][walk.rank] = axis == last ? step : 0;
      walk.shape[walk.rank++] = extent;
      walk.count *= extent;
    };
    for (int axis = 0; axis < last; ++axis)
      if (axis != across) add(axis, plan.shape[axis], 1);
    add(across, ceil_div(task.rows, kTile), kTile);
    add(last, ceil_div(task.columns, kTile), kTile);
    task.tiles = Offsets<kOperands + 2>::of(walk);
    task.tile_count = walk.count;
    for (int k = 0; k < kOperands; ++k) {
      task.row_stride[k] = plan.stride[k][across];
      task.column_stride[k] = plan.stride[k][last];
      const bool single = k > 0 && sources[k - 1].dense == 0;
      task.way[k] = single ? Way::kSingle : way_of(plan, k, across, kSizes[k], k == 0 ? out : sources[k - 1].data);
      if (task.way[k] == Way::kScattered || task.way[0] == Way::kAcross) task.packed = 0;
    }
    return task;
  }

  int64_t items() const { return tile_count * kFlatThreads; }

  TS_HD void operator()(int64_t item) const {
    // Lanes of a warp are 4 down and 8 along, warps of a tile 4 down and 2 along.
    const int within = static_cast<int>(item % kFlatThreads), lane = within % 32, warp = within / 32;
    const int down = (warp / 2 * 4 + lane / 8) * kSide, along = (warp % 2 * 8 + lane % 8) * kSide;
    int64_t offset[kOperands + 2];
    tiles.at(item / kFlatThreads, offset);
    const int64_t rows_left = rows - offset[kOperands] - down, columns_left = columns - offset[kOperands + 1] - along;
    if (rows_left <= 0 || columns_left <= 0) return;
    for (int k = 0; k < kOperands; ++k) offset[k] += down * row_stride[k] + along * column_stride[k];
    square(offset, static_cast<int>(rows_left < kSide ? rows_left : kSide),
           static_cast<int>(columns_left < kSide ? columns_left : kSide), std::make_index_sequence<kInputs>{});
  }

private:
  static Way way_of(const Plan& plan, int k, int across, int size, const std::byte* data) {
    const int last = plan.rank - 1, pack = size * kSide;
    if (!is_aligned(data, pack)) return Way::kScattered;
    const auto whole_packs_beside = [&](int dense) {
      for (int axis = 0; axis < plan.rank; ++axis)
        if (axis != dense && plan.stride[k][axis] % pack != 0) return false;
      return plan.stride[k][dense] == size;
    };
    if (whole_packs_beside(last)) return Way::kAlong;
    return whole_packs_beside(across) ? Way::kAcross : Way::kScattered;
  }

  template <size_t... k>
  TS_HD void square(const int64_t (&offset)[kOperands + 2], int height, int width, std::index_sequence<k...>) const {
    if (packed != 0 && height == kSide && width == kSide) {
      by_rows(out + offset[0], load<In>(static_cast<int>(k), offset[1 + k])...);
      return;
    }
    TS_UNROLL_NOT
    for (int i = 0; i < height; ++i) {
      TS_UNROLL_NOT
      for (int j = 0; j < width; ++j)
        *reinterpret_cast<Out*>(out + offset[0] + place(0, i, j)) =
            apply<Out>(f, element<In>(static_cast<int>(k), offset[1 + k] + place(1 + static_cast<int>(k), i, j))...);
    }
  }
  TS_HD int64_t place(int operand, int row, int column) const {
    return row * row_stride[operand] + column * column_stride[operand];
  }
  template <class T> TS_HD T element(int k, int64_t offset) const {
    return in[k].data == nullptr ? in[k].template single<T>() : *reinterpret_cast<const T*>(in[k].data + offset);
  }

  template <class T> TS_HD Square<T> load(int k, int64_t offset) const {
    Square<T> square;
    square.turned = way[1 + k] == Way::kAcross;
    if (way[1 + k] == Way::kSingle) {
      const T value = in[k].template single<T>();
      TS_UNROLL
      for (int i = 0; i < kSide; ++i) {
        TS_UNROLL
        for (int j = 0; j < kSide; ++j) square.line[i].value[j] = value;
      }
      return square;
    }
    const int64_t step = square.turned ? column_stride[1 + k] : row_stride[1 + k];
    TS_UNROLL
    for (int i = 0; i < kSide; ++i) square.line[i] = load_whole<Pack<T>>(in[k].data + offset + i * step);
    return square;
  }

  /// The next row of a square. Registers have no index that is known only at run time, so the rest moves up.
  template <class T> TS_HD static Pack<T> next_row(Square<T>& square) {
    Pack<T> row;
    if (square.turned) {
      TS_UNROLL
      for (int j = 0; j < kSide; ++j) {
        row.value[j] = square.line[j].value[0];
        TS_UNROLL
        for (int i = 1; i < kSide; ++i) square.line[j].value[i - 1] = square.line[j].value[i];
      }
    } else {
      row = square.line[0];
      TS_UNROLL
      for (int i = 1; i < kSide; ++i) square.line[i - 1] = square.line[i];
    }
    return row;
  }

  TS_HD void by_rows(std::byte* z, Square<In>... x) const {
    TS_UNROLL_NOT
    for (int i = 0; i < kSide; ++i, z += row_stride[0]) store_whole(row(next_row(x)...), z);
  }
  TS_HD Pack<Out> row(const Pack<In>&... x) const {
    Pack<Out> result;
    TS_UNROLL
    for (int j = 0; j < kSide; ++j) result.value[j] = apply<Out>(f, x.value[j]...);
    return result;
  }
};

} // namespace ts::kernels
