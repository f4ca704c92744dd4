#include "backends/cuda/launcher.cuh"
#include "backends/kernels/sort.h"

namespace ts::kernels {
template void sort<cuda::Launcher>(const Call&, cuda::Launcher&);
} // namespace ts::kernels
