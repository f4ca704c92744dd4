#include "conformance/select/orthogonal.h"

namespace ts::conformance {

std::vector<OrthogonalRow> orthogonal_array() {
  std::vector<OrthogonalRow> rows;
  for (int a = 0; a < kSymbols; ++a) {
    for (int b = 0; b < kSymbols; ++b) {
      OrthogonalRow row{};
      for (int k = 0; k < kSymbols; ++k) row[static_cast<size_t>(k)] = (b + k * a) % kSymbols;
      row[kSymbols] = a;
      rows.push_back(row);
    }
  }
  return rows;
}

} // namespace ts::conformance
