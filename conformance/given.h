// Values that the spec itself gives: rows of its tables and golden files, found by the names that cases carry.
#pragma once

#include "conformance/golden.h"
#include "conformance/oracle/tokens.h"
#include "conformance/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// Rows of a table that make one case of an instance: those with equal attributes for an elementwise op, else one row.
struct TableGroup {
  const judge::Table* table = nullptr;
  const judge::Instance* instance = nullptr;
  int number = 0; ///< among the groups of this table and instance
  std::vector<const judge::TableCase*> rows;
};

/// All groups of an op's tables. Read once.
const std::vector<TableGroup>& table_groups(const judge::Spec& spec, const judge::Op& op);

/// `add.special` as case names write it: add_special.
std::string table_name(const judge::Table& table);

/// The golden cases of an op; none where the project has no golden file of it. Files are read, and held against their
/// hashes, once. Throws InputError for a file that is not as the manifest says.
const std::vector<judge::GoldenCase>& golden_cases(const judge::Spec& spec, const judge::Op& op);

/// The array repeated along axes where it has extent 1 or none, as views with stride 0 would show it.
judge::Array expanded(const judge::Array& array, const judge::Shape& shape);

} // namespace ts::conformance
