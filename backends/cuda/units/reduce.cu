#include "backends/cuda/launcher.cuh"
#include "backends/kernels/reduce.h"

namespace ts::kernels {
template void reduce<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_reduce_workspace(const Call& call) { return reduce_workspace(call); }
} // namespace ts::kernels
