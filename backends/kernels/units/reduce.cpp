#include "backends/kernels/reduce.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void reduce<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
