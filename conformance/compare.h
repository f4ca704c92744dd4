// Comparison of what a backend gave with what is expected: dtype and shape first, then NaN, infinity and sign of zero,
// then bits, ulps or an absolute bound. What is not finite never passes by a formula.
#pragma once

#include "conformance/oracle/oracle.h"

#include <string>

namespace ts::judge {

struct Comparison {
  bool pass = false;
  bool trivial = false; ///< nothing that could tell right from wrong: empty, constant, all zero, all NaN, all excluded
  std::string trivial_why; ///< "empty", "constant", "all NaN", "all excluded"
  int64_t count = 0;       ///< elements
  int64_t excluded = 0;    ///< of them not judged
  int64_t different = 0;   ///< of them outside their bound
  int64_t first = -1;      ///< row-major index of the first such element
  Shape first_coordinates;
  std::string got, want;   ///< its texts, with bits in hexadecimal
  double ulp_distance = 0; ///< of the first such element, from the unrounded value; infinity for a special value
  double worst_ulp = 0;    ///< over all judged finite elements
  int64_t worst_ulp_at = -1;
  double worst_ratio = 0; ///< error over bound, over all judged finite elements with a bound above 0
  int64_t worst_ratio_at = -1;
  std::string why; ///< empty on pass: one line that names element, expected, got and distance
};

/// Holds one output against its expected values.
Comparison compare(const Array& got, const Array& want, const Bounds& bounds);
/// Holds output number `output` of a call against what is expected of it.
Comparison compare(const Array& got, const Expected& expected, size_t output = 0);
/// Bits against bits: two runs, two layouts, two routes of the same backend. `want_name` names the other one. NaNs are
/// equal as a class, unless `payload` asks for their bits too.
Comparison compare_bits(const Array& got, const Array& want, const std::string& want_name, bool payload = false);

} // namespace ts::judge
