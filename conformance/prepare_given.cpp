// Values of cases that the spec gives: tables and goldens.
#include "conformance/compare.h"
#include "conformance/given.h"
#include "conformance/payload.h"
#include "conformance/prepare.h"

#include <fmt/format.h>

#include <algorithm>

namespace ts::conformance {

namespace {

const TableGroup& find_group(const Case& c, const judge::Spec& spec) {
  for (const TableGroup& group : table_groups(spec, *c.op)) {
    if (table_name(*group.table) == c.values.set && group.instance == c.instance && group.number == c.values.group)
      return group;
  }
  throw judge::InputError(
      fmt::format("{} has no table {} with a group {} for these dtypes", c.op->name, c.values.set, c.values.group));
}

const judge::GoldenCase& find_golden(const Case& c, const judge::Spec& spec) {
  for (const judge::GoldenCase& golden : golden_cases(spec, *c.op))
    if (golden.set == c.values.set && golden.in == c.instance->in && golden.out == c.instance->out) return golden;
  throw judge::InputError(fmt::format("no golden case {} of {} for these dtypes", c.values.set, c.op->name));
}

void hold_shapes(const Case& c, const std::vector<Array>& inputs) {
  for (size_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].shape != c.shapes[k])
      throw judge::InputError(fmt::format("the name says {} of shape {}, the values have shape {}",
                                          c.op->operands[k].name, judge::text_of(c.shapes[k]),
                                          judge::text_of(inputs[k].shape)));
}

// What a table says and what the oracle computes are two statements of one spec.
void hold_against_oracle(const judge::TableCase& row, const judge::Expected& oracle, int64_t element) {
  for (size_t k = 0; k < row.expected.outputs.size(); ++k) {
    const Array& said = row.expected.outputs[k];
    Array computed(said.dtype, {});
    computed.set_bits(0, oracle.outputs[k].bits(element));
    const bool both_nan =
        judge::is_floating(said.dtype) && said.real(0) != said.real(0) && computed.real(0) != computed.real(0);
    if (both_nan || said.bits(0) == computed.bits(0)) continue;
    const judge::Bounds& bounds = oracle.bounds[k];
    if (!bounds.excluded.empty() && bounds.excluded[static_cast<size_t>(element)] != 0) continue;
    throw judge::InputError(fmt::format("{}: the oracle computes {}", row.text, computed.text(0)));
  }
}

// Rows of scalars become one vector: every row in turn at even places, ordinary values between, so that each special
// value stands alone and comes to stand in several lanes.
void interleave(Prepared& p, const TableGroup& group, uint64_t seed) {
  Case ordinary = p.c;
  ordinary.values.source = Source::integers;
  p.inputs = generate(ordinary, seed);
  const int64_t count = judge::count_of(p.c.shapes.front());
  const auto rows = static_cast<int64_t>(group.rows.size());
  for (size_t k = 0; k < p.inputs.size(); ++k)
    for (int64_t e = 0; e < count; e += 2)
      p.inputs[k].set_bits(e, group.rows[static_cast<size_t>(e / 2 % rows)]->call.inputs[k].bits(0));
  judge::Call call = group.rows.front()->call;
  call.inputs = p.inputs;
  p.expected = judge::expect(call);
  for (int64_t e = 0; e < count; e += 2)
    hold_against_oracle(*group.rows[static_cast<size_t>(e / 2 % rows)], p.expected, e);
}

} // namespace

void prepare_table(Prepared& p, const judge::Spec& spec, uint64_t seed) {
  const TableGroup& group = find_group(p.c, spec);
  p.cites = group.table->cites;
  const judge::TableCase& first = *group.rows.front();
  const bool scalars = p.c.op->family == "elementwise" && first.call.inputs.front().shape.empty();
  if (scalars && first.expected.error.empty()) {
    interleave(p, group, seed);
  } else {
    p.inputs = first.call.inputs;
    for (size_t k = 0; has_rows(*p.c.op) && k < p.inputs.size(); ++k)
      p.inputs[k] = expanded(p.inputs[k], p.c.shapes[k]);
    p.expected = first.expected;
    hold_shapes(p.c, p.inputs);
  }
  p.promise = p.promise == Promise::empty ? p.promise : Promise::given;
}

void prepare_golden(Prepared& p, const judge::Spec& spec) {
  const judge::GoldenCase& golden = find_golden(p.c, spec);
  for (size_t k = 0; k < golden.inputs.size(); ++k) p.inputs.push_back(expanded(golden.inputs[k], p.c.shapes[k]));
  p.expected = judge::expected_of(golden, *p.c.op);
  p.promise = p.promise == Promise::empty ? p.promise : Promise::given;
}

} // namespace ts::conformance
