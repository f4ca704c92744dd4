#include "conformance/runner/found.h"

#include "conformance/runner/bench.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

namespace ts::conformance {

namespace {

// Digits of a seed as they are written back: no sign, no leading zero.
bool read_seed(std::string_view text, uint64_t& seed) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return problem == std::errc() && end == text.data() + text.size() && std::to_string(seed) == text;
}

} // namespace

Found found_named(const std::string& name) {
  constexpr std::string_view kPrefix = "found/";
  const size_t slash = name.find('/', kPrefix.size());
  Found found;
  if (!is_found(name) || slash == std::string::npos ||
      !read_seed(std::string_view(name).substr(kPrefix.size(), slash - kPrefix.size()), found.seed))
    throw ValueError(fmt::format("case name '{}': a finding is found/SEED/NAME", name));
  found.name = name.substr(slash + 1);
  return found;
}

std::string found_name(const Found& found) { return fmt::format("found/{}/{}", found.seed, found.name); }

Prepared prepare_named(const std::string& name, const judge::Spec& spec, uint64_t run_seed) {
  const Found found = is_found(name) ? found_named(name) : Found{run_seed, name};
  return prepare(parse_case(found.name, spec), spec, found.seed);
}

std::vector<Found> parse_found(std::string_view text, const std::string& file, const judge::Spec& spec) {
  std::vector<Found> all;
  std::set<std::string> seen;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto fail = [&](const std::string& what) { throw ValueError(fmt::format("{}:{}: {}", file, number, what)); };
    const size_t hash = std::min(line.find('#'), line.size());
    std::istringstream words(line.substr(0, hash));
    std::string seed, more;
    Found found;
    if (!(words >> seed)) continue;
    if (!(words >> found.name) || words >> more || !read_seed(seed, found.seed))
      fail(fmt::format("expected SEED NAME # WHAT IT SHOWED, got '{}'", line));
    if (line.find_first_not_of(" \t\r", hash + 1) == std::string::npos || hash == line.size())
      fail(fmt::format("'{}' does not say after # what it showed", found.name));
    if (!seen.insert(seed + " " + found.name).second) fail(fmt::format("'{}' stands twice", found.name));
    if (is_found(found.name)) fail(fmt::format("'{}' is a finding already", found.name));
    try {
      check_name(found.name, spec);
    } catch (const ValueError& problem) {
      fail(problem.what());
    }
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<std::string> found_names(const judge::Spec& spec, const std::string& root) {
  const std::string path = root + "/conformance/found/cases.txt";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw ValueError(fmt::format("{}: cannot be read", path));
  std::vector<std::string> names;
  for (const Found& found : parse_found(text.str(), path, spec)) names.push_back(found_name(found));
  return names;
}

} // namespace ts::conformance
