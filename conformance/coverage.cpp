#include "conformance/coverage.h"

#include "conformance/filter.h"
#include "conformance/outcome.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace ts::conformance {

namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Collector {
public:
  Collector(const judge::Spec& spec, Coverage& coverage) : spec_(spec), coverage_(coverage) {}

  void cite(const std::string& label, const std::string& by) {
    if (!spec_.has_clause(label)) {
      coverage_.problems.push_back(fmt::format("{} cites {}, which is no clause", by, label));
      return;
    }
    std::vector<std::string>& sources = coverage_.cited[label];
    if (sources.size() < 3) sources.push_back(by);
  }

private:
  const judge::Spec& spec_;
  Coverage& coverage_;
};

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".cpp" || extension == ".h" || extension == ".c" || extension == ".py";
}

void collect_tests(const fs::path& root, Collector& collector) {
  for (const char* room : {"backends", "runtime", "conformance", "fuzz", "golden", "tools"}) {
    if (!fs::is_directory(root / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      // The word `test` in the path: citing elsewhere would prove nothing.
      const std::string path = fs::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || !is_source(entry.path()) || path.find("test") == std::string::npos) continue;
      for (const std::string& label : citations_in(read_file(entry.path()))) collector.cite(label, path);
    }
  }
}

} // namespace

std::vector<CitationRule> parse_citation_rules(std::string_view text, const std::string& file,
                                               const judge::Spec& spec) {
  std::vector<CitationRule> rules;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    CitationRule rule;
    std::string more;
    if (!(words >> rule.label)) continue;
    rule.place = fmt::format("{}:{}", file, number);
    if (!(words >> rule.glob) || words >> more)
      throw ValueError(fmt::format("{}: expected LABEL GLOB, got '{}'", rule.place, line));
    if (!spec.has_clause(rule.label)) throw ValueError(fmt::format("{}: {} is no clause", rule.place, rule.label));
    rule.of_nothing = rule.glob.front() == '~';
    if (rule.of_nothing) rule.glob.erase(0, 1);
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<std::string> citations_in(std::string_view source) {
  constexpr std::string_view kMark = "TS_CITES(";
  std::vector<std::string> labels;
  for (size_t at = source.find(kMark); at != std::string_view::npos; at = source.find(kMark, at + 1)) {
    const size_t begin = at + kMark.size(), end = source.find(')', begin);
    if (end == std::string_view::npos) break;
    std::string label;
    for (const char letter : source.substr(begin, end - begin + 1)) {
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.')
        label += letter;
      else if (!label.empty())
        labels.push_back(std::exchange(label, {}));
    }
  }
  // The macro's own definition and this search name no label with a point in it.
  std::erase_if(labels,
                [](const std::string& label) { return label.find('.') == std::string::npos || label == "..."; });
  return labels;
}

Coverage coverage_of(const judge::Spec& spec, std::string_view results, const std::string& file,
                     const std::string& root) {
  Coverage coverage;
  Collector collector(spec, coverage);
  const fs::path rules_path = fs::path(root) / "conformance" / "cites.txt";
  const std::vector<CitationRule> rules = parse_citation_rules(read_file(rules_path), rules_path.string(), spec);
  std::vector<bool> used(rules.size(), false);
  std::istringstream lines{std::string(results)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const Outcome outcome = [&] {
      try {
        return outcome_from_json(line);
      } catch (const ValueError& problem) {
        throw ValueError(fmt::format("{}:{}: {}", file, number, problem.what()));
      }
    }();
    if (outcome.verdict != Verdict::pass) continue;
    if (outcome.telling)
      for (const std::string& label : outcome.cites) collector.cite(label, outcome.name);
    for (size_t k = 0; k < rules.size(); ++k) {
      const bool counts = outcome.telling || rules[k].of_nothing;
      if (!counts || !glob_matches(rules[k].glob, outcome.name)) continue;
      used[k] = true;
      collector.cite(rules[k].label, outcome.name);
    }
  }
  for (size_t k = 0; k < rules.size(); ++k)
    if (!used[k])
      coverage.problems.push_back(fmt::format("{}: '{}' matches no case that passed", rules[k].place, rules[k].glob));
  collect_tests(root, collector);
  for (const judge::Clause& clause : spec.clauses)
    if (coverage.cited.count(clause.label) == 0) coverage.uncited.push_back(&clause);
  return coverage;
}

} // namespace ts::conformance
