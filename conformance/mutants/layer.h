// A backend with one known fault at its door: a layer that changes what it is told to do, or what it gives back.
#pragma once

#include "conformance/mutants/door.h"
#include "conformance/mutants/table.h"
#include "runtime/backend/layers.h"

#include <atomic>
#include <memory>
#include <set>
#include <string_view>

namespace ts::conformance::mutants {

/// What a fault does with a call: nothing where its trigger is absent, and the call goes on as it came.
using Fault = std::optional<ts_status> (*)(Door& door, const ts_call& call);

/// Knows the sizes of buffers, and counts how often the fault struck. The census shows it as kernel `mutant`.
class MutantLayer : public Layer {
public:
  using Layer::Layer;

  uint64_t reached() const { return reached_; }

  ts_status allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) override;
  void release(ts_buffer buffer, ts_queue queue) override;
  void census(ts_census_visitor visit, void* context, bool reset) override;
  bool counts() const override { return true; }

protected:
  void strike() { ++reached_; }
  BufferSizes sizes() const;

private:
  mutable std::mutex mutex_;
  BufferSizes sizes_;
  std::atomic<uint64_t> reached_{0};
};

/// Sends calls of some ops through a fault.
class CallFaultLayer : public MutantLayer {
public:
  CallFaultLayer(std::shared_ptr<Backend> inner, std::set<int32_t> ops, Fault fault)
      : MutantLayer(std::move(inner)), ops_(std::move(ops)), fault_(fault) {}

  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  std::set<int32_t> ops_;
  Fault fault_;
};

/// The fault of a place, by name; null where there is none of this kind.
Fault find_layout_fault(std::string_view place);
Fault find_result_fault(std::string_view place);
std::unique_ptr<MutantLayer> make_queue_fault(std::string_view place, std::shared_ptr<Backend> inner);

/// The backend with a mutant of the table in front; only ops of the mutant are touched. ValueError for an unknown id, or a
/// mutant that is not planted at the door.
std::shared_ptr<Backend> add_mutant(std::shared_ptr<Backend> inner, const std::string& id);

} // namespace ts::conformance::mutants
