// The one symbol of checked/kernels.so.
#include "backends/emulator/checked/library.h"

extern "C" __attribute__((visibility("default"))) const ts::emulator::checked::InstrumentedKernels*
ts_instrumented_kernels() {
  static constexpr ts::emulator::checked::InstrumentedKernels kKernels{ts::kernels::host_family};
  return &kKernels;
}
