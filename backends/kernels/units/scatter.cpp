#include "backends/kernels/scatter.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void scatter<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
