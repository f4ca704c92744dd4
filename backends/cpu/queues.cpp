#include "backends/cpu/queues.h"

#include <utility>

namespace ts::cpu {

using kernels::DoorError;

namespace {

[[noreturn]] void refuse(const char* what, uint64_t id) {
  throw DoorError(TS_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(id) + " does not exist");
}

} // namespace

ts_queue Queues::create() {
  const std::lock_guard<std::mutex> lock(mutex_);
  queues_.emplace(next_queue_, std::nullopt);
  return next_queue_++;
}

void Queues::destroy(ts_queue queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue != 0) queues_.erase(queue);
}

void Queues::check(ts_queue queue) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queues_.find(queue) == queues_.end()) refuse("queue", queue);
}

void Queues::fail(ts_queue queue, const ts_error& error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<ts_error>& kept = queues_[queue];
  if (!kept || error.serial < kept->serial) kept = error;
}

std::optional<ts_error> Queues::take(ts_queue queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) refuse("queue", queue);
  return std::exchange(found->second, std::nullopt);
}

ts_event Queues::record(ts_queue queue) {
  check(queue);
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_event_++;
}

void Queues::wait(ts_queue queue, ts_event event) const {
  check(queue);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (event == 0 || event >= next_event_) refuse("event", event);
}

} // namespace ts::cpu
