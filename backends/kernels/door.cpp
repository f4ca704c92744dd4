#include "backends/kernels/door.h"

#include <algorithm>
#include <cstring>

namespace ts::kernels {

void report(ts_error* error, const ts_error& found) {
  if (error == nullptr || error->size < sizeof(uint32_t)) return;
  const uint32_t size = error->size;
  memcpy(error, &found, std::min<size_t>(size, sizeof found));
  error->size = size;
}

void report(ts_error* error, ts_status status, const std::string& message) {
  report(error, error_of(Refusal(status, message), nullptr));
}

ts_error error_of(const Refusal& refusal, const ts_call* call) {
  ts_error error{};
  error.size = sizeof error;
  error.status = refusal.status;
  error.op = error.operand = -1;
  error.element = -1;
  std::string message = refusal.what();
  if (const auto* door = dynamic_cast<const DoorError*>(&refusal)) {
    error.operand = door->operand;
    error.element = door->element;
    error.value = door->value;
    error.bound = door->bound;
  }
  if (call != nullptr && call->size >= sizeof(ts_call)) {
    error.op = call->op;
    error.serial = call->serial;
    if (const Row* row = find_row(call->op)) message = row->name + ": " + message;
  }
  snprintf(error.message, sizeof error.message, "%s", message.c_str());
  return error;
}

} // namespace ts::kernels
