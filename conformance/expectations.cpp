#include "conformance/expectations.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace ts::conformance {

namespace {
std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// The file that belongs to a backend, first with its options (`cuda:vendor=off` has cuda.vendor_off.routes); empty where there
// is none. A plug-in named by its path has none.
std::filesystem::path file_of(const std::string& backend_name, const std::string& root, const char* extension) {
  const std::string stem = backend_name.substr(0, backend_name.find(':'));
  if (stem.find('/') != std::string::npos) return {};
  const std::filesystem::path folder = std::filesystem::path(root) / "conformance" / "expectations";
  std::string whole = backend_name;
  for (char& c : whole) c = c == ':' ? '.' : c == '=' || c == ',' ? '_' : c;
  if (std::filesystem::exists(folder / (whole + extension))) return folder / (whole + extension);
  const std::filesystem::path path = folder / (stem + extension);
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
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
  const std::filesystem::path path = file_of(backend_name, root, ".txt");
  return path.empty() ? std::vector<Expectation>() : parse_expectations(text_of(path), path.string());
}

std::vector<std::string> routes_of(const std::string& backend_name, const std::string& root) {
  const std::filesystem::path path = file_of(backend_name, root, ".routes");
  std::vector<std::string> routes;
  if (path.empty()) return routes;
  std::istringstream lines(text_of(path));
  for (std::string line; std::getline(lines, line);)
    if (std::string glob = trimmed(line.substr(0, line.find('#'))); !glob.empty()) routes.push_back(std::move(glob));
  return routes;
}

} // namespace ts::conformance
