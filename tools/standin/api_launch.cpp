// Kernels: their registration, attributes and launches.
#include "tools/standin/launch.h"

#include <algorithm>
#include <cstring>
#include <vector>

using ts::standin::api;
using ts::standin::Kernel;
using ts::standin::LaunchCall;
using ts::standin::Machine;

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations; // of `kernel<<<...>>>` on its way

cudaError_t occupancy(Machine& machine, int* blocks, const void* entry, int threads, size_t dynamic_bytes) {
  const Kernel* kernel = machine.kernels.find(entry);
  if (kernel == nullptr || kernel->host == nullptr) return cudaErrorInvalidDeviceFunction;
  if (threads <= 0) return cudaErrorInvalidValue;
  const ts::emulator::Profile& profile = *machine.settings.device.profile;
  const size_t shared = kernel->host->static_shared_bytes + dynamic_bytes;
  const int by_threads = profile.threads_max / threads;
  const int by_shared = shared == 0 ? by_threads : static_cast<int>(profile.shared_max / shared);
  *blocks = std::min(by_threads, by_shared);
  return cudaSuccess;
}

} // namespace

void** __cudaRegisterFatBinary(void*) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.kernels.open_module();
}

void __cudaRegisterFatBinaryEnd(void**) {}

// The last that is known of a library's kernels: what was launched never.
void __cudaUnregisterFatBinary(void** module) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  if (!machine.kernels.module_is_open(module)) return;
  if (machine.trace.wanted())
    for (const auto& name : machine.kernels.never_launched(module)) machine.trace.line("never launched " + name);
  machine.kernels.close_module(module);
}

char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** module, const char* entry, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  machine.kernels.add(module, entry, name);
}

void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

// A kernel is known by its entry.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* entry) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(entry));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* entry, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  const LaunchCall call{entry, grid, block, arguments, shared_bytes, stream};
  return api(__func__, [&](Machine& machine) { return launch(machine, call); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  const LaunchCall call{kernel, grid, block, arguments, shared_bytes, stream};
  return api("cudaLaunchKernel", [&](Machine& machine) { return launch(machine, call); });
}

cudaError_t cudaFuncSetAttribute(const void* entry, cudaFuncAttribute attribute, int value) {
  return api(__func__, [=](Machine& machine) {
    Kernel* kernel = machine.kernels.find(entry);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    const size_t own = kernel->host == nullptr ? 0 : kernel->host->static_shared_bytes;
    if (value < 0 || own + static_cast<size_t>(value) > machine.settings.device.profile->shared_max)
      return cudaErrorInvalidValue;
    kernel->dynamic_shared[Machine::current_index()] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* entry) {
  return api(__func__, [=](Machine& machine) {
    const Kernel* kernel = machine.kernels.find(entry);
    if (kernel == nullptr || kernel->host == nullptr) return cudaErrorInvalidDeviceFunction;
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = kernel->host->static_shared_bytes;
    attributes->localSizeBytes = kernel->host->local_bytes;
    attributes->maxThreadsPerBlock = kernel->host->threads;
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(ts::standin::dynamic_shared_max(*kernel, Machine::current_index()));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* entry, int threads,
                                                          size_t dynamic_bytes) {
  return api(__func__, [=](Machine& machine) { return occupancy(machine, blocks, entry, threads, dynamic_bytes); });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* entry, int threads,
                                                                   size_t dynamic_bytes, unsigned) {
  return api(__func__, [=](Machine& machine) { return occupancy(machine, blocks, entry, threads, dynamic_bytes); });
}
