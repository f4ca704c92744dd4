// Launches without their types: what a host backend needs to run, record or replay any task. The kernels of all families
// are compiled once against HostLauncher and linked into every host backend.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/host.h"
#include "backends/kernels/instrument.h"

#include <cstddef>
#include <cstdint>

namespace ts::kernels {

/// Threads of a block in some order: `first + k * step`, or a permutation.
struct ThreadOrder {
  int32_t first = 0;
  int32_t step = 1;
  const int32_t* permutation = nullptr; ///< of [0, kThreads), where given

  template <class F> void operator()(int64_t n, F&& visit) const {
#if defined(TS_INSTRUMENTED)
    using Visit = std::remove_reference_t<F>;
    run_instrumented_threads(
        *this, n, [](void* context, int64_t t) { (*static_cast<Visit*>(context))(t); }, &visit);
#else
    for (int64_t k = 0; k < n; ++k) visit(permutation != nullptr ? int64_t{permutation[k]} : first + k * step);
#endif
  }
  template <class F> void once(F&& work) const {
#if defined(TS_INSTRUMENTED)
    using Work = std::remove_reference_t<F>;
    run_instrumented_once([](void* context) { (*static_cast<Work*>(context))(); }, &work);
#else
    work();
#endif
  }
};

/// One launch of a flat task. The task's bytes may be copied and moved: it is trivially copyable.
struct FlatKernel {
  const char* kernel;
  const char* route;
  int64_t count;
  const void* task;
  size_t task_bytes;
  /// Items [begin, end), ascending, as fast as the host can.
  void (*forward)(const void* task, int64_t begin, int64_t end);
  /// `count` items first, first + step, ... one by one.
  void (*walk)(const void* task, int64_t first, int64_t count, int64_t step);
  const Instrumentation* instrumentation; ///< null for code that was not compiled to be checked
};

/// One launch of a block task.
struct BlockKernel {
  const char* kernel;
  const char* route;
  int64_t count;
  const void* task;
  size_t task_bytes;
  int32_t threads;
  size_t shared_bytes; ///< of one block
  size_t local_bytes;  ///< of one thread
  /// All phases of one block. shared and locals (threads of them, one after another) are aligned to 64 bytes.
  void (*run)(const void* task, int64_t block, void* shared, void* locals, const ThreadOrder& order);
  const Instrumentation* instrumentation; ///< null for code that was not compiled to be checked
};

inline constexpr size_t kHostAlignment = 64; ///< of tasks, shared and locals

namespace detail {

template <class Task> void forward_items(const void* task, int64_t begin, int64_t end) {
  const Task copy = *static_cast<const Task*>(task); // a copy of its own: no store can change it
  if constexpr (requires { copy.span(begin, end); })
    copy.span(begin, end);
  else
    for (int64_t i = begin; i < end; ++i) copy(i);
}

template <class Task> void walk_items(const void* task, int64_t first, int64_t count, int64_t step) {
#if defined(TS_INSTRUMENTED)
  run_instrumented_items(
      first, count, step, [](const void* itself, int64_t i) { (*static_cast<const Task*>(itself))(i); }, task);
#else
  const Task& itself = *static_cast<const Task*>(task);
  for (int64_t k = 0; k < count; ++k) itself(first + k * step);
#endif
}

template <class Task>
void run_block_of(const void* task, int64_t block, void* shared, void* locals, const ThreadOrder& order) {
  host::run_block(*static_cast<const Task*>(task), block, *static_cast<typename Task::Shared*>(shared),
                  static_cast<typename Task::Local*>(locals), order);
}

} // namespace detail

/// The Launcher of call.h for backends on the host.
class HostLauncher {
public:
  HostLauncher() = default;
  HostLauncher(const HostLauncher&) = delete;
  HostLauncher& operator=(const HostLauncher&) = delete;
  virtual ~HostLauncher() = default;

  virtual void launch(const FlatKernel& kernel) = 0;
  virtual void launch(const BlockKernel& kernel) = 0;
  /// This call's cell for an index out of range, in device memory.
  virtual IndexFault* fault() = 0;

  template <class Task> void flat(const char* kernel, const char* route, int64_t count, const Task& task) {
    static_assert(std::is_trivially_copyable_v<Task> && alignof(Task) <= kHostAlignment);
    if (count == 0) return;
    launch(FlatKernel{kernel, route, count, &task, sizeof(Task), detail::forward_items<Task>, detail::walk_items<Task>,
                      TS_INSTRUMENTATION});
  }
  template <class Task> void blocks(const char* kernel, const char* route, int64_t count, const Task& task) {
    static_assert(std::is_trivially_copyable_v<Task> && alignof(Task) <= kHostAlignment);
    static_assert(alignof(typename Task::Shared) <= kHostAlignment && alignof(typename Task::Local) <= kHostAlignment);
    if (count == 0) return;
    launch(BlockKernel{kernel, route, count, &task, sizeof(Task), Task::kThreads, sizeof(typename Task::Shared),
                       sizeof(typename Task::Local), detail::run_block_of<Task>, TS_INSTRUMENTATION});
  }
};

} // namespace ts::kernels
