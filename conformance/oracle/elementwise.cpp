// Element by element over operands of one shape; also fill, whose value comes from an attribute alone.
#include "conformance/oracle/families.h"

namespace ts::judge {

void expect_elementwise(const Call& call, Expected& expected) {
  const Instance& instance = *call.instance;
  const Shape shape = call.inputs.empty() ? call.shape : broadcast_shape(call);
  Array out(instance.out[0], shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(instance, 0, count);

  std::vector<Broadcast> places;
  for (const Array& input : call.inputs) places.emplace_back(shape, input.shape);
  int64_t i = 0;
  const Position position = [&](int64_t, int operand) { return places[static_cast<size_t>(operand)](i); };

  Evaluator evaluator(call, call.op->oracle, instance.out[0]);
  for (i = 0; i < count; ++i) record(bounds, i, count, evaluator.evaluate(0, position, out, i));

  for (const Exclusion& exclusion : call.op->exclude) {
    Evaluator condition(call, exclusion.when, TS_DTYPE_BOOL);
    for (i = 0; i < count; ++i) {
      if (!condition.is_true(position)) continue;
      if (bounds.excluded.empty()) bounds.excluded.assign(static_cast<size_t>(count), 0);
      bounds.excluded[static_cast<size_t>(i)] = 1;
    }
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

void expect_fill(const Call& call, Expected& expected) { expect_elementwise(call, expected); }

} // namespace ts::judge
