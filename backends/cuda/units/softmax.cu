#include "backends/cuda/launcher.cuh"
#include "backends/kernels/fused.h"

namespace ts::kernels {
template void softmax<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_softmax_workspace(const Call& call) { return softmax_workspace(call); }
} // namespace ts::kernels
