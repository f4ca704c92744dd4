#include "backends/cuda/launcher.cuh"
#include "backends/kernels/reduce.h"

namespace ts::kernels {
template void reduce<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
