// The table of families for backends on the host.
#include "backends/kernels/family_table.h"

namespace ts::kernels {

const HostFamily* host_family(int32_t family) { return find_family<HostLauncher>(family); }

} // namespace ts::kernels
