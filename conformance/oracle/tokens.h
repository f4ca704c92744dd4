// Values as tables and examples of the spec write them (spec/README.md), per dtype: `max`, `1+ulp`, `2^53+1`, `[[1 2] [3 4]]`,
// `0.1*65537`, `(2,3)`; and the rows of a table as calls with what they must give.
#pragma once

#include "conformance/oracle/oracle.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::judge {

/// Writes the value of one token to an element; also reads what golden files write. Returns what rounding took away, as
/// Bounds::residual. InputError names the token and the dtype.
double set_token(Array& array, int64_t i, std::string_view token);

/// A token (rank 0) or a nested list as an array; `residual` gets what rounding took away where anything was.
Array parse_list(std::string_view cell, int32_t dtype, std::vector<double>* residual = nullptr);

/// `(2,3)` as extents or axes.
Shape parse_shape(std::string_view cell);
inline bool is_shape(std::string_view cell) { return !cell.empty() && cell.front() == '('; }

/// One row of a table for one instance.
struct TableCase {
  const Table* table = nullptr;
  size_t row = 0;
  Call call;
  Expected expected; ///< values of the table, bounds of the oracle; `oracle` cells take both from the oracle
  std::string text;  ///< "add.special row 3 (f32 f32 -> f32): +inf | -inf | nan"
};

/// Every row for every instance of a table; none for a table of no op. InputError names table, row and cell.
std::vector<TableCase> table_cases(const Spec& spec, const Table& table);

} // namespace ts::judge
