// Devices: how many, what they are, which one is current.
#include "tools/standin/machine.h"

#include <cstdio>
#include <cstring>

using ts::standin::api;
using ts::standin::Machine;

namespace {

constexpr int kStaticShared = 48 << 10;
constexpr int kGridYZ = 65535;

cudaDeviceProp properties_of(const Machine& machine) {
  const ts::emulator::Profile& profile = *machine.settings.device.profile;
  cudaDeviceProp p{};
  snprintf(p.name, sizeof p.name, "stand-in %s", profile.name);
  p.totalGlobalMem = machine.settings.device.memory_bytes;
  p.sharedMemPerBlock = kStaticShared;
  p.sharedMemPerBlockOptin = profile.shared_max;
  p.sharedMemPerMultiprocessor = profile.shared_max + 1024;
  p.reservedSharedMemPerBlock = 1024;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = INT32_MAX;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = profile.threads_max;
  p.maxThreadsDim[2] = 64;
  p.maxThreadsPerMultiProcessor = profile.capability == 75 ? 1024 : 2048;
  p.maxBlocksPerMultiProcessor = 16;
  p.maxGridSize[0] = static_cast<int>(profile.blocks_max);
  p.maxGridSize[1] = p.maxGridSize[2] = kGridYZ;
  p.totalConstMem = 64 << 10;
  p.major = profile.capability / 10;
  p.minor = profile.capability % 10;
  p.textureAlignment = 512;
  p.multiProcessorCount = profile.processors;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.memoryPoolsSupported = 1;
  p.asyncEngineCount = 2;
  p.l2CacheSize = 4 << 20;
  p.streamPrioritiesSupported = 1;
  return p;
}

// The attributes that programs size their launches by.
bool attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute, int* value) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; return true;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; return true;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; return true;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; return true;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; return true;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; return true;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; return true;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); return true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); return true;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      return true;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; return true;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; return true;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; return true;
    case cudaDevAttrWarpSize: *value = p.warpSize; return true;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; return true;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; return true;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; return true;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; return true;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCanMapHostMemory: *value = 1; return true;
    case cudaDevAttrIntegrated:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrPageableMemoryAccess: *value = 0; return true;
    default: return false;
  }
}

} // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return api(__func__, [count](Machine& machine) {
    *count = machine.device_count();
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api(__func__, [device](Machine&) {
    *device = Machine::current_index();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api(__func__, [device](Machine& machine) {
    if (!machine.has_device(device)) return cudaErrorInvalidDevice;
    Machine::current_index() = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api(__func__, [=](Machine& machine) {
    if (!machine.has_device(device)) return cudaErrorInvalidDevice;
    *properties = properties_of(machine);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api(__func__, [=](Machine& machine) {
    if (!machine.has_device(device)) return cudaErrorInvalidDevice;
    return attribute_of(properties_of(machine), attribute, value) ? cudaSuccess : cudaErrorNotSupported;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api(__func__, [](Machine& machine) {
    machine.drain_device(machine.current());
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api(__func__, [=](Machine& machine) {
    *total = machine.settings.device.memory_bytes;
    *free = *total - machine.current().allocated_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api(__func__, [=](Machine& machine) {
    *can = 0; // a device's memory is its own: copies between two go through both queues
    return machine.has_device(device) && machine.has_device(peer) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return api(__func__, [](Machine&) { return cudaErrorPeerAccessUnsupported; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api(__func__, [=](Machine&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
