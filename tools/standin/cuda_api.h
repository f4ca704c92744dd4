// The runtime's own header, whose functions this library exports. Included in place of it.
#pragma once

#pragma GCC visibility push(default)
#include "tools/standin/control.h"

#include <cuda_runtime_api.h>

extern "C" {
// What code that nvcc compiled calls (crt/host_runtime.h, crt/device_functions.h of a toolkit).
void** __cudaRegisterFatBinary(void* image);    // NOLINT(bugprone-reserved-identifier): the toolkit's name
void __cudaRegisterFatBinaryEnd(void** module); // NOLINT(bugprone-reserved-identifier)
void __cudaUnregisterFatBinary(void** module);  // NOLINT(bugprone-reserved-identifier)
char __cudaInitModule(void** module);           // NOLINT(bugprone-reserved-identifier)
void __cudaRegisterFunction(void** module, const char* entry,
                            char* device_entry, // NOLINT(bugprone-reserved-identifier)
                            const char* name, int thread_limit, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void** module, char* host, char* device,
                       const char* name, // NOLINT(bugprone-reserved-identifier)
                       int external, size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, // NOLINT(bugprone-reserved-identifier)
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                       size_t* shared_bytes, // NOLINT(bugprone-reserved-identifier)
                                       void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* entry);      // NOLINT(bugprone-reserved-identifier)
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, // NOLINT(bugprone-reserved-identifier)
                               void** arguments, size_t shared_bytes, cudaStream_t stream);
}
#pragma GCC visibility pop
