// Which dtypes an operation computes in: the promotion of tensors, and how numbers without a dtype join them
// (spec/numerics.md).
#pragma once

#include "runtime/base/row.h"
#include "runtime/ops/input.h"

#include <optional>
#include <span>

namespace ts {

/// The smallest dtype that holds both, as the array API standard has it; an integer and a floating dtype give the
/// floating one, bool gives the other.
DType promote(DType a, DType b);
/// The dtype of a tensor after meeting a number: its own, unless the number is of a later class (bool, integer,
/// real); then i64 or f32.
DType promote(DType tensor, DTypeClass scalar);

namespace ops {

/// The instance of a row that the operands promote to; TypeError where the row has none.
const Instance& resolve(const OpRow& row, std::span<const Input> operands);

/// The bits of a number as an operand of a dtype; ValueError where it does not fit.
uint64_t encode_operand(const OpRow& row, const Scalar& scalar, DType dtype);

/// A comparison of a tensor with a number that its dtype cannot hold, made exact: either one truth value for every
/// element, or a comparison of the tensor (first) with a number that it can hold.
struct ExactComparison {
  int32_t op;
  bool constant = false; ///< then `value` is the result
  Scalar value;
};
/// Nothing for other operations, and where the number can be held: then the generic way is exact.
std::optional<ExactComparison> exact_comparison(const OpRow& row, std::span<const Input> operands);

} // namespace ops
} // namespace ts
