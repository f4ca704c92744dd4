// The fixed trees in which every reduction combines, and the tasks that climb them. A tree depends on the number of
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
#include <type_traits>

namespace ts::kernels {

inline constexpr int kReduceLanes = 4;
inline constexpr int kReduceRun = 16;
inline constexpr int kReduceThreads = 256;
inline constexpr int64_t kReduceChunk = int64_t{kReduceThreads} * kReduceRun;
inline constexpr int64_t kReduceColumnRun = 64;

/// Division of numbers below `count` by a constant known at launch, in 32 bits where they fit.
struct Quotient {
  int64_t divisor;
  Divider divider; ///< where narrow
  bool narrow;

  static Quotient of(int64_t divisor, int64_t count) {
    const bool narrow = count <= INT32_MAX && divisor <= INT32_MAX;
    return {divisor, Divider::of(narrow ? static_cast<uint32_t>(divisor) : 1U), narrow};
  }
  TS_HD int64_t operator()(int64_t n) const {
    return narrow ? static_cast<int64_t>(divider.divide(static_cast<uint32_t>(n))) : n / divisor;
  }
};

/// Elements from `first` on, or more than any run reaches: a number that 32 bits hold.
TS_HD int run_left(int64_t first, int64_t length) {
  constexpr int64_t kFar = 2 * kReduceChunk;
  const int64_t left = length - first;
  return static_cast<int>(left < kFar ? left : kFar);
}

/// How many of the four elements that begin `left` before the end are there.
TS_HD int four_left(int left) { return left <= 0 ? 0 : left < kReduceLanes ? left : kReduceLanes; }

/// How many of the 16 elements first + j + pitch v lie below length: always the leading ones.
TS_HD int run_count(int64_t first, int pitch, int64_t length) {
  const int left = run_left(first, length);
  if (left >= 3 * pitch + kReduceLanes) return kReduceRun;
  int count = 0;
  TS_UNROLL
  for (int v = 0; v < kReduceRun / kReduceLanes; ++v) count += four_left(left - v * pitch);
  return count;
}

/// Element i of a run.
TS_HD int64_t run_index(int64_t first, int pitch, int i) {
  return first + (i / kReduceLanes * pitch + i % kReduceLanes);
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

template <class T> struct alignas(sizeof(T) * 2) TwoElements { T value[2]; };

/// Elements of an operand: `kept` walks the outputs, `reduced` the elements of one of them, in bytes.
template <class T> struct ReduceElements {
  static constexpr bool kElements = true;
  using Element = T;
  const std::byte* data; ///< null for an immediate
  T immediate;
  Offsets<1> kept;
  Offsets<1> reduced;
  int64_t length;
  bool packed; ///< elements of a row follow each other, rows anywhere

  TS_HD int64_t base(int64_t row) const {
    int64_t offset[1];
    kept.at(row, offset);
    return offset[0];
  }

  /// A run that is on its way: a device has all its loads, and those of other runs, out before it looks at any.
  struct Loaded {
    T value[kReduceRun];
    int count;
  };
  template <bool kRows> TS_HD void load(int64_t start, int64_t first, int pitch, Loaded& run) const {
    const int elements = run_count(first, pitch, extent());
    run.count = TS_MUTATE("TL06", elements, packed ? elements & ~3 : elements);
    if (kRows && packed) return load_packed(run, start, first, pitch);
    if (data == nullptr) {
      TS_UNROLL
      for (int i = 0; i < kReduceRun; ++i) run.value[i] = immediate;
      return;
    }
    if (reduced.rank > 1) return load_anywhere(run, start, first, pitch);
    load_line(run, start, first, pitch);
  }
  template <class Reducer>
  TS_HD Carried<Reducer, ReduceElements> fold(const Reducer& reducer, int64_t first, int pitch,
                                              const Loaded& run) const {
    typename Reducer::Item item[kReduceRun];
    if (run.count == kReduceRun) {
      TS_UNROLL
      for (int i = 0; i < kReduceRun; ++i) item[i] = reducer.lift(run.value[i], run_index(first, pitch, i));
    } else {
      TS_UNROLL_ON_DEVICE
      for (int i = 0; i < kReduceRun; ++i) {
        if (i >= run.count) break;
        item[i] = reducer.lift(run.value[i], run_index(first, pitch, i));
      }
    }
    if (TS_MUTATE("RD06", false, length > int64_t{kReduceThreads} * kReduceRun)) { // the last block padded with zeros
      for (int i = run.count; i < kReduceRun; ++i) item[i] = reducer.lift(T{}, run_index(first, pitch, i));
      return fold_items(reducer, item, kReduceRun, first, pitch);
    }
    return fold_items(reducer, item, run.count, first, pitch);
  }

  /// Whether whole runs of a column may be loaded by load_plain.
  TS_HD bool plain() const { return data != nullptr && reduced.rank <= 1 && TS_MUTATE("RD11", true, false); }
  TS_HD int64_t extent() const { return TS_MUTATE("TL06L", length, length > 1 << 16 ? length & ~int64_t{3} : length); }
  TS_HD void load_plain(int64_t start, int64_t first, int pitch, Loaded& run) const {
    const int64_t step = reduced.stride[0][0];
    const std::byte* four = data + start + first * step;
    TS_UNROLL
    for (int v = 0; v < kReduceRun; v += kReduceLanes) {
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) run.value[v + j] = *reinterpret_cast<const T*>(four + j * step);
      four += pitch * step;
    }
    run.count = kReduceRun;
  }

private:
  static constexpr int kBytes = static_cast<int>(sizeof(T));

  /// Rows begin anywhere: of a whole run, four elements come in the aligned pieces that hold them. Nothing outside the row is read:
  /// its first and its last element may have to come alone.
  TS_HD void load_packed(Loaded& run, int64_t start, int64_t first, int pitch) const {
    const std::byte* row = data + start;
    const std::byte* at = row + first * kBytes;
    const int past = static_cast<int>(reinterpret_cast<uintptr_t>(row) % sizeof(FourElements<T>)) / kBytes;
    const int shift = TS_MUTATE("TL09", past, 0);
    const int reach = (kReduceRun / kReduceLanes - 1) * pitch + kReduceLanes + (shift == 3 ? 1 : 0);
    if (run_left(first, length) >= reach && !(shift == 1 && first == 0) && run.count == kReduceRun) {
      switch (shift) {
        case 0: return load_fours<0>(run, at, pitch);
        case 1: return load_fours<1>(run, at, pitch);
        case 2: return load_fours<2>(run, at, pitch);
        default: return load_fours<3>(run, at, pitch);
      }
    }
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= run.count) break;
      run.value[i] = element(at, static_cast<int>(run_index(0, pitch, i)));
    }
  }
  template <int kShift> TS_HD static void load_fours(Loaded& run, const std::byte* at, int pitch) {
    TS_UNROLL
    for (int v = 0; v < kReduceRun / kReduceLanes; ++v)
      load_four<kShift>(run.value + v * kReduceLanes, at + static_cast<ptrdiff_t>(v * pitch * kBytes));
  }
  TS_HD static T element(const std::byte* at, int i) {
    return *reinterpret_cast<const T*>(at + static_cast<ptrdiff_t>(i * kBytes));
  }
  /// Four elements, of which the first lies kShift past an aligned four: where that is odd, one more is read, before or after.
  template <int kShift> TS_HD static void load_four(T* value, const std::byte* at) {
    if constexpr (kShift == 0) {
      const auto four = load_whole<FourElements<T>>(at);
      TS_UNROLL
      for (int j = 0; j < kReduceLanes; ++j) value[j] = four.value[j];
    } else if constexpr (kShift == 1) {
      const auto four = load_whole<FourElements<T>>(at - kBytes);
      value[3] = element(at, 3);
      TS_UNROLL
      for (int j = 0; j < 3; ++j) value[j] = four.value[j + 1];
    } else if constexpr (kShift == 2) {
      const auto low = load_whole<TwoElements<T>>(at), high = load_whole<TwoElements<T>>(at + sizeof(TwoElements<T>));
      value[0] = low.value[0], value[1] = low.value[1];
      value[2] = high.value[0], value[3] = high.value[1];
    } else {
      value[0] = element(at, 0);
      const auto four = load_whole<FourElements<T>>(at + kBytes);
      TS_UNROLL
      for (int j = 0; j < 3; ++j) value[j + 1] = four.value[j];
    }
  }
  /// Where the reduced axes merge into one.
  TS_HD void load_line(Loaded& run, int64_t start, int64_t first, int pitch) const {
    if (run.count == kReduceRun && plain()) return load_plain(start, first, pitch, run);
    const int64_t step = reduced.stride[0][0];
    const std::byte* line = data + start;
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= run.count) break;
      const int64_t index = run_index(first, pitch, i);
      run.value[i] =
          *reinterpret_cast<const T*>(line + TS_MUTATE("RD11", index, index * 2 == length ? 0 : index) * step);
    }
  }
  /// Where they do not. What came before moves up for each: an index that is known only at run time would take a run out of
  /// registers, here and where its loads are plain.
  TS_HD void load_anywhere(Loaded& run, int64_t start, int64_t first, int pitch) const {
    TS_UNROLL
    for (int i = 0; i < kReduceRun; ++i) run.value[i] = T{};
    TS_UNROLL_NOT
    for (int i = 0; i < kReduceRun; ++i) {
      T next{};
      if (i < run.count) {
        int64_t offset[1];
        reduced.at(run_index(first, pitch, i), offset);
        next = *reinterpret_cast<const T*>(data + start + offset[0]);
      }
      TS_UNROLL
      for (int k = 1; k < kReduceRun; ++k) run.value[k - 1] = run.value[k];
      run.value[kReduceRun - 1] = next;
    }
  }
  /// A reducer that keeps places is told where the run lies.
  template <class Reducer>
  TS_HD static Carried<Reducer, ReduceElements> fold_items(const Reducer& reducer,
                                                           const typename Reducer::Item (&item)[kReduceRun], int count,
                                                           int64_t first, int pitch) {
    if constexpr (Reducer::kPlaced)
      return reducer.run(item, count, first, pitch);
    else
      return reducer.run(item, count);
  }
};

/// Values of the level below: element r of output o is data[o outer + r inner].
template <class Acc> struct ReducePartials {
  static constexpr bool kElements = false;
  using Element = Acc;
  const Acc* data;
  int64_t outer;
  int64_t inner;
  int64_t length;

  TS_HD int64_t base(int64_t row) const { return row * outer; }

  struct Loaded {
    Acc value[kReduceRun];
    int count;
  };
  template <bool kRows> TS_HD void load(int64_t start, int64_t first, int pitch, Loaded& run) const {
    run.count = run_count(first, pitch, length);
    if (run.count == kReduceRun) return load_plain(start, first, pitch, run);
    const Acc* from = data + start;
    TS_UNROLL_ON_DEVICE
    for (int i = 0; i < kReduceRun; ++i) {
      if (i >= run.count) break;
      run.value[i] = from[run_index(first, pitch, i) * inner];
    }
  }
  TS_HD bool plain() const { return true; }
  TS_HD int64_t extent() const { return length; }
  TS_HD void load_plain(int64_t start, int64_t first, int pitch, Loaded& run) const {
    const Acc* from = data + start + first * inner;
    TS_UNROLL
    for (int i = 0; i < kReduceRun; ++i) run.value[i] = from[run_index(0, pitch, i) * inner];
    run.count = kReduceRun;
  }
  template <class Reducer> TS_HD Acc fold(const Reducer& reducer, int64_t, int, const Loaded& run) const {
    const auto combine = [&reducer](const Acc& a, const Acc& b) { return reducer.combine(a, b); };
    return fold_lanes(identity_of<Acc>(reducer), run.value, run.count, combine, combine);
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
  Quotient by_chunks;
  int32_t width_log2;

  TS_HD int64_t blocks() const { return ceil_div(rows * chunks, kThreads >> width_log2); }
  TS_HD int64_t group(const At& at) const { return at.block * (kThreads >> width_log2) + (at.thread >> width_log2); }
  /// The first element of a group's chunk, and its row.
  TS_HD int64_t begin(int64_t mine, int64_t& row) const {
    row = chunks == 1 ? mine : by_chunks(mine);
    return (mine - row * chunks) * kReduceChunk;
  }

  TS_HD int32_t team_log2(Total) const { return width_log2; }
  TS_HD Acc give(Total, const At& at, Shared&, Local&) const {
    const int64_t mine = group(at);
    if (mine >= rows * chunks) return identity_of<Acc>(reducer);
    int64_t row = 0;
    const int lane = at.thread & ((1 << width_log2) - 1), pitch = kReduceLanes << width_log2;
    const int64_t first = begin(mine, row) + lane * kReduceLanes;
    typename Input::Loaded run;
    in.template load<true>(in.base(row), first, pitch, run);
    return in.fold(reducer, first, pitch, run);
  }
  TS_HD Acc combine(Total, const Acc& left, const Acc& right) const { return reducer.combine(left, right); }
  TS_HD void take(Total, const At& at, const Acc& total, Shared&, Local&) const {
    const int64_t mine = group(at);
    if (mine >= rows * chunks) return;
    int64_t row = 0;
    out.put(reducer, widened(reducer, total, begin(mine, row)), mine,
            mine); // a row is its only chunk at the last level
  }
};

/// Two levels of the row tree at once, where the second is one run: a block takes a whole row, two chunks at a time.
template <class Reducer, class Input> struct ReduceLines {
  using Near = Carried<Reducer, Input>;
  using Acc = typename Reducer::Acc;
  static constexpr int kThreads = kReduceThreads;
  /// Chunks whose loads a thread has out at once: what 80 registers hold.
  static constexpr int kTogether = sizeof(typename Input::Element) == 4 && sizeof(Near) <= 8 ? 2 : 1;
  static constexpr int kMinBlocks = kTogether == 2 || sizeof(typename Input::Element) > 4 ? 3 : 4;
  struct Totals {
    Near chunk[kTogether];
  };
  struct Steps {};
  struct Total {};
  using Phases = Sequence<Repeat<Steps, ReduceTeams<Total>>>;
  struct Shared {
    Acc lane[kReduceLanes]; ///< of the second level's run: its first thread's alone
  };
  struct Local {};

  Reducer reducer;
  Input in;
  ReduceTarget<Acc> out;
  int64_t rows;
  int32_t chunks; ///< 2 .. 16

  TS_HD int64_t count(Steps, int64_t) const { return (chunks + kTogether - 1) / kTogether; }
  TS_HD int32_t team_log2(Total) const { return 8; }
  TS_HD Totals give(Total, const At& at, Shared&, Local&) const {
    constexpr int kPitch = kReduceThreads * kReduceLanes;
    const int64_t start = in.base(at.block);
    const int64_t first = at.step * kTogether * kReduceChunk + static_cast<int64_t>(at.thread * kReduceLanes);
    typename Input::Loaded run[kTogether];
    TS_UNROLL
    for (int k = 0; k < kTogether; ++k)
      in.template load<true>(start, first + k * kReduceChunk, kPitch, run[k]); // past the end there is nothing
    Totals totals;
    TS_UNROLL
    for (int k = 0; k < kTogether; ++k) totals.chunk[k] = in.fold(reducer, first + k * kReduceChunk, kPitch, run[k]);
    return totals;
  }
  TS_HD Totals combine(Total, const Totals& left, const Totals& right) const {
    Totals totals;
    TS_UNROLL
    for (int k = 0; k < kTogether; ++k) totals.chunk[k] = reducer.combine(left.chunk[k], right.chunk[k]);
    return totals;
  }
  TS_HD void take(Total, const At& at, const Totals& totals, Shared& shared, Local&) const {
    if (at.step == 0) {
      TS_UNROLL
      for (Acc& lane : shared.lane) lane = identity_of<Acc>(reducer);
    }
    TS_UNROLL
    for (int k = 0; k < kTogether; ++k) {
      const int64_t chunk = at.step * kTogether + k;
      if (chunk >= chunks) break;
      Acc& lane = shared.lane[chunk % kReduceLanes];
      lane = reducer.combine(lane, widened(reducer, totals.chunk[k], chunk * kReduceChunk));
    }
    if ((at.step + 1) * kTogether < chunks) return;
    const Acc low = reducer.combine(shared.lane[0], shared.lane[1]);
    out.put(reducer, reducer.combine(low, reducer.combine(shared.lane[2], shared.lane[3])), at.block, at.block);
  }
};

/// One level of the column tree: a work item folds one run of one column.
template <class Reducer, class Input> struct ReduceColumns {
  using Acc = Carried<Reducer, Input>;
  static constexpr int kMinBlocks = sizeof(typename Input::Element) <= 4 && sizeof(Acc) <= 8 ? 3 : 2;

  Reducer reducer;
  Input in;
  ReduceTarget<typename Reducer::Acc> out;
  int64_t columns;
  Quotient by_columns;

  TS_HD void operator()(int64_t item) const {
    const int64_t run = by_columns(item), column = item - run * columns;
    const int64_t start = in.base(column), begin = run * kReduceColumnRun;
    Acc value = identity_of<Acc>(reducer);
    if (begin + kReduceColumnRun <= in.extent() && in.plain()) {
      TS_UNROLL_NOT
      for (int64_t first = begin; first < begin + kReduceColumnRun; first += static_cast<int64_t>(2 * kReduceRun)) {
        typename Input::Loaded low, high; // the loads of both on their way at once
        in.load_plain(start, first, kReduceLanes, low);
        in.load_plain(start, first + kReduceRun, kReduceLanes, high);
        value = reducer.combine(value, in.fold(reducer, first, kReduceLanes, low));
        value = reducer.combine(value, in.fold(reducer, first + kReduceRun, kReduceLanes, high));
      }
    } else {
      TS_UNROLL_NOT
      for (int64_t first = begin; first < begin + kReduceColumnRun && first < in.length; first += kReduceRun) {
        typename Input::Loaded run_of_16;
        in.template load<false>(start, first, kReduceLanes, run_of_16);
        value = reducer.combine(value, in.fold(reducer, first, kReduceLanes, run_of_16));
      }
    }
    out.put(reducer, widened(reducer, value, begin), column, item);
  }
};

} // namespace ts::kernels
