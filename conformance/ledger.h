// The strict books of a run: every selected case has one outcome per backend, and what is odd about the whole is a fault
// of its own.
#pragma once

#include "conformance/expectations.h"
#include "conformance/outcome.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ts::conformance {

/// What is wrong with a run beyond its cases.
struct Irregularity {
  std::string kind; ///< "missing", "support", "route", "expectation", "telling"
  std::string message;
};

class Ledger {
public:
  /// The cases that one backend has to answer for.
  Ledger(std::string backend, std::vector<std::string> selected, std::vector<Expectation> expectations = {});

  const std::string& backend() const { return backend_; }

  /// Takes an outcome once; a failure that an expectation names becomes known_failure, a pass unexpected_pass. Throws
  /// BackendError for a case that was not selected or has an outcome already.
  void record(Outcome outcome);

  /// Closes the books. `whole` says that every case was selected: only then do expectations have to match, and routes to be
  /// seen. Routes are globs over `kernel/route`; where there are any, each must have been seen, and what was seen must be
  /// among them. Cases without an outcome become missing.
  void close(bool whole, const std::vector<std::string>& routes = {});

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  const std::vector<Irregularity>& irregularities() const { return irregularities_; }
  int64_t count(Verdict verdict) const { return counts_[static_cast<size_t>(verdict)]; }
  /// The cases that the backend ran, to whatever end: all but those unsupported and missing.
  std::vector<std::string> ran() const;
  int64_t telling() const;
  /// Of the kernel tier by op: how many cases passed, and how many of them could have failed by their values.
  struct Share {
    int64_t passed = 0, telling = 0;
  };
  std::map<std::string, Share> telling_by_op() const;
  /// "kernel/route" -> launches over all cases.
  std::map<std::string, uint64_t> routes() const;
  /// Labels cited by cases that passed and could have failed.
  std::set<std::string> cited() const;

  /// No bad verdict, nothing irregular.
  bool green() const;

private:
  void check_support();
  void check_telling();
  void check_expectations();
  void check_routes(const std::vector<std::string>& owed);

  std::string backend_;
  std::vector<Expectation> expectations_;
  std::vector<bool> used_;
  std::map<std::string, size_t> place_; ///< of every selected case among outcomes_
  std::vector<Outcome> outcomes_;
  std::vector<Irregularity> irregularities_;
  std::array<int64_t, kVerdictCount> counts_{};
};

} // namespace ts::conformance
