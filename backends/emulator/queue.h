// Queues that really are asynchronous: what is called waits until something synchronizes.
#pragma once

#include "backends/kernels/door.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace ts::emulator {

/// An in-order queue of commands, and the first error they met. Not synchronized: the device's owner locks.
class Queue {
public:
  /// A command gives the error it met, or nothing.
  using Command = std::function<std::optional<ts_error>()>;

  void push(Command command, uint64_t bytes);
  size_t waiting() const { return commands_.size(); }
  uint64_t waiting_bytes() const { return bytes_; }

  /// Runs the first command that waits; false where none does.
  bool step();
  void fail(const ts_error& error);
  std::optional<ts_error> take_error();

private:
  struct Entry {
    Command command;
    uint64_t bytes;
  };
  std::deque<Entry> commands_;
  uint64_t bytes_ = 0;
  std::optional<ts_error> error_; ///< of the smallest serial
};

/// The queues of one device and the events between them.
class Queues {
public:
  Queues() { queues_.emplace(0, Queue()); }

  ts_queue create();
  /// Runs what waits there, then forgets the queue. Queue 0 stays.
  void destroy(ts_queue queue);
  /// Throws where the queue does not exist.
  Queue& get(ts_queue queue);
  void push(ts_queue queue, Queue::Command command, uint64_t bytes = 0);

  ts_event record(ts_queue queue);
  /// True for an event that was recorded here.
  bool knows(ts_event event) const { return event != 0 && event < next_event_; }
  /// Makes `queue` of another device, or of this one, run on only after the event. Runs the event's queue that far.
  void reach(ts_event event);

  void drain(ts_queue queue);
  void drain_all();
  size_t waiting() const;

private:
  std::map<ts_queue, Queue> queues_;
  std::map<ts_event, ts_queue> pending_; ///< events not reached yet
  ts_queue next_queue_ = 1;
  ts_event next_event_ = 1;
};

} // namespace ts::emulator
