// Counts what crosses the door: calls per op, and queries that were answered `unsupported`. Its counts join those of the
// backend's own census, as routes `call` and `unsupported` of the op's name.
#pragma once

#include "runtime/backend/layers.h"

#include <map>

namespace ts {

class CensusLayer : public Layer {
public:
  using Layer::Layer;
  struct Count {
    uint64_t calls = 0;       ///< accepted by the backend
    uint64_t unsupported = 0; ///< answered so by query or by the kernel
  };

  /// By op id.
  std::map<int32_t, Count> by_op() const;
  /// By family.
  std::map<int32_t, Count> by_family() const;

  void query(const ts_call& call, ts_answer* answer) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;
  void census(ts_census_visitor visit, void* context, bool reset) override;
  bool counts() const override { return true; }

private:
  mutable std::mutex mutex_;
  std::map<int32_t, Count> by_op_;
};

} // namespace ts
