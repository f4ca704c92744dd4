// Cases whose values the spec gives: every row of every table, every golden case.
#include "conformance/given.h"

#include "conformance/select/select.h"

#include <algorithm>

namespace ts::conformance {

namespace {

// The shape that operands broadcast to.
Shape common_shape(const std::vector<Array>& inputs) {
  Shape common;
  for (const Array& input : inputs) {
    const size_t rank = std::max(common.size(), input.shape.size());
    common.insert(common.begin(), rank - common.size(), 1);
    for (size_t k = 0; k < input.shape.size(); ++k) {
      int64_t& extent = common[rank - input.shape.size() + k];
      if (extent == 1) extent = input.shape[k];
    }
  }
  return common;
}

Case given_case(const judge::Op& op, const judge::Instance& instance, const judge::Attributes& attributes,
                const std::vector<Array>& inputs, const Shape& result) {
  Case c;
  c.op = &op;
  c.instance = &instance;
  c.attributes = attributes;
  for (const judge::AttributeRow& row : op.attributes) {
    if (c.attributes.count(row.name) != 0) continue;
    judge::Call call;
    call.op = &op;
    call.instance = &instance;
    c.attributes[row.name] = judge::attribute_of(call, row.name);
  }
  if (inputs.empty())
    c.shapes = {result};
  else if (op.family == "elementwise")
    c.shapes.assign(inputs.size(), common_shape(inputs));
  else if (has_rows(op))
    c.shapes.assign(inputs.size(), inputs.front().shape); // the others are broadcast to the first
  else
    for (const Array& input : inputs) c.shapes.push_back(input.shape);
  c.operands.assign(op.operands.size(), Layout::dense);
  c.outputs.assign(op.outputs.size(), Layout::dense);
  if (const int inout = inout_operand(op); inout >= 0) {
    c.route = Route::in_place;
    c.in_place = inout;
  }
  return c;
}

} // namespace

void add_table_cases(const judge::Spec& spec, const judge::Op& op, std::vector<Case>& cases) {
  uint64_t turn = static_cast<uint64_t>(op.id);
  for (const TableGroup& group : table_groups(spec, op)) {
    const judge::TableCase& first = *group.rows.front();
    Case c = given_case(op, *group.instance, first.call.attributes, first.call.inputs, first.call.shape);
    c.values.source = Source::table;
    c.values.set = table_name(*group.table);
    c.values.group = group.number;
    const bool scalars = op.family == "elementwise" && first.call.inputs.front().shape.empty();
    if (scalars && first.expected.error.empty())
      c.shapes.assign(op.operands.size(), {std::max<int64_t>(2 * static_cast<int64_t>(group.rows.size()) + 1, 19)});
    if (turn++ % 2 == 1) vary_layouts(c, turn);
    cases.push_back(c);
  }
}

void add_golden_cases(const judge::Spec& spec, const judge::Op& op, std::vector<Case>& cases) {
  uint64_t turn = static_cast<uint64_t>(op.id);
  for (const judge::GoldenCase& golden : golden_cases(spec, op)) {
    const judge::Instance* instance = op.instance(golden.in, golden.out);
    if (instance == nullptr)
      throw judge::InputError(op.name + ": golden case " + golden.key() + " has dtypes the row has not");
    Case c = given_case(op, *instance, golden.attributes, golden.inputs, golden.outputs.front().value.shape);
    c.values.source = Source::golden;
    c.values.set = golden.set;
    if (turn++ % 2 == 1) vary_layouts(c, turn);
    cases.push_back(c);
  }
}

} // namespace ts::conformance
