#include "backends/cuda/launcher.cuh"
#include "backends/kernels/sort.h"

namespace ts::kernels {
template void sort<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_sort_workspace(const Call& call) { return sort_workspace(call); }
} // namespace ts::kernels
