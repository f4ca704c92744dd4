// Reductions over a set of axes, and positions of extremes along one axis.
#include "conformance/oracle/families.h"

#include <fmt/format.h>

#include <cmath>

namespace ts::judge {
namespace {

/// The elements of each group in row-major order, group by group of the output.
struct Groups {
  Shape shape; ///< of the output
  std::vector<std::vector<int64_t>> members;

  Groups(const Shape& x, uint64_t axes) : shape(x) {
    for (size_t k = 0; k < x.size(); ++k) {
      if ((axes >> k & 1) != 0) shape[k] = 1;
    }
    members.resize(static_cast<size_t>(count_of(shape)));
    if (members.empty()) return;
    const Broadcast group(x, shape);
    const int64_t count = count_of(x);
    for (int64_t i = 0; i < count; ++i) members[static_cast<size_t>(group(i))].push_back(i);
  }
};

void reduce_groups(const Call& call, Expected& expected, const Groups& groups) {
  const Array& x = call.inputs[0];
  const Instance& instance = *call.instance;
  Array out(instance.out[0], groups.shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(instance, 0, count);
  Evaluator evaluator(call, call.op->oracle, out.dtype);
  const bool spread = call.op->attribute("correction") != nullptr;
  for (int64_t g = 0; g < count; ++g) {
    const std::vector<int64_t>& members = groups.members[static_cast<size_t>(g)];
    const auto n = static_cast<int64_t>(members.size());
    if (n == 0 && call.op->empty == "error") {
      throw Refusal{"ValueError", fmt::format("{} of nothing: shape {}", call.op->name, text_of(x.shape))};
    }
    const Position position = [&](int64_t j, int) { return j < 0 ? -1 : members[static_cast<size_t>(j)]; };
    record(bounds, g, count, evaluator.evaluate(n, position, out, g));
    if (bounds.kind != Bounds::Kind::absolute) continue;
    Terms terms;
    for (int64_t i : members) terms.add(x.real(i));
    if (spread) {
      const ts_attribute correction = attribute_of(call, "correction");
      terms.correction =
          correction.kind == TS_ATTRIBUTE_INTEGER ? static_cast<double>(correction.integer) : correction.real;
    }
    judge_group(bounds, g, instance, 0, terms, out.real(g));
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace

void expect_reduce(const Call& call, Expected& expected) {
  const auto axes = static_cast<uint64_t>(integer_of(call, "axes"));
  const size_t rank = call.inputs[0].shape.size();
  if (axes >> rank != 0) throw Refusal{"ValueError", fmt::format("axes {:#x} name an axis past rank {}", axes, rank)};
  reduce_groups(call, expected, Groups(call.inputs[0].shape, axes));
}

void expect_arg_reduce(const Call& call, Expected& expected) {
  const int64_t axis = axis_of(call, call.inputs[0].shape.size());
  reduce_groups(call, expected, Groups(call.inputs[0].shape, 1ULL << axis));
}

} // namespace ts::judge
