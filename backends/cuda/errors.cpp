#include "backends/cuda/errors.h"

#include <string_view>

namespace ts::cuda {

namespace {

// `cudaMallocAsync` of `cudaMallocAsync(&data, bytes, stream)`.
std::string_view name_of(std::string_view call) { return call.substr(0, call.find('(')); }

// A path from the repository root.
std::string_view place_of(std::string_view file) {
  const size_t root = file.rfind("backends/");
  return root == std::string_view::npos ? file : file.substr(root);
}

} // namespace

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

std::string describe(cudaError_t code, const char* call, const char* file, int line) {
  std::string text(name_of(call));
  text += " at ";
  text += place_of(file);
  text += ':' + std::to_string(line) + " failed: " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
  if (is_sticky(code)) text += "; the device is lost to this process";
  return text;
}

void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError(); // the next call does not see an error that was told here
  throw CudaError(code == cudaErrorMemoryAllocation ? TS_OUT_OF_MEMORY : TS_DEVICE_ERROR,
                  describe(code, call, file, line), code);
}

} // namespace ts::cuda
