#include "conformance/select/pairs.h"

#include "conformance/select/cover.h"

#include <algorithm>

namespace ts::conformance {

uint32_t Pairs::list(size_t count) {
  const size_t first = possible_.size();
  possible_.resize(first + count, true);
  return static_cast<uint32_t>(first);
}

void Pairs::exclude(uint32_t pair) {
  if (possible_[pair]) ++infeasible_;
  possible_[pair] = false;
}

void Pairs::note(const std::string& name, std::vector<uint32_t> pairs) {
  std::vector<uint32_t>& all = of_case_[name];
  all.insert(all.end(), pairs.begin(), pairs.end());
}

int64_t Pairs::met(const std::vector<std::string>& names) const {
  std::vector<bool> seen(possible_.size(), false);
  for (const std::string& name : names) {
    const auto found = of_case_.find(name);
    if (found == of_case_.end()) continue;
    for (const uint32_t pair : found->second) seen[pair] = possible_[pair];
  }
  return std::count(seen.begin(), seen.end(), true);
}

void list_levels(const Factors& factors, const std::vector<bool>& feasible, const std::vector<Case>& cases,
                 Pairs& pairs) {
  const uint32_t first = pairs.list(feasible.size());
  for (uint32_t k = 0; k < feasible.size(); ++k)
    if (!feasible[k]) pairs.exclude(first + k);
  const std::vector<LevelPair> all = all_pairs(factors);
  for (const Case& c : cases) {
    if (!computes(c)) continue;
    const std::vector<LevelSet> held = factors.levels_of(c);
    std::vector<uint32_t> had;
    for (uint32_t k = 0; k < all.size(); ++k)
      if (held[all[k].f].test(static_cast<size_t>(all[k].a)) && held[all[k].g].test(static_cast<size_t>(all[k].b)))
        had.push_back(first + k);
    pairs.note(c.name(), std::move(had));
  }
}

bool computes(const Case& c) {
  if (c.values.index >= IndexKind::past_end) return false;
  const auto rank = static_cast<int64_t>(c.shapes.front().size());
  for (const judge::AttributeRow& row : c.op->attributes) {
    const int64_t value = row.kind == "axis" || row.kind == "axes" ? c.attributes.at(row.name).integer : 0;
    if (row.kind == "axis" && (value < 0 || value >= std::max<int64_t>(rank, 1))) return false;
    if (row.kind == "axes" && value >> rank != 0) return false;
  }
  const auto some = [](const Shape& shape) { return judge::count_of(shape) > 0; };
  return std::all_of(c.shapes.begin(), c.shapes.end(), some) && (c.outputs.empty() || some(result_shape(c, 0)));
}

} // namespace ts::conformance
