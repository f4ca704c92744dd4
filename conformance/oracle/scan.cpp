// Running folds along an axis. Where the fold names a position, the first output is the element that stands there,
// moved.
#include "conformance/oracle/families.h"

namespace ts::judge {
namespace {

/// Bounds of a line: the terms of element j are all up to it.
void judge_line(Bounds& bounds, const Call& call, const Array& out, const Lines& lines, int64_t outer, int64_t inner) {
  Terms terms;
  for (int64_t j = 0; j < lines.extent; ++j) {
    const int64_t at = lines.at(outer, inner, j);
    terms.add(call.inputs[0].real(at));
    judge_group(bounds, at, *call.instance, 0, terms, out.real(at));
  }
}

} // namespace

void expect_scan(const Call& call, Expected& expected) {
  const Array& x = call.inputs[0];
  const Instance& instance = *call.instance;
  const Lines lines(x.shape, axis_of(call, x.shape.size()));
  const bool with_indices = instance.out.size() == 2;
  Array out(instance.out.back(), x.shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(instance, instance.out.size() - 1, count);
  std::vector<Rounded> rounded(static_cast<size_t>(count));

  Evaluator evaluator(call, call.op->oracle, out.dtype);
  for (int64_t outer = 0; outer < lines.outer_count && count > 0; ++outer) {
    for (int64_t inner = 0; inner < lines.inner_count; ++inner) {
      const auto at = [&](int64_t j) { return lines.at(outer, inner, j); };
      evaluator.prefixes(
          lines.extent, [&](int64_t j, int) { return j < 0 ? -1 : at(j); }, at, out, rounded);
      if (bounds.kind == Bounds::Kind::absolute) judge_line(bounds, call, out, lines, outer, inner);
    }
  }
  for (int64_t i = 0; i < count; ++i) record(bounds, i, count, rounded[static_cast<size_t>(i)]);

  if (with_indices) {
    Array values(instance.out[0], x.shape);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t inner = i % lines.inner_count;
      const int64_t outer = i / lines.inner_count / lines.extent;
      convert_element(values, i, x, lines.at(outer, inner, out.integer(i)));
    }
    Bounds moved;
    moved.payload = true;
    expected.outputs.push_back(std::move(values));
    expected.bounds.push_back(std::move(moved));
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
