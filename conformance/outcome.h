// What became of one case on one backend.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ts::conformance {

enum class Verdict : uint8_t {
  pass,
  fail,
  crash,           ///< the worker died in it
  timeout,         ///< it did not come back
  unsupported,     ///< the backend said so, in the query and in the call
  known_failure,   ///< failed as an expectation says
  unexpected_pass, ///< passed though an expectation says it fails
  missing,         ///< selected, and nobody ran it
  flaky,           ///< died among others, passed alone
  mistrusted,      ///< passed by a comparison that could not have failed
};
inline constexpr int kVerdictCount = static_cast<int>(Verdict::mistrusted) + 1;

std::string_view name_of(Verdict verdict);
/// The verdict of a name; missing for any other text.
Verdict verdict_named(std::string_view name);
/// Whether a run with this verdict in it is not green.
bool is_bad(Verdict verdict);

struct Outcome {
  std::string name;
  Verdict verdict = Verdict::missing;
  std::string
      check; ///< which check spoke: "values", "gaps", "poison", "dense twin", ...; "refusal" of a rightly refused call
  std::string message;  ///< one line or several; empty on pass
  int64_t elements = 0; ///< compared
  bool telling = false; ///< the comparison could have failed
  double worst_ulp = 0;
  uint64_t bits =
      0; ///< a hash of all results, 0 where the row promises no bits; odd where backends of this house are to agree in it
  double seconds = 0;
  std::vector<std::string> cites;           ///< clauses the case is about
  std::map<std::string, uint64_t> launches; ///< "kernel/route" -> launches, as the census counted
};

/// One line of JSON, and back. Throws ValueError on text that is no outcome.
std::string to_json(const Outcome& outcome);
Outcome outcome_from_json(std::string_view text);

} // namespace ts::conformance
