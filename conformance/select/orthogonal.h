// An orthogonal array of strength 2: in any two columns every pair of symbols stands in exactly one row.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace ts::conformance {

inline constexpr int kSymbols = 11;
inline constexpr int kColumns = 12;
using OrthogonalRow = std::array<int, kColumns>;

/// OA(121, 12, 11, 2): the lines of the affine plane over the field of 11 elements. Row (a, b) holds b + k * a in column
/// k, and a in the last.
std::vector<OrthogonalRow> orthogonal_array();

} // namespace ts::conformance
