#include "backends/kernels/sort.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void sort<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
