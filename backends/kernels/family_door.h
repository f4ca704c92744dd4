// The door of a backend whose kernels are families (call.h): door.h, and what depends on which of them it has.
#pragma once

#include "backends/kernels/door.h"

#include <type_traits>
#include <utility>

namespace ts::kernels {

/// Gives the function that says how many bytes of workspace a call of a family needs; null where the backend has no
/// kernels of that family.
using WorkspaceOf = uint64_t (*)(const Call& call);
using FindWorkspace = WorkspaceOf (*)(int32_t family);

/// Holds a call to one family's entry against its row; throws where it cannot be made. What `query` promises, too.
const Row& check_call(const ts_call* call, int32_t family, int32_t device_count, FindWorkspace find);

/// Bytes of workspace that a checked call needs.
uint64_t workspace_bytes(const ts_call& call, const Row& row, FindWorkspace find);

/// The query entry.
void answer_query(const ts_call* call, int32_t device_count, ts_answer* answer, FindWorkspace find);

/// Fills the kernel entries of a table: make(std::integral_constant<int32_t, family>) gives the entry of a family.
template <class Make> void fill_kernels(Make make, ts_kernel* entries, FindWorkspace find) {
  [&]<int32_t... kFamily>(std::integer_sequence<int32_t, kFamily...>) {
    ((entries[kFamily] = find(kFamily) == nullptr ? nullptr : make(std::integral_constant<int32_t, kFamily>{})), ...);
  }
  (std::make_integer_sequence<int32_t, TS_FAMILY_COUNT>{});
}

} // namespace ts::kernels
