// How a host runs this backend's kernels, for a runtime without a device (tools/standin).
#include "backends/kernels/host_kernel.h"

TS_EXPORT_HOST_KERNELS
