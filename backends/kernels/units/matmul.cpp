#include "backends/kernels/matmul.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void matmul<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_matmul_workspace(const Call& call) { return matmul_workspace(call); }
} // namespace ts::kernels
