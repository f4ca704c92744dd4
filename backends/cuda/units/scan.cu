#include "backends/cuda/launcher.cuh"
#include "backends/kernels/scan.h"

namespace ts::kernels {
template void scan<cuda::Launcher>(const Call&, cuda::Launcher&);
uint64_t host_scan_workspace(const Call& call) { return scan_workspace(call); }
} // namespace ts::kernels
