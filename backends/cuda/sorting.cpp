#include "backends/cuda/sorting.h"

#include "backends/cuda/errors.h"
#include "backends/cuda/sorting/library.h"

#include <dlfcn.h>

namespace ts::cuda {

namespace {

// Whole or not at all: it calls more of the runtime than this backend does, and RTLD_NOW looks for all of it.
const SortingLibrary* open_library() {
  void* library = dlopen("libtouchstone_cuda_sorting.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  using Entry = const SortingLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "ts_cuda_sorting"));
  return entry == nullptr ? nullptr : entry();
}

} // namespace

bool vendor_sort(const kernels::Call& call, cudaStream_t stream) {
  static const SortingLibrary* const library = open_library();
  if (library == nullptr) return false;
  cudaError_t code = cudaSuccess;
  const bool enqueued = library->run(call, stream, &code);
  check(code, "a sort by CUB", __FILE__, __LINE__);
  return enqueued;
}

} // namespace ts::cuda
