#include "runtime/backend/layers/census.h"

#include "runtime/base/row.h"

namespace ts {

std::map<int32_t, CensusLayer::Count> CensusLayer::by_op() const {
  const std::lock_guard lock(mutex_);
  return by_op_;
}

std::map<int32_t, CensusLayer::Count> CensusLayer::by_family() const {
  std::map<int32_t, Count> families;
  for (const auto& [op, count] : by_op()) {
    Count& family = families[ops::row(op).family];
    family.calls += count.calls;
    family.unsupported += count.unsupported;
  }
  return families;
}

void CensusLayer::query(const ts_call& call, ts_answer* answer) {
  Layer::query(call, answer);
  if (answer->status != TS_UNSUPPORTED) return;
  const std::lock_guard lock(mutex_);
  ++by_op_[call.op].unsupported;
}

ts_status CensusLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  const ts_status status = Layer::launch(family, call, error);
  const std::lock_guard lock(mutex_);
  if (status == TS_OK) ++by_op_[call.op].calls;
  if (status == TS_UNSUPPORTED) ++by_op_[call.op].unsupported;
  return status;
}

void CensusLayer::census(ts_census_visitor visit, void* context, bool reset) {
  Layer::census(visit, context, reset);
  std::map<int32_t, Count> counts = by_op();
  for (const auto& [op, count] : counts) {
    if (count.calls > 0) visit(context, ops::row(op).name, "call", count.calls);
    if (count.unsupported > 0) visit(context, ops::row(op).name, "unsupported", count.unsupported);
  }
  const std::lock_guard lock(mutex_);
  if (reset) by_op_.clear();
}

} // namespace ts
