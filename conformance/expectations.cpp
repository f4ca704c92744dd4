#include "conformance/expectations.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ts::conformance {

namespace {
std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}
} // namespace

std::vector<Expectation> parse_expectations(std::string_view text, const std::string& file) {
  std::vector<Expectation> expectations;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    const size_t hash = content.find('#');
    const std::string place = fmt::format("{}:{}", file, number);
    if (hash == std::string::npos || trimmed(content.substr(hash + 1)).empty())
      throw ValueError(fmt::format("{}: '{}' gives no reason after #", place, content));
    expectations.push_back({trimmed(content.substr(0, hash)), trimmed(content.substr(hash + 1)), place});
  }
  return expectations;
}

std::vector<Expectation> expectations_of(const std::string& backend_name, const std::string& root) {
  const std::string stem = backend_name.substr(0, backend_name.find(':'));
  if (stem.find('/') != std::string::npos) return {};
  const std::filesystem::path path = std::filesystem::path(root) / "conformance" / "expectations" / (stem + ".txt");
  std::ifstream file(path);
  if (!file) return {};
  std::stringstream text;
  text << file.rdbuf();
  return parse_expectations(text.str(), path.string());
}

} // namespace ts::conformance
