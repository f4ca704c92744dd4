// The Launcher of call.h for a CUDA stream. It knows tasks only by their size and the kernel that runs them.
#pragma once

#include "backends/kernels/call.h"
#include "backends/kernels/census.h"
#include "backends/kernels/families.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <optional>

namespace ts::cuda {

class Queue;
class Vendor;

/// What a user chose after the colon.
struct Settings {
  bool blocking = false;              ///< every launch is waited for, so that an error names its call
  bool vendor = true;                 ///< products and sorts by the vendor's libraries where they fit
  std::optional<cudaStream_t> stream; ///< the caller's, which is queue 0 of device 0
};

/// One launch, without the type of its task.
struct KernelLaunch {
  const char* kernel;
  const char* route;
  const void* entry; ///< the __global__ function, which takes (int64_t count, Task)
  int64_t count;     ///< of work items or blocks
  int64_t blocks;    ///< of the grid
  int threads;       ///< of a block
  size_t shared_bytes;
  const void* task;
};

/// Launches of one call on one queue. Not thread-safe, as a queue is not.
class Launcher {
public:
  Launcher(Queue& queue, kernels::Census& census, const Settings& settings, const ts_call& call)
      : queue_(queue), census_(census), settings_(settings), op_(call.op), serial_(call.serial) {}

  // Defined in launcher.cuh, for the units that nvcc compiles.
  template <class Task> void flat(const char* kernel, const char* route, int64_t count, const Task& task);
  template <class Task> void blocks(const char* kernel, const char* route, int64_t count, const Task& task);

  /// This call's cell for an index out of range.
  kernels::IndexFault* fault();

  /// The vendor's library on this queue, null where it is not wanted or not there.
  Vendor* vendor();
  /// Where the vendor's libraries enqueue; null where they are not wanted.
  std::optional<cudaStream_t> vendor_stream() const;
  /// Tells the census of work that the vendor's library was given.
  void launched(const char* kernel, const char* route);

private:
  void launch(const KernelLaunch& launch);

  Queue& queue_;
  kernels::Census& census_;
  const Settings& settings_;
  int32_t op_;
  uint64_t serial_;
  kernels::IndexFault* fault_ = nullptr;
};

/// The kernels of a family (TS_FAMILY_...), null where there are none.
const kernels::Family<Launcher>* family(int32_t id);

} // namespace ts::cuda
