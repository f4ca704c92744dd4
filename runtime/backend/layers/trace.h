// Writes one line per call. Buffers are numbered in the order of allocation and never again used for another, whatever
// handles the backend gives out, so the traces of two runs, or of two backends, compare with diff.
#pragma once

#include "runtime/backend/layers.h"

#include <functional>
#include <map>

namespace ts {

class TraceLayer : public Layer {
public:
  using Sink = std::function<void(std::string_view line)>;
  /// `file=PATH` or nothing, which is standard error. ValueError for another option or a file that cannot be written.
  TraceLayer(std::shared_ptr<Backend> inner, std::string_view options);
  TraceLayer(std::shared_ptr<Backend> inner, Sink sink);

  /// Sends lines somewhere else.
  void set_sink(Sink sink);

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  void release(ts_buffer buffer, ts_queue queue) override;
  ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                    ts_error* error) override;
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override;
  ts_status copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue, ts_buffer source,
                 uint64_t source_byte, uint64_t bytes, ts_error* error) override;
  ts_status record(int32_t device, ts_queue queue, ts_event* event, ts_error* error) override;
  ts_status wait(int32_t device, ts_queue queue, ts_event event, ts_error* error) override;
  ts_status synchronize(int32_t device, ts_queue queue, ts_error* error) override;
  ts_status map(ts_buffer buffer, void** address, ts_error* error) override;
  ts_status import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                   ts_buffer* buffer, ts_error* error) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  void line(std::string text, ts_status status, const ts_error* error);
  std::string place(ts_buffer buffer, uint64_t byte);
  std::string view_text(const ts_view& view);
  uint64_t number(ts_buffer buffer);

  std::mutex mutex_;
  Sink sink_;
  std::map<ts_buffer, uint64_t> numbers_;
  std::map<ts_event, uint64_t> events_;
  uint64_t allocations_ = 0;
};

} // namespace ts
