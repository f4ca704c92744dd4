#include "conformance/mutants/layer.h"

#include "conformance/mutants/view_mutants.h"
#include "runtime/errors.h"

#include <fmt/format.h>

namespace ts::conformance::mutants {

ts_status MutantLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  const ts_status status = Layer::allocate(device, bytes, buffer, error);
  const std::lock_guard lock(mutex_);
  if (status == TS_OK) sizes_[*buffer] = bytes;
  return status;
}

void MutantLayer::release(ts_buffer buffer, ts_queue queue) {
  {
    const std::lock_guard lock(mutex_);
    sizes_.erase(buffer);
  }
  Layer::release(buffer, queue);
}

BufferSizes MutantLayer::sizes() const {
  const std::lock_guard lock(mutex_);
  return sizes_;
}

void MutantLayer::census(ts_census_visitor visit, void* context, bool reset) {
  Layer::census(visit, context, reset);
  const uint64_t reached = reset ? reached_.exchange(0) : reached_.load();
  if (reached > 0 && visit != nullptr) visit(context, "mutant", "reached", reached);
}

ts_status CallFaultLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  if (ops_.count(call.op) == 0) return Layer::launch(family, call, error);
  const BufferSizes live = sizes();
  Door door(inner(), live, family, call, error);
  const std::optional<ts_status> status = fault_(door, call);
  if (!status) return door.pass(call);
  strike();
  return *status;
}

std::shared_ptr<Backend> add_mutant(std::shared_ptr<Backend> inner, const std::string& id) {
  const Mutant& mutant = find_mutant(id);
  if (mutant.how != Mutant::How::door)
    throw ValueError(mutant.how == Mutant::How::kernel
                         ? fmt::format("mutant {} is a switch in the kernels: name the backend "
                                       "mutants/NAME_mutant.so:mutant={}",
                                       id, mutant.place)
                         : fmt::format("mutant {} is a switch in the library: mutants/touchstone_mutant has the layer "
                                       "library:{}",
                                       id, mutant.place));
  std::unique_ptr<MutantLayer> layer = make_view_fault(mutant, inner);
  if (layer == nullptr) layer = make_queue_fault(mutant.place, inner);
  if (layer == nullptr) {
    Fault fault = find_layout_fault(mutant.place);
    if (fault == nullptr) fault = find_result_fault(mutant.place);
    if (fault == nullptr)
      throw ValueError(fmt::format("mutant {}: there is no fault '{}' at the door", id, mutant.place));
    layer = std::make_unique<CallFaultLayer>(std::move(inner), ops_of(mutant), fault);
  }
  return make_layer(std::move(layer), "mutant:" + id);
}

} // namespace ts::conformance::mutants
