// The commands of `touchstone`, each with the options it takes and the exit status it gives.
#pragma once

#include "conformance/runner/bench.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ts::tool {

/// Exit statuses. Usage covers whatever kept a command from doing its work: an unknown backend, a filter that matches
/// nothing, a folder that cannot be written, a plug-in that does not load.
enum Exit { kPassed = 0, kFailed = 1, kUsage = 2 };

struct RunOptions {
  conformance::Settings settings;
  std::string filter, tier, shard, report;
  int jobs = 0; ///< 0: as many as the machine has processors
  double timeout_s = 60;
  bool in_process = false;
  bool same_bits = false; ///< the backends agree in the bits of every row that says `cross`
  bool same_runs = false; ///< and in those of rows that say `run`: they are one backend under several options
  int failures_shown = 20;
};
int run_command(const RunOptions& options);

struct ListOptions {
  std::string filter, tier, shard;
  bool count = false;
};
int list_command(const ListOptions& options);

int backends_command();

struct ReplayOptions {
  conformance::Settings settings;
  std::vector<std::string> names;
  double timeout_s = 60; ///< after which a case has not ended
};
int replay_command(const ReplayOptions& options);

struct CoverageOptions {
  std::string results; ///< results.jsonl of a finished run
  bool all = false;    ///< list the cited clauses too
};
int coverage_command(const CoverageOptions& options);

struct MutantsOptions {
  std::string backend = "cpu";
  std::string filter; ///< globs over ids and kinds
  uint64_t seed = 0;
  int64_t cases_max = 0; ///< per mutant; 0: all that concern it
  bool views = false;    ///< those that follow from the rows, instead of the known bugs
  bool list = false, record = false;
  bool compare = false; ///< fail where the kill history names another case
};
int mutants_command(const MutantsOptions& options);

struct FaultsOptions {
  std::string filter; ///< globs over names
  bool say = false;   ///< print what check=all says of each
  std::string table;  ///< a page whose table between `<!-- faults -->` and `<!-- /faults -->` is written anew
};
int faults_command(const FaultsOptions& options);

int golden_check_command(const std::string& filter);

} // namespace ts::tool
