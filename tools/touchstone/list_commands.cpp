// touchstone list, backends, golden check: what there is.
#include "conformance/golden.h"
#include "conformance/report/summary.h"
#include "runtime/backend/registry.h"
#include "runtime/errors.h"
#include "tools/touchstone/cases.h"
#include "tools/touchstone/commands.h"

#include <fmt/format.h>

#include <map>

namespace ts::tool {

using namespace conformance;

int list_command(const ListOptions& options) {
  const Chosen chosen = Choice(options.tier, options.filter, options.shard).apply();
  const std::vector<std::string>& names = chosen.selection.names;
  if (!options.count) {
    for (const std::string& name : names) fmt::print("{}\n", name);
    return kPassed;
  }
  std::map<std::string, int64_t> per_op;
  for (const std::string& name : names) ++per_op[name.substr(0, name.find('/', name.find('/') + 1))];
  for (const auto& [op, count] : per_op) fmt::print("{:<32} {:>6}\n", op, count);
  const Pairs& pairs = chosen.selection.pairs;
  fmt::print("{:<32} {:>6}   {} of {} pairs of levels, {} infeasible, {} missing\n", "all", names.size(),
             pairs.met(names), pairs.listed(), pairs.infeasible(), chosen.selection.missing);
  return chosen.selection.missing == 0 ? kPassed : kFailed;
}

int backends_command() {
  int status = kPassed;
  for (const BackendFile& file : available_backends()) {
    try {
      const std::shared_ptr<Backend> backend = open_backend(file.name);
      fmt::print("{:<12} {} device{}, version {}, {}\n", file.name, backend->device_count(),
                 backend->device_count() == 1 ? "" : "s", backend->table().version, file.path);
      if (backend->device_count() == 0) fmt::print("{:<12} {}\n", "", absence_of(*backend));
    } catch (const Error& problem) {
      fmt::print("{:<12} does not open: {}\n", file.name, problem.what());
      status = kFailed;
    }
  }
  return status;
}

int golden_check_command(const std::string& filter) {
  const judge::GoldenReport report = judge::check_goldens(judge::project_root(), judge::spec(), filter);
  if (report.files == 0 && !report.problems.empty()) throw judge::InputError(report.problems.front());
  if (report.files == 0) throw ValueError(fmt::format("no golden file is of an op like '{}'", filter));
  for (const std::string& problem : report.problems) fmt::print("{}\n", problem);
  fmt::print("goldens    {} files, {} cases, {} values recomputed, {} problems\n", report.files, grouped(report.cases),
             grouped(report.values), report.problems.size());
  return report.problems.empty() ? kPassed : kFailed;
}

} // namespace ts::tool
