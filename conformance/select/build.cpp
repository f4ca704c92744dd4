// From levels to a case.
#include "conformance/select/factors.h"
#include "conformance/select/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace ts::conformance {

const std::vector<Layout>& layout_group(int group) {
  static const std::array<std::vector<Layout>, kLayoutGroups> groups = {{
      {Layout::dense},
      {Layout::offset_1, Layout::offset_5},
      {Layout::transposed},
      {Layout::permuted, Layout::gap_free},
      {Layout::stepped_inner},
      {Layout::stepped_outer},
      {Layout::reversed_inner, Layout::reversed_all, Layout::reversed_outer},
      {Layout::narrowed},
      {Layout::wild, Layout::mixed},
      {Layout::broadcast_inner, Layout::immediate, Layout::broadcast_all},
      {Layout::broadcast_outer, Layout::broadcast_middle, Layout::window},
  }};
  return groups[static_cast<size_t>(group)];
}

std::optional<Layout> layout_in(int group, const Shape& shape, uint64_t variant, bool immediate_allowed) {
  const std::vector<Layout>& layouts = layout_group(group);
  for (size_t k = 0; k < layouts.size(); ++k) {
    const Layout layout = layouts[(variant + k) % layouts.size()];
    if (exists_for(layout, shape) && (layout != Layout::immediate || immediate_allowed)) return layout;
  }
  return std::nullopt;
}

namespace {

struct Range {
  double low, high;
};

Range range_of(const std::string& domain, Range otherwise) {
  if (domain.empty() || domain == "all") return otherwise;
  char* end = nullptr;
  const double low = std::strtod(domain.c_str() + 1, &end);
  const double high = *end == ',' ? std::strtod(end + 1, &end) : low;
  return {low, high};
}

int64_t extent_along_axis(const Case& c) {
  const auto axis = c.attributes.find("axis");
  const bool has_one = axis != c.attributes.end() && !c.shapes.front().empty();
  return has_one ? c.shapes.front()[static_cast<size_t>(axis->second.integer)] : std::numeric_limits<int64_t>::max();
}

} // namespace

int lowest_rank(int axis_level) {
  constexpr std::array<int, 6> kLowest = {1, 2, 3, 2, 3, 0};
  return kLowest[static_cast<size_t>(axis_level)];
}

int64_t axis_value(const judge::AttributeRow& row, int level, int64_t rank) {
  if (rank == 0) return 0;
  const std::array<int64_t, 3> axes = {rank - 1, 0, rank / 2};
  if (row.kind == "axis") return axes[static_cast<size_t>(level)];
  const int64_t all = (int64_t{1} << rank) - 1, last = int64_t{1} << (rank - 1);
  const std::array<int64_t, 6> masks = {last, 1, int64_t{1} << (rank / 2), all, 1 | last, 0};
  return masks[static_cast<size_t>(level)];
}

ts_attribute attribute_value(const Case& c, const judge::AttributeRow& row, int level) {
  if (row.kind == "bool") return judge::integer_attribute(level % 2);
  const std::string domain = row.domain.empty() ? c.op->domain_of(row.name) : row.domain;
  int32_t dtype = row.kind == "int" ? TS_DTYPE_I64 : TS_DTYPE_F64;
  if (row.kind.starts_with("of ")) {
    const int operand = c.op->operand(row.kind.substr(3));
    dtype = operand >= 0 ? c.instance->in[static_cast<size_t>(operand)] : c.instance->out.front();
  }
  const judge::Encoding& encoding = judge::encoding(dtype);
  const bool is_unsigned = encoding.cls != judge::DtypeClass::floating && !encoding.is_signed;
  const Range range = range_of(domain, is_unsigned ? Range{2, 9} : Range{-7, 9});
  double value = level == 0 ? std::round((range.low + range.high) / 2) : level == 1 ? range.high : range.low;
  // Where the middle rounds out of the range there is no integer in it.
  if (value < range.low || value > range.high) value = (range.low + range.high) / 2;
  if (encoding.cls == judge::DtypeClass::floating) return judge::real_attribute(value);
  if (encoding.cls == judge::DtypeClass::boolean) return judge::integer_attribute(level % 2);
  if (is_unsigned) value = std::max(value, 0.0);
  return judge::integer_attribute(std::min(static_cast<int64_t>(value), extent_along_axis(c)));
}

void Factors::build_attributes(Case& c, const Levels& levels) const {
  const auto rank = static_cast<int64_t>(c.shapes.front().size());
  for (size_t k = 0; k < op_.attributes.size(); ++k) {
    const judge::AttributeRow& row = op_.attributes[k];
    if (row.kind == "axes") {
      c.attributes[row.name] = judge::integer_attribute(axis_value(row, level(levels, Kind::axis, k), rank));
    } else if (row.kind == "axis") {
      const int64_t axis = axis_value(row, level(levels, Kind::axis, k), rank);
      c.attributes[row.name] = judge::integer_attribute(axis);
    } else {
      c.attributes[row.name] = attribute_value(c, row, level(levels, Kind::attribute, k));
    }
  }
}

void Factors::build_layouts(Case& c, const Levels& levels, uint64_t variant) const {
  for (size_t k = 0; k < op_.operands.size(); ++k) {
    const int group = level(levels, Kind::operand, k);
    const bool immediates = op_.family == "elementwise" || (has_rows(op_) && k > 0);
    c.operands.push_back(layout_in(group, c.shapes[k], variant + k, immediates).value_or(Layout::dense));
  }
  c.outputs.assign(op_.outputs.size(), Layout::dense);
  const int inout = inout_operand(op_);
  const int destination = level(levels, Kind::destination);
  if (inout >= 0 || destination >= kWritableGroups) {
    c.route = Route::in_place;
    c.in_place = inout >= 0 ? inout : in_place_[static_cast<size_t>(destination - kWritableGroups)];
    c.outputs.front() = c.operands[static_cast<size_t>(c.in_place)];
    return;
  }
  c.route = destination == 0 ? Route::fresh : Route::into_view;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const int group = k == 0 ? destination : level(levels, Kind::output, k);
    c.outputs[k] = layout_in(group, result_shape(c, k), variant / 2 + k, false).value_or(Layout::dense);
  }
}

Case Factors::build(const Levels& levels, uint64_t variant) const {
  Case c;
  c.op = &op_;
  c.instance = &instance(levels);
  const int size = size_level(levels);
  if (op_.family == "matmul") {
    c.shapes = product_at(size, variant);
  } else {
    const Shape first = size_at(size, variant);
    int64_t axis = 0;
    for (size_t k = 0; k < op_.attributes.size(); ++k)
      if (op_.attributes[k].kind == "axis")
        axis = axis_value(op_.attributes[k], level(levels, Kind::axis, k), static_cast<int64_t>(first.size()));
    c.shapes = operand_shapes(op_, first, axis, variant / 3);
  }
  build_attributes(c, levels);
  c.values.source = kSources[static_cast<size_t>(level(levels, Kind::source))];
  c.values.index = static_cast<IndexKind>(level(levels, Kind::index));
  c.alias = kAliases[static_cast<size_t>(level(levels, Kind::alias))];
  build_layouts(c, levels, variant);
  return c;
}

} // namespace ts::conformance
