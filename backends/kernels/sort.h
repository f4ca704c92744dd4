// The sort family: sort, argsort and topk along one axis, always stable.
//
// Elements become unsigned keys (sort_keys.h): NaN above all, zeros of either sign equal, everything complemented for a
// descending order. A block sorts segments of up to 1024 keys in shared memory by a bitonic network whose order is key,
// then place, which is total; so the network is stable though its exchanges are not. Longer lines merge pairs of sorted
// runs, one launch a doubling; each entry finds its place by binary search in the other run, equal keys of the left run
// first. Values are never rebuilt from keys: they are moved from x by the index that arrives.
#pragma once

#include "backends/kernels/attributes.h"
#include "backends/kernels/mutate.h"
#include "backends/kernels/offsets.h"
#include "backends/kernels/sort_keys.h"

#include <string>

namespace ts::kernels {

inline constexpr int kSortThreads = 256;
inline constexpr int kSortSegment = 1024; ///< keys that a block holds

/// The lines of a call: elements of x in, values and indices of the first `kept` places out.
template <class U> struct SortLines {
  const std::byte* x; ///< null for an immediate
  U immediate;
  std::byte* values; ///< null for argsort
  std::byte* indices;
  KeyRule<KeyOf<U>> rule;
  Offsets<3> lines;  ///< of x, values and indices
  int64_t stride[3]; ///< bytes along the axis
  int64_t length;
  int64_t kept;

  TS_HD U bits(int64_t line_offset, int64_t index) const {
    return x == nullptr ? immediate : *reinterpret_cast<const U*>(x + line_offset + index * stride[0]);
  }
  TS_HD bool is_nan(U key) const { return rule.body != 0 && key == static_cast<U>(rule.nan); }
  TS_HD U key(int64_t line_offset, int64_t index) const { return static_cast<U>(rule.key(bits(line_offset, index))); }
  /// Writes the element that came from `index` to place `place`.
  TS_HD void put(int64_t line, int64_t place, int64_t index) const {
    int64_t offset[3];
    lines.at(line, offset);
    put_at(offset, place, index);
  }
  /// The same where the line lies at these offsets.
  TS_HD void put_at(const int64_t (&offset)[3], int64_t place, int64_t index) const {
    *reinterpret_cast<int64_t*>(indices + offset[2] + place * stride[2]) = index;
    if (values == nullptr) return;
    const U moved = bits(offset[0], index), limit = static_cast<U>(rule.limit);
    *reinterpret_cast<U*>(values + offset[1] + place * stride[1]) = moved < limit ? moved : limit;
  }
};

/// Keys of all lines with the indices they came from, between launches.
template <class U> struct SortRuns {
  U* key;
  int64_t* index;
};

/// Sorts segments: whole lines, several a block, where a line fits; else stretches of kSortSegment of one line.
template <class U> struct SortSegments {
  static constexpr int kThreads = kSortThreads;
  struct Load {};
  struct Exchange {};
  struct Store {};
  using Phases = Sequence<Once<Load>, Loop<Exchange>, Once<Store>>;
  struct Shared {
    U key[kSortSegment];
    int32_t place[kSortSegment]; ///< in the segment; past its end for padding
  };
  struct Local {};

  SortLines<U> lines;
  SortRuns<U> out; ///< where key is null the segments are whole lines, and go to their results
  int64_t line_count;
  int64_t per_line;     ///< segments of a line
  int32_t segment_log2; ///< keys of a segment, padding included

  TS_HD int64_t segments() const { return line_count * per_line; }
  TS_HD int64_t blocks() const { return ceil_div(segments(), kSortSegment >> segment_log2); }

  /// Keys in use, padding included: the last block of short lines may hold few.
  TS_HD int used(int64_t block) const {
    const int64_t left = (segments() - block * (kSortSegment >> segment_log2)) << segment_log2;
    return left < kSortSegment ? static_cast<int>(left) : kSortSegment;
  }

  struct Slot {
    int64_t line, first; ///< first: of the segment, in its line
    int32_t place;
    bool real;
  };
  TS_HD Slot slot(int64_t block, int e) const {
    const int64_t segment = block * (kSortSegment >> segment_log2) + (e >> segment_log2);
    const int32_t place = e & ((1 << segment_log2) - 1);
    const int64_t line = segment / per_line, first = (segment - line * per_line) * kSortSegment;
    return {line, first, place, first + place < lines.length};
  }

  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    for (int e = at.thread; e < used(at.block); e += kThreads) {
      const Slot s = slot(at.block, e);
      shared.key[e] = static_cast<U>(~U{0});
      shared.place[e] = s.real ? s.place : s.place + kSortSegment; // padding stays last
      if (!s.real) continue;
      int64_t offset[3];
      lines.lines.at(s.line, offset);
      shared.key[e] = lines.key(offset[0], s.first + s.place);
    }
  }

  /// Stages 1 .. segment_log2; stage s compares at distances 2^(s-1) .. 1.
  TS_HD int64_t count(Exchange, int64_t) const { return segment_log2 * (segment_log2 + 1) / 2; }
  TS_HD void operator()(Exchange, const At& at, Shared& shared, Local&) const {
    int stage = 1, step = static_cast<int>(at.step);
    while (step >= stage) step -= stage++;
    const int log2 = stage - 1 - step, distance = 1 << log2;
    for (int pair = at.thread; pair < used(at.block) / 2; pair += kThreads) {
      const int low = (pair >> log2 << (log2 + 1)) + (pair & (distance - 1)), high = low + distance;
      const bool falling = (low >> stage & 1) != 0 && stage < segment_log2;
      const U a = shared.key[low], b = shared.key[high];
      const int32_t pa = shared.place[low], pb = shared.place[high];
      const bool ordered = TS_MUTATE("SP09", true, !lines.is_nan(a) && !lines.is_nan(b));
      const bool after = ordered && (a > b || (a == b && pa > pb));
      if (after == falling) continue;
      shared.key[low] = b;
      shared.key[high] = a;
      shared.place[low] = pb;
      shared.place[high] = pa;
    }
  }

  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    for (int e = at.thread; e < used(at.block); e += kThreads) {
      const Slot s = slot(at.block, e);
      if (!s.real) continue;
      const int64_t index = s.first + shared.place[e];
      if (out.key == nullptr) {
        if (s.place < lines.kept) lines.put(s.line, s.place, index);
        continue;
      }
      const int64_t target = s.line * lines.length + s.first + s.place;
      out.key[target] = shared.key[e];
      out.index[target] = index;
    }
  }
};

/// One doubling: an entry moves to its place in the union of its run and the neighbouring run of `run` entries.
template <class U> struct SortMerge {
  SortLines<U> lines;
  SortRuns<U> in;
  SortRuns<U> out; ///< where key is null this is the last doubling, and entries go to their results
  int64_t run;

  /// How many keys of [begin, begin + count) come before `key`; equal ones do where they stand in the left run.
  TS_HD static int64_t before(const U* begin, int64_t count, U key, bool equal_too) {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (begin[middle] < key || (equal_too && begin[middle] == key))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  TS_HD void operator()(int64_t item) const {
    const int64_t line = item / lines.length, position = item - line * lines.length;
    const int64_t pair = position / (2 * run) * (2 * run);
    const int64_t middle = pair + run < lines.length ? pair + run : lines.length;
    const int64_t end = middle + run < lines.length ? middle + run : lines.length;
    const U* keys = in.key + line * lines.length;
    const U key = keys[position];
    const bool left = position < middle;
    const int64_t passed = left ? before(keys + middle, end - middle, key, false)
                                : before(keys + pair, middle - pair, key, TS_MUTATE("OR03", true, out.key != nullptr));
    const int64_t place = left ? position + passed : position - (middle - pair) + passed;
    const int64_t index = in.index[item];
    if (out.key == nullptr) {
      if (place < lines.kept) lines.put(line, place, index);
      return;
    }
    out.key[line * lines.length + place] = key;
    out.index[line * lines.length + place] = index;
  }
};

/// A sort, pure: its lines.
struct SortPlan {
  int64_t length;
  int64_t kept; ///< places written
  int64_t count;
  bool reverse;
  Plan lines;        ///< of x, values and indices
  int64_t stride[3]; ///< bytes along the axis
};

inline SortPlan plan_sort(const Call& call) {
  const View& x = call.inputs[0].view;
  const Attributes attributes(call);
  const int64_t axis = attributes.integer(0);
  if (axis < 0 || axis >= x.rank) throw Refusal(TS_INVALID_ARGUMENT, "axis lies outside the operand");
  const View& indices = call.outputs[call.output_count - 1];
  if (indices.dtype != TS_DTYPE_I64 || (call.output_count == 2 && call.outputs[0].dtype != x.dtype))
    throw Refusal(TS_UNSUPPORTED, "a sort gives values of the operand's dtype and indices of i64");
  SortPlan plan{};
  plan.length = x.shape[axis];
  const bool top = call.op == TS_OP_TOPK;
  plan.kept = top ? attributes.integer(1) : plan.length;
  plan.reverse = attributes.integer(top ? 2 : 1) != 0;
  if (plan.kept < 0 || plan.kept > plan.length)
    throw Refusal(TS_INVALID_ARGUMENT,
                  "k = " + std::to_string(plan.kept) + " lies outside [0, " + std::to_string(plan.length) + "]");
  const View* views[3] = {&x, &call.outputs[0], &indices};
  int64_t shape[TS_RANK_MAX] = {}, stride[3][TS_RANK_MAX] = {};
  int rank = 0;
  for (int a = 0; a < x.rank; ++a) {
    for (int k = 1; k < 3; ++k)
      if (views[k]->rank != x.rank || views[k]->shape[a] != (a == axis ? plan.kept : x.shape[a]))
        throw Refusal(TS_INVALID_ARGUMENT, "a result has the wrong extent on axis " + std::to_string(a));
    if (a == axis) continue;
    for (int k = 0; k < 3; ++k) stride[k][rank] = views[k]->stride[a];
    shape[rank++] = x.shape[a];
  }
  plan.lines = begin_plan(rank, shape);
  plan.count = plan.lines.count;
  for (int k = 0; k < 3; ++k) {
    const int bytes = itemsize(views[k]->dtype);
    add_operand(plan.lines, stride[k], bytes);
    plan.stride[k] = views[k]->shape[axis] == 1 ? 0 : views[k]->stride[axis] * bytes;
  }
  merge_axes(plan.lines);
  return plan;
}

namespace detail {

/// Bytes of one SortRuns: indices first, for their alignment.
inline uint64_t sort_run_bytes(const SortPlan& plan, size_t key_bytes) {
  const uint64_t entries = static_cast<uint64_t>(plan.count) * static_cast<uint64_t>(plan.length);
  return entries * sizeof(int64_t) + (entries * key_bytes + 7) / 8 * 8;
}

/// Doublings after the segments are sorted.
inline int sort_merges(const SortPlan& plan) {
  int merges = 0;
  for (int64_t run = kSortSegment; run < plan.length; run *= 2) ++merges;
  return merges;
}

template <class U> SortRuns<U> sort_runs(const SortPlan& plan, std::byte* memory) {
  const int64_t entries = plan.count * plan.length;
  return {reinterpret_cast<U*>(memory + entries * static_cast<int64_t>(sizeof(int64_t))),
          reinterpret_cast<int64_t*>(memory)};
}

template <class U> SortLines<U> sort_lines(const Call& call, const SortPlan& plan) {
  const Operand& x = call.inputs[0];
  SortLines<U> lines{};
  lines.x = x.immediate ? nullptr : x.view.data;
  memcpy(&lines.immediate, &x.bits, sizeof(U));
  lines.values = call.output_count == 2 ? call.outputs[0].data : nullptr;
  lines.indices = call.outputs[call.output_count - 1].data;
  lines.rule = key_rule<KeyOf<U>>(x.view.dtype, plan.reverse, NanPlace::kSorted);
  lines.lines = Offsets<3>::of(plan.lines);
  for (int k = 0; k < 3; ++k) lines.stride[k] = plan.stride[k];
  lines.length = plan.length;
  lines.kept = plan.kept;
  return lines;
}

} // namespace detail

/// Bytes of workspace that sort() needs for this call; refuses as sort() would.
inline uint64_t sort_workspace(const Call& call) {
  const SortPlan plan = plan_sort(call);
  const int merges = plan.count == 0 || plan.kept == 0 ? 0 : detail::sort_merges(plan);
  const auto key_bytes = static_cast<size_t>(itemsize(call.inputs[0].view.dtype));
  return static_cast<uint64_t>(merges < 2 ? merges : 2) * detail::sort_run_bytes(plan, key_bytes);
}

/// sort argsort topk: x along the axis of slot 0.
template <class Launcher> void sort(const Call& call, Launcher& launcher) {
  const SortPlan plan = plan_sort(call);
  if (call.workspace_bytes < sort_workspace(call))
    throw Refusal(TS_INVALID_ARGUMENT, "the workspace is smaller than query asked for");
  if (plan.count == 0 || plan.kept == 0) return;
  with_bits(call.inputs[0].view.dtype, [&](auto type) {
    using U = typename decltype(type)::type;
    const int merges = detail::sort_merges(plan);
    SortRuns<U> in = detail::sort_runs<U>(plan, call.workspace);
    SortRuns<U> next = detail::sort_runs<U>(plan, call.workspace + detail::sort_run_bytes(plan, sizeof(U)));
    const SortLines<U> lines = detail::sort_lines<U>(call, plan);
    SortSegments<U> segments{lines, merges > 0 ? in : SortRuns<U>{}, plan.count, ceil_div(plan.length, kSortSegment),
                             0};
    while (segments.segment_log2 < 10 && int64_t{1} << segments.segment_log2 < plan.length) ++segments.segment_log2;
    launcher.blocks("sort_segments", merges > 0 ? "runs" : "lines", segments.blocks(), segments);
    int64_t run = kSortSegment;
    for (int merge = 1; merge <= merges; ++merge, run *= 2) {
      const SortMerge<U> task{lines, in, merge < merges ? next : SortRuns<U>{}, run};
      launcher.flat("sort_merge", merge < merges ? "runs" : "lines", plan.count * plan.length, task);
      std::swap(in, next);
    }
  });
}

} // namespace ts::kernels
