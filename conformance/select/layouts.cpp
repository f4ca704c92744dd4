// Every layout of every operand and result, for each tuple of dtypes: what a backend does may differ between any two.
#include "conformance/select/factors.h"
#include "conformance/select/select.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace ts::conformance {

namespace {

constexpr int64_t kStorageMax =
    300'000; // elements: rows far apart are a question of their distance, not of their number

const std::array<Shape, 5>& shapes() {
  static const std::array<Shape, 5> all = {{{3, 4, 33}, {2, 1, 19}, {5, 1}, {7}, {3, 4}}};
  return all;
}

// An operand, or an output counted behind them.
using Slot = size_t;
using Met = std::set<std::tuple<const judge::Instance*, Slot, Layout>>;

bool may_have(const judge::Op& op, Slot slot, Layout layout, const Shape& shape) {
  const bool operand = slot < op.operands.size();
  if (layout == Layout::immediate) return operand && op.family == "elementwise";
  const bool written = !operand || op.operands[slot].role == judge::Role::inout;
  return exists_for(layout, shape) && (!written || is_injective(layout)) &&
         buffer_elements(layout, shape, 1) <= kStorageMax;
}

Shape shape_of(const Case& c, Slot slot) {
  return slot < c.operands.size() ? c.shapes[slot] : result_shape(c, slot - c.operands.size());
}

Slot slots_of(const judge::Op& op) { return op.operands.size() + (inout_operand(op) >= 0 ? 0 : op.outputs.size()); }

void take(Met& met, const Case& c) {
  for (size_t k = 0; k < c.operands.size(); ++k) met.emplace(c.instance, k, c.operands[k]);
  if (inout_operand(*c.op) >= 0) return;
  for (size_t k = 0; k < c.outputs.size(); ++k) met.emplace(c.instance, c.operands.size() + k, c.outputs[k]);
}

// Dense cases of an instance, some for each layout to exist; along each axis, from `turn` on.
std::vector<Case> plain_cases(const judge::Op& op, const judge::Instance& instance, size_t turn) {
  std::vector<Case> cases;
  for (const Shape& shape : shapes()) {
    if (op.family == "matmul" && shape.size() < 2) continue;
    const size_t axes = op.attribute("axis") != nullptr ? shape.size() : 1;
    for (size_t k = 0; k < axes; ++k)
      cases.push_back(dense_case(op, instance, shape, static_cast<int64_t>((turn + k) % shape.size())));
  }
  return cases;
}

// A case of the shape in which as many slots as can be have a layout that they did not have yet; false where none has.
bool next_case(const Case& plain, Met& met, std::vector<Case>& cases) {
  Case c = plain;
  bool any = false;
  for (Slot slot = 0; slot < slots_of(*c.op); ++slot) {
    const Shape shape = shape_of(c, slot);
    for (const Layout layout : all_layouts()) {
      if (!may_have(*c.op, slot, layout, shape) || met.count({c.instance, slot, layout}) != 0) continue;
      (slot < c.operands.size() ? c.operands[slot] : c.outputs[slot - c.operands.size()]) = layout;
      any = true;
      break;
    }
  }
  if (!any) return false;
  if (inout_operand(*c.op) >= 0) {
    c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
  } else {
    const auto is_dense = [](Layout layout) { return layout == Layout::dense; };
    c.route = std::all_of(c.outputs.begin(), c.outputs.end(), is_dense) ? Route::fresh : Route::into_view;
  }
  take(met, c);
  cases.push_back(c);
  return true;
}

} // namespace

void add_layout_cases(const judge::Op& op, std::vector<Case>& cases) {
  Met met;
  for (const Case& c : cases)
    if (computes(c)) take(met, c);
  for (size_t k = 0; k < op.instances.size(); ++k) {
    for (const Case& plain : plain_cases(op, op.instances[k], k))
      while (next_case(plain, met, cases)) {}
  }
}

void list_layouts(const judge::Op& op, const std::vector<Case>& cases, Pairs& pairs) {
  const std::array<Layout, kLayoutCount> layouts = all_layouts();
  const size_t slots = slots_of(op);
  const uint32_t first = pairs.list(op.instances.size() * slots * layouts.size());
  const auto number = [&](size_t instance, Slot slot, size_t layout) {
    return first + static_cast<uint32_t>((instance * slots + slot) * layouts.size() + layout);
  };
  for (size_t k = 0; k < op.instances.size(); ++k) {
    const std::vector<Case> plain = plain_cases(op, op.instances[k], 0);
    for (Slot slot = 0; slot < slots; ++slot) {
      for (size_t l = 0; l < layouts.size(); ++l) {
        const auto fits = [&](const Case& c) { return may_have(op, slot, layouts[l], shape_of(c, slot)); };
        if (std::none_of(plain.begin(), plain.end(), fits)) pairs.exclude(number(k, slot, l));
      }
    }
  }
  for (const Case& c : cases) {
    if (!computes(c)) continue;
    const auto instance = static_cast<size_t>(c.instance - op.instances.data());
    std::vector<uint32_t> had;
    for (Slot slot = 0; slot < slots; ++slot) {
      const bool operand = slot < c.operands.size();
      const Layout layout = operand ? c.operands[slot] : c.outputs[slot - c.operands.size()];
      had.push_back(number(instance, slot, static_cast<size_t>(layout)));
    }
    pairs.note(c.name(), std::move(had));
  }
}

} // namespace ts::conformance
