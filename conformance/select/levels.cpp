// From a case back to the levels that it has, by what stands in it and not by how it was made.
#include "conformance/select/factors.h"
#include "conformance/select/sizes.h"

#include <algorithm>

namespace ts::conformance {

namespace {

LevelSet group_of(Layout layout) {
  LevelSet groups;
  for (int k = 0; k < kLayoutGroups; ++k) {
    const std::vector<Layout>& group = layout_group(k);
    if (std::find(group.begin(), group.end(), layout) != group.end()) groups.set(static_cast<size_t>(k));
  }
  return groups;
}

bool same(const ts_attribute& a, const ts_attribute& b) {
  return a.kind == b.kind && a.integer == b.integer && a.real == b.real;
}

template <class Array> LevelSet place_in(const Array& all, typename Array::value_type one) {
  LevelSet place;
  for (size_t k = 0; k < all.size(); ++k) place[k] = all[k] == one;
  return place;
}

} // namespace

LevelSet Factors::sizes_of(const Case& c) const {
  LevelSet levels;
  for (int level = first_size_; level < kSizeLevels; ++level)
    if (op_.family == "matmul" ? is_product_at(level, c.shapes) : is_size_at(level, c.shapes.front()))
      levels.set(static_cast<size_t>(level - first_size_));
  return levels;
}

LevelSet Factors::dtypes_of(const Case& c, Kind kind) const {
  LevelSet levels;
  for (size_t k = 0; k < instances_.size(); ++k) {
    const auto at = std::find(instances_[k].begin(), instances_[k].end(), c.instance);
    if (at == instances_[k].end()) continue;
    levels.set(kind == Kind::dtype ? k : static_cast<size_t>(at - instances_[k].begin()));
  }
  return levels;
}

LevelSet Factors::destinations_of(const Case& c) const {
  LevelSet levels;
  if (c.route == Route::fresh) levels.set(kFresh);
  if (c.route == Route::into_view) levels = group_of(c.outputs.front()).reset(kFresh);
  for (size_t k = 0; c.route == Route::in_place && k < in_place_.size(); ++k)
    if (in_place_[k] == c.in_place) levels.set(kWritableGroups + k);
  return levels;
}

LevelSet Factors::attributes_of(const Case& c, const Factor& factor) const {
  const judge::AttributeRow& row = op_.attributes[factor.which];
  const ts_attribute& given = c.attributes.at(row.name);
  const auto rank = static_cast<int64_t>(c.shapes.front().size());
  LevelSet levels;
  for (int level = 0; level < factor.levels; ++level) {
    const bool holds = factor.kind == Kind::axis
                           ? rank >= lowest_rank(level) && given.integer == axis_value(row, level, rank)
                           : same(given, attribute_value(c, row, level));
    if (holds) levels.set(static_cast<size_t>(level));
  }
  return levels;
}

std::vector<LevelSet> Factors::levels_of(const Case& c) const {
  std::vector<LevelSet> all;
  for (const Factor& factor : factors_) {
    switch (factor.kind) {
      case Kind::size: all.push_back(sizes_of(c)); break;
      case Kind::dtype:
      case Kind::second_dtype: all.push_back(dtypes_of(c, factor.kind)); break;
      case Kind::operand: all.push_back(group_of(c.operands[factor.which])); break;
      case Kind::destination: all.push_back(destinations_of(c)); break;
      case Kind::output: all.push_back(group_of(c.outputs[factor.which])); break;
      case Kind::source: all.push_back(place_in(kSources, c.values.source)); break;
      case Kind::index: all.emplace_back(1U << static_cast<unsigned>(c.values.index)); break;
      case Kind::alias: all.push_back(place_in(kAliases, c.alias)); break;
      case Kind::axis:
      case Kind::attribute: all.push_back(attributes_of(c, factor)); break;
    }
  }
  return all;
}

} // namespace ts::conformance
