#include "backends/kernels/arg_reduce.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void arg_reduce<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_arg_reduce_workspace(const Call& call) { return arg_reduce_workspace(call); }
} // namespace ts::kernels
