// Rows of levels such that every feasible pair of levels of any two factors meets in at least one row.
#pragma once

#include "conformance/select/factors.h"

#include <cstdint>
#include <vector>

namespace ts::conformance {

/// Level a of factor f and level b of a later factor g.
struct LevelPair {
  size_t f, g;
  int a, b;
};

/// Every pair of levels of any two factors.
std::vector<LevelPair> all_pairs(const Factors& factors);

struct Cover {
  std::vector<Levels> rows;
  std::vector<bool> feasible; ///< per pair of all_pairs: whether any case can have it
};

/// The orthogonal array over the factors, settled, and rows added for the pairs that settling lost.
Cover cover(const Factors& factors);

} // namespace ts::conformance
