// Hides operations of the backend behind it: their queries and calls are answered `unsupported`, so that what the library
// does without them is on trial.
#pragma once

#include "runtime/backend/layers.h"

#include <set>

namespace ts {

class HideLayer : public Layer {
public:
  /// Names of operations, separated by commas, or `composed` for those that the library composes of others; ValueError for
  /// one there is not, and for none.
  HideLayer(std::shared_ptr<Backend> inner, std::string_view options);

  void query(const ts_call& call, ts_answer* answer) override;
  ts_status launch(int32_t family, const ts_call& call, ts_error* error) override;

private:
  std::set<int32_t> hidden_;
};

} // namespace ts
