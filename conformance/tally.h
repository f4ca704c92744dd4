// Counts what is alive at a backend's door, so that a case is held to giving back what it took.
#pragma once

#include "runtime/backend/layers.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace ts::conformance {

/// What is alive at one moment.
struct Alive {
  int64_t buffers = 0;
  int64_t bytes = 0; ///< of buffers; an empty one counts as a byte
  int64_t queues = 0;
};

/// A sentence about what was alive after something and not before it; empty where nothing was. `cached` is the growth of
/// what the library keeps on purpose, in bytes.
std::string kept(const Alive& before, const Alive& after, int64_t cached = 0);

/// A layer right in front of a backend; changes nothing.
class TallyLayer : public Layer {
public:
  using Layer::Layer;

  Alive alive() const;

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  void release(ts_buffer buffer, ts_queue queue) override;
  ts_status import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                   ts_buffer* buffer, ts_error* error) override;
  ts_status queue_create(int32_t device, ts_queue* queue, ts_error* error) override;
  void queue_destroy(int32_t device, ts_queue queue) override;

private:
  void add(ts_buffer buffer, uint64_t bytes);

  mutable std::mutex mutex_;
  std::map<ts_buffer, int64_t> buffers_;
  int64_t bytes_ = 0;
  std::set<std::pair<int32_t, ts_queue>> queues_;
};

} // namespace ts::conformance
