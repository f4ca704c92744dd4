#include "backends/kernels/scatter.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void scatter<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_scatter_workspace(const Call& call) { return scatter_workspace(call); }
} // namespace ts::kernels
