#include "tools/standin/machine.h"

#include <cstdint>
#include <dlfcn.h>

namespace ts::standin {

Machine& Machine::get() {
  static auto* machine = new Machine; // NOLINT: outlives every library that unregisters
  return *machine;
}

Machine::Machine() : settings(settings_of_environment()), trace(settings.trace) {
  for (int k = 0; k < settings.device.devices; ++k) devices_.push_back(std::make_unique<Device>(k, settings));
  failure.aim(settings.fail);
  failure_code = settings.code;
  drop.aim(settings.drop);
}

int& Machine::current_index() {
  thread_local int index = 0;
  return index;
}

cudaError_t& Machine::last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

Stream* Machine::find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return &current().default_stream();
  return streams.find(handle);
}

Stream* Machine::enqueue_on(cudaStream_t handle) {
  Stream* stream = find_stream(handle);
  if (stream == nullptr || !stream->joins_default()) return stream;
  Device& device = stream->device();
  if (stream != &device.default_stream()) {
    device.default_stream().drain();
    return stream;
  }
  for (const auto& [other, object] : streams.all())
    if (&object->device() == &device && object->joins_default()) object->drain();
  return stream;
}

void Machine::drain_device(Device& device) {
  device.default_stream().drain();
  for (const auto& [handle, stream] : streams.all())
    if (&stream->device() == &device) stream->drain();
}

void Machine::drain_all() {
  for (const auto& device : devices_) drain_device(*device);
}

Device* Machine::owner(const void* address) {
  for (const auto& device : devices_)
    if (device->memory().is_device_address(address)) return device.get();
  return nullptr;
}

Pool* Machine::find_pool(cudaMemPool_t handle) {
  for (const auto& device : devices_)
    if (reinterpret_cast<cudaMemPool_t>(&device->default_pool()) == handle) return &device->default_pool();
  return pools.find(handle);
}

bool Machine::drops(const std::string& site) {
  ++sites[site];
  const bool struck = drop.strikes(site);
  if (!settings.drop_site.empty() && settings.drop_site == site) {
    drop.struck = site;
    return true;
  }
  return struck;
}

cudaError_t Machine::fails(const char* call) {
  if (!failure.strikes(call)) return cudaSuccess;
  if (failure_code != cudaSuccess) return failure_code;
  const std::string name(call);
  return name.find("Malloc") != std::string::npos || name == "cudaHostAlloc" ? cudaErrorMemoryAllocation
                                                                             : cudaErrorUnknown;
}

ts_standin_holdings Machine::held() const {
  ts_standin_holdings held{};
  for (const auto& device : devices_) held.allocations += device->allocations().size();
  held.pinned = pinned.size();
  held.streams = streams.size();
  held.events = events.size();
  held.pools = pools.size();
  held.handles = vendor_handles;
  return held;
}

std::string site_of(const char* call, const void* caller) {
  Dl_info place{};
  char where[32];
  if (dladdr(caller, &place) == 0 || place.dli_fname == nullptr) return call;
  snprintf(where, sizeof where, "+0x%zx",
           static_cast<size_t>(static_cast<const char*>(caller) - static_cast<const char*>(place.dli_fbase)));
  const std::string library(place.dli_fname);
  return std::string(call) + " at " + library.substr(library.rfind('/') + 1) + where;
}

// As CUDA documents it. A backend's own list is held against this one, so they are not one piece.
bool is_sticky(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure: return true;
    default: return false;
  }
}

} // namespace ts::standin

using ts::standin::Machine;

ts_standin_holdings ts_standin_held(void) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.held();
}

void ts_standin_fail(uint64_t nth, int32_t code) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  machine.failure.aim(nth);
  machine.failure_code = static_cast<cudaError_t>(code);
}

const char* ts_standin_failed(void) {
  const Machine& machine = Machine::get();
  return machine.failure.struck.empty() ? nullptr : machine.failure.struck.c_str();
}

uint64_t ts_standin_calls(void) { return Machine::get().failure.count; }

void ts_standin_drop(uint64_t nth) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  machine.drop.aim(nth);
}

void ts_standin_drop_site(const char* site) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  machine.settings.drop_site = site == nullptr ? "" : site;
  machine.drop.struck.clear();
}

const char* ts_standin_dropped(void) {
  const Machine& machine = Machine::get();
  return machine.drop.struck.empty() ? nullptr : machine.drop.struck.c_str();
}

uint64_t ts_standin_works(void) { return Machine::get().drop.count; }

void ts_standin_revive(void) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  for (int k = 0; k < machine.device_count(); ++k) machine.device(k).revive();
  Machine::last_error() = cudaSuccess;
}

void ts_standin_sites(ts_standin_visitor visit, void* context) {
  for (const auto& [site, times] : Machine::get().sites) visit(context, site.c_str(), times);
}

void ts_standin_kernels(ts_standin_visitor visit, void* context) {
  for (const auto& [name, kernel] : Machine::get().kernels.by_name()) visit(context, name.c_str(), kernel->launches);
}

int32_t ts_standin_call(const char* name) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  return machine.fails(name);
}

void ts_standin_handle(int32_t change) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  machine.vendor_handles += static_cast<uint64_t>(static_cast<int64_t>(change));
}
