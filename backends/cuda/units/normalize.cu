#include "backends/cuda/launcher.cuh"
#include "backends/kernels/fused.h"

namespace ts::kernels {
template void normalize<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_normalize_workspace(const Call& call) { return normalize_workspace(call); }
} // namespace ts::kernels
