#include "backends/cuda/launcher.cuh"
#include "backends/kernels/scan.h"

namespace ts::kernels {
template void scan<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
