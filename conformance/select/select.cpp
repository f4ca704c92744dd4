#include "conformance/select/select.h"

#include "conformance/door/door.h"
#include "conformance/select/cover.h"
#include "conformance/select/sizes.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace ts::conformance {

namespace {

void add_covering_cases(const Factors& factors, const Cover& rows, std::vector<Case>& cases) {
  for (size_t k = 0; k < rows.rows.size(); ++k) cases.push_back(factors.build(rows.rows[k], k));
}

bool same(const ts_attribute& a, const ts_attribute& b) {
  const bool both_nan = std::isnan(a.real) && std::isnan(b.real);
  return a.kind == b.kind && a.integer == b.integer && (a.real == b.real || both_nan);
}

bool same(const Case& a, const Case& b) {
  const auto by_name = [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); };
  return a.op == b.op && a.instance == b.instance && a.shapes == b.shapes && a.operands == b.operands &&
         a.outputs == b.outputs && a.route == b.route && a.in_place == b.in_place && a.values == b.values &&
         a.alias == b.alias &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(), by_name);
}

} // namespace

Case dense_case(const judge::Op& op, const judge::Instance& instance, const Shape& first, int64_t axis) {
  Case c;
  c.op = &op;
  c.instance = &instance;
  const auto rank = static_cast<int64_t>(first.size());
  if (axis < 0) axis = std::max<int64_t>(rank - 1, 0);
  c.shapes = operand_shapes(op, first, axis, 0);
  if (op.family == "matmul" && rank >= 2) std::swap(c.shapes[1][first.size() - 1], c.shapes[1][first.size() - 2]);
  for (const judge::AttributeRow& row : op.attributes) {
    if (row.kind == "axis")
      c.attributes[row.name] = judge::integer_attribute(axis);
    else if (row.kind == "axes")
      c.attributes[row.name] = judge::integer_attribute(rank == 0 ? 0 : int64_t{1} << axis);
  }
  for (const judge::AttributeRow& row : op.attributes) {
    if (row.kind == "axis" || row.kind == "axes") continue;
    c.attributes[row.name] = attribute_value(c, row, 0);
  }
  c.operands.assign(op.operands.size(), Layout::dense);
  c.outputs.assign(op.outputs.size(), Layout::dense);
  if (const int inout = inout_operand(op); inout >= 0) {
    c.route = Route::in_place;
    c.in_place = inout;
  }
  return c;
}

void vary_layouts(Case& c, uint64_t turn) {
  const auto next = [&](const Shape& shape) {
    for (uint64_t k = 0; k < kWritableGroups; ++k) {
      const int group = static_cast<int>((turn + k) % kWritableGroups);
      if (const auto layout = layout_in(group, shape, turn / kWritableGroups, false)) {
        turn += 4;
        return *layout;
      }
    }
    return Layout::dense;
  };
  for (size_t k = 0; k < c.operands.size(); ++k) c.operands[k] = next(c.shapes[k]);
  if (c.route == Route::in_place) {
    c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
    return;
  }
  for (size_t k = 0; k < c.outputs.size(); ++k) c.outputs[k] = next(result_shape(c, k));
  const auto is_dense = [](Layout layout) { return layout == Layout::dense; };
  c.route = std::all_of(c.outputs.begin(), c.outputs.end(), is_dense) ? Route::fresh : Route::into_view;
}

Selection select_kernel_cases(const judge::Spec& spec) {
  Selection selection;
  for (const DoorCheck& check : door_checks()) selection.names.push_back(check.name);
  std::unordered_map<std::string, Case> seen;
  for (const judge::Op& op : spec.ops) {
    std::vector<Case> cases;
    const Factors factors(op);
    const Cover rows = cover(factors);
    add_covering_cases(factors, rows, cases);
    add_empty_cases(op, cases);
    add_large_cases(op, cases);
    add_alias_cases(op, cases);
    add_axes_cases(op, cases);
    add_error_cases(op, cases);
    add_numeric_cases(op, cases);
    add_conversion_cases(op, cases);
    add_table_cases(spec, op, cases);
    add_golden_cases(spec, op, cases);
    add_layout_cases(op, cases);
    list_levels(factors, rows.feasible, cases, selection.pairs);
    list_layouts(op, cases, selection.pairs);
    for (const Case& c : cases) {
      // Several ways may lead to one case. One name for two cases would be a case that nobody runs.
      const auto [at, is_new] = seen.emplace(c.name(), c);
      if (is_new)
        selection.names.push_back(at->first);
      else if (!same(at->second, c))
        throw BackendError(fmt::format("two different cases are named '{}'", at->first));
    }
  }
  selection.missing = selection.pairs.listed() - selection.pairs.infeasible() - selection.pairs.met(selection.names);
  return selection;
}

} // namespace ts::conformance
