// What is mapped in this process beside the device's memory: the work item's own stack, constants, the rest of the host's.
#pragma once

#include "backends/emulator/checked/state.h"

namespace ts::emulator::checked {

/// Addresses of this thread's stack below a frame of it: what functions called from there have for their own.
Range stack_below(const void* frame);

/// True for an address in code or constants of a loaded library.
bool is_constant(uintptr_t address);

/// True where the process has memory at an address, readable or not.
bool is_mapped(uintptr_t address);

} // namespace ts::emulator::checked
