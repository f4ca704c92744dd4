// The door of a backend that runs the kernels of host_family(): family_door.h with that table.
#pragma once

#include "backends/kernels/families.h"
#include "backends/kernels/family_door.h"
#include "backends/kernels/options.h"

namespace ts::kernels {

/// The workspace function of a family of host_family().
inline WorkspaceOf host_workspace_of(int32_t family) {
  const HostFamily* found = host_family(family);
  return found == nullptr ? nullptr : found->workspace;
}

/// Holds a call to one family's entry against its row; throws where it cannot be made. What `query` promises, too.
inline const Row& check_call(const ts_call* call, int32_t family, int32_t device_count) {
  return check_call(call, family, device_count, host_workspace_of);
}

/// Bytes of workspace that a checked call needs.
inline uint64_t workspace_bytes(const ts_call& call, const Row& row) {
  return workspace_bytes(call, row, host_workspace_of);
}

/// The query entry.
inline void answer_query(const ts_call* call, int32_t device_count, ts_answer* answer) {
  answer_query(call, device_count, answer, host_workspace_of);
}

/// Takes the option `mutant=ID` in a build with mutants; false where it is not that option, or in a build without.
bool choose_mutant(const Option& option);

/// Fills the kernel entries of a table: make(std::integral_constant<int32_t, family>) gives the entry of a family.
template <class Make> void fill_kernels(Make make, ts_kernel* entries) {
  fill_kernels(make, entries, host_workspace_of);
}

} // namespace ts::kernels
