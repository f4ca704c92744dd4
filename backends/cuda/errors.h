// Every call of the CUDA runtime is checked by TS_CUDA, which throws what a caller of the door needs to know: which call,
// in which file and line, what it said, and whether the device is lost.
#pragma once

#include "backends/kernels/door.h"

#include <cuda_runtime_api.h>

namespace ts::cuda {

/// A CUDA call that failed. TS_OUT_OF_MEMORY for memory, else TS_DEVICE_ERROR.
struct CudaError : kernels::DoorError {
  CudaError(ts_status status_, const std::string& what, cudaError_t code_) : DoorError(status_, what), code(code_) {}
  cudaError_t code;
};

/// True for errors after which every call of the process on that device fails in the same way.
bool is_sticky(cudaError_t code);

/// Throws CudaError for a code that is not cudaSuccess. `call` is the text of the call.
void check(cudaError_t code, const char* call, const char* file, int line);

/// The sentence of such an error.
std::string describe(cudaError_t code, const char* call, const char* file, int line);

} // namespace ts::cuda

#define TS_CUDA(call) ::ts::cuda::check((call), #call, __FILE__, __LINE__)
