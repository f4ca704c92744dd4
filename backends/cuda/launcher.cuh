// From a task's type to its kernel: what a unit that nvcc compiles instantiates families with.
#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/cuda/launcher.h"
#include "backends/kernels/plan.h"

#include <algorithm>

namespace ts::cuda {

inline constexpr size_t kTaskBytesMax = 4000; // parameters of a kernel end at 4 KiB on every architecture
inline constexpr int64_t kGridMax = (int64_t{1} << 31) - 1;

template <class Task> void Launcher::flat(const char* kernel, const char* route, int64_t count, const Task& task) {
  static_assert(std::is_trivially_copyable_v<Task> && sizeof(Task) <= kTaskBytesMax);
  if (count == 0) return;
  launch({kernel, route, reinterpret_cast<const void*>(&run_flat<Task>), count, kernels::flat_launch(count).blocks,
          kernels::kFlatThreads, 0, &task});
}

template <class Task> void Launcher::blocks(const char* kernel, const char* route, int64_t count, const Task& task) {
  static_assert(std::is_trivially_copyable_v<Task> && sizeof(Task) <= kTaskBytesMax);
  static_assert(std::is_trivial_v<typename Task::Shared> && std::is_trivial_v<typename Task::Local>);
  if (count == 0) return;
  constexpr size_t kSharedBytes = std::is_empty_v<typename Task::Shared> ? 0 : sizeof(typename Task::Shared);
  launch({kernel, route, reinterpret_cast<const void*>(&run_blocks<Task>), count, std::min(count, kGridMax),
          Task::kThreads, kSharedBytes, &task});
}

} // namespace ts::cuda
