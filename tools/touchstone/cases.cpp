#include "tools/touchstone/cases.h"

#include "conformance/filter.h"
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
  return index != nullptr && total != nullptr ? fmt::format("{}/{}", index, total) : std::string();
}

} // namespace

Chosen choose(const std::string& tier, const std::string& filter, const std::string& shard_text) {
  Chosen chosen;
  chosen.selection = select_cases(judge::spec(), tier);
  const std::string written = shard_text.empty() ? shard_of_environment() : shard_text;
  chosen.whole = tier.empty() && filter.empty() && written.empty();
  if (!filter.empty()) chosen.selection.names = Filter(filter).apply(chosen.selection.names);
  if (!written.empty()) {
    const Shard shard = Shard::parse(written);
    std::vector<std::string> held;
    for (std::string& name : chosen.selection.names)
      if (shard.holds(name)) held.push_back(std::move(name));
    if (held.empty())
      throw ValueError(fmt::format("shard {} holds none of {} cases", written, chosen.selection.names.size()));
    chosen.selection.names = std::move(held);
  }
  return chosen;
}

} // namespace ts::tool
