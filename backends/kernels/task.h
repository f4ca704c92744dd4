// The two kinds of kernel, written once and compiled by g++, clang++ and nvcc alike.
//
// A flat task is a function object: `operator()(int64_t i) const` does work item i, in any order. It may declare kMinBlocks.
//
// A block task is a team of kThreads threads with shared memory. It declares
//   static constexpr int kThreads;             threads of a block, a multiple of 32
//   static constexpr int kMinBlocks;           optional: how many blocks a processor should hold at once
//   struct Shared, struct Local;               trivial types: the block's memory, and what a thread keeps
//   using Phases = Sequence<Once<Load>, Loop<Step>, Reduce<Total>, Once<Store>>;
// and one overload per phase. A barrier is the end of a phase, so a divergent barrier cannot be written; returning ends
// a thread's phase, never the block. Blocks never wait for blocks: a grid-wide step is the next launch.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define TS_HD __host__ __device__ __forceinline__
#define TS_HD_APART __host__ __device__ __noinline__
#else
#define TS_HD inline
#define TS_HD_APART inline
#endif

namespace ts::kernels {

/// Where one thread of a block task stands: block of the launch, thread of the block, iteration of a Loop, else of the Repeat
/// around it, else 0.
struct At {
  int64_t block;
  int thread;
  int64_t step;
};

/// `void operator()(P, const At&, Shared&, Local&) const`, once.
template <class P> struct Once {};

/// The same, `int64_t count(P, int64_t block) const` times, with a barrier after every iteration.
template <class P> struct Loop {};

/// `bool operator()(P, const At&, Shared&, Local&) const`, repeated while any thread of the block votes true.
template <class P> struct LoopWhile {};

/// Every thread gives a value, all of them are combined in the fixed tree, and every thread takes the total:
/// `Value give(P, const At&, Shared&, Local&) const`, `Value combine(P, Value left, Value right) const`,
/// `void take(P, const At&, Value total, Shared&, Local&) const`.
/// The tree: in each warp of 32, lane l combines with lane l + w for w = 16, 8, 4, 2, 1; then the warps' values the
/// same way for w = the largest power of two below the number of warps, down to 1, where the partner exists.
template <class P> struct Reduce {};

/// As Reduce, but in teams of 2^k neighbouring threads, k from 0 to what kThreads holds: `int32_t team_log2(P) const`. The
/// first thread of a team takes its total. The tree: inside each warp lane l combines with lane l + w for w = 16, 8, 4, 2, 1
/// (from half the team where that is less); then the first lanes of a team's warps, lane l of the team with lane l + d for
/// d = half the team down to 32.
template <class P> struct ReduceTeams {};

/// As Reduce, but thread t takes the combination of the values of threads before it and the total of all:
/// `Value identity(P) const`, `void take(P, const At&, Value before, Value total, Shared&, Local&) const`.
/// The tree: in each warp, inclusive by Hillis and Steele for w = 1, 2, 4, 8, 16 (left operand from lane l - w); warp
/// totals are combined from the first to the last; `before` = combine(warps before, lanes before).
template <class P> struct Scan {};

/// Parts over and over, `int64_t count(P, int64_t block) const` times; At::step tells them which time it is.
template <class P, class... Parts> struct Repeat {};

/// The phases of a block task, in order.
template <class... Parts> struct Sequence {};

inline constexpr int kWarp = 32;

/// The largest power of two below n, or 0 for n < 2: the first distance of a tree over n values.
TS_HD constexpr int tree_distance(int n) {
  int w = 0;
  for (int next = 1; next < n; next *= 2) w = next;
  return w;
}

} // namespace ts::kernels
