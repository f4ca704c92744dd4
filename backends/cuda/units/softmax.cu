#include "backends/cuda/launcher.cuh"
#include "backends/kernels/fused.h"

namespace ts::kernels {
template void softmax<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
