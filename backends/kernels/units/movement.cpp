// Fill, copy and the conversions.
#include "backends/kernels/movement.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void fill<HostLauncher>(const Call&, HostLauncher&);
template void convert<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
