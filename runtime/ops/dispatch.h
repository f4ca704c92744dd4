// The one generic way of every operation: row, device, promotion, broadcast, outputs, overlap, then launch.
#pragma once

#include "runtime/base/row.h"
#include "runtime/ops/input.h"
#include "runtime/tensor/movement.h"

#include <array>
#include <span>
#include <string_view>

namespace ts {

/// The results of an operation, in the row's order; the second is undefined where there is one.
using Results = std::array<Tensor, ops::kOutputsMax>;

namespace ops {

struct Options {
  /// Tensors to write the results to, each of the result's shape; null makes new ones. An inout operand's result goes to
  /// out[0], a copy of the operand where that is null.
  std::array<const Tensor*, kOutputsMax> out{};
  bool keepdims = false; ///< reduced axes stay, with extent 1
};

/// Runs an operation by its row: operands in the row's order, attributes by slot. The result is as if every input were
/// read whole before anything is written. At least one operand (or out) is a tensor; all are on one device.
Results call(const OpRow& row, std::span<const Input> operands, std::span<const Attribute> attributes = {},
             const Options& options = {});

} // namespace ops

/// The same by name: `call("topk", {x}, {Scalar(-1), Scalar(3), Scalar(true)})`.
Results call(std::string_view op, std::initializer_list<Input> operands,
             std::initializer_list<Attribute> attributes = {}, const ops::Options& options = {});

} // namespace ts
