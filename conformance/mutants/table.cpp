#include "conformance/mutants/table.h"

#include "conformance/array.h"
#include "conformance/door/door.h"
#include "conformance/filter.h"
#include "conformance/mutants/view_mutants.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ts::conformance::mutants {

namespace {

using judge::InputError;

std::string text(const nlohmann::json& row, const char* key, const std::string& id) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_string() || found->get<std::string>().empty())
    throw InputError(fmt::format("mutants.json: mutant '{}' needs a text '{}'", id, key));
  return found->get<std::string>();
}

bool has_cases(const judge::Spec& spec, const std::string& glob) {
  const std::vector<DoorCheck>& checks = door_checks();
  if (std::any_of(checks.begin(), checks.end(),
                  [&](const DoorCheck& check) { return glob_matches(glob + "/*", check.name); }))
    return true;
  // Cases of the library are not known here; one that concerns none of them is hunted with no case, and never reached.
  if (glob.starts_with("tensor/") || glob.starts_with("example/")) return true;
  return std::any_of(spec.ops.begin(), spec.ops.end(),
                     [&](const judge::Op& op) { return glob_matches(glob, op.family + "/" + op.name); });
}

Mutant parse_row(const nlohmann::json& row, const judge::Spec& spec) {
  Mutant mutant;
  mutant.id = text(row, "id", "");
  for (const auto& [key, value] : row.items()) {
    static const std::set<std::string> known = {"id",    "kind", "title",  "project", "report", "how",
                                                "place", "ops",  "clause", "crashes", "on"};
    if (known.count(key) == 0)
      throw InputError(fmt::format("mutants.json: {} has an unknown key '{}'", mutant.id, key));
  }
  mutant.kind = text(row, "kind", mutant.id);
  mutant.title = text(row, "title", mutant.id);
  if (row.contains("report") || row.contains("project")) {
    mutant.project = text(row, "project", mutant.id);
    mutant.report = text(row, "report", mutant.id);
  }
  mutant.clause = text(row, "clause", mutant.id);
  mutant.place = row.contains("place") ? text(row, "place", mutant.id) : mutant.id;
  const std::string how = text(row, "how", mutant.id);
  if (how != "door" && how != "kernel" && how != "library")
    throw InputError(
        fmt::format("mutants.json: {} is planted at '{}'; there are door, kernel and library", mutant.id, how));
  mutant.how = how == "door" ? Mutant::How::door : how == "kernel" ? Mutant::How::kernel : Mutant::How::library;
  mutant.crashes = row.value("crashes", false);
  if (row.contains("on")) mutant.on = text(row, "on", mutant.id);
  if (!spec.has_clause(mutant.clause))
    throw InputError(
        fmt::format("mutants.json: {} breaks the clause '{}', which the spec has not", mutant.id, mutant.clause));
  mutant.ops = row.at("ops").get<std::vector<std::string>>();
  for (const std::string& glob : mutant.ops)
    if (!has_cases(spec, glob))
      throw InputError(
          fmt::format("mutants.json: {} concerns '{}', but no op and no check of the door matches", mutant.id, glob));
  if (mutant.ops.empty()) throw InputError(fmt::format("mutants.json: {} concerns no op", mutant.id));
  return mutant;
}

} // namespace

std::vector<Mutant> parse_mutants(std::string_view document, const judge::Spec& spec) {
  std::vector<Mutant> mutants;
  try {
    for (const nlohmann::json& row : nlohmann::json::parse(document)) {
      Mutant mutant = parse_row(row, spec);
      for (const Mutant& other : mutants)
        if (other.id == mutant.id) throw InputError(fmt::format("mutants.json: {} is there twice", mutant.id));
      mutants.push_back(std::move(mutant));
    }
  } catch (const nlohmann::json::exception& problem) {
    throw InputError(fmt::format("mutants.json: {}", problem.what()));
  }
  return mutants;
}

const std::vector<Mutant>& all_mutants() {
  static const std::vector<Mutant> mutants = [] {
    const std::string path = judge::project_root() + "/conformance/mutants/mutants.json";
    std::ifstream file(path);
    if (!file) throw InputError(fmt::format("{} cannot be read", path));
    std::stringstream document;
    document << file.rdbuf();
    return parse_mutants(document.str(), judge::spec());
  }();
  return mutants;
}

const std::vector<Mutant>& all_view_mutants() {
  static const std::vector<Mutant> mutants = view_mutants(judge::spec());
  return mutants;
}

const Mutant& find_mutant(std::string_view id) {
  for (const Mutant& mutant : all_mutants())
    if (mutant.id == id) return mutant;
  for (const Mutant& mutant : all_view_mutants())
    if (mutant.id == id) return mutant;
  throw ValueError(fmt::format("there is no mutant '{}'; `touchstone mutants --list` names them", id));
}

std::set<int32_t> ops_of(const Mutant& mutant) {
  std::set<int32_t> ops;
  const auto is_check = [](const std::string& glob) { return glob.starts_with("door/"); };
  const bool any_op = std::any_of(mutant.ops.begin(), mutant.ops.end(), is_check);
  for (const judge::Op& op : judge::spec().ops)
    for (const std::string& glob : mutant.ops)
      if (any_op || glob_matches(glob, op.family + "/" + op.name)) ops.insert(op.id);
  return ops;
}

bool concerns(const Mutant& mutant, std::string_view case_name) {
  return std::any_of(mutant.ops.begin(), mutant.ops.end(),
                     [&](const std::string& glob) { return glob_matches(glob + "/*", case_name); });
}

std::string report_url(const Mutant& mutant) {
  if (mutant.report.empty()) return "";
  std::string url = "https://github.com/" + mutant.report;
  const size_t mark = url.find_first_of("#!");
  if (mark == std::string::npos) return url;
  return url.replace(mark, 1, url[mark] == '!' ? "/pull/" : "/issues/");
}

} // namespace ts::conformance::mutants
