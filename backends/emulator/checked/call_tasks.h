// Kernels of a family that does wrong, for calls through a device in checked mode.
#pragma once

#include "backends/kernels/families.h"

namespace ts::emulator::checked {

/// What the family of the next calls does.
enum class Wrong {
  nothing,        ///< z = x
  past_the_end,   ///< one element more than z has
  leaves_element, ///< the last element of z as it was
  adds_to_output, ///< z += x, which reads what z held before the call
  neighbours,     ///< two items write each element
};
void choose(Wrong wrong);

/// Copies input 0, dense f32, into output 0.
const kernels::HostFamily* copying_family(int32_t family);

} // namespace ts::emulator::checked
