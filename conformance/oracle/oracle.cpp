// From a call to its family. What a family refuses becomes the expected error.
#include "conformance/oracle/oracle.h"

#include "conformance/oracle/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace ts::judge {
namespace {

using Family = void (*)(const Call&, Expected&);

Family family_of(const Op& op) {
  static constexpr std::pair<const char*, Family> kFamilies[] = {
      {"fill", expect_fill},     {"convert", expect_convert},       {"elementwise", expect_elementwise},
      {"reduce", expect_reduce}, {"arg_reduce", expect_arg_reduce}, {"scan", expect_scan},
      {"matmul", expect_matmul}, {"gather", expect_gather},         {"scatter", expect_scatter},
      {"sort", expect_sort},     {"softmax", expect_rows},          {"normalize", expect_rows}};
  for (const auto& [name, family] : kFamilies) {
    if (op.family == name) return family;
  }
  throw InputError(fmt::format("{}:{}: the oracle does not know the family {}", op.file, op.line, op.family));
}

/// An attribute default as it stands in the spec.
ts_attribute parse_default(const AttributeRow& row) {
  const std::string& text = *row.default_text;
  if (text == "true" || text == "false") return integer_attribute(text == "true" ? 1 : 0);
  char* end = nullptr;
  if (row.kind == "int" || row.kind == "bool" || row.kind == "axis" || row.kind == "axes") {
    const int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (*end == 0) return integer_attribute(value);
  } else {
    const double value = std::strtod(text.c_str(), &end);
    if (*end == 0) return real_attribute(value);
  }
  throw InputError(fmt::format("default {} of attribute {} is not a number", text, row.name));
}

void check_operands(const Call& call) {
  const Op& op = *call.op;
  if (call.inputs.size() != op.operands.size()) {
    throw InputError(fmt::format("{} takes {} operands, not {}", op.name, op.operands.size(), call.inputs.size()));
  }
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Array& input = call.inputs[i];
    if (input.dtype != call.instance->in[i]) {
      throw InputError(fmt::format("operand {} of {} is {}, not {}", op.operands[i].name, op.name,
                                   name_of(call.instance->in[i]), name_of(input.dtype)));
    }
    if (static_cast<int64_t>(input.bytes.size()) != input.count() * bytes_of(input.dtype)) {
      throw InputError(
          fmt::format("operand {} of {} does not hold {} elements", op.operands[i].name, op.name, input.count()));
    }
  }
}

} // namespace

ts_attribute attribute_of(const Call& call, const std::string& name) {
  if (const auto found = call.attributes.find(name); found != call.attributes.end()) return found->second;
  const AttributeRow* row = call.op->attribute(name);
  if (row == nullptr) throw InputError(fmt::format("{} has no attribute {}", call.op->name, name));
  if (!row->default_text) throw InputError(fmt::format("attribute {} of {} has no value", name, call.op->name));
  return parse_default(*row);
}

Expected expect(const Call& call) {
  check_operands(call);
  Expected expected;
  try {
    family_of (*call.op)(call, expected);
  } catch (const Refusal& refusal) {
    expected.outputs.clear();
    expected.bounds.clear();
    expected.error = refusal.error;
    expected.reason = refusal.reason;
  }
  return expected;
}

int64_t integer_of(const Call& call, const std::string& name) {
  const ts_attribute attribute = attribute_of(call, name);
  return attribute.kind == TS_ATTRIBUTE_INTEGER ? attribute.integer : static_cast<int64_t>(attribute.real);
}

int64_t axis_of(const Call& call, size_t rank) {
  const int64_t axis = integer_of(call, "axis");
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
    throw Refusal{"ValueError", fmt::format("axis {} is outside [0, {})", axis, rank)};
  }
  return axis;
}

Lines::Lines(const Shape& shape, int64_t axis) {
  for (size_t k = 0; k < shape.size(); ++k) {
    int64_t& count = static_cast<int64_t>(k) < axis    ? outer_count
                     : static_cast<int64_t>(k) == axis ? extent
                                                       : inner_count;
    count = static_cast<int64_t>(k) == axis ? shape[k] : count * shape[k];
  }
}

Broadcast::Broadcast(const Shape& shape, const Shape& small)
    : shape_(shape), strides_(shape.size()), same_(shape == small) {
  int64_t stride = 1;
  for (size_t k = 0; k < small.size(); ++k) {
    const int64_t extent = small[small.size() - 1 - k];
    strides_[shape.size() - 1 - k] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
}

int64_t Broadcast::operator()(int64_t index) const {
  if (same_) return index;
  int64_t result = 0;
  for (size_t k = shape_.size(); k-- > 0;) {
    result += index % shape_[k] * strides_[k];
    index /= shape_[k];
  }
  return result;
}

Shape broadcast_shape(const Call& call) {
  Shape result;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Shape& shape = call.inputs[i].shape;
    if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
    for (size_t k = 0; k < shape.size(); ++k) {
      int64_t& extent = result[result.size() - shape.size() + k];
      if (extent == 1) {
        extent = shape[k];
      } else if (shape[k] != 1 && shape[k] != extent) {
        throw Refusal{"ValueError", fmt::format("operand {} of shape {} does not broadcast with the others",
                                                call.op->operands[i].name, text_of(shape))};
      }
    }
  }
  return result;
}

} // namespace ts::judge
