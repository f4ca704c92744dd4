// Faults of queues: work that does not take its turn, buffers that go too soon, errors that surface too late.
#include "conformance/mutants/layer.h"

#include <deque>
#include <utility>

namespace ts::conformance::mutants {

namespace {

// Holds calls back until something synchronizes, as a slow device does. What else takes its turn waits for them too;
// faults below let one of these go ahead.
class SlowLayer : public MutantLayer {
public:
  using MutantLayer::MutantLayer;
  ~SlowLayer() override { catch_up(); }

  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override {
    ts_answer answer{};
    answer.size = sizeof answer;
    query(call, &answer);
    if (answer.status != TS_OK) return MutantLayer::launch(family, call, error);
    held_.push_back({family, CallCopy(call)});
    return TS_OK;
  }
  void release(ts_buffer buffer, ts_queue queue) override {
    catch_up();
    MutantLayer::release(buffer, queue);
  }
  ts_status copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                    ts_error* error) override {
    catch_up();
    return MutantLayer::copy_in(queue, target, byte, source, bytes, error);
  }
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override {
    catch_up();
    return MutantLayer::copy_out(queue, target, source, byte, bytes, error);
  }
  ts_status synchronize(int32_t device, ts_queue queue, ts_error* error) override {
    ts_error late = make_error();
    const ts_status status = catch_up(&late);
    if (status == TS_OK) return MutantLayer::synchronize(device, queue, error);
    if (error != nullptr) *error = late;
    return status;
  }
  void census(ts_census_visitor visit, void* context, bool reset) override {
    catch_up();
    MutantLayer::census(visit, context, reset);
  }

protected:
  bool waiting() const { return !held_.empty(); }
  virtual void before_call(const ts_call&) {}

  ts_status catch_up(ts_error* error = nullptr) {
    ts_status first = TS_OK;
    while (!held_.empty()) {
      const auto [family, copy] = held_.front();
      held_.pop_front();
      const ts_call call = copy.call();
      before_call(call); // NOLINT(clang-analyzer-optin.cplusplus.VirtualCall): of what a layer that ends still holds
      const ts_status status = MutantLayer::launch(family, call, error);
      if (first == TS_OK) first = status;
    }
    return first;
  }

private:
  std::deque<std::pair<int32_t, CallCopy>> held_;
};

// These leave out what the layer between would do.
// NOLINTBEGIN(bugprone-parent-virtual-call)

// Bytes go to the host without waiting for what computes them.
class DownloadAhead : public SlowLayer {
public:
  using SlowLayer::SlowLayer;
  ts_status copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                     ts_error* error) override {
    constexpr uint64_t kStaging = 16;
    if (!waiting() || bytes <= kStaging) return SlowLayer::copy_out(queue, target, source, byte, bytes, error);
    strike();
    return MutantLayer::copy_out(queue, target, source, byte, bytes, error);
  }
};

// A released buffer is at once another's: what still wants to read or write it finds other bytes.
class ReleaseAhead : public SlowLayer {
public:
  ReleaseAhead(std::shared_ptr<Backend> inner, bool outputs_retained)
      : SlowLayer(std::move(inner)), outputs_retained_(outputs_retained) {}

  void release(ts_buffer buffer, ts_queue queue) override {
    if (!waiting()) return SlowLayer::release(buffer, queue);
    gone_.emplace_back(buffer, queue);
  }
  ts_status synchronize(int32_t device, ts_queue queue, ts_error* error) override {
    const ts_status status = SlowLayer::synchronize(device, queue, error);
    for (const auto& [buffer, of] : gone_) MutantLayer::release(buffer, of);
    gone_.clear();
    return status;
  }

protected:
  void before_call(const ts_call& call) override {
    for (const auto& [buffer, queue] : gone_) {
      if (outputs_retained_ && call.output_count > 0 && call.outputs[0].buffer == buffer) continue;
      const BufferSizes live = sizes();
      const auto size = live.find(buffer);
      const std::vector<std::byte> other(size == live.end() ? 0 : size->second, std::byte{0x3c});
      MutantLayer::copy_in(queue, buffer, 0, other.data(), other.size(), nullptr);
      strike();
    }
  }

private:
  bool outputs_retained_; ///< only inputs go too soon
  std::vector<std::pair<ts_buffer, ts_queue>> gone_;
};

// NOLINTEND(bugprone-parent-virtual-call)

// A kernel's status is swallowed, and reported by the call after it.
class ErrorLate : public MutantLayer {
public:
  using MutantLayer::MutantLayer;
  ts_status synchronize(int32_t device, ts_queue queue, ts_error*) override {
    ts_error found = make_error();
    const ts_status status = MutantLayer::synchronize(device, queue, &found);
    if (status == TS_OK) return TS_OK;
    strike();
    kept_ = found;
    kept_status_ = status;
    return TS_OK;
  }
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override {
    if (kept_status_ == TS_OK) return MutantLayer::launch(family, call, error);
    if (error != nullptr) *error = kept_;
    return std::exchange(kept_status_, TS_OK);
  }

private:
  ts_error kept_{};
  ts_status kept_status_ = TS_OK;
};

} // namespace

std::unique_ptr<MutantLayer> make_queue_fault(std::string_view place, std::shared_ptr<Backend> inner) {
  if (place == "download_ahead") return std::make_unique<DownloadAhead>(std::move(inner));
  if (place == "release_ahead") return std::make_unique<ReleaseAhead>(std::move(inner), false);
  if (place == "inputs_released_ahead") return std::make_unique<ReleaseAhead>(std::move(inner), true);
  if (place == "error_late") return std::make_unique<ErrorLate>(std::move(inner));
  return nullptr;
}

} // namespace ts::conformance::mutants
