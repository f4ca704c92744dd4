#include "backends/kernels/reduce.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void reduce<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_reduce_workspace(const Call& call) { return reduce_workspace(call); }
} // namespace ts::kernels
