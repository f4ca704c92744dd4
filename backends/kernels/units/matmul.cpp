#include "backends/kernels/matmul.h"

#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void matmul<HostLauncher>(const Call&, HostLauncher&);
} // namespace ts::kernels
