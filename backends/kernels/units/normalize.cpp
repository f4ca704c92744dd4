#include "backends/kernels/fused.h"
#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void normalize<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_normalize_workspace(const Call& call) { return normalize_workspace(call); }
} // namespace ts::kernels
