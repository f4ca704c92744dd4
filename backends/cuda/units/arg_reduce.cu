#include "backends/cuda/launcher.cuh"
#include "backends/kernels/arg_reduce.h"

namespace ts::kernels {
template void arg_reduce<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
