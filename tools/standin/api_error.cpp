// Errors: names and sentences, the calling thread's last one.
#include "tools/standin/machine.h"

#include <utility>

namespace {

struct Named {
  cudaError_t code;
  const char* name;
  const char* text;
};

// What programs of a stand-in meet; the sentences are the runtime's.
#define TS_ERROR(name, text)                                                                                           \
  { name, #name, text }
constexpr Named kErrors[] = {
    TS_ERROR(cudaSuccess, "no error"),
    TS_ERROR(cudaErrorInvalidValue, "invalid argument"),
    TS_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    TS_ERROR(cudaErrorInitializationError, "initialization error"),
    TS_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    TS_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    TS_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    TS_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    TS_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    TS_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    TS_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    TS_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    TS_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    TS_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    TS_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    TS_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    TS_ERROR(cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error detected during the execution"),
    TS_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    TS_ERROR(cudaErrorNotReady, "device not ready"),
    TS_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    TS_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    TS_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    TS_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    TS_ERROR(cudaErrorAssert, "device-side assert triggered"),
    TS_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    TS_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    TS_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    TS_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    TS_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    TS_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    TS_ERROR(cudaErrorNotSupported, "operation not supported"),
    TS_ERROR(cudaErrorUnknown, "unknown error"),
};

const Named* find(cudaError_t code) {
  for (const Named& named : kErrors)
    if (named.code == code) return &named;
  return nullptr;
}

} // namespace

using ts::standin::Machine;

const char* cudaGetErrorName(cudaError_t code) {
  const Named* named = find(code);
  return named == nullptr ? "unrecognized error code" : named->name;
}

const char* cudaGetErrorString(cudaError_t code) {
  const Named* named = find(code);
  return named == nullptr ? "unrecognized error code" : named->text;
}

// A sticky error stays.
cudaError_t cudaGetLastError() {
  const cudaError_t code = std::exchange(Machine::last_error(), cudaSuccess);
  Machine& machine = Machine::get();
  const std::lock_guard<std::mutex> lock(machine.mutex);
  const bool lost = machine.device_count() > 0 && machine.current().lost() != cudaSuccess;
  return lost ? machine.current().lost() : code;
}

cudaError_t cudaPeekAtLastError() { return Machine::last_error(); }
