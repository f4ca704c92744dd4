#include "backends/cuda/launcher.cuh"
#include "backends/kernels/gather.h"

namespace ts::kernels {
template void gather<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
