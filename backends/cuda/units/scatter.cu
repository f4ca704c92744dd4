#include "backends/cuda/launcher.cuh"
#include "backends/kernels/scatter.h"

namespace ts::kernels {
template void scatter<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
