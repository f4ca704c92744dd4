// Sorting by the toolkit's device library, where it is there and the call suits it.
#pragma once

#include "backends/kernels/call.h"

#include <cuda_runtime_api.h>

namespace ts::cuda {

/// Enqueues a sort, an argsort or a topk; false where our own kernels have to do it. Throws CudaError.
bool vendor_sort(const kernels::Call& call, cudaStream_t stream);

} // namespace ts::cuda
