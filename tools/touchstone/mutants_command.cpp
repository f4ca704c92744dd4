// touchstone mutants: plants known bugs one at a time and shows which case of the suite notices each.
#include "conformance/filter.h"
#include "conformance/mutants/hunt.h"
#include "conformance/report/summary.h"
#include "conformance/select/select.h"
#include "runtime/errors.h"
#include "tools/touchstone/commands.h"
#include "tools/touchstone/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ts::tool {

using namespace conformance;
using namespace conformance::mutants;

namespace {

std::string history_path() { return judge::project_root() + "/conformance/mutants/history.txt"; }

std::vector<const Mutant*> chosen_mutants(const std::string& filter, bool views) {
  const Filter globs(filter);
  std::vector<const Mutant*> chosen;
  for (const Mutant& mutant : views ? all_view_mutants() : all_mutants())
    if (globs.passes(mutant.id) || globs.passes(mutant.kind)) chosen.push_back(&mutant);
  if (chosen.empty()) throw ValueError(fmt::format("no mutant has an id or a kind like '{}'", filter));
  return chosen;
}

void print_list(const std::vector<const Mutant*>& mutants) {
  for (const Mutant* mutant : mutants)
    fmt::print("{:<5} {:<11} {:<7} {:<13} {}{}\n", mutant->id, mutant->kind,
               mutant->how == Mutant::How::door     ? "door"
               : mutant->how == Mutant::How::kernel ? "kernel"
                                                    : "library",
               mutant->clause, mutant->title,
               mutant->report.empty() ? "" : fmt::format(" ({}, {})", mutant->project, report_url(*mutant)));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The killers of before, without any mutant: what fails there proves nothing.
bool sound_is_green(Hunt& hunt, const std::vector<const Mutant*>& mutants, const KillHistory& history,
                    const std::vector<std::string>& names) {
  int64_t passed = 0, failed = 0;
  for (const Mutant* mutant : mutants) {
    const std::string killer = history.killer(mutant->id);
    if (killer.empty() || std::find(names.begin(), names.end(), killer) == names.end()) continue;
    const Outcome& outcome = hunt.unmutated(*mutant, killer);
    if (outcome.verdict == Verdict::pass) {
      ++passed;
      continue;
    }
    ++failed;
    fmt::print("0     no mutant   {}  {}\n      {}: {}\n", name_of(outcome.verdict), killer, outcome.check,
               first_line(outcome.message));
  }
  fmt::print("0     no mutant   {}: {} killing cases pass, {} fail\n", failed == 0 ? "green" : "RED", passed, failed);
  return failed == 0;
}

void print_catch(const Catch& found, const Hunt& hunt) {
  const Mutant& mutant = *found.mutant;
  const char* fate = found.killed ? "killed" : found.reached ? "SURVIVED" : "NOT REACHED";
  fmt::print("{:<5} {:<11} {:<11} {:>4} {} {:6.2f} s  {}\n", mutant.id, mutant.kind, fate, found.cases,
             found.cases == 1 ? "case " : "cases", found.seconds, found.killed ? found.killer : mutant.title);
  if (found.killed)
    fmt::print("      {}: {}\n",
               found.outcome.check.empty() ? std::string(name_of(found.outcome.verdict)) : found.outcome.check,
               first_line(found.outcome.message));
  for (const std::string& name : found.red) fmt::print("      fails without the mutant, too: {}\n", name);
  if (found.killed) fmt::print("      {}\n", hunt.replay_line(mutant, found.killer));
  std::fflush(stdout);
}

struct Tally {
  std::string kind;
  int planted = 0, reached = 0, killed = 0;
};

bool print_tally(const std::vector<Catch>& catches) {
  std::vector<Tally> tallies;
  Tally all{"all"};
  for (const Catch& found : catches) {
    // View mutants by what changes: the last part of their ids.
    const std::string& id = found.mutant->id;
    const std::string kind = found.mutant->kind == "VIEWS" ? id.substr(id.rfind('.') + 1) : found.mutant->kind;
    const auto same =
        std::find_if(tallies.begin(), tallies.end(), [&](const Tally& tally) { return tally.kind == kind; });
    Tally& tally = same != tallies.end() ? *same : tallies.emplace_back(Tally{kind});
    for (Tally* t : {&tally, &all}) {
      ++t->planted;
      t->reached += found.reached ? 1 : 0;
      t->killed += found.killed ? 1 : 0;
    }
  }
  tallies.push_back(all);
  fmt::print("\n");
  for (const Tally& tally : tallies)
    fmt::print("{:<11} {:>3} planted, {:>3} reached, {:>3} killed\n", tally.kind, tally.planted, tally.reached,
               tally.killed);
  for (const Catch& found : catches)
    if (!found.killed)
      fmt::print("survivor    {} {}: {} ({} cases, {})\n", found.mutant->id, found.mutant->kind, found.mutant->title,
                 found.cases, found.reached ? "reached" : "never reached");
  return all.killed == all.planted;
}

} // namespace

int mutants_command(const MutantsOptions& options) {
  const std::vector<const Mutant*> mutants = chosen_mutants(options.filter, options.views);
  if (options.list) {
    print_list(mutants);
    return kPassed;
  }
  KillHistory history = KillHistory::read(history_path());
  const std::vector<std::string> names = select_cases(judge::spec(), "").names;
  HuntOptions how;
  how.backend = options.backend;
  how.seed = options.seed;
  how.cases_max = options.cases_max;
  how.program = std::filesystem::read_symlink("/proc/self/exe").string();
  Hunt hunt(how, history, names);
  const bool green = sound_is_green(hunt, mutants, history, names);

  std::vector<Catch> catches;
  {
    Progress progress(static_cast<int64_t>(mutants.size()));
    for (const Mutant* mutant : mutants) {
      catches.push_back(hunt.hunt(*mutant));
      // There are many of them, and one line each of those that die is nothing to read.
      if (!options.views || !catches.back().killed) {
        progress.clear();
        print_catch(catches.back(), hunt);
      }
      progress.step(!catches.back().killed);
    }
  }
  int64_t moved = 0;
  for (const Catch& found : catches) moved += found.killed && found.killer != history.killer(found.mutant->id) ? 1 : 0;
  if (options.record) {
    for (const Catch& found : catches)
      if (found.killed) history.set(found.mutant->id, found.killer);
    history.write(history_path());
  }
  const bool all_killed = print_tally(catches);
  if (moved > 0 && !options.views)
    fmt::print(
        "history     {} mutants are killed by another case than before; `touchstone mutants --record` notes it\n",
        moved);
  return all_killed && green && (moved == 0 || !options.compare) ? kPassed : kFailed;
}

} // namespace ts::tool
