#include "tools/touchstone/cases.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ts::tool {

using namespace conformance;

namespace {

// A user who shards GoogleTest programs by its variables means ours too.
std::string shard_of_environment() {
  const char* index = std::getenv("GTEST_SHARD_INDEX");
  const char* total = std::getenv("GTEST_TOTAL_SHARDS");
  if ((index == nullptr) != (total == nullptr))
    throw ValueError("of GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS one is set and the other is not");
  return index != nullptr ? fmt::format("{}/{}", index, total) : std::string();
}

} // namespace

Choice::Choice(const std::string& tier, const std::string& filter, const std::string& shard_text)
    : tier_(tier), text_(filter), filter_(filter), written_(shard_text.empty() ? shard_of_environment() : shard_text) {
  check_tier(tier);
  if (!written_.empty()) shard_ = Shard::parse(written_);
}

Chosen Choice::apply() const {
  Chosen chosen;
  chosen.selection = select_cases(judge::spec(), tier_);
  chosen.whole = tier_.empty() && text_.empty() && written_.empty();
  if (!text_.empty()) chosen.selection.names = filter_.apply(chosen.selection.names);
  if (!written_.empty()) {
    std::vector<std::string> held;
    for (std::string& name : chosen.selection.names)
      if (shard_.holds(name)) held.push_back(std::move(name));
    if (held.empty())
      throw ValueError(fmt::format("shard {} holds none of {} cases", written_, chosen.selection.names.size()));
    chosen.selection.names = std::move(held);
  }
  return chosen;
}

} // namespace ts::tool
