#include "runtime/backend/layers/delay.h"

#include <cstring>

namespace ts {

namespace {

// A call whose arrays are its own: the caller's live only until the entry returns.
struct KeptCall {
  explicit KeptCall(const ts_call& original)
      : call(original), outputs(original.outputs, original.outputs + original.output_count),
        inputs(original.inputs, original.inputs + original.input_count),
        attributes(original.attributes, original.attributes + original.attribute_count) {
    call.outputs = outputs.data();
    call.inputs = inputs.data();
    call.attributes = attributes.data();
  }
  KeptCall(const KeptCall&) = delete;
  KeptCall& operator=(const KeptCall&) = delete;

  ts_call call;
  std::vector<ts_view> outputs;
  std::vector<ts_operand> inputs;
  std::vector<ts_attribute> attributes;
};

} // namespace

uint64_t DelayLayer::held() const {
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  for (const auto& [key, queue] : queues_) count += queue.held.size();
  return count;
}

DelayLayer::Key DelayLayer::key_of(ts_buffer buffer, ts_queue queue) const {
  const auto found = devices_.find(buffer);
  return {found == devices_.end() ? 0 : found->second, queue};
}

void DelayLayer::hold(Key key, Work work) {
  const std::lock_guard lock(mutex_);
  queues_[key].held.push_back(std::move(work));
}

void DelayLayer::drain(Key key, uint64_t position) {
  const std::lock_guard lock(mutex_);
  Queue& queue = queues_[key];
  while (queue.done < position && !queue.held.empty()) {
    const Work work = std::move(queue.held.front());
    queue.held.pop_front();
    ++queue.done;
    ts_error error = make_error();
    const ts_status status = work(&error);
    if (status != TS_OK && queue.failed == TS_OK) {
      queue.failed = status;
      queue.error = error;
    }
  }
}

void DelayLayer::drain_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, queue] : queues_) drain(key, queue.end());
}

ts_status DelayLayer::surface(Queue& queue, ts_error* error) {
  const ts_status status = std::exchange(queue.failed, TS_OK);
  if (status != TS_OK && error != nullptr) {
    const uint32_t size = error->size;
    *error = queue.error;
    error->size = size;
    error->status = status;
  }
  return status;
}

ts_status DelayLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::allocate(device, bytes, buffer, error);
  const std::lock_guard lock(mutex_);
  if (status == TS_OK) devices_[*buffer] = device;
  return status;
}

void DelayLayer::release(ts_buffer buffer, ts_queue queue) {
  const std::lock_guard lock(mutex_);
  hold(key_of(buffer, queue), [this, buffer, queue](ts_error*) {
    devices_.erase(buffer);
    Layer::release(buffer, queue);
    return TS_OK;
  });
}

ts_status DelayLayer::copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                              ts_error*) {
  const std::lock_guard lock(mutex_);
  const auto* first = static_cast<const std::byte*>(source);
  // The source is read now, as the contract has it; only the write waits.
  auto snapshot = std::make_shared<std::vector<std::byte>>(first, first + bytes);
  hold(key_of(target, queue),
       [=, this](ts_error* error) { return Layer::copy_in(queue, target, byte, snapshot->data(), bytes, error); });
  return TS_OK;
}

ts_status DelayLayer::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                               ts_error*) {
  const std::lock_guard lock(mutex_);
  hold(key_of(source, queue),
       [=, this](ts_error* error) { return Layer::copy_out(queue, target, source, byte, bytes, error); });
  return TS_OK;
}

ts_status DelayLayer::copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                           ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error*) {
  const std::lock_guard lock(mutex_);
  const Key to = key_of(target, target_queue), from = key_of(source, source_queue);
  const uint64_t before = queues_[from].end();
  hold(to, [=, this](ts_error* error) {
    if (to != from) drain(from, before);
    return Layer::copy(target_queue, target, target_byte, source_queue, source, source_byte, bytes, error);
  });
  if (to == from) return TS_OK;
  // What comes later in the source's queue may overwrite the source, so it comes after the copy.
  const uint64_t after = queues_[to].end();
  hold(from, [=, this](ts_error*) {
    drain(to, after);
    return TS_OK;
  });
  return TS_OK;
}

void DelayLayer::queue_destroy(int32_t device, ts_queue queue) {
  const std::lock_guard lock(mutex_);
  drain({device, queue}, queues_[{device, queue}].end());
  queues_.erase({device, queue});
  Layer::queue_destroy(device, queue);
}

ts_status DelayLayer::record(int32_t device, ts_queue queue, ts_event* event, ts_error*) {
  const std::lock_guard lock(mutex_);
  *event = next_event_++;
  events_[*event] = {{device, queue}, queues_[{device, queue}].end()};
  return TS_OK;
}

ts_status DelayLayer::wait(int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(event);
  if (found == events_.end())
    return detail::refuse(error, TS_INVALID_ARGUMENT, "wait for an event that nobody recorded");
  const Point point = found->second;
  hold({device, queue}, [this, point](ts_error* inner_error) {
    drain(point.key, point.position);
    // The event's queue ran on the inner backend's own queue, which may be asynchronous itself.
    return Layer::synchronize(point.key.first, point.key.second, inner_error);
  });
  return TS_OK;
}

ts_status DelayLayer::synchronize(int32_t device, ts_queue queue, ts_error* error) {
  const std::lock_guard lock(mutex_);
  Queue& own = queues_[{device, queue}];
  drain({device, queue}, own.end());
  const ts_status status = Layer::synchronize(device, queue, error);
  if (own.failed == TS_OK) return status;
  return surface(own, error);
}

ts_status DelayLayer::poll(int32_t device, ts_queue queue, ts_error* error) {
  const std::lock_guard lock(mutex_);
  return surface(queues_[{device, queue}], error); // nothing waits, and what is held back has not failed yet
}

ts_status DelayLayer::map(ts_buffer buffer, void** address, ts_error* error) {
  drain_all();
  return Layer::map(buffer, address, error);
}

ts_status DelayLayer::import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                             ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::import(device, native, bytes, deleter, context, buffer, error);
  const std::lock_guard lock(mutex_);
  if (status == TS_OK) devices_[*buffer] = device;
  return status;
}

ts_status DelayLayer::native_handle(ts_buffer buffer, void** native, ts_error* error) {
  drain_all();
  return Layer::native_handle(buffer, native, error);
}

ts_status DelayLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  // A call is refused when it is made, not when it runs.
  ts_answer answer{};
  answer.size = sizeof answer;
  Layer::query(call, &answer);
  if (answer.status != TS_OK) return detail::refuse(error, answer.status, answer.reason, call.op, call.serial);
  auto kept = std::make_shared<KeptCall>(call);
  hold({call.device, call.queue},
       [this, family, kept](ts_error* inner_error) { return Layer::launch(family, kept->call, inner_error); });
  return TS_OK;
}

} // namespace ts
