#include "tools/standin/stream.h"

#include <utility>

namespace ts::standin {

namespace {

// As the emulator's queues: a device takes only so much before it begins to work.
constexpr size_t kCommandsMax = 4096;
constexpr uint64_t kBytesMax = 64ULL << 20;

} // namespace

void Stream::push(std::function<void()> work, uint64_t bytes) {
  queue_.push(
      [work = std::move(work)]() -> std::optional<ts_error> {
        work();
        return std::nullopt;
      },
      bytes);
  if (queue_.waiting() > kCommandsMax || queue_.waiting_bytes() > kBytesMax) drain();
}

void Stream::drain() {
  while (step()) {}
}

void Event::record(Stream& stream) {
  point = std::make_shared<Point>();
  point->stream = &stream;
  stream.push([reached = point] {
    reached->passed = true;
    reached->when = std::chrono::steady_clock::now();
  });
}

void Event::reach(Point& point) {
  while (!point.passed && point.stream->step()) {}
}

} // namespace ts::standin
