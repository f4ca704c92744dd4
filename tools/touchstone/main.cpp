// touchstone: judges backends. Parses the command line and turns what went wrong into an exit status.
#include "conformance/array.h"
#include "conformance/runner/worker.h"
#include "runtime/errors.h"
#include "tools/touchstone/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace ts::tool;

// Whole numbers from low to high, written in digits: nothing wraps, nothing is cut off.
CLI::Validator whole_number(uint64_t low, uint64_t high) {
  return {[low, high](std::string& text) {
            uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [next, problem] = std::from_chars(text.data(), end, value);
            const bool fits = !text.empty() && problem == std::errc() && next == end && value >= low && value <= high;
            return fits ? std::string() : fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
          },
          ""};
}

CLI::Validator seconds() {
  return {[](std::string& text) {
            double value = 0;
            const char* end = text.data() + text.size();
            const auto [next, problem] = std::from_chars(text.data(), end, value);
            const bool fits = !text.empty() && problem == std::errc() && next == end && value > 0 && value <= 86400;
            return fits ? std::string() : fmt::format("'{}' is not a number of seconds above 0, up to 86400", text);
          },
          ""};
}

// One line that says what was wrong with the command line, and where: CLI11's own do not name an unknown command.
std::string usage_problem(const CLI::App& app, int argc, char** argv, const CLI::ParseError& problem) {
  std::string where;
  const CLI::App* at = &app;
  int next = 1; // the argument after the commands that were understood
  for (; !at->get_subcommands().empty(); ++next) {
    at = at->get_subcommands().front();
    where += at->get_name() + ": ";
  }
  std::vector<std::string> names;
  for (const CLI::App* command : at->get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
    names.push_back(command->get_name());
  std::string what = problem.what();
  if (!names.empty() && next >= argc)
    what = fmt::format("a command is needed; there are {}", fmt::join(names, ", "));
  else if (!names.empty() && argv[next][0] != '-')
    what = fmt::format("unknown command '{}'; there are {}", argv[next], fmt::join(names, ", "));
  return where + what;
}

void add_backends(CLI::App& command, ts::conformance::Settings& settings) {
  command.add_option("--backend", settings.backends, "NAME, NAME:OPTIONS or PATH.so; may be repeated")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--layer", settings.layers, "wrap every backend: trace, validate, census, fault, hide, delay")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--seed", settings.seed, "of generated values")->check(whole_number(0, UINT64_MAX));
}

int main_of(int argc, char** argv) {
  CLI::App app{"touchstone: prove a tensor backend right"};
  app.require_subcommand(1);
  app.set_version_flag("--version", TS_VERSION);

  RunOptions run;
  CLI::App* run_app = app.add_subcommand("run", "run the suite on backends");
  add_backends(*run_app, run.settings);
  run_app->add_option("--filter", run.filter, "globs over case names, separated by commas");
  run_app->add_option("--tier", run.tier, "kernel, tensor, example or found; all by default");
  run_app->add_option("--shard", run.shard, "I/N: part I of N, from 0");
  run_app->add_option("--jobs", run.jobs, "worker processes; as many as the machine has processors by default")
      ->check(whole_number(1, 1024));
  run_app->add_option("--timeout", run.timeout_s, "seconds a case may take")->check(seconds());
  run_app->add_option("--report", run.report, "folder for summary.json, results.jsonl, junit.xml, index.html");
  run_app->add_option("--show", run.failures_shown, "failures printed in full")->check(whole_number(0, 1'000'000));
  run_app->add_flag("--same-bits", run.same_bits, "the backends have to agree in the bits of rows that say `cross`");
  run_app->add_flag("--same-runs", run.same_runs,
                    "and in those of rows that say `run`: for one backend under options that change no result");
  run_app->add_flag("--in-process", run.in_process, "no workers: for a debugger");

  ListOptions list;
  CLI::App* list_app = app.add_subcommand("list", "print the names of cases");
  list_app->add_option("--filter", list.filter, "globs over case names, separated by commas");
  list_app->add_option("--tier", list.tier, "kernel, tensor, example or found; all by default");
  list_app->add_option("--shard", list.shard, "I/N: part I of N, from 0");
  list_app->add_flag("--count", list.count, "print how many per op instead");

  ReplayOptions replay;
  CLI::App* replay_app = app.add_subcommand("replay", "run cases in this process and draw their memory");
  add_backends(*replay_app, replay.settings);
  replay_app->add_option("--timeout", replay.timeout_s, "seconds a case may take")->check(seconds());
  replay_app->add_option("name", replay.names, "names of cases")->required();

  CLI::App* backends_app = app.add_subcommand("backends", "print the backends built here and their devices");

  CLI::App* spec_app = app.add_subcommand("spec", "about the specification");
  spec_app->require_subcommand(1);
  CoverageOptions coverage;
  CLI::App* coverage_app = spec_app->add_subcommand("coverage", "print every clause that no executed case cites");
  coverage_app->add_option("--results", coverage.results, "results.jsonl of a run");
  coverage_app->add_flag("--all", coverage.all, "print the cited clauses too, with what cites them");

  CLI::App* golden_app = app.add_subcommand("golden", "about golden values");
  golden_app->require_subcommand(1);
  std::string golden_filter;
  CLI::App* check_app = golden_app->add_subcommand("check", "recompute every golden value through the oracle");
  check_app->add_option("--filter", golden_filter, "ops whose name contains this");

  MutantsOptions mutants;
  CLI::App* mutants_app = app.add_subcommand("mutants", "plant known bugs and print which case notices each");
  mutants_app->add_option("--backend", mutants.backend, "NAME, NAME:OPTIONS or PATH.so");
  mutants_app->add_option("--filter", mutants.filter, "globs over ids and kinds, separated by commas");
  mutants_app->add_option("--seed", mutants.seed, "of generated values")->check(whole_number(0, UINT64_MAX));
  mutants_app->add_option("--cases", mutants.cases_max, "cases tried per mutant; all by default")
      ->check(whole_number(0, 1'000'000));
  CLI::Option* views =
      mutants_app->add_flag("--views", mutants.views, "misread every operand and result of every op instead");
  mutants_app->add_flag("--list", mutants.list, "print the mutants, their clauses and the public reports instead");
  mutants_app
      ->add_flag("--compare", mutants.compare, "fail where another case kills a mutant than the kill history says")
      ->excludes(views);
  mutants_app->add_flag("--record", mutants.record, "write which case killed which mutant to the kill history")
      ->excludes(views);

  FaultsOptions faults;
  CLI::App* faults_app =
      app.add_subcommand("faults", "run kernels with planted faults in the emulator, setting by setting");
  faults_app->add_option("--filter", faults.filter, "globs over names, separated by commas");
  faults_app->add_flag("--say", faults.say, "print what checked mode says of each");
  faults_app->add_option("--table", faults.table, "a page whose table of faults is written anew");

  ts::conformance::Settings worker;
  CLI::App* worker_app = app.add_subcommand("worker", "")->group("");
  add_backends(*worker_app, worker);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) { // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& problem) {
    throw ts::ValueError(usage_problem(app, argc, argv, problem));
  }
  if (*run_app) return run_command(run);
  if (*list_app) return list_command(list);
  if (*replay_app) return replay_command(replay);
  if (*backends_app) return backends_command();
  if (*coverage_app) return coverage_command(coverage);
  if (*check_app) return golden_check_command(golden_filter);
  if (*mutants_app) return mutants_command(mutants);
  if (*faults_app) return faults_command(faults);
  return ts::conformance::work(worker, 3);
}

} // namespace

int main(int argc, char** argv) {
  // A worker that died is noticed by its closed pipe, a full disk by a write that fails.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = main_of(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw ts::ValueError("standard output cannot be written: what stands there is not whole");
    return status;
  } catch (const std::exception& problem) {
    std::string what = problem.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    std::fprintf(stderr, "touchstone: %s\n", what.c_str());
    return kUsage;
  }
}
