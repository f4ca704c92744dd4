// The cases that the options of a command select.
#pragma once

#include "conformance/filter.h"
#include "conformance/select/select.h"

#include <string>

namespace ts::tool {

struct Chosen {
  conformance::Selection selection; ///< names after filter and shard
  bool whole = false;               ///< no filter, shard or tier left anything out
};

/// What a user asks for, understood before the cases are listed: that takes seconds.
class Choice {
public:
  /// Throws ValueError for an unknown tier, a bad shard or a malformed filter.
  Choice(const std::string& tier, const std::string& filter, const std::string& shard);

  /// Throws ValueError for a filter or shard that leaves no case.
  Chosen apply() const;

private:
  std::string tier_, text_;
  conformance::Filter filter_;
  std::string written_; ///< the shard; empty for all
  conformance::Shard shard_;
};

} // namespace ts::tool
