#include "backends/cuda/launcher.cuh"
#include "backends/kernels/gather.h"

namespace ts::kernels {
template void gather<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_gather_workspace(const Call& call) { return gather_workspace(call); }
} // namespace ts::kernels
