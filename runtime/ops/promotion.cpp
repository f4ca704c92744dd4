#include "runtime/ops/promotion.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"

#include <fmt/format.h>

#include <algorithm>

namespace ts {

DType promote(DType a, DType b) {
  if (a == b) return TS_MUTATE("PR05", a, a == DType::kU8 ? DType::kI32 : a);
  if (class_of(a) != class_of(b)) return class_of(a) > class_of(b) ? a : b;
  // Numbers of a class are ordered by size; only the two 16-bit formats hold neither the other.
  const DType low = std::min(a, b), high = std::max(a, b);
  return low == DType::kF16 && high == DType::kBF16 ? DType::kF32 : high;
}

DType promote(DType tensor, DTypeClass scalar) {
  if (scalar <= TS_MUTATE("PR03", class_of(tensor), std::max(class_of(tensor), DTypeClass::kFloating))) return tensor;
  return scalar == DTypeClass::kInteger ? DType::kI64 : DType::kF32;
}

namespace ops {

namespace {

bool allows(uint32_t set, DType dtype) { return (set >> static_cast<int>(dtype) & 1) != 0; }

DType default_dtype(DTypeClass kind) {
  if (kind == DTypeClass::kBool) return DType::kBool;
  return kind == DTypeClass::kInteger ? DType::kI64 : DType::kF32;
}

[[noreturn]] void wrong_dtype(const OpRow& row, size_t operand, DType given) {
  const Role role = row.operands[operand].role;
  const bool masked = role == Role::mask || role == Role::index;
  throw TypeError(fmt::format("[{}] {}: operand {} is {}; it takes {}", masked ? "numerics.19" : "numerics.38",
                              row.name, row.operands[operand].name, name(given), dtype_names(row.dtypes[operand])));
}

} // namespace

const Instance& resolve(const OpRow& row, std::span<const Input> operands) {
  std::array<std::optional<DType>, kOperandsMax> tensors{};
  std::array<std::optional<DTypeClass>, kOperandsMax> scalars{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto group = static_cast<size_t>(row.group[i]);
    if (operands[i].is_scalar()) {
      const DTypeClass kind = operands[i].scalar().kind();
      scalars[group] = scalars[group] ? std::max(*scalars[group], kind) : kind;
      continue;
    }
    const DType dtype = operands[i].tensor().dtype();
    // Masks and indices are never converted: a float is no truth value, and no index, by accident.
    const Role role = row.operands[i].role;
    if ((role == Role::mask || role == Role::index) && !allows(row.dtypes[i], dtype)) wrong_dtype(row, i, dtype);
    tensors[group] = tensors[group] ? promote(*tensors[group], dtype) : dtype;
  }
  std::array<DType, kOperandsMax> wanted{};
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto group = static_cast<size_t>(row.group[i]);
    if (tensors[group])
      wanted[i] = scalars[group] ? promote(*tensors[group], *scalars[group]) : *tensors[group];
    else
      wanted[i] = default_dtype(*scalars[group]);
    if (!allows(row.dtypes[i], wanted[i])) wrong_dtype(row, i, wanted[i]);
  }
  for (const Instance& instance : row.instances)
    if (std::equal(wanted.begin(), wanted.begin() + operands.size(), instance.in.begin())) return instance;
  std::string together;
  for (size_t i = 0; i < operands.size(); ++i)
    together += fmt::format("{}{} {}", i == 0 ? "" : ", ", row.operands[i].name, name(wanted[i]));
  throw TypeError(fmt::format("[numerics.38] {}: no row takes {} together", row.name, together));
}

uint64_t encode_operand(const OpRow& row, const Scalar& scalar, DType dtype) {
  // A truth value is a number wherever numbers are taken.
  if (!TS_MUTATE("PR02", TS_MUTATE("PR03", scalar.fits(dtype), scalar.is_real() || scalar.fits(dtype)), true)) {
    throw ValueError(
        fmt::format("[numerics.16] {}: the number {} does not fit {}", row.name, scalar.str(), name(dtype)));
  }
  return scalar.encode(dtype);
}

} // namespace ops
} // namespace ts
