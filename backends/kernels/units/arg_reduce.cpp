#include "backends/kernels/arg_reduce.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void arg_reduce<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
