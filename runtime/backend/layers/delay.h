// Holds every queued call back until something synchronizes, as a slow device would: a host that reads or releases too soon,
// or changes what it passed in, is found out on any backend.
#pragma once

#include "runtime/backend/layers.h"

#include <deque>
#include <functional>
#include <map>
#include <utility>

namespace ts {

class DelayLayer : public Layer {
public:
  using Layer::Layer;

  /// Calls held back now, over all queues.
  uint64_t held() const;

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  void release(ts_buffer buffer, ts_queue queue) override;
  ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                    ts_error* error) override;
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override;
  ts_status copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue, ts_buffer source,
                 uint64_t source_byte, uint64_t bytes, ts_error* error) override;
  void queue_destroy(int32_t device, ts_queue queue) override;
  ts_status record(int32_t device, ts_queue queue, ts_event* event, ts_error* error) override;
  ts_status wait(int32_t device, ts_queue queue, ts_event event, ts_error* error) override;
  ts_status synchronize(int32_t device, ts_queue queue, ts_error* error) override;
  ts_status poll(int32_t device, ts_queue queue, ts_error* error) override;
  ts_status map(ts_buffer buffer, void** address, ts_error* error) override;
  ts_status import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                   ts_buffer* buffer, ts_error* error) override;
  ts_status native_handle(ts_buffer buffer, void** native, ts_error* error) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  using Key = std::pair<int32_t, ts_queue>; // device, queue
  using Work = std::function<ts_status(ts_error*)>;
  struct Queue {
    std::deque<Work> held;
    uint64_t done = 0; // works that ran: the position of the first one held
    ts_status failed = TS_OK;
    ts_error error{};
    uint64_t end() const { return done + held.size(); }
  };
  struct Point {
    Key key;
    uint64_t position;
  };

  Key key_of(ts_buffer buffer, ts_queue queue) const;
  void hold(Key key, Work work);
  void drain(Key key, uint64_t position);
  void drain_all();
  // Gives the first error of a queue and forgets it.
  ts_status surface(Queue& queue, ts_error* error);

  mutable std::recursive_mutex mutex_;
  std::map<Key, Queue> queues_;
  std::map<ts_buffer, int32_t> devices_;
  std::map<ts_event, Point> events_;
  ts_event next_event_ = 1;
};

} // namespace ts
