// How a host runs what a device's kernel runs: a record per kernel, made where the kernel is named and known from the moment
// its library is loaded. A library that exports them runs without its device, under tools/standin.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ts::kernels {

struct ThreadOrder;

namespace detail {

// Defined in host_launcher.h. A unit that a device's compiler compiles only points there: the host's kernels are compiled once.
template <class Task> void walk_items(const void* task, int64_t first, int64_t count, int64_t step);
template <class Task>
void run_block_of(const void* task, int64_t block, void* shared, void* locals, const ThreadOrder& order);

} // namespace detail

/// A kernel that takes (int64_t count, Task). One of walk and run is null.
struct HostKernel {
  const void* entry; ///< the kernel, as a program names it in a launch
  size_t task_bytes;
  int32_t threads;            ///< of a block: at most for items, exactly for blocks
  size_t static_shared_bytes; ///< that the kernel has besides what a launch gives it
  size_t local_bytes;         ///< of one thread, where a host keeps it
  void (*walk)(const void* task, int64_t first, int64_t count, int64_t step);
  void (*run)(const void* task, int64_t block, void* shared, void* locals, const ThreadOrder& order);
  const HostKernel* next; ///< of the same library
};

/// The records of this library, last one first.
inline const HostKernel* host_kernels = nullptr;

/// A record that stays, for the kernel `entry`.
class HostKernelRecord {
public:
  explicit HostKernelRecord(const HostKernel& kernel) : kernel_(kernel) {
    kernel_.next = host_kernels;
    host_kernels = &kernel_;
  }
  HostKernelRecord(const HostKernelRecord&) = delete;
  HostKernelRecord& operator=(const HostKernelRecord&) = delete;

  const HostKernel& kernel() const { return kernel_; }

private:
  HostKernel kernel_;
};

} // namespace ts::kernels

/// The name under which a library or program exports its records, and the definition of that function, once in each.
#define TS_HOST_KERNELS_SYMBOL "ts_host_kernels"
#define TS_EXPORT_HOST_KERNELS                                                                                         \
  extern "C" __attribute__((visibility("default"))) const ::ts::kernels::HostKernel* ts_host_kernels();                \
  extern "C" const ::ts::kernels::HostKernel* ts_host_kernels() { return ::ts::kernels::host_kernels; }
