#include "tools/standin/launch.h"

#include "backends/emulator/launch.h"

#include <cstring>
#include <memory>
#include <vector>

namespace ts::standin {

namespace {

std::string text(const dim3& extents) {
  return std::to_string(extents.x) + "," + std::to_string(extents.y) + "," + std::to_string(extents.z);
}

void tell(const Kernel& kernel, const std::string& what) {
  fprintf(stderr, "stand-in CUDA runtime: kernel %s: %s\n", kernel.name.c_str(), what.c_str());
}

// Limits of the CUDA C++ Programming Guide, "Compute Capabilities", besides those of the profile.
constexpr unsigned kGridYZ = 65535, kBlockZ = 64;

cudaError_t check_extents(const Kernel& kernel, const emulator::Profile& profile, const LaunchCall& call) {
  const auto& [grid, block] = std::tie(call.grid, call.block);
  const auto threads_max = static_cast<uint64_t>(profile.threads_max);
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || uint64_t{grid.x} * grid.y * grid.z == 0 || threads > threads_max || block.z > kBlockZ ||
      static_cast<int64_t>(grid.x) > profile.blocks_max || grid.y > kGridYZ || grid.z > kGridYZ) {
    tell(kernel,
         "a grid of " + text(grid) + " blocks of " + text(block) + " threads is none of device " + profile.name);
    return cudaErrorInvalidConfiguration;
  }
  return cudaSuccess;
}

cudaError_t check_shared(const Kernel& kernel, const emulator::Profile& profile, const LaunchCall& call, int device) {
  const size_t all = kernel.host->static_shared_bytes + call.shared_bytes;
  const char* more = nullptr;
  if (all > profile.shared_max)
    more = "the device has";
  else if (kernel.dynamic_shared.count(device) == 0 && all > kSharedBytesMax)
    more = "a kernel has that did not ask for more by cudaFuncSetAttribute";
  else if (kernel.dynamic_shared.count(device) != 0 && call.shared_bytes > dynamic_shared_max(kernel, device))
    more = "it asked for by cudaFuncSetAttribute";
  if (more == nullptr) return cudaSuccess;
  tell(kernel, std::to_string(kernel.host->static_shared_bytes) + " + " + std::to_string(call.shared_bytes) +
                   " bytes of shared memory are more than " + more);
  return cudaErrorInvalidValue;
}

// What a kernel of tasks assumes of its launch.
cudaError_t check_task(const Kernel& kernel, const LaunchCall& call) {
  const kernels::HostKernel& host = *kernel.host;
  const bool one_axis = call.grid.y * call.grid.z * call.block.y * call.block.z == 1;
  const auto threads = static_cast<unsigned>(host.threads);
  if (call.block.x > threads) {
    tell(kernel,
         std::to_string(call.block.x) + " threads are more than its launch bounds of " + std::to_string(threads));
    return cudaErrorLaunchOutOfResources;
  }
  if (!one_axis || (host.run != nullptr && call.block.x != threads)) {
    tell(kernel, "its task has blocks of " + std::to_string(threads) + " threads along one axis, the launch has " +
                     text(call.block));
    return cudaErrorInvalidConfiguration;
  }
  return cudaSuccess;
}

// The allocations that an argument points to.
std::vector<const void*> allocations_in(const Device& device, const void* argument, size_t bytes) {
  std::vector<const void*> found;
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const std::byte* word = nullptr;
    memcpy(&word, static_cast<const std::byte*>(argument) + at, sizeof word);
    uint64_t offset = 0;
    if (device.memory().is_device_address(word) && device.around(word, &offset) != nullptr)
      found.push_back(word - offset);
  }
  return found;
}

void record(emulator::Recorder& program, const Kernel& kernel, const LaunchCall& call) {
  const kernels::HostKernel& host = *kernel.host;
  int64_t count = 0;
  memcpy(&count, call.arguments[0], sizeof count);
  if (count <= 0) return;
  kernels::HostLauncher& launcher = program;
  if (host.walk != nullptr)
    launcher.launch(kernels::FlatKernel{kernel.name.c_str(), "", count, call.arguments[1], host.task_bytes, nullptr,
                                        host.walk, nullptr});
  else
    launcher.launch(kernels::BlockKernel{kernel.name.c_str(), "", count, call.arguments[1], host.task_bytes,
                                         host.threads, call.shared_bytes, host.local_bytes, host.run, nullptr});
}

void run(Machine& machine, Device& device, const std::string& name, emulator::Recorder& program,
         const std::vector<const void*>& touched) {
  kernels::Census census;
  try {
    program.run(machine.settings.device.schedule, census);
  } catch (const std::exception& error) {
    device.lose(cudaErrorLaunchFailure, error.what());
  }
  if (!program.damage().empty()) device.lose(cudaErrorIllegalAddress, program.damage());
  for (const void* data : touched) device.check_guards(data, "kernel " + name);
}

} // namespace

size_t dynamic_shared_max(const Kernel& kernel, int device) {
  const auto asked = kernel.dynamic_shared.find(device);
  if (asked != kernel.dynamic_shared.end()) return static_cast<size_t>(asked->second);
  const size_t own = kernel.host == nullptr ? 0 : kernel.host->static_shared_bytes;
  return own < kSharedBytesMax ? kSharedBytesMax - own : 0;
}

cudaError_t launch(Machine& machine, const LaunchCall& call) {
  Kernel* kernel = machine.kernels.find(call.entry);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  Stream* stream = machine.enqueue_on(call.stream);
  Device& device = machine.current();
  if (stream == nullptr || &stream->device() != &device) return cudaErrorInvalidResourceHandle;
  const emulator::Profile& profile = *machine.settings.device.profile;
  if (const cudaError_t code = check_extents(*kernel, profile, call); code != cudaSuccess) return code;
  if (kernel->host == nullptr) {
    tell(*kernel, "nothing says how a host runs it (backends/kernels/host_kernel.h)");
    return cudaErrorInvalidDeviceFunction;
  }
  if (const cudaError_t code = check_task(*kernel, call); code != cudaSuccess) return code;
  if (const cudaError_t code = check_shared(*kernel, profile, call, device.index()); code != cudaSuccess) return code;
  if (machine.drops(kernel->site)) return cudaSuccess;
  ++kernel->launches;
  const size_t task_bytes = kernel->host->task_bytes;
  if (machine.trace.wanted()) {
    int64_t count = 0;
    memcpy(&count, call.arguments[0], sizeof count);
    machine.trace.line("launch " + kernel->name + " grid " + text(call.grid) + " block " + text(call.block) +
                       " shared " + std::to_string(call.shared_bytes) + " stream " + std::to_string(stream->id()) +
                       " count " + std::to_string(count) + " task" +
                       argument_text(machine, call.arguments[1], task_bytes));
  }
  auto program = std::make_shared<emulator::Recorder>(profile, device.memory());
  try {
    record(*program, *kernel, call);
  } catch (const kernels::Refusal& refusal) {
    tell(*kernel, refusal.what());
    return cudaErrorInvalidConfiguration;
  }
  stream->push([&machine, &device, program, name = kernel->name,
                touched = allocations_in(device, call.arguments[1], task_bytes)] {
    run(machine, device, name, *program, touched);
  });
  return cudaSuccess;
}

} // namespace ts::standin
