// What stands behind a ts_instance: devices, buffers by handle, events.
#pragma once

#include "backends/cuda/device.h"
#include "backends/cuda/handles.h"
#include "backends/cuda/launcher.h"
#include "backends/kernels/door.h"

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace ts::cuda {

/// Points in queues. An event that has passed costs nothing any more; waiting for it is nothing.
class Events {
public:
  /// A point in a stream of the current device.
  ts_event record(int32_t device, cudaStream_t stream);
  /// Keeps a stream, of any device, from going on before the event. Throws where there is no such event.
  void wait(cudaStream_t stream, ts_event event);

private:
  struct Point {
    ts_event id;
    int32_t device;
    Event event;
  };
  void forget_passed();

  std::mutex mutex_;
  std::deque<Point> points_; ///< that may not have passed, by id
  std::unordered_map<int32_t, std::vector<Event>> spare_;
  ts_event next_ = 1;
};

class Instance {
public:
  explicit Instance(const Settings& settings) : settings_(settings) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  const Settings& settings() const { return settings_; }
  kernels::Census& census() { return census_; }
  Events& events() { return events_; }

  /// Opened when it is first asked for. Throws where there is no such device, with the reason where there is none at all.
  Device& device(int32_t index);

  ts_buffer allocate(int32_t device, uint64_t bytes);
  void release(ts_buffer buffer, ts_queue queue);
  bool find(ts_buffer buffer, kernels::BufferFacts* facts) const;
  /// Throws where there is no such buffer.
  kernels::BufferFacts get(ts_buffer buffer) const;

private:
  Settings settings_;
  kernels::Census census_;
  mutable std::mutex mutex_;
  std::unordered_map<int32_t, std::unique_ptr<Device>> devices_;
  std::unordered_map<ts_buffer, kernels::BufferFacts> buffers_;
  ts_buffer next_buffer_ = 1;
  Events events_; // goes before the devices
};

} // namespace ts::cuda
