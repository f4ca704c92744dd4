#include "backends/kernels/gather.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void gather<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_gather_workspace(const Call& call) { return gather_workspace(call); }
} // namespace ts::kernels
