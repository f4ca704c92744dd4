#include "runtime/ops/bind.h"

#include "runtime/errors.h"
#include "runtime/ops/promotion.h"

#include <fmt/format.h>

namespace ts::ops {

namespace {

constexpr int kRankMask = 64; // axes that a bit mask can name

int64_t mask_of(const OpRow& row, const Axes& axes, int rank) {
  if (rank > kRankMask) throw ValueError(fmt::format("[layout.21] {}: {} axes, at most {}", row.name, rank, kRankMask));
  if (axes.all()) return rank == 0 ? 0 : static_cast<int64_t>(~uint64_t{0} >> (kRankMask - rank));
  uint64_t mask = 0;
  for (const int64_t axis : axes.axes()) {
    const uint64_t bit = uint64_t{1} << normalize_axis(axis, rank, row.name);
    if ((mask & bit) != 0) throw ValueError(fmt::format("[layout.24] {}: axis {} is named twice", row.name, axis));
    mask |= bit;
  }
  return static_cast<int64_t>(mask);
}

Axes one_axis(const OpRow& row, const Scalar& axis) {
  if (axis.is_real()) throw TypeError(fmt::format("[{}] an axis is an integer, got {}", row.name, axis.str()));
  return axis.integer();
}

} // namespace

void check_counts(const OpRow& row, std::span<const Input> operands, std::span<const Attribute> attributes) {
  if (operands.size() != row.operands.size() || attributes.size() != row.attributes.size()) {
    throw TypeError(fmt::format("{}: takes {} operands and {} attributes, got {} and {}", row.name, row.operands.size(),
                                row.attributes.size(), operands.size(), attributes.size()));
  }
  if (row.family == TS_FAMILY_ELEMENTWISE) return;
  const size_t tensors = row.shape == ShapeRule::broadcast_to_x ? 1 : operands.size(); // the others may be numbers
  for (size_t i = 0; i < tensors; ++i)
    if (operands[i].is_scalar())
      throw TypeError(fmt::format("[{0}] operand {1} must be a tensor", row.name, row.operands[i].name));
}

// The operands as the door orders them, converted to the instance's dtypes on their device.
void bind_inputs(Launch& call, const Instance& instance, std::span<const Input> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (static_cast<int>(i) == call.row->inout) continue;
    Bound& bound = call.inputs[static_cast<size_t>(call.input_count++)];
    bound.dtype = instance.in[i];
    if (operands[i].is_scalar()) {
      bound.bits = encode_operand(*call.row, operands[i].scalar(), bound.dtype);
      continue;
    }
    bound.tensor = operands[i].tensor().to(bound.dtype);
    bound.layout = bound.tensor.layout();
  }
}

ts_attribute value_attribute(const OpRow& row, const AttributeRow& attribute, const Scalar& value, DType dtype) {
  if (!value.fits(dtype)) {
    throw ValueError(
        fmt::format("[numerics.16] {}: {} = {} does not fit {}", row.name, attribute.name, value.str(), name(dtype)));
  }
  if (is_floating(dtype)) return {TS_ATTRIBUTE_REAL, 0, 0, value.real()};
  return {TS_ATTRIBUTE_INTEGER, 0, value.integer(), 0};
}

void bind_attributes(Launch& call, const Instance& instance, std::span<const Attribute> attributes, int rank) {
  const OpRow& row = *call.row;
  call.attribute_count = static_cast<int>(attributes.size());
  for (size_t slot = 0; slot < attributes.size(); ++slot) {
    const AttributeRow& attribute = row.attributes[slot];
    ts_attribute& bound = call.attributes[slot];
    if (attribute.kind == AttributeKind::axes) {
      const auto* axes = std::get_if<Axes>(&attributes[slot]);
      const Axes one = axes != nullptr ? *axes : one_axis(row, std::get<Scalar>(attributes[slot]));
      bound = {TS_ATTRIBUTE_INTEGER, 0, mask_of(row, one, rank), 0};
      call.axes_slot = static_cast<int>(slot);
      continue;
    }
    const auto* value = std::get_if<Scalar>(&attributes[slot]);
    if (value == nullptr) throw TypeError(fmt::format("{}: attribute {} is a number", row.name, attribute.name));
    const bool whole = attribute.kind != AttributeKind::real && attribute.kind != AttributeKind::value;
    if (whole && value->is_real())
      throw TypeError(fmt::format("{}: attribute {} is an integer, got {}", row.name, attribute.name, value->str()));
    switch (attribute.kind) {
      case AttributeKind::value: {
        const auto of = static_cast<size_t>(attribute.of);
        const DType dtype = attribute.of_output ? instance.out[of] : instance.in[row.operand_of_input(of)];
        bound = value_attribute(row, attribute, *value, dtype);
        break;
      }
      case AttributeKind::axis:
        bound = {TS_ATTRIBUTE_INTEGER, 0, normalize_axis(value->integer(), rank, row.name), 0};
        call.axis_slot = static_cast<int>(slot);
        break;
      case AttributeKind::real: bound = {TS_ATTRIBUTE_REAL, 0, 0, value->real()}; break;
      default: bound = {TS_ATTRIBUTE_INTEGER, 0, value->integer(), 0};
    }
  }
}

} // namespace ts::ops
