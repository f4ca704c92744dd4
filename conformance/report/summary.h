// A finished run as people and programs read it.
#pragma once

#include "conformance/ledger.h"
#include "conformance/select/select.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ts::conformance {

/// What became of a run on one backend.
struct BackendReport {
  Ledger ledger;  ///< closed
  double seconds; ///< of case time
  int64_t pairs;  ///< of levels, that what ran there has
};

/// Everything that a report says.
struct RunReport {
  std::string version;
  uint64_t seed = 0;
  std::string filter, shard;
  bool whole = false;  ///< every case was selected
  Selection selection; ///< of the tiers that ran; names as selected
  int64_t pairs = 0;   ///< of levels, that the selected cases have
  std::vector<BackendReport> backends;
  std::vector<std::string> irregular;
  double wall_seconds = 0;

  /// `cpu 18,402 passed · 3 failed · 6,321 unsupported · 902 pairs of levels unmet   9.8 s`.
  std::string summary_line(const BackendReport& backend) const;

  bool green() const;
};

/// A failed case as the terminal shows it: verdict and name, what is wrong, and the line that replays it.
std::string failure_text(const std::string& backend, const Outcome& outcome, uint64_t seed);

/// The line that replays a case, ready to be pasted.
std::string replay_line(const std::string& backend, const std::string& name, uint64_t seed);

/// 12345 as 12,345.
std::string grouped(int64_t number);

/// Writes summary.json, results.jsonl, junit.xml and index.html. Throws ValueError where the folder cannot be written.
void write_reports(const RunReport& report, const std::string& folder);

/// The folder exists afterwards and can be written; ValueError with the reason otherwise. Done before a run, so that a
/// run's result is never lost for it.
void prepare_folder(const std::string& folder);

/// Parts of write_reports.
std::string summary_json(const RunReport& report);
std::string junit_xml(const RunReport& report);
std::string html_page(const RunReport& report);

} // namespace ts::conformance
