// What a backend is known to fail: files of globs, each with a reason, that must match to be true.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ts::conformance {

struct Expectation {
  std::string glob;
  std::string reason;
  std::string place; ///< file and line
};

/// Lines `GLOB  # REASON`; blank lines and lines that begin with # are comments. Throws ValueError, with file and line,
/// for a line without a reason: a failure that nobody explains is not known.
std::vector<Expectation> parse_expectations(std::string_view text, const std::string& file);

/// The project's file of a backend, conformance/expectations/NAME.txt; none where there is no such file.
std::vector<Expectation> expectations_of(const std::string& backend_name, const std::string& root);

/// The routes that a whole run has to see on a backend, conformance/expectations/NAME.routes: globs over `kernel/route`,
/// one a line; none where there is no such file.
std::vector<std::string> routes_of(const std::string& backend_name, const std::string& root);

} // namespace ts::conformance
