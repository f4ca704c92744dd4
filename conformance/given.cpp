#include "conformance/given.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

namespace ts::conformance {

namespace {

bool same_attributes(const judge::Attributes& a, const judge::Attributes& b) {
  // As bits: NaN is a bound like another.
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.kind == y.second.kind && x.second.integer == y.second.integer &&
           std::bit_cast<uint64_t>(x.second.real) == std::bit_cast<uint64_t>(y.second.real);
  });
}

bool all_scalars(const judge::TableCase& row) {
  return std::all_of(row.call.inputs.begin(), row.call.inputs.end(),
                     [](const judge::Array& a) { return a.shape.empty(); });
}

void add_row(std::vector<TableGroup>& groups, const judge::TableCase& row, bool elementwise) {
  int number = 0;
  for (TableGroup& group : groups) {
    if (group.table != row.table || group.instance != row.call.instance) continue;
    ++number;
    const judge::TableCase& first = *group.rows.front();
    if (elementwise && all_scalars(row) && all_scalars(first) &&
        same_attributes(first.call.attributes, row.call.attributes)) {
      group.rows.push_back(&row);
      return;
    }
  }
  groups.push_back({row.table, row.call.instance, number, {&row}});
}

struct OpTables {
  std::vector<std::vector<judge::TableCase>> cases;
  std::vector<TableGroup> groups;
};

} // namespace

const std::vector<TableGroup>& table_groups(const judge::Spec& spec, const judge::Op& op) {
  static std::map<const judge::Op*, std::unique_ptr<OpTables>> known;
  std::unique_ptr<OpTables>& tables = known[&op];
  if (tables) return tables->groups;
  tables = std::make_unique<OpTables>();
  for (const judge::Table& table : spec.tables) {
    if (table.op != op.name) continue;
    tables->cases.push_back(judge::table_cases(spec, table));
  }
  for (const auto& rows : tables->cases)
    for (const judge::TableCase& row : rows) add_row(tables->groups, row, op.family == "elementwise");
  return tables->groups;
}

std::string table_name(const judge::Table& table) {
  std::string name = table.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

const std::vector<judge::GoldenCase>& golden_cases(const judge::Spec& spec, const judge::Op& op) {
  static std::map<std::string, std::vector<judge::GoldenCase>> known;
  if (const auto found = known.find(op.name); found != known.end()) return found->second;
  static const judge::Manifest manifest = judge::load_manifest(judge::project_root());
  const judge::ManifestEntry* entry = manifest.find(op.name);
  if (entry == nullptr)
    throw judge::InputError(manifest.folder + "/manifest.json names no file of " + op.name + "; tools/golden --op " +
                            op.name + " makes it");
  return known[op.name] = judge::load_golden(manifest, *entry, spec).cases;
}

judge::Array expanded(const judge::Array& array, const judge::Shape& shape) {
  if (array.shape == shape) return array;
  bool fits = array.shape.size() <= shape.size();
  for (size_t k = 1; fits && k <= array.shape.size(); ++k) {
    const int64_t extent = array.shape[array.shape.size() - k];
    fits = extent == 1 || extent == shape[shape.size() - k];
  }
  if (!fits)
    throw judge::InputError("values of shape " + judge::text_of(array.shape) +
                            " do not broadcast to the name's shape " + judge::text_of(shape));
  judge::Array result(array.dtype, shape);
  const size_t missing = shape.size() - array.shape.size();
  for (int64_t e = 0; e < result.count(); ++e) {
    const judge::Shape at = judge::coordinates(shape, e);
    int64_t from = 0;
    for (size_t k = 0; k < array.shape.size(); ++k)
      from = from * array.shape[k] + (array.shape[k] == 1 ? 0 : at[missing + k]);
    result.set_bits(e, array.bits(from));
  }
  return result;
}

} // namespace ts::conformance
