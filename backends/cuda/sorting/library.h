// The seam to the toolkit's device sort (CUB), a library of its own that is opened when it is first needed.
#pragma once

#include "backends/kernels/call.h"

#include <cuda_runtime_api.h>

namespace ts::cuda {

/// What the library exports, by ts_cuda_sorting().
struct SortingLibrary {
  /// Enqueues a sort, an argsort or a topk that kernels::plan_sort takes. False, with nothing enqueued, where the call does not
  /// suit. A call of the runtime that fails ends it, and is told in code.
  bool (*run)(const kernels::Call& call, cudaStream_t stream, cudaError_t* code);
};

} // namespace ts::cuda
