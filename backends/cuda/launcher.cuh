// From a task's type to its kernel: what a unit that nvcc compiles instantiates families with. Every kernel has a record of
// how a host runs the same task.
#pragma once

#include "backends/cuda/launch.cuh"
#include "backends/cuda/launcher.h"
#include "backends/kernels/host_kernel.h"
#include "backends/kernels/plan.h"

#include <algorithm>

namespace ts::cuda {

inline constexpr size_t kTaskBytesMax = 4000; // parameters of a kernel end at 4 KiB on every architecture
inline constexpr int64_t kGridMax = (int64_t{1} << 31) - 1;

template <class Task> struct FlatKernel {
  static inline const kernels::HostKernelRecord record{
      kernels::HostKernel{reinterpret_cast<const void*>(&run_flat<Task>), sizeof(Task), kernels::kFlatThreads, 0, 0,
                          &kernels::detail::walk_items<Task>, nullptr, nullptr}};
};

template <class Task> struct BlockKernel {
  static inline const kernels::HostKernelRecord record{kernels::HostKernel{
      reinterpret_cast<const void*>(&run_blocks<Task>), sizeof(Task), Task::kThreads, static_shared_bytes<Task>(),
      sizeof(typename Task::Local), nullptr, &kernels::detail::run_block_of<Task>, nullptr}};
};

template <class Task> void Launcher::flat(const char* kernel, const char* route, int64_t count, const Task& task) {
  static_assert(std::is_trivially_copyable_v<Task> && sizeof(Task) <= kTaskBytesMax);
  if (count == 0) return;
  const void* entry = FlatKernel<Task>::record.kernel().entry;
  launch({kernel, route, entry, count, kernels::flat_launch(count).blocks, kernels::kFlatThreads, 0, &task});
}

template <class Task> void Launcher::blocks(const char* kernel, const char* route, int64_t count, const Task& task) {
  static_assert(std::is_trivially_copyable_v<Task> && sizeof(Task) <= kTaskBytesMax);
  static_assert(std::is_trivial_v<typename Task::Shared> && std::is_trivial_v<typename Task::Local>);
  if (count == 0) return;
  constexpr size_t kSharedBytes = std::is_empty_v<typename Task::Shared> ? 0 : sizeof(typename Task::Shared);
  const void* entry = BlockKernel<Task>::record.kernel().entry;
  launch({kernel, route, entry, count, std::min(count, kGridMax), Task::kThreads, kSharedBytes, &task});
}

} // namespace ts::cuda
