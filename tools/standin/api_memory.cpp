// Memory: of devices, at once and in stream order; pinned memory of the host; what a pointer is.
#include "tools/standin/machine.h"

#include <cstdlib>
#include <cstring>

using ts::standin::Allocation;
using ts::standin::api;
using ts::standin::Device;
using ts::standin::Effect;
using ts::standin::Machine;
using ts::standin::Pool;
using ts::standin::Stream;

namespace {

constexpr size_t kPage = 4096;
constexpr int kFreshByte = 0xFF; // pinned memory holds nothing either

cudaError_t allocate(Machine& machine, Device& device, void** data, size_t bytes, cudaMemPool_t pool) {
  if (data == nullptr) return cudaErrorInvalidValue;
  *data = nullptr;
  if (bytes == 0) return pool == nullptr ? cudaSuccess : cudaErrorInvalidValue;
  const uint64_t id = machine.next_id();
  *data = device.allocate(bytes, id, pool);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  if (machine.trace.wanted())
    machine.trace.line("allocate a" + std::to_string(id) + " " + std::to_string(bytes) + " bytes");
  return cudaSuccess;
}

cudaError_t allocate_in_turn(Machine& machine, void** data, size_t bytes, cudaMemPool_t handle, cudaStream_t turn) {
  const Pool* pool = machine.find_pool(handle);
  const Stream* stream = machine.enqueue_on(turn);
  if (pool == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  return allocate(machine, machine.device(pool->device), data, bytes, handle);
}

// The program has given it back; null for what is no allocation of a device.
Device* take_back(Machine& machine, void* data) {
  Device* device = machine.owner(data);
  const Allocation* found = device == nullptr ? nullptr : device->allocation(data);
  if (found == nullptr) return nullptr;
  if (machine.trace.wanted()) machine.trace.line("free a" + std::to_string(found->id));
  device->forget(static_cast<std::byte*>(data));
  return device;
}

cudaError_t allocate_pinned(Machine& machine, void** data, size_t bytes) {
  if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
  *data = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  memset(*data, kFreshByte, bytes);
  machine.pinned.emplace(static_cast<std::byte*>(*data), Allocation{machine.next_id(), bytes, nullptr});
  return cudaSuccess;
}

} // namespace

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return api(__func__, [=](Machine& machine) { return allocate(machine, machine.current(), data, bytes, nullptr); });
}

cudaError_t cudaFree(void* data) {
  return api(__func__, Effect::always, [=](Machine& machine) {
    if (data == nullptr) return cudaSuccess;
    Device* device = take_back(machine, data);
    if (device == nullptr) return cudaErrorInvalidValue;
    machine.drain_device(*device);
    device->end(static_cast<std::byte*>(data));
    return device->lost();
  });
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t turn) {
  return api(__func__, [=](Machine& machine) {
    auto* pool = reinterpret_cast<cudaMemPool_t>(&machine.current().default_pool());
    return allocate_in_turn(machine, data, bytes, pool, turn);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** data, size_t bytes, cudaMemPool_t pool, cudaStream_t turn) {
  return api(__func__, [=](Machine& machine) { return allocate_in_turn(machine, data, bytes, pool, turn); });
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t turn) {
  return api(__func__, [=](Machine& machine) {
    Stream* stream = machine.enqueue_on(turn);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    Device* device = take_back(machine, data);
    if (device == nullptr) return cudaErrorInvalidValue;
    stream->push([=] { device->end(static_cast<std::byte*>(data)); });
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** data, size_t bytes) {
  return api(__func__, [=](Machine& machine) { return allocate_pinned(machine, data, bytes); });
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  return api(__func__, [=](Machine& machine) { return allocate_pinned(machine, data, bytes); });
}

cudaError_t cudaFreeHost(void* data) {
  return api(__func__, Effect::always, [=](Machine& machine) {
    if (data == nullptr) return cudaSuccess;
    machine.drain_all(); // copies may still need it
    if (machine.pinned.erase(static_cast<std::byte*>(data)) == 0) return cudaErrorInvalidValue;
    std::free(data); // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api(__func__, [=](Machine& machine) {
    memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeUnregistered;
    if (const Device* device = machine.owner(pointer)) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = device->index();
      attributes->devicePointer = const_cast<void*>(pointer);
    } else if (ts::standin::place_name(machine, pointer) != "host") {
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = attributes->devicePointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api(__func__, [=](Machine& machine) {
    if (pool == nullptr || properties == nullptr || properties->location.type != cudaMemLocationTypeDevice)
      return cudaErrorInvalidValue;
    if (!machine.has_device(properties->location.id)) return cudaErrorInvalidDevice;
    *pool = machine.pools.add(std::make_unique<Pool>(Pool{properties->location.id, false}));
    return cudaSuccess;
  });
}

// Memory that was not given back stays.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api(__func__, Effect::always, [=](Machine& machine) {
    if (machine.pools.find(pool) == nullptr) return cudaErrorInvalidResourceHandle;
    machine.pools.end(pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  return api(__func__, [=](Machine& machine) {
    return machine.find_pool(pool) == nullptr || value == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return api(__func__, [=](Machine& machine) {
    const Pool* pool = machine.find_pool(handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    machine.device(pool->device).memory().flush_quarantine();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api(__func__, [=](Machine& machine) {
    if (!machine.has_device(device)) return cudaErrorInvalidDevice;
    *pool = reinterpret_cast<cudaMemPool_t>(&machine.device(device).default_pool());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api(__func__, [=](Machine& machine) {
    if (!machine.has_device(device)) return cudaErrorInvalidDevice;
    *pool = reinterpret_cast<cudaMemPool_t>(&machine.device(device).default_pool());
    return cudaSuccess;
  });
}
