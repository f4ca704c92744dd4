#include "runtime/backend/layers/hide.h"

#include "runtime/base/row.h"
#include "runtime/errors.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ts {

namespace {
constexpr const char* kReason = "hide layer: this operation is hidden";
}

// The rows that say `composed`.
static std::set<int32_t> composed_ops() {
  std::set<int32_t> composed;
#define TS_WORKS_IN(name, from, to) composed.insert(ops::row(#name).id);
#include "spec/generated/compositions.inc"
  return composed;
}

HideLayer::HideLayer(std::shared_ptr<Backend> inner, std::string_view options) : Layer(std::move(inner)) {
  if (options.empty()) throw ValueError("layer hide: names of operations are needed, as in hide:softmax,layer_norm");
  while (!options.empty()) {
    const size_t comma = options.find(',');
    const std::string_view name = options.substr(0, comma);
    if (name == "composed")
      hidden_.merge(composed_ops());
    else
      hidden_.insert(ops::row(name).id);
    options.remove_prefix(comma == std::string_view::npos ? options.size() : comma + 1);
  }
}

void HideLayer::query(const ts_call& call, ts_answer* answer) {
  if (hidden_.count(call.op) == 0) return Layer::query(call, answer);
  ts_answer hidden{};
  hidden.size = answer->size;
  hidden.status = TS_UNSUPPORTED;
  std::snprintf(hidden.reason, sizeof hidden.reason, "%s", kReason);
  std::memcpy(answer, &hidden, std::min<size_t>(answer->size, sizeof hidden));
}

ts_status HideLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  if (hidden_.count(call.op) == 0) return Layer::launch(family, call, error);
  return detail::refuse(error, TS_UNSUPPORTED, kReason, call.op, call.serial);
}

} // namespace ts
