// The runtime's own header, whose functions this library exports. Included in place of it.
#pragma once

#pragma GCC visibility push(default)
#include "tools/standin/control.h"

#include <cuda_runtime_api.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the toolkit's names
extern "C" {
// What code that nvcc compiled calls (crt/host_runtime.h, crt/device_functions.h of a toolkit).
void** __cudaRegisterFatBinary(void* image);
void __cudaRegisterFatBinaryEnd(void** module);
void __cudaUnregisterFatBinary(void** module);
char __cudaInitModule(void** module);
void __cudaRegisterFunction(void** module, const char* entry, char* device_entry, const char* name, int thread_limit,
                            uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void** module, char* host, char* device, const char* name, int external, size_t bytes,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* entry);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream);
}
// NOLINTEND(bugprone-reserved-identifier)
#pragma GCC visibility pop
