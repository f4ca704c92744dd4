// The door of a backend that runs the kernels of host_family(): door.h, and what depends on which kernels there are.
#pragma once

#include "backends/kernels/door.h"
#include "backends/kernels/families.h"
#include "backends/kernels/options.h"

#include <type_traits>
#include <utility>

namespace ts::kernels {

/// Holds a call to one family's entry against its row; throws where it cannot be made. What `query` promises, too.
const Row& check_call(const ts_call* call, int32_t family, int32_t device_count);

/// Bytes of workspace that a checked call needs.
uint64_t workspace_bytes(const ts_call& call, const Row& row);

/// The query entry.
void answer_query(const ts_call* call, int32_t device_count, ts_answer* answer);

/// Takes the option `mutant=ID` in a build with mutants; false where it is not that option, or in a build without.
bool choose_mutant(const Option& option);

/// Fills the kernel entries of a table: make(std::integral_constant<int32_t, family>) gives the entry of a family.
template <class Make> void fill_kernels(Make make, ts_kernel* entries) {
  [&]<int32_t... kFamily>(std::integer_sequence<int32_t, kFamily...>) {
    ((entries[kFamily] = host_family(kFamily) == nullptr ? nullptr : make(std::integral_constant<int32_t, kFamily>{})),
     ...);
  }
  (std::make_integer_sequence<int32_t, TS_FAMILY_COUNT>{});
}

} // namespace ts::kernels
