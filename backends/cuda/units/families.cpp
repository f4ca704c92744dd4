// The table of families for the CUDA device.
#include "backends/cuda/launcher.h"
#include "backends/kernels/family_table.h"

namespace ts::cuda {

const kernels::Family<Launcher>* family(int32_t id) { return kernels::find_family<Launcher>(id); }

} // namespace ts::cuda
