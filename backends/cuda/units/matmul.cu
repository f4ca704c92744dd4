#include "backends/cuda/launcher.cuh"
#include "backends/kernels/matmul.h"

namespace ts::kernels {
template void matmul<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
