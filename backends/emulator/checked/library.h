// The shared kernels as they are compiled to be checked: a library of its own beside the emulator, loaded when asked for.
#pragma once

#include "backends/kernels/families.h"
#include "backends/kernels/instrument.h"

namespace ts::emulator::checked {

/// What the library exports, by the name ts_instrumented_kernels.
struct InstrumentedKernels {
  const kernels::HostFamily* (*families)(int32_t family);
};

/// The families of checked/kernels.so in the folder of this library, loaded once. Throws DoorError where it was not built.
const InstrumentedKernels& instrumented_kernels();

} // namespace ts::emulator::checked
