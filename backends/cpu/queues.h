// Queues of the cpu backend. Work is done when it is called, so a queue only keeps the first error until it is asked.
#pragma once

#include "backends/kernels/door.h"

#include <map>
#include <mutex>
#include <optional>

namespace ts::cpu {

class Queues {
public:
  ts_queue create();
  void destroy(ts_queue queue);
  /// Throws where the queue does not exist.
  void check(ts_queue queue) const;
  /// Keeps an error unless one of a smaller serial is kept already.
  void fail(ts_queue queue, const ts_error& error);
  /// The error of the queue, which then is forgotten.
  std::optional<ts_error> take(ts_queue queue);
  ts_event record(ts_queue queue);
  void wait(ts_queue queue, ts_event event) const;

private:
  mutable std::mutex mutex_;
  std::map<ts_queue, std::optional<ts_error>> queues_{{0, std::nullopt}};
  ts_queue next_queue_ = 1;
  ts_event next_event_ = 1;
};

} // namespace ts::cpu
