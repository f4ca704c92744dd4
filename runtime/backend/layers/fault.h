// Makes one call fail that would have worked: the n-th allocation, copy or launch. What the caller does then is on trial.
#pragma once

#include "runtime/backend/layers.h"

namespace ts {

class FaultLayer : public Layer {
public:
  /// `allocate=N`, `copy=N` or `launch=N`, several separated by commas, N from 1; ValueError for anything else.
  FaultLayer(std::shared_ptr<Backend> inner, std::string_view options);

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                    ts_error* error) override;
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override;
  ts_status copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue, ts_buffer source,
                 uint64_t source_byte, uint64_t bytes, ts_error* error) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  // Counts down to the call that fails; 0 for never.
  struct Countdown {
    uint64_t left = 0;
    bool strikes() { return left > 0 && --left == 0; }
  };
  bool strikes(Countdown& countdown);

  std::mutex mutex_;
  Countdown allocate_, copy_, launch_;
};

} // namespace ts
