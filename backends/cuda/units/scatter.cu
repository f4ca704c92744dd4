#include "backends/cuda/launcher.cuh"
#include "backends/kernels/scatter.h"

namespace ts::kernels {
template void scatter<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_scatter_workspace(const Call& call) { return scatter_workspace(call); }
} // namespace ts::kernels
