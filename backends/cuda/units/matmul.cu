#include "backends/cuda/launcher.cuh"
#include "backends/kernels/matmul.h"

namespace ts::kernels {
template void matmul<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_matmul_workspace(const Call& call) { return matmul_workspace(call); }
} // namespace ts::kernels
