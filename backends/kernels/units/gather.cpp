#include "backends/kernels/gather.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void gather<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
