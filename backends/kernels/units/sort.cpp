#include "backends/kernels/sort.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void sort<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_sort_workspace(const Call& call) { return sort_workspace(call); }
} // namespace ts::kernels
