// Counts what ran, by kernel and route.
#pragma once

#include "backends/abi/backend.h"
#include "backends/kernels/mutate.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace ts::kernels {

class Census {
public:
  /// Names are literals: they are told apart by where they stand, and joined when somebody asks.
  void count(const char* kernel, const char* route) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++launches_[{kernel, route}];
  }

  /// The census entry of the door. In a build with mutants the active one is reported as kernel `mutant`.
  void visit(ts_census_visitor visitor, void* context, bool reset) {
    std::map<std::pair<std::string, std::string>, uint64_t> seen;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& [name, launches] : launches_) seen[{name.first, name.second}] += launches;
      if (reset) launches_.clear();
    }
    if (visitor != nullptr)
      for (const auto& [name, launches] : seen) visitor(context, name.first.c_str(), name.second.c_str(), launches);
#if defined(TS_MUTANTS)
    const uint64_t reached = reset ? mutant_reached.exchange(0) : mutant_reached.load();
    if (visitor != nullptr && reached > 0) visitor(context, "mutant", "reached", reached);
#endif
  }

private:
  std::mutex mutex_;
  std::map<std::pair<const char*, const char*>, uint64_t> launches_;
};

} // namespace ts::kernels
