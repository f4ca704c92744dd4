#include "conformance/tensor/error_rules.h"

#include "conformance/compare.h"
#include "conformance/select/select.h"
#include "conformance/tensor/promotion_rules.h"
#include "runtime/tensor/factories.h"

#include <fmt/format.h>

namespace ts::conformance {

namespace {

// Dense operands of ones for the first instance of a row.
struct Plain {
  Case c;
  std::vector<Array> arrays;
};
Plain plain_call(const judge::Op& op) {
  Plain plain;
  plain.c = dense_case(op, op.instances.front(), {2, 2});
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const int32_t dtype = op.instances.front().in[k];
    const std::vector<double> zeros(static_cast<size_t>(judge::count_of(plain.c.shapes[k])), 0.0);
    plain.arrays.push_back(Array::of(dtype, plain.c.shapes[k], zeros));
  }
  return plain;
}

// A dtype that no instance of the row takes for the operand, or 0.
int32_t wrong_dtype(const judge::Op& op, size_t operand) {
  for (const char* name : {"f32", "i64", "bool"}) {
    const int32_t dtype = judge::dtype_named(name);
    bool taken = false;
    for (const judge::Instance& instance : op.instances) taken = taken || instance.in[operand] == dtype;
    if (!taken) return dtype;
  }
  return 0;
}

std::string axis_attribute(const judge::Op& op) {
  for (const judge::AttributeRow& row : op.attributes)
    if (row.kind == "axis" || row.kind == "axes") return row.name;
  return {};
}

// A dtype that a result of another one does not promote to, or 0: the first of the lowest class that is not its own.
int32_t narrower_dtype(int32_t result) {
  for (const char* name : {"bool", "u8", "f16"})
    if (name != std::string(judge::name_of(result)) && promoted(name, judge::name_of(result)) != std::string(name))
      return judge::dtype_named(name);
  return 0;
}

// Into a given tensor of a dtype that cannot take the result: refused, and every byte of the tensor stays.
void judge_out_dtype(Rule& rule, const Plain& plain, const std::vector<Attribute>& attributes) {
  rule.cite({"numerics.37"});
  std::vector<Input> operands;
  for (const Array& array : plain.arrays) operands.emplace_back(tensor_of(array, rule.device()));
  const int32_t wrong = narrower_dtype(plain.c.instance->out.front());
  if (wrong == 0) rule.unknown();
  Array before(wrong, result_shape(plain.c, 0));
  for (int64_t e = 0; e < before.count(); ++e) before.set_integer(e, 1);
  const Tensor out = tensor_of(before, rule.device());
  ops::Options options;
  options.out[0] = &out;
  rule.expect_error("TypeError", operands, attributes, options);
  if (const judge::Comparison same = judge::compare_bits(array_of(out), before, "the tensor before the call", true);
      !same.pass)
    throw DoorFault{"gaps", same.why};
}

} // namespace

void judge_error(Rule& rule) {
  const std::string& what = rule.parts().at(3);
  Plain plain = plain_call(rule.op());
  std::vector<Attribute> attributes = library_attributes(rule.op(), plain.c.attributes);
  const auto tensors = [&] {
    std::vector<Input> all;
    for (const Array& array : plain.arrays) all.emplace_back(tensor_of(array, rule.device()));
    return all;
  };
  if (what == "axis_past" || what == "axis_before") {
    rule.cite({"layout.25"});
    const judge::AttributeRow& row = *rule.op().attribute(axis_attribute(rule.op()));
    const int64_t axis = what == "axis_past" ? 2 : -3;
    attributes[static_cast<size_t>(row.slot)] = row.kind == "axes" ? Attribute(Axes(axis)) : Attribute(Scalar(axis));
    return rule.expect_error("IndexError", tensors(), attributes);
  }
  if (what == "axis_twice") {
    rule.cite({"layout.24"});
    const judge::AttributeRow& row = *rule.op().attribute(axis_attribute(rule.op()));
    attributes[static_cast<size_t>(row.slot)] = Axes(Dims{1, -1});
    return rule.expect_error("ValueError", tensors(), attributes);
  }
  std::vector<Input> operands;
  if (what == "devices") {
    rule.cite({"backend.50"});
    // Another instance of the host's backend is another device, whatever the first one is.
    static const ts::Device elsewhere = ts::Device::of(open_backend("cpu"));
    for (size_t k = 0; k < plain.arrays.size(); ++k)
      operands.emplace_back(tensor_of(plain.arrays[k], k + 1 == plain.arrays.size() ? elsewhere : rule.device()));
    return rule.expect_error("DeviceError", operands, attributes);
  }
  if (what == "out_dtype") return judge_out_dtype(rule, plain, attributes);
  if (!what.starts_with("dtype_")) rule.unknown();
  const int at = rule.op().operand(what.substr(6));
  if (at < 0) rule.unknown();
  const auto wrong = static_cast<size_t>(at);
  const judge::Role role = rule.op().operands[wrong].role;
  rule.cite({role == judge::Role::index || role == judge::Role::mask ? "numerics.19" : "numerics.38"});
  const int32_t dtype = wrong_dtype(rule.op(), wrong);
  const ops::OpRow& row = ops::row(rule.op().name);
  for (size_t k = 0; k < plain.arrays.size(); ++k) {
    // All of a group, or promotion would mend it.
    if (row.group[k] == row.group[wrong]) {
      const std::vector<double> zeros(static_cast<size_t>(plain.arrays[k].count()), 0.0);
      plain.arrays[k] = Array::of(dtype, plain.arrays[k].shape, zeros);
    }
    operands.emplace_back(tensor_of(plain.arrays[k], rule.device()));
  }
  rule.expect_error("TypeError", operands, attributes);
}

std::vector<std::string> error_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  for (const judge::Op& op : spec.ops) {
    if (op.family == "fill" || op.family == "convert") continue; // they have no dtype of their own to be wrong
    if (!axis_attribute(op).empty()) {
      names.push_back(fmt::format("tensor/error/{}/axis_past", op.name));
      names.push_back(fmt::format("tensor/error/{}/axis_before", op.name));
      if (op.attribute(axis_attribute(op))->kind == "axes")
        names.push_back(fmt::format("tensor/error/{}/axis_twice", op.name));
    }
    if (op.operands.size() > 1) names.push_back(fmt::format("tensor/error/{}/devices", op.name));
    if (inout_operand(op) < 0 && narrower_dtype(op.instances.front().out.front()) != 0)
      names.push_back(fmt::format("tensor/error/{}/out_dtype", op.name));
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (wrong_dtype(op, k) != 0)
        names.push_back(fmt::format("tensor/error/{}/dtype_{}", op.name, op.operands[k].name));
  }
  return names;
}

} // namespace ts::conformance
