// Holds the caller to its half of the contract (spec/backend.md): what it passes must be known, alive, inside its buffer, of
// the row's dtypes and free of forbidden overlap. A call that is not is refused with the reason and never reaches the backend.
#pragma once

#include "runtime/backend/layers.h"

#include <map>
#include <optional>
#include <set>

namespace ts {

class ValidateLayer : public Layer {
public:
  using Layer::Layer;

  /// Calls refused so far.
  uint64_t violations() const;

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  void release(ts_buffer buffer, ts_queue queue) override;
  ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                    ts_error* error) override;
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override;
  ts_status copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue, ts_buffer source,
                 uint64_t source_byte, uint64_t bytes, ts_error* error) override;
  ts_status map(ts_buffer buffer, void** address, ts_error* error) override;
  ts_status import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                   ts_buffer* buffer, ts_error* error) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  struct Buffer {
    int32_t device;
    uint64_t bytes;
  };
  using Fault = std::optional<std::string>;

  ts_status violation(ts_error* error, const std::string& what, int32_t op = -1, uint64_t serial = 0);
  Fault check_live(ts_buffer buffer, const char* what) const;
  Fault check_range(ts_buffer buffer, uint64_t byte, uint64_t bytes, const char* what) const;
  Fault check_call(int32_t family, const ts_call& call);
  Fault check_view(const ts_call& call, const ts_view& view, const std::string& what) const;
  Fault check_views(const ts_call& call) const;
  Fault check_workspace(const ts_call& call);

  mutable std::mutex mutex_;
  std::map<ts_buffer, Buffer> live_;
  std::set<ts_buffer> released_;
  uint64_t violations_ = 0;
};

} // namespace ts
