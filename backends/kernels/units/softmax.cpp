#include "backends/kernels/fused.h"
#include "backends/kernels/host_launcher.h"

namespace ts::kernels {
template void softmax<HostLauncher>(const Call&, HostLauncher&);
uint64_t host_softmax_workspace(const Call& call) { return softmax_workspace(call); }
} // namespace ts::kernels
