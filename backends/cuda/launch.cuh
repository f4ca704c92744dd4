// Runs flat and block tasks on a CUDA device. Phases and collectives follow backends/kernels/task.h to the letter, so that
// a task gives the same bits here as on the host.
#pragma once

#include "backends/kernels/plan.h"
#include "backends/kernels/task.h"

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>
#include <utility>

namespace ts::cuda {

using kernels::At;
using kernels::kWarp;
using kernels::Loop;
using kernels::LoopWhile;
using kernels::Once;
using kernels::Reduce;
using kernels::ReduceTeams;
using kernels::Repeat;
using kernels::Scan;
using kernels::Sequence;
using kernels::tree_distance;

namespace detail {

inline constexpr unsigned kAllLanes = 0xffffffffU;

// A shuffle of any trivially copyable value, word by word.
template <class Value, class Shuffle> __device__ __forceinline__ Value shuffled(const Value& value, Shuffle shuffle) {
  static_assert(std::is_trivially_copyable_v<Value>);
  constexpr int kWords = (sizeof(Value) + 3) / 4;
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof value);
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = shuffle(words[i]);
  Value moved;
  memcpy(&moved, words, sizeof moved);
  return moved;
}

template <class Value> __device__ __forceinline__ Value from_lane_above(const Value& value, int distance) {
  return shuffled(value, [distance](unsigned word) { return __shfl_down_sync(kAllLanes, word, distance); });
}
template <class Value> __device__ __forceinline__ Value from_lane_below(const Value& value, int distance) {
  return shuffled(value, [distance](unsigned word) { return __shfl_up_sync(kAllLanes, word, distance); });
}

template <class Task> struct Team {
  const Task& task;
  int64_t block;
  typename Task::Shared& shared;
  typename Task::Local& local;
  __device__ __forceinline__ At at(int64_t step) const { return {block, static_cast<int>(threadIdx.x), step}; }
};

template <class Task, class P>
__device__ __forceinline__ void run_part(Once<P>, const Team<Task>& team, int64_t repeat) {
  team.task(P{}, team.at(repeat), team.shared, team.local);
  __syncthreads();
}

template <class Task, class P> __device__ __forceinline__ void run_part(Loop<P>, const Team<Task>& team, int64_t) {
  const int64_t steps = team.task.count(P{}, team.block);
  for (int64_t step = 0; step < steps; ++step) {
    team.task(P{}, team.at(step), team.shared, team.local);
    __syncthreads();
  }
}

template <class Task, class P> __device__ __forceinline__ void run_part(LoopWhile<P>, const Team<Task>& team, int64_t) {
  for (int64_t step = 0; __syncthreads_or(team.task(P{}, team.at(step), team.shared, team.local)) != 0; ++step) {}
}

template <class Task, class P>
__device__ __forceinline__ void run_part(Reduce<P>, const Team<Task>& team, int64_t repeat) {
  constexpr int kWarps = Task::kThreads / kWarp;
  auto value = team.task.give(P{}, team.at(repeat), team.shared, team.local);
  using Value = decltype(value);
  __shared__ alignas(Value) unsigned char memory[sizeof(Value) * kWarps];
  Value* totals = reinterpret_cast<Value*>(memory);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int w = kWarp / 2; w > 0; w /= 2) value = team.task.combine(P{}, value, from_lane_above(value, w));
  if (lane == 0) totals[warp] = value;
  __syncthreads();
  if constexpr (kWarps > 1) {
    if (warp == 0) {
      if (lane < kWarps) value = totals[lane];
      int live = kWarps;
#pragma unroll
      for (int w = tree_distance(kWarps); w > 0; w /= 2) {
        const Value other = from_lane_above(value, w);
        if (lane + w < live) value = team.task.combine(P{}, value, other);
        live = w;
      }
      if (lane == 0) totals[0] = value;
    }
    __syncthreads();
  }
  team.task.take(P{}, team.at(repeat), totals[0], team.shared, team.local);
  __syncthreads();
}

template <class Task, class P>
__device__ __forceinline__ void run_part(ReduceTeams<P>, const Team<Task>& team, int64_t repeat) {
  constexpr int kWarps = Task::kThreads / kWarp;
  auto value = team.task.give(P{}, team.at(repeat), team.shared, team.local);
  using Value = decltype(value);
  const int log2 = team.task.team_log2(P{});
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (log2 >= 5) {
#pragma unroll
    for (int w = kWarp / 2; w > 0; w /= 2) value = team.task.combine(P{}, value, from_lane_above(value, w));
  } else {
    for (int w = (1 << log2) / 2; w > 0; w /= 2) value = team.task.combine(P{}, value, from_lane_above(value, w));
  }
  if constexpr (kWarps > 1) {
    if (log2 > 5) { // the same for all threads of the block
      __shared__ alignas(Value) unsigned char memory[sizeof(Value) * kWarps];
      Value* totals = reinterpret_cast<Value*>(memory);
      if (lane == 0) totals[warp] = value;
      __syncthreads();
      if (warp == 0) {
        if (lane < kWarps) value = totals[lane];
        for (int d = 1 << (log2 - 6); d > 0; d /= 2) value = team.task.combine(P{}, value, from_lane_above(value, d));
        if (lane < kWarps) totals[lane] = value;
      }
      __syncthreads();
      value = totals[warp];
    }
  }
  if ((threadIdx.x & ((1U << log2) - 1)) == 0) team.task.take(P{}, team.at(repeat), value, team.shared, team.local);
  __syncthreads();
}

template <class Task, class P>
__device__ __forceinline__ void run_part(Scan<P>, const Team<Task>& team, int64_t repeat) {
  constexpr int kWarps = Task::kThreads / kWarp;
  auto value = team.task.give(P{}, team.at(repeat), team.shared, team.local);
  using Value = decltype(value);
  __shared__ alignas(Value) unsigned char memory[sizeof(Value) * kWarps];
  Value* totals = reinterpret_cast<Value*>(memory);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
#pragma unroll
  for (int w = 1; w < kWarp; w *= 2) {
    const Value other = from_lane_below(value, w);
    if (lane >= w) value = team.task.combine(P{}, other, value);
  }
  if (lane == kWarp - 1) totals[warp] = value;
  __syncthreads();
  // Every thread adds up the warps before its own: shorter than waiting for one that does it for all.
  Value before = team.task.identity(P{}), all = totals[0];
#pragma unroll
  for (int i = 1; i < kWarps; ++i) {
    if (i == warp) before = all;
    all = team.task.combine(P{}, all, totals[i]);
  }
  const Value previous = from_lane_below(value, 1);
  Value prefix = before;
  if (lane > 0) prefix = warp == 0 ? previous : team.task.combine(P{}, before, previous);
  team.task.take(P{}, team.at(repeat), prefix, all, team.shared, team.local);
  __syncthreads();
}

template <class Task, class P, class... Parts>
__device__ __forceinline__ void run_part(Repeat<P, Parts...>, const Team<Task>& team, int64_t) {
  const int64_t times = team.task.count(P{}, team.block);
  for (int64_t step = 0; step < times; ++step) (run_part(Parts{}, team, step), ...);
}

template <class Task, class... Parts>
__device__ __forceinline__ void run_parts(Sequence<Parts...>, const Team<Task>& team) {
  (run_part(Parts{}, team, 0), ...);
}

/// How many blocks of a task should fit a processor at once; `otherwise` where it does not say.
template <class Task> constexpr int min_blocks(int otherwise) {
  if constexpr (requires { Task::kMinBlocks; })
    return Task::kMinBlocks;
  else
    return otherwise;
}

// What the collectives of a part keep in shared memory of the kernel's own; see run_part.
template <class Task, class P> constexpr size_t totals_bytes() {
  using Value = decltype(std::declval<const Task&>().give(
      P{}, std::declval<const At&>(), std::declval<typename Task::Shared&>(), std::declval<typename Task::Local&>()));
  return sizeof(Value) * (Task::kThreads / kWarp);
}
template <class Task, class Part> struct OwnShared { static constexpr size_t kBytes = 0; };
template <class Task, class P> struct OwnShared<Task, Reduce<P>> {
  static constexpr size_t kBytes = totals_bytes<Task, P>();
};
template <class Task, class P> struct OwnShared<Task, Scan<P>> {
  static constexpr size_t kBytes = totals_bytes<Task, P>();
};
template <class Task, class P> struct OwnShared<Task, ReduceTeams<P>> {
  static constexpr size_t kBytes = Task::kThreads > kWarp ? totals_bytes<Task, P>() : 0;
};
template <class Task, class P, class... Parts> struct OwnShared<Task, Repeat<P, Parts...>> {
  static constexpr size_t kBytes = (size_t{0} + ... + OwnShared<Task, Parts>::kBytes);
};
template <class Task, class... Parts> struct OwnShared<Task, Sequence<Parts...>> {
  static constexpr size_t kBytes = (size_t{0} + ... + OwnShared<Task, Parts>::kBytes);
};

} // namespace detail

/// Bytes of shared memory that the kernel of a block task has besides the task's Shared.
template <class Task> constexpr size_t static_shared_bytes() {
  return detail::OwnShared<Task, typename Task::Phases>::kBytes;
}

/// One thread a work item, each going on by the size of the grid.
template <class Task>
__global__ void __launch_bounds__(kernels::kFlatThreads, detail::min_blocks<Task>(0)) // 0: not bounded

    run_flat(int64_t count, const __grid_constant__ Task task) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < count; i += stride) task(i);
}

/// One block of the grid runs task blocks blockIdx.x, blockIdx.x + gridDim.x, ...; Shared is dynamic shared memory.
template <class Task>
__global__ void __launch_bounds__(Task::kThreads, detail::min_blocks<Task>(1))
    run_blocks(int64_t count, const __grid_constant__ Task task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Task::Shared*>(memory);
  typename Task::Local local;
  for (int64_t block = blockIdx.x; block < count; block += gridDim.x)
    detail::run_parts(typename Task::Phases{}, detail::Team<Task>{task, block, shared, local});
}

} // namespace ts::cuda
