#include "conformance/filter.h"

#include "conformance/payload.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ts::conformance {

bool glob_matches(std::string_view glob, std::string_view name) {
  // The last star seen, and how much of the name it has taken so far.
  size_t g = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

Filter::Filter(std::string_view text) : text_(text) {
  if (text.empty()) return;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,/*?";
  if (const size_t at = text.find_first_not_of(kLetters); at != std::string_view::npos)
    throw ValueError(fmt::format(
        "filter '{}': '{}' stands in no name; names are of a-z 0-9 _ = , / and a filter adds * ?", text, text[at]));
  globs_.emplace_back(text);
  if (text.find(',') == std::string_view::npos) return;
  size_t at = 0;
  while (at <= text.size()) {
    const size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) globs_.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
}

bool Filter::passes(std::string_view name) const {
  return globs_.empty() ||
         std::any_of(globs_.begin(), globs_.end(), [&](const auto& g) { return glob_matches(g, name); });
}

std::vector<std::string> Filter::apply(const std::vector<std::string>& names) const {
  std::vector<bool> used(globs_.size(), false);
  std::vector<std::string> passed;
  // A text with commas is first taken whole: as a name, or a glob over names with commas in them.
  const bool whole = globs_.size() > 1 &&
                     std::any_of(names.begin(), names.end(), [&](const auto& n) { return glob_matches(globs_[0], n); });
  for (const std::string& name : names) {
    bool matched = globs_.empty();
    for (size_t k = 0; k < globs_.size(); ++k) {
      if (whole && k > 0) break;
      if (!glob_matches(globs_[k], name)) continue;
      matched = used[k] = true;
    }
    if (matched) passed.push_back(name);
  }
  for (size_t k = 0; k < globs_.size(); ++k) {
    if (used[k] || (globs_.size() > 1 && (whole ? k > 0 : k == 0))) continue;
    throw ValueError(fmt::format("filter '{}' matches none of {} cases", globs_[k], names.size()));
  }
  if (passed.empty()) throw ValueError(fmt::format("filter '{}' matches none of {} cases", text_, names.size()));
  return passed;
}

Shard Shard::parse(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, shard.total) : first;
  if (!slash || second.ec != std::errc() || second.ptr != end || shard.total < 1 || shard.index < 0 ||
      shard.index >= shard.total)
    throw ValueError(fmt::format("'{}' is not a shard I/N with 0 <= I < N", text));
  return shard;
}

bool Shard::holds(std::string_view name) const {
  return total == 1 || stable_hash(name) % static_cast<uint64_t>(total) == static_cast<uint64_t>(index);
}

} // namespace ts::conformance
