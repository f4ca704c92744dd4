// Fill, copy and the conversions.
#include "backends/cuda/launcher.cuh"
#include "backends/kernels/movement.h"

namespace ts::kernels {
template void fill<cuda::Launcher>(const Call&, cuda::Launcher&);
template void convert<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
