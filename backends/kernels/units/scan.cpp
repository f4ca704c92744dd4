#include "backends/kernels/scan.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void scan<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_scan_workspace(const Call& call) { return scan_workspace(call); }
} // namespace ts::kernels
