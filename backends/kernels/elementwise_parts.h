// The elementwise kernels are many; their instances are dealt by op to parts, each compiled in a unit of its own.
#pragma once

#include "backends/kernels/call.h"

namespace ts::kernels {

inline constexpr int kElementwiseParts = 8;

/// Runs the call if its operation belongs to this part; false otherwise. Defined in elementwise.h.
template <int kPart, class Launcher> bool elementwise_part(const Call& call, Launcher& launcher);

} // namespace ts::kernels
