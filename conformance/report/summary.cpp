#include "conformance/report/summary.h"

#include "runtime/errors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace ts::conformance {

namespace fs = std::filesystem;

namespace {

// The summary last: where it stands, the others do.
constexpr std::array<std::string_view, 4> kFiles = {"results.jsonl", "junit.xml", "index.html", "summary.json"};

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw ValueError(fmt::format("cannot write {} bytes to {}", text.size(), path.string()));
}

nlohmann::json summary_of(const BackendReport& backend) {
  const Ledger& ledger = backend.ledger;
  nlohmann::json counts;
  for (int v = 0; v < kVerdictCount; ++v)
    counts[std::string(name_of(static_cast<Verdict>(v)))] = ledger.count(static_cast<Verdict>(v));
  nlohmann::json irregularities = nlohmann::json::array();
  for (const Irregularity& i : ledger.irregularities())
    irregularities.push_back({{"kind", i.kind}, {"message", i.message}});
  nlohmann::json telling = nlohmann::json::object();
  for (const auto& [op, share] : ledger.telling_by_op())
    telling[op] = {{"passed", share.passed}, {"telling", share.telling}};
  return {{"backend", ledger.backend()}, {"cases", ledger.outcomes().size()}, {"counts", counts},
          {"telling", ledger.telling()}, {"telling_by_op", telling},          {"seconds", backend.seconds},
          {"pairs_met", backend.pairs},  {"routes", ledger.routes()},         {"irregularities", irregularities},
          {"green", ledger.green()}};
}

} // namespace

bool RunReport::green() const {
  return irregular.empty() && selection.missing == 0 &&
         std::all_of(backends.begin(), backends.end(), [](const BackendReport& b) { return b.ledger.green(); });
}

std::string grouped(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

std::string RunReport::summary_line(const BackendReport& backend) const {
  const Ledger& ledger = backend.ledger;
  std::string text = fmt::format("{} passed", grouped(ledger.count(Verdict::pass)));
  const auto add = [&](Verdict verdict, const char* word) {
    if (ledger.count(verdict) != 0) text += fmt::format(" · {} {}", grouped(ledger.count(verdict)), word);
  };
  add(Verdict::fail, "failed");
  add(Verdict::crash, "crashed");
  add(Verdict::timeout, "timed out");
  add(Verdict::flaky, "flaky");
  add(Verdict::mistrusted, "mistrusted");
  add(Verdict::missing, "missing");
  add(Verdict::unexpected_pass, "passed unexpectedly");
  add(Verdict::known_failure, "known failures");
  add(Verdict::unsupported, "unsupported");
  if (backend.pairs < pairs) text += fmt::format(" · {} pairs of levels unmet", grouped(pairs - backend.pairs));
  if (!ledger.irregularities().empty()) text += fmt::format(" · {} irregularities", ledger.irregularities().size());
  return fmt::format("{:<10} {:<60} {:>7.1f} s", ledger.backend(), text, backend.seconds);
}

std::string replay_line(const std::string& backend, const std::string& name, uint64_t seed) {
  return fmt::format("touchstone replay --backend {}{} {}", backend, seed == 0 ? "" : fmt::format(" --seed {}", seed),
                     name);
}

std::string failure_text(const std::string& backend, const Outcome& outcome, uint64_t seed) {
  std::string verdict(name_of(outcome.verdict));
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return c == '_' ? ' ' : static_cast<char>(std::toupper(c)); });
  return fmt::format("{}  {}: {}\n      {}{}{}\n      replay: {}", verdict, backend, outcome.name, outcome.check,
                     outcome.check.empty() ? "" : ": ", outcome.message, replay_line(backend, outcome.name, seed));
}

std::string summary_json(const RunReport& report) {
  nlohmann::json backends = nlohmann::json::array();
  for (const BackendReport& backend : report.backends) backends.push_back(summary_of(backend));
  const nlohmann::json json = {{"version", report.version},
                               {"seed", report.seed},
                               {"filter", report.filter},
                               {"shard", report.shard},
                               {"whole", report.whole},
                               {"selected", report.selection.names.size()},
                               {"pairs", report.pairs},
                               {"pairs_infeasible", report.selection.pairs.infeasible()},
                               {"pairs_missing", report.selection.missing},
                               {"backends", backends},
                               {"irregular", report.irregular},
                               {"wall_seconds", report.wall_seconds},
                               {"green", report.green()}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void prepare_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  const fs::path probe = fs::path(folder) / ".touchstone-probe";
  std::ofstream file(probe);
  file << "x";
  file.flush();
  if (!file)
    throw ValueError(fmt::format("report folder '{}' cannot be written{}{}", folder, problem ? ": " : "",
                                 problem ? problem.message() : ""));
  file.close();
  fs::remove(probe, problem);
  // What a run of before left must not pass for this one's.
  for (const std::string_view name : kFiles) fs::remove(fs::path(folder) / name, problem);
}

void write_reports(const RunReport& report, const std::string& folder) {
  std::string lines;
  for (const BackendReport& backend : report.backends) {
    const Ledger& ledger = backend.ledger;
    for (const Outcome& outcome : ledger.outcomes()) {
      lines +=
          fmt::format("{{\"backend\":{},{}\n", nlohmann::json(ledger.backend()).dump(), to_json(outcome).substr(1));
    }
  }
  const std::array<std::string, kFiles.size()> texts = {lines, junit_xml(report), html_page(report),
                                                        summary_json(report)};
  // Whole or not at all: the disk may fill up half-way.
  const auto partial = [&](std::string_view name) { return fs::path(folder) / fmt::format(".{}.partial", name); };
  std::error_code ignored;
  try {
    for (size_t k = 0; k < kFiles.size(); ++k) write_file(partial(kFiles[k]), texts[k]);
    for (const std::string_view name : kFiles) fs::rename(partial(name), fs::path(folder) / name);
  } catch (const std::exception& problem) {
    for (const std::string_view name : kFiles) {
      fs::remove(partial(name), ignored);
      fs::remove(fs::path(folder) / name, ignored);
    }
    throw ValueError(fmt::format("report folder '{}': {}", folder, problem.what()));
  }
}

} // namespace ts::conformance
