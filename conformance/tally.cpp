#include "conformance/tally.h"

#include <fmt/format.h>

#include <algorithm>

namespace ts::conformance {

std::string kept(const Alive& before, const Alive& after, int64_t cached) {
  const int64_t bytes = after.bytes - before.bytes - cached, queues = after.queues - before.queues;
  if (bytes <= 0 && queues <= 0) return {};
  return fmt::format("{} buffers ({} bytes) and {} queues that were made meanwhile are still alive",
                     after.buffers - before.buffers, bytes, queues);
}

Alive TallyLayer::alive() const {
  const std::lock_guard lock(mutex_);
  return {static_cast<int64_t>(buffers_.size()), bytes_, static_cast<int64_t>(queues_.size())};
}

void TallyLayer::add(ts_buffer buffer, uint64_t bytes) {
  const auto held = static_cast<int64_t>(std::max<uint64_t>(bytes, 1));
  const std::lock_guard lock(mutex_);
  buffers_[buffer] = held;
  bytes_ += held;
}

ts_status TallyLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::allocate(device, bytes, buffer, error);
  if (status == TS_OK) add(*buffer, bytes);
  return status;
}

void TallyLayer::release(ts_buffer buffer, ts_queue queue) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = buffers_.find(buffer); found != buffers_.end()) {
      bytes_ -= found->second;
      buffers_.erase(found);
    }
  }
  Layer::release(buffer, queue);
}

ts_status TallyLayer::import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                             ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::import(device, native, bytes, deleter, context, buffer, error);
  if (status == TS_OK) add(*buffer, bytes);
  return status;
}

ts_status TallyLayer::queue_create(int32_t device, ts_queue* queue, ts_error* error) {
  const ts_status status = Layer::queue_create(device, queue, error);
  const std::lock_guard lock(mutex_);
  if (status == TS_OK) queues_.emplace(device, *queue);
  return status;
}

void TallyLayer::queue_destroy(int32_t device, ts_queue queue) {
  {
    const std::lock_guard lock(mutex_);
    queues_.erase({device, queue});
  }
  Layer::queue_destroy(device, queue);
}

} // namespace ts::conformance
