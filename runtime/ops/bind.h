// Operands and attributes as a caller wrote them, made into what the door takes.
#pragma once

#include "runtime/ops/input.h"
#include "runtime/ops/launch.h"

#include <span>

namespace ts::ops {

/// TypeError for wrong numbers of operands or attributes, and for a number where an operation needs a tensor.
void check_counts(const OpRow& row, std::span<const Input> operands, std::span<const Attribute> attributes);

/// The inputs in the door's order, converted to the instance's dtypes on their device; numbers become immediates.
void bind_inputs(Launch& call, const Instance& instance, std::span<const Input> operands);

/// The attributes by slot: axes counted from the front, of `rank` of them, values in the class of their operand's dtype.
void bind_attributes(Launch& call, const Instance& instance, std::span<const Attribute> attributes, int rank);

/// A value as it travels to an operation on this dtype; ValueError where it does not fit.
ts_attribute value_attribute(const OpRow& row, const AttributeRow& attribute, const Scalar& value, DType dtype);

} // namespace ts::ops
