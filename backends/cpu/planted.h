// Two faults that nobody but a sanitizer sees, so that its build can show that it does: `cpu:fault=off_by_one` and
// `cpu:fault=use_after_release`. No other build knows them.
#pragma once

#include "backends/kernels/options.h"

#if defined(TS_SANITIZE)
#include <atomic>
#endif

namespace ts::cpu {

enum class PlantedFault {
  none,
  off_by_one,        ///< flat kernels run one item more than there are
  use_after_release, ///< copy_out reads a buffer that it has released
};

#if defined(TS_SANITIZE)

inline std::atomic<PlantedFault> planted_fault{PlantedFault::none};

inline bool planted(PlantedFault fault) { return planted_fault.load(std::memory_order_relaxed) == fault; }

/// Whether the option names a fault, which then is active.
inline bool choose_fault(const kernels::Option& option) {
  if (option.name != "fault") return false;
  const bool first = option.value == "off_by_one", second = option.value == "use_after_release";
  planted_fault = first ? PlantedFault::off_by_one : second ? PlantedFault::use_after_release : PlantedFault::none;
  return first || second;
}

#else

constexpr bool planted(PlantedFault) { return false; }
inline bool choose_fault(const kernels::Option&) { return false; }

#endif

} // namespace ts::cpu
