// touchstone run: cases on backends, through workers or in this process, then the books, the reports and the summary.
#include "conformance/report/summary.h"
#include "conformance/runner/supervisor.h"
#include "runtime/errors.h"
#include "tools/touchstone/cases.h"
#include "tools/touchstone/commands.h"
#include "tools/touchstone/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

namespace ts::tool {

using namespace conformance;

namespace {

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

RunResult run_here(Bench& bench, const std::vector<std::string>& names, Progress& progress) {
  RunResult result;
  result.outcomes.resize(bench.backends());
  for (const std::string& name : names) {
    for (size_t b = 0; b < result.outcomes.size(); ++b) {
      result.outcomes[b].push_back(bench.run(b, name));
      progress.step(is_bad(result.outcomes[b].back().verdict));
    }
  }
  return result;
}

RunResult run_in_workers(const RunOptions& options, const std::vector<std::string>& names, Progress& progress) {
  SupervisorOptions supervisor;
  supervisor.program = this_program();
  supervisor.settings = options.settings;
  supervisor.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  supervisor.timeout_s = options.timeout_s;
  supervisor.on_outcome = [&](size_t, const Outcome& outcome) { progress.step(is_bad(outcome.verdict)); };
  return Supervisor(supervisor, names).run();
}

// Every backend against the first, in cases that both passed: those of rows that say `cross`, with `runs` those that say `run`
// too. Says how many were compared.
int64_t compare_bits(RunReport& report, bool runs) {
  constexpr size_t kShown = 20;
  int64_t compared = 0;
  size_t different = 0;
  const Ledger& first = report.backends.front().ledger;
  for (size_t k = 1; k < report.backends.size(); ++k) {
    const Ledger& other = report.backends[k].ledger;
    for (size_t c = 0; c < first.outcomes().size(); ++c) {
      const Outcome &a = first.outcomes()[c], &b = other.outcomes()[c];
      if (a.bits == 0 || b.bits == 0 || (a.bits % 2 == 0 && !runs)) continue;
      ++compared;
      if (a.bits != b.bits && ++different <= kShown)
        report.irregular.push_back(
            fmt::format("bits: {} and {} differ in {}", first.backend(), other.backend(), a.name));
    }
  }
  if (different > kShown) report.irregular.push_back(fmt::format("bits: and {} more cases", different - kShown));
  if (compared == 0) report.irregular.push_back("bits: there was nothing to compare");
  return compared;
}

void print_failures(const RunReport& report, int shown) {
  for (const BackendReport& backend : report.backends) {
    const Ledger& ledger = backend.ledger;
    int printed = 0;
    for (const Outcome& outcome : ledger.outcomes()) {
      if (!is_bad(outcome.verdict)) continue;
      if (printed++ < shown) fmt::print("{}\n", failure_text(ledger.backend(), outcome, report.seed));
    }
    if (printed > shown) fmt::print("... and {} more on {}\n", printed - shown, ledger.backend());
    for (const Irregularity& i : ledger.irregularities())
      fmt::print("IRREGULAR  {}: {}: {}\n", ledger.backend(), i.kind, i.message);
  }
  for (const std::string& text : report.irregular) fmt::print("IRREGULAR  {}\n", text);
}

void print_summary(const RunReport& report, const std::string& folder) {
  const Selection& s = report.selection;
  fmt::print("{:<10} {} cases, {} pairs of levels, {} missing\n", "selected",
             grouped(static_cast<int64_t>(s.names.size())), grouped(report.pairs), s.missing);
  for (const BackendReport& backend : report.backends) fmt::print("{}\n", report.summary_line(backend));
  if (!folder.empty()) fmt::print("{:<10} {}/index.html\n", "report", folder);
}

} // namespace

int run_command(const RunOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Choice choice(options.tier, options.filter, options.shard);
  // Two backends of one name would share a ledger's line and nobody could tell them apart.
  for (size_t a = 0; a < options.settings.backends.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (options.settings.backends[a] == options.settings.backends[b])
        throw ValueError(fmt::format("backend '{}' is named twice", options.settings.backends[a]));
  const std::string root = judge::project_root();
  std::vector<std::vector<Expectation>> expected;
  for (const std::string& backend : options.settings.backends) expected.push_back(expectations_of(backend, root));
  std::unique_ptr<Bench> bench;
  if (options.in_process)
    bench = std::make_unique<Bench>(options.settings);
  else
    probe_backends(this_program(), options.settings);
  Chosen chosen = choice.apply();
  if (!options.report.empty()) prepare_folder(options.report);

  RunReport report;
  report.version = TS_VERSION;
  report.seed = options.settings.seed;
  report.filter = options.filter;
  report.shard = options.shard;
  report.whole = chosen.whole;
  report.selection = std::move(chosen.selection);
  report.pairs = report.selection.pairs.met(report.selection.names);
  RunResult result;
  {
    Progress progress(static_cast<int64_t>(report.selection.names.size() * options.settings.backends.size()));
    result = options.in_process ? run_here(*bench, report.selection.names, progress)
                                : run_in_workers(options, report.selection.names, progress);
  }
  report.irregular = std::move(result.irregular);
  for (size_t b = 0; b < result.outcomes.size(); ++b) {
    const std::string& backend = options.settings.backends[b];
    Ledger ledger(backend, report.selection.names, std::move(expected[b]));
    double seconds = 0;
    for (Outcome& outcome : result.outcomes[b]) {
      seconds += outcome.seconds;
      if (outcome.verdict != Verdict::missing) ledger.record(std::move(outcome));
    }
    ledger.close(report.whole, routes_of(backend, root));
    const int64_t pairs = report.selection.pairs.met(ledger.ran());
    report.backends.push_back({std::move(ledger), seconds, pairs});
  }
  const int64_t same_bits = options.same_bits || options.same_runs ? compare_bits(report, options.same_runs) : 0;
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print_failures(report, options.failures_shown);
  try {
    if (!options.report.empty()) write_reports(report, options.report);
  } catch (const ValueError&) { // the run's result is not lost with its report
    print_summary(report, "");
    throw;
  }
  print_summary(report, options.report);
  if (options.same_bits || options.same_runs) fmt::print("{:<10} {} cases compared\n", "bits", grouped(same_bits));
  return report.green() ? kPassed : kFailed;
}

} // namespace ts::tool
