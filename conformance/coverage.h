// Which clauses of the spec are proven, and by what: cases that passed and could have failed, and unit tests.
#pragma once

#include "conformance/spec.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

/// A rule of conformance/cites.txt: what a passing case proves beside the tables and examples it was made from.
struct CitationRule {
  std::string label, glob, place;
  bool of_nothing = false; ///< cases that compare no element count too
};

/// Lines `LABEL GLOB` or `LABEL ~GLOB`, # begins a comment. Throws ValueError, with file and line, for another form or an unknown label.
std::vector<CitationRule> parse_citation_rules(std::string_view text, const std::string& file, const judge::Spec& spec);

/// `TS_CITES(label, ...)` in the text of a test; also in a comment, so that tests in other languages can cite.
std::vector<std::string> citations_in(std::string_view source);

struct Coverage {
  std::map<std::string, std::vector<std::string>> cited; ///< label -> up to three names of cases or files
  std::vector<const judge::Clause*> uncited;
  std::vector<std::string> problems; ///< a rule that matches no case, a citation of a label that does not exist
};

/// Held together from the results of a whole run, the project's rules, and its tests. `results` is the text of
/// results.jsonl, `file` what errors call it; `root` is where conformance/cites.txt and the tests are. Throws ValueError,
/// with file and line, for a line that is no outcome.
Coverage coverage_of(const judge::Spec& spec, std::string_view results, const std::string& file,
                     const std::string& root);

} // namespace ts::conformance
