#include "backends/kernels/scan.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void scan<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
