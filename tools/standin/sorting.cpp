// Stands in for the library of the toolkit's device sort, whose kernels have no record that could run here: it takes no call,
// so that our own kernels sort.
#include "backends/cuda/sorting/library.h"

extern "C" __attribute__((visibility("default"))) const ts::cuda::SortingLibrary* ts_cuda_sorting() {
  static constexpr ts::cuda::SortingLibrary kLibrary{
      [](const ts::kernels::Call&, cudaStream_t, cudaError_t*) { return false; }};
  return &kLibrary;
}
