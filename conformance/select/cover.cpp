#include "conformance/select/cover.h"

#include "conformance/select/orthogonal.h"

#include <algorithm>

namespace ts::conformance {

namespace {

// Which pairs of levels have met.
class Met {
public:
  explicit Met(const Factors& factors) : count_(factors.all().size()) {
    seen_.resize(count_ * count_ * kSymbols * kSymbols, false);
  }
  std::vector<bool>::reference at(const LevelPair& p) {
    return seen_[((p.f * count_ + p.g) * kSymbols + static_cast<size_t>(p.a)) * kSymbols + static_cast<size_t>(p.b)];
  }
  void take(const Levels& row) {
    for (size_t f = 0; f < count_; ++f)
      for (size_t g = f + 1; g < count_; ++g) at({f, g, row[f], row[g]}) = true;
  }
  int64_t fresh(const Levels& row) {
    int64_t fresh = 0;
    for (size_t f = 0; f < count_; ++f)
      for (size_t g = f + 1; g < count_; ++g) fresh += at({f, g, row[f], row[g]}) ? 0 : 1;
    return fresh;
  }

private:
  size_t count_;
  std::vector<bool> seen_;
};

Levels levels_of(const Factors& factors, const OrthogonalRow& row) {
  Levels levels;
  for (size_t k = 0; k < factors.all().size(); ++k) levels.push_back(factors.level_of(k, row[k]));
  return levels;
}

// Of several rows that hold the pair, the one in which most other pairs meet for the first time.
std::optional<Levels> best_row(const Factors& factors, const std::vector<OrthogonalRow>& array, const LevelPair& p,
                               Met& met) {
  std::optional<Levels> best;
  int64_t most = -1;
  for (size_t k = 0; k < array.size(); k += 5) {
    Levels levels = levels_of(factors, array[k]);
    levels[p.f] = p.a;
    levels[p.g] = p.b;
    const std::optional<Levels> settled = factors.settle(std::move(levels), {p.f, p.g});
    if (!settled) return best;
    if (const int64_t fresh = met.fresh(*settled); fresh > most) {
      most = fresh;
      best = settled;
    }
  }
  return best;
}

} // namespace

std::vector<LevelPair> all_pairs(const Factors& factors) {
  std::vector<LevelPair> pairs;
  const auto& all = factors.all();
  for (size_t f = 0; f < all.size(); ++f)
    for (size_t g = f + 1; g < all.size(); ++g)
      for (int a = 0; a < all[f].levels; ++a)
        for (int b = 0; b < all[g].levels; ++b) pairs.push_back({f, g, a, b});
  return pairs;
}

Cover cover(const Factors& factors) {
  Cover result;
  Met met(factors);
  const std::vector<OrthogonalRow> array = orthogonal_array();
  for (const OrthogonalRow& row : array) {
    const std::optional<Levels> settled = factors.settle(levels_of(factors, row), {});
    if (!settled) continue;
    met.take(*settled);
    result.rows.push_back(*settled);
  }
  const std::vector<LevelPair> pairs = all_pairs(factors);
  result.feasible.assign(pairs.size(), true);
  for (size_t k = 0; k < pairs.size(); ++k) {
    if (met.at(pairs[k])) continue;
    const std::optional<Levels> row = best_row(factors, array, pairs[k], met);
    if (row) {
      met.take(*row);
      result.rows.push_back(*row);
    } else {
      result.feasible[k] = false;
    }
  }
  return result;
}

} // namespace ts::conformance
