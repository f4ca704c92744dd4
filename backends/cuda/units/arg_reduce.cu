#include "backends/cuda/launcher.cuh"
#include "backends/kernels/arg_reduce.h"

namespace ts::kernels {
template void arg_reduce<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_arg_reduce_workspace(const Call& call) { return arg_reduce_workspace(call); }
} // namespace ts::kernels
