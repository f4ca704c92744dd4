#include "backends/kernels/family_door.h"

#include <algorithm>
#include <cstring>

namespace ts::kernels {

namespace {

const Row& check_any_call(const ts_call* call, int32_t device_count, FindWorkspace find) {
  const Row& row = check_descriptor(call);
  if (find(row.family) == nullptr) throw DoorError(TS_UNSUPPORTED, "there are no kernels of this family");
  if (call->device < 0 || call->device >= device_count)
    throw DoorError(TS_INVALID_ARGUMENT, "device " + std::to_string(call->device) + " does not exist")
        .values(call->device, device_count);
  return row;
}

} // namespace

const Row& check_call(const ts_call* call, int32_t family, int32_t device_count, FindWorkspace find) {
  const Row& row = check_any_call(call, device_count, find);
  if (row.family != family) throw DoorError(TS_INVALID_ARGUMENT, "is not an operation of this entry's family");
  return row;
}

uint64_t workspace_bytes(const ts_call& call, const Row& row, FindWorkspace find) {
  ResolvedCall described;
  describe_call(call, row, &described);
  return find(row.family)(described.call);
}

void answer_query(const ts_call* call, int32_t device_count, ts_answer* answer, FindWorkspace find) {
  if (answer == nullptr || answer->size < sizeof(uint32_t)) return;
  ts_answer found{};
  ts_error error{};
  error.size = sizeof error;
  found.status = guarded(&error, call, [&] {
    found.workspace_bytes = workspace_bytes(*call, check_any_call(call, device_count, find), find);
  });
  if (found.status == TS_OK) error.message[0] = '\0';
  static_assert(sizeof found.reason == sizeof error.message);
  memcpy(found.reason, error.message, sizeof found.reason);
  found.size = answer->size;
  memcpy(answer, &found, std::min<size_t>(answer->size, sizeof found));
}

} // namespace ts::kernels
