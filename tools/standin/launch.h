// A launch: held against the device, then run by the emulator in its stream's turn.
#pragma once

#include "tools/standin/machine.h"

namespace ts::standin {

struct LaunchCall {
  const void* entry;
  dim3 grid, block;
  void** arguments;
  size_t shared_bytes;
  cudaStream_t stream;
};

/// Shared memory that a block may have without having asked for it, static and dynamic.
inline constexpr size_t kSharedBytesMax = size_t{48} << 10;

cudaError_t launch(Machine& machine, const LaunchCall& call);

/// The most dynamic shared memory that a launch of the kernel may use on a device.
size_t dynamic_shared_max(const Kernel& kernel, int device);

} // namespace ts::standin
