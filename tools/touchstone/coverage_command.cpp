// touchstone spec coverage: the clauses that nothing proves.
#include "conformance/coverage.h"
#include "runtime/errors.h"
#include "tools/touchstone/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

namespace ts::tool {

using namespace conformance;

int coverage_command(const CoverageOptions& options) {
  const std::string path = options.results.empty() ? "report/results.jsonl" : options.results;
  std::ifstream file(path);
  if (!file)
    throw ValueError(fmt::format("{} cannot be read: `touchstone run --backend NAME --report report` writes it", path));
  std::stringstream results;
  results << file.rdbuf();
  if (results.str().empty()) throw ValueError(fmt::format("{} holds no result", path));
  const judge::Spec& spec = judge::spec();
  const Coverage coverage = coverage_of(spec, results.str(), path, judge::project_root());
  if (options.all)
    for (const auto& [label, by] : coverage.cited) fmt::print("{:<24} {}\n", label, fmt::join(by, "  "));
  for (const judge::Clause* clause : coverage.uncited)
    fmt::print("uncited    [{}] {} ({}:{})\n", clause->label, clause->text, clause->file, clause->line);
  for (const std::string& problem : coverage.problems) fmt::print("problem    {}\n", problem);
  fmt::print("spec       {} ops, {} clauses, {} cited, {} uncited\n", spec.ops.size(), spec.clauses.size(),
             spec.clauses.size() - coverage.uncited.size(), coverage.uncited.size());
  return coverage.uncited.empty() && coverage.problems.empty() ? kPassed : kFailed;
}

} // namespace ts::tool
