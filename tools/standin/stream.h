// Streams and events over the emulator's queues: what is enqueued runs when somebody waits for it, and a question whether it
// has run takes it one command further.
#pragma once

#include "backends/emulator/queue.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace ts::standin {

class Device;

class Stream {
public:
  Stream(Device& device, uint64_t id, bool joins_default) : device_(device), id_(id), joins_default_(joins_default) {}

  Device& device() const { return device_; }
  uint64_t id() const { return id_; }
  /// It and the default stream wait for each other.
  bool joins_default() const { return joins_default_; }

  /// Takes its turn. A stream that holds very much begins to work by itself.
  void push(std::function<void()> work, uint64_t bytes = 0);
  /// Runs the next command; false where none waits.
  bool step() { return queue_.step(); }
  void drain();
  bool idle() const { return queue_.waiting() == 0; }

private:
  Device& device_;
  uint64_t id_;
  bool joins_default_;
  emulator::Queue queue_;
};

/// A point in a stream, which passes when the stream gets there.
struct Point {
  Stream* stream;
  bool passed = false;
  std::chrono::steady_clock::time_point when;
};

struct Event {
  Device* device;
  uint64_t id;
  bool timed;
  std::shared_ptr<Point> point; ///< null before it was recorded

  void record(Stream& stream);
  /// Takes the stream as far as the point.
  static void reach(Point& point);
};

} // namespace ts::standin
