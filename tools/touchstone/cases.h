// The cases that the options of a command select.
#pragma once

#include "conformance/select/select.h"

#include <string>

namespace ts::tool {

struct Chosen {
  conformance::Selection selection; ///< names after filter and shard
  bool whole = false;               ///< no filter, shard or tier left anything out
};

/// Throws ValueError for an unknown tier, a bad shard, or a filter or shard that leaves no case.
Chosen choose(const std::string& tier, const std::string& filter, const std::string& shard);

} // namespace ts::tool
