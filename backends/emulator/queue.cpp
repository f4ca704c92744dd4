#include "backends/emulator/queue.h"

#include <utility>

namespace ts::emulator {

using kernels::DoorError;

namespace {

// A device takes only so much before it begins to work.
constexpr size_t kCommandsMax = 4096;
constexpr uint64_t kBytesMax = 64ULL << 20;

} // namespace

void Queue::push(Command command, uint64_t bytes) {
  commands_.push_back({std::move(command), bytes});
  bytes_ += bytes;
}

bool Queue::step() {
  if (commands_.empty()) return false;
  const Entry entry = std::move(commands_.front());
  commands_.pop_front();
  bytes_ -= entry.bytes;
  if (const auto error = entry.command()) fail(*error);
  return true;
}

void Queue::fail(const ts_error& error) {
  if (!error_ || error.serial < error_->serial) error_ = error;
}

std::optional<ts_error> Queue::take_error() { return std::exchange(error_, std::nullopt); }

ts_queue Queues::create() {
  queues_.emplace(next_queue_, Queue());
  return next_queue_++;
}

void Queues::destroy(ts_queue queue) {
  if (queue == 0 || queues_.find(queue) == queues_.end()) return;
  drain(queue);
  queues_.erase(queue);
}

Queue& Queues::get(ts_queue queue) {
  const auto found = queues_.find(queue);
  if (found == queues_.end())
    throw DoorError(TS_INVALID_ARGUMENT, "queue " + std::to_string(queue) + " does not exist");
  return found->second;
}

void Queues::push(ts_queue queue, Queue::Command command, uint64_t bytes) {
  Queue& found = get(queue);
  found.push(std::move(command), bytes);
  if (found.waiting() > kCommandsMax || found.waiting_bytes() > kBytesMax) drain(queue);
}

ts_event Queues::record(ts_queue queue) {
  Queue& found = get(queue);
  const ts_event event = next_event_++;
  pending_.emplace(event, queue);
  found.push(
      [this, event]() -> std::optional<ts_error> {
        pending_.erase(event);
        return std::nullopt;
      },
      0);
  return event;
}

void Queues::reach(ts_event event) {
  for (auto found = pending_.find(event); found != pending_.end(); found = pending_.find(event))
    if (!get(found->second).step()) return;
}

void Queues::drain(ts_queue queue) {
  Queue& found = get(queue);
  while (found.step()) {}
}

void Queues::drain_all() {
  for (auto& [id, queue] : queues_)
    while (queue.step()) {}
}

size_t Queues::waiting() const {
  size_t count = 0;
  for (const auto& [id, queue] : queues_) count += queue.waiting();
  return count;
}

} // namespace ts::emulator
