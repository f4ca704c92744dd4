// The fixed trees in which every reduction combines, and the two tasks that climb them. A tree depends on the number of
// elements and on which axis is reduced; never on strides, route, device or the number of threads.
//
// A reduction is rows x length: `length` elements, numbered in row-major order of the reduced axes, for each output.
// Axes of extent 1 do not count. (spec/execution.md)
//
// Run. Up to 16 elements. Element i joins lane i mod 4, in order, each lane starting at the identity; the run's value is
// (lane 0 with lane 1) with (lane 2 with lane 3). Moments and logsumexp take passes of their own.
//
// Row tree, where the last axis is among the reduced ones. The row is cut into chunks of 4096. A chunk belongs to a group
// of W lanes: W = 256 where there are several chunks, else the smallest power of two with 16 W >= length. Lane g folds
// the run of elements 4g + j + 4Wv (j = 0..3 within v = 0..3). Lanes then combine, lane l with lane l + d, for
// d = 16, 8, 4, 2, 1 inside each 32 lanes (from W/2 where W < 32), then for d = W/2 down to 32. The chunks' values form
// a row that is reduced in the same way, until one is left.
//
// Column tree, where it is not. The elements of a column are cut into runs of 64, each folded as four runs of 16 that
// are combined in order, starting at the identity. The values of the runs form a column that is reduced in the same way.
//
// Depth, for the error bound k = min(n, 256) + ceil(log2 n): a run 4 + 2; a chunk 6 + log2 W <= 14; a column run
// 6 + 4 = 10 per factor of 64.
#pragma once

#include "backends/kernels/mutate.h"
#include "backends/kernels/offsets.h"
#include "backends/kernels/unroll.h"
#include "backends/kernels/whole.h"

#include <cstddef>
#include <cstdint>

namespace ts::kernels {

inline constexpr int kReduceLanes = 4;
inline constexpr int kReduceRun = 16;
inline constexpr int kReduceThreads = 256;
inline constexpr int64_t kReduceChunk = int64_t{kReduceThreads} * kReduceRun;
inline constexpr int64_t kReduceColumnRun = 64;

/// How many of the 16 elements first + j + pitch v lie below length: always the leading ones.
TS_HD int run_count(int64_t first, int64_t pitch, int64_t length) {
  int count = 0;
  TS_UNROLL
  for (int v = 0; v < kReduceRun / kReduceLanes; ++v) {
    const int64_t left = length - (first + v * pitch);
    count += left <= 0 ? 0 : left < kReduceLanes ? static_cast<int>(left) : kReduceLanes;
  }
  return count;
}

/// Element i of a run.
TS_HD int64_t run_index(int64_t first, int64_t pitch, int i) {
  return first + i / kReduceLanes * pitch + i % kReduceLanes;
}

/// Folds a run into four lanes and those into one. join(acc, item) adds an item, combine(acc, acc) two lanes.
template <class Acc, class Item, class Join, class Combine>
TS_HD Acc fold_lanes(const Acc& identity, const Item (&item)[kReduceRun], int count, const Join& join,
                     const Combine& combine) {
  Acc lane[kReduceLanes] = {identity, identity, identity, identity};
  if (count == kReduceRun) {
    TS_UNROLL
    for (int v = 0; v < kReduceRun; v += kReduceLanes) {
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) lane[j] = join(lane[j], item[v + j]);
    }
  } else {
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= count) break;
      lane[i % kReduceLanes] = join(lane[i % kReduceLanes], item[i]);
    }
  }
  return combine(combine(lane[0], lane[1]), combine(lane[2], lane[3]));
}

/// The sum of a whole run, in pairs throughout.
template <class A> TS_HD A sum_in_pairs(const A (&item)[kReduceRun]) {
  A lane[kReduceLanes];
  TS_UNROLL
  for (int j = 0; j < kReduceLanes; ++j) lane[j] = (item[j] + item[4 + j]) + (item[8 + j] + item[12 + j]);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

namespace detail {

template <class Reducer> struct Nearby { using Acc = typename Reducer::Acc; };
template <class Reducer>
requires Reducer::kPlaced struct Nearby<Reducer> {
  using Acc = typename Reducer::Near;
};

} // namespace detail

/// What a level's tree carries: where elements are placed, their places within a chunk, which are small.
template <class Reducer, class Input>
using Carried = std::conditional_t<Input::kElements, typename detail::Nearby<Reducer>::Acc, typename Reducer::Acc>;

/// The identity of a tree that carries Acc.
template <class Acc, class Reducer> TS_HD Acc identity_of(const Reducer& reducer) {
  if constexpr (Reducer::kPlaced)
    return reducer.template identity<Acc>();
  else
    return reducer.identity();
}

/// What is carried, as it leaves the tree. `index` is that of an element in the same chunk.
template <class Reducer, class Value>
TS_HD typename Reducer::Acc widened(const Reducer& reducer, const Value& value, int64_t index) {
  if constexpr (std::is_same_v<Value, typename Reducer::Acc>)
    return value;
  else
    return reducer.widen(value, index);
}

/// Four elements in one load, where they are aligned for it.
template <class T> struct alignas(sizeof(T) * kReduceLanes) FourElements { T value[kReduceLanes]; };

/// Elements of an operand: `kept` walks the outputs, `reduced` the elements of one of them, in bytes.
template <class T> struct ReduceElements {
  static constexpr bool kElements = true;
  const std::byte* data; ///< null for an immediate
  T immediate;
  Offsets<1> kept;
  Offsets<1> reduced;
  int64_t length;
  bool wide; ///< elements of a row follow each other and every fourth is aligned for FourElements

  TS_HD int64_t base(int64_t row) const {
    int64_t offset[1];
    kept.at(row, offset);
    return offset[0];
  }
  template <class Reducer>
  TS_HD Carried<Reducer, ReduceElements> fold(const Reducer& reducer, int64_t start, int64_t first,
                                              int64_t pitch) const {
    const int elements =
        run_count(first, pitch, TS_MUTATE("TL06L", length, length > 1 << 16 ? length & ~int64_t{3} : length));
    const int count = TS_MUTATE("TL06", elements, wide ? elements & ~3 : elements);
    // A whole run is loaded before any of it is looked at: a device then has all loads on the way at once. Elements that lie
    // anywhere have an array of their own, since that one is not kept in registers.
    typename Reducer::Item item[kReduceRun];
    if (reduced.rank > 1) {
      T anywhere[kReduceRun];
      load_anywhere(anywhere, start, first, pitch, count);
      lift_some(reducer, anywhere, item, count, first, pitch);
    } else if (count == kReduceRun) {
      T value[kReduceRun];
      if (wide)
        load_wide(value, start, first, pitch);
      else
        load_line(value, start, first, pitch);
      TS_UNROLL
      for (int i = 0; i < kReduceRun; ++i) item[i] = reducer.lift(value[i], run_index(first, pitch, i));
    } else {
      TS_UNROLL_ON_DEVICE
      for (int i = 0; i < kReduceRun; ++i) {
        if (i >= count) break;
        const int64_t index = run_index(first, pitch, i);
        item[i] = reducer.lift(load(start + place(index)), index);
      }
    }
    if (TS_MUTATE("RD06", false, length > int64_t{kReduceThreads} * kReduceRun)) { // the last block padded with zeros
      for (int i = count; i < kReduceRun; ++i) item[i] = reducer.lift(T{}, run_index(first, pitch, i));
      return run(reducer, item, kReduceRun, first, pitch);
    }
    return run(reducer, item, count, first, pitch);
  }

private:
  TS_HD T load(int64_t offset) const {
    return data == nullptr ? immediate : *reinterpret_cast<const T*>(data + offset);
  }
  /// Bytes to an element where the reduced axes merge into one.
  TS_HD int64_t place(int64_t index) const {
    return TS_MUTATE("RD11", index, index * 2 == length ? 0 : index) * reduced.stride[0][0];
  }
  TS_HD void load_line(T (&value)[kReduceRun], int64_t start, int64_t first, int64_t pitch) const {
    if (TS_MUTATE("RD11", false, true)) {
      for (int i = 0; i < kReduceRun; ++i) value[i] = load(start + place(run_index(first, pitch, i)));
      return;
    }
    if (data == nullptr) {
      TS_UNROLL
      for (int i = 0; i < kReduceRun; ++i) value[i] = immediate;
      return;
    }
    const int64_t step = reduced.stride[0][0];
    const std::byte* four = data + start + first * step;
    TS_UNROLL
    for (int v = 0; v < kReduceRun; v += kReduceLanes) {
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) value[v + j] = *reinterpret_cast<const T*>(four + j * step);
      four += pitch * step;
    }
  }
  /// Where they do not.
  TS_HD void load_anywhere(T (&value)[kReduceRun], int64_t start, int64_t first, int64_t pitch, int count) const {
    TS_UNROLL_NOT
    for (int i = 0; i < count; ++i) {
      int64_t offset[1];
      reduced.at(run_index(first, pitch, i), offset);
      value[i] = load(start + offset[0]);
    }
  }
  template <class Reducer>
  TS_HD static void lift_some(const Reducer& reducer, const T (&value)[kReduceRun],
                              typename Reducer::Item (&item)[kReduceRun], int count, int64_t first, int64_t pitch) {
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= count) break;
      item[i] = reducer.lift(value[i], run_index(first, pitch, i));
    }
  }
  TS_HD void load_wide(T (&value)[kReduceRun], int64_t start, int64_t first, int64_t pitch) const {
    FourElements<T> four[kReduceRun / kReduceLanes];
    TS_UNROLL
    for (int v = 0; v < kReduceRun / kReduceLanes; ++v)
      four[v] = load_whole<FourElements<T>>(data + start + (first + v * pitch) * static_cast<int64_t>(sizeof(T)));
    TS_UNROLL
    for (int i = 0; i < kReduceRun; ++i) value[i] = four[i / kReduceLanes].value[i % kReduceLanes];
  }
  /// A reducer that keeps places is told where the run lies.
  template <class Reducer>
  TS_HD static Carried<Reducer, ReduceElements> run(const Reducer& reducer,
                                                    const typename Reducer::Item (&item)[kReduceRun], int count,
                                                    int64_t first, int64_t pitch) {
    if constexpr (Reducer::kPlaced)
      return reducer.run(item, count, first, pitch);
    else
      return reducer.run(item, count);
  }
};

/// Values of the level below: element r of output o is data[o outer + r inner].
template <class Acc> struct ReducePartials {
  static constexpr bool kElements = false;
  const Acc* data;
  int64_t outer;
  int64_t inner;
  int64_t length;

  TS_HD int64_t base(int64_t row) const { return row * outer; }

  template <class Reducer> TS_HD Acc fold(const Reducer& reducer, int64_t start, int64_t first, int64_t pitch) const {
    const int count = run_count(first, pitch, length);
    Acc item[kReduceRun];
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= count) break;
      item[i] = data[start + run_index(first, pitch, i) * inner];
    }
    const auto combine = [&reducer](const Acc& a, const Acc& b) { return reducer.combine(a, b); };
    return fold_lanes(identity_of<Acc>(reducer), item, count, combine, combine);
  }
};

/// Where values go: the output itself, or the next level's elements.
template <class Acc> struct ReduceTarget {
  std::byte* z;
  Offsets<1> kept;
  Acc* partials; ///< null at the last level

  template <class Reducer>
  TS_HD void put(const Reducer& reducer, const Acc& value, int64_t row, int64_t partial) const {
    if (partials != nullptr) {
      partials[partial] = value;
      return;
    }
    int64_t offset[1];
    kept.at(row, offset);
    reducer.store(value, z + offset[0]);
  }
};

/// One level of the row tree: groups of 2^width_log2 threads, each with one chunk of one row.
template <class Reducer, class Input> struct ReduceRows {
  using Acc = Carried<Reducer, Input>;
  static constexpr int kThreads = kReduceThreads;
  static constexpr int kMinBlocks = 4;
  struct Total {};
  using Phases = Sequence<ReduceTeams<Total>>;
  struct Shared {};
  struct Local {};

  Reducer reducer;
  Input in;
  ReduceTarget<typename Reducer::Acc> out;
  int64_t rows;
  int64_t chunks;
  int32_t width_log2;

  TS_HD int64_t blocks() const { return ceil_div(rows * chunks, kThreads >> width_log2); }
  TS_HD int64_t group(const At& at) const { return at.block * (kThreads >> width_log2) + (at.thread >> width_log2); }

  TS_HD int32_t team_log2(Total) const { return width_log2; }
  TS_HD Acc give(Total, const At& at, Shared&, Local&) const {
    const int64_t mine = group(at);
    if (mine >= rows * chunks) return identity_of<Acc>(reducer);
    const int64_t row = chunks == 1 ? mine : mine / chunks;
    const int lane = at.thread & ((1 << width_log2) - 1);
    const int64_t first = (mine - row * chunks) * kReduceChunk + int64_t{lane} * kReduceLanes;
    return in.fold(reducer, in.base(row), first, int64_t{kReduceLanes} << width_log2);
  }
  TS_HD Acc combine(Total, const Acc& left, const Acc& right) const { return reducer.combine(left, right); }
  TS_HD int64_t chunk(int64_t mine) const { return chunks == 1 ? 0 : mine % chunks; }
  TS_HD void take(Total, const At& at, const Acc& total, Shared&, Local&) const {
    const int64_t mine = group(at);
    if (mine >= rows * chunks) return;
    out.put(reducer, widened(reducer, total, chunk(mine) * kReduceChunk), mine,
            mine); // a row is its only chunk at last
  }
};

/// One level of the column tree: a work item folds one run of one column.
template <class Reducer, class Input> struct ReduceColumns {
  using Acc = Carried<Reducer, Input>;

  Reducer reducer;
  Input in;
  ReduceTarget<typename Reducer::Acc> out;
  int64_t columns;

  TS_HD void operator()(int64_t item) const {
    const int64_t run = item / columns, column = item - run * columns;
    const int64_t start = in.base(column);
    Acc value = identity_of<Acc>(reducer);
    for (int64_t part = 0; part < kReduceColumnRun; part += kReduceRun) {
      const int64_t first = run * kReduceColumnRun + part;
      if (first >= in.length) break;
      value = reducer.combine(value, in.fold(reducer, start, first, kReduceLanes));
    }
    out.put(reducer, widened(reducer, value, run * kReduceColumnRun), column, item);
  }
};

} // namespace ts::kernels
