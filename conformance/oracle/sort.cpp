// Stable order along an axis: every number, then NaN; both zeros are equal, all NaNs are equal. Descending is the order
// of the reversed comparison, so equal elements still keep their places.
#include "conformance/oracle/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ts::judge {
namespace {

/// Whether element i of x comes before element j in ascending order.
bool before(const Array& x, int64_t i, int64_t j) {
  if (!is_floating(x.dtype)) return x.integer(i) < x.integer(j);
  const double a = x.real(i), b = x.real(j);
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

/// Adds an output that moves elements, or one that counts them.
void push(Expected& expected, Array array, bool payload) {
  expected.outputs.push_back(std::move(array));
  expected.bounds.emplace_back();
  expected.bounds.back().payload = payload;
}

} // namespace

void expect_sort(const Call& call, Expected& expected) {
  const Array& x = call.inputs[0];
  const int64_t axis = axis_of(call, x.shape.size());
  const Lines from(x.shape, axis);
  const bool top = call.op->attribute("k") != nullptr;
  const bool descending = integer_of(call, top ? "largest" : "descending") != 0;
  const int64_t kept = top ? integer_of(call, "k") : from.extent;
  if (kept < 0 || kept > from.extent) {
    throw Refusal{"ValueError", fmt::format("k = {} is outside [0, {}]", kept, from.extent)};
  }
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = kept;
  const Lines to(shape, axis);
  const bool with_values = call.instance->out.size() == 2;
  Array values(x.dtype, shape), indices(call.instance->out.back(), shape);

  std::vector<int64_t> order(static_cast<size_t>(from.extent));
  for (int64_t line = 0; indices.count() > 0 && line < from.outer_count * from.inner_count; ++line) {
    const int64_t outer = line / from.inner_count, inner = line % from.inner_count;
    for (size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int64_t>(j);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int64_t i = from.at(outer, inner, a), j = from.at(outer, inner, b);
      return descending ? before(x, j, i) : before(x, i, j);
    });
    for (int64_t j = 0; j < kept; ++j) {
      const int64_t chosen = order[static_cast<size_t>(j)];
      indices.set_integer(to.at(outer, inner, j), chosen);
      convert_element(values, to.at(outer, inner, j), x, from.at(outer, inner, chosen));
    }
  }
  if (with_values) push(expected, std::move(values), true);
  push(expected, std::move(indices), false);
}

} // namespace ts::judge
