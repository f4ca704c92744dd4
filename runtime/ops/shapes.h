// The shape rules of the spec's families: how operands are laid out for the door, and what shape results have.
#pragma once

#include "runtime/ops/launch.h"

#include <array>
#include <optional>

namespace ts::ops {

/// What a family makes of its operands: input layouts are rewritten in place, outputs described.
struct Shapes {
  std::array<Dims, kOutputsMax> door;   ///< shapes of the outputs as the door wants them
  std::array<Dims, kOutputsMax> result; ///< shapes as the caller sees them
  uint64_t hidden = 0;                  ///< door axes, all of extent 1, that the caller does not see, a bit each
};

/// Applies the row's shape rule. Inputs of the launch hold the operands' own layouts, attributes are final (axes
/// normalised); `inout` is the layout of the inout operand, where there is one. ValueError where shapes do not go together.
Shapes apply_shape_rule(Launch& call, const Layout* inout, bool keepdims);

/// The layout of a result as the door wants it: hidden axes put back, extents as the door has them.
Layout door_layout(const Layout& result, const Dims& door, uint64_t hidden);

} // namespace ts::ops
