// Rows of levels such that every feasible pair of levels of any two factors meets in at least one row.
#pragma once

#include "conformance/select/factors.h"

#include <cstdint>
#include <vector>

namespace ts::conformance {

struct Cover {
  std::vector<Levels> rows;
  int64_t pairs = 0;      ///< of levels of two factors
  int64_t infeasible = 0; ///< of them that no case can have
  int64_t missing = 0; ///< of the feasible ones that no row has, counted from the rows alone; 0 unless this is broken
};

/// The orthogonal array over the factors, settled, and rows added for the pairs that settling lost.
Cover cover(const Factors& factors);

} // namespace ts::conformance
