// Products of matrices: each element is its row's fold along K, exact in MPFR, or in integers where the payload is.
#include "conformance/oracle/families.h"

#include <fmt/format.h>

#include <cmath>

namespace ts::judge {
namespace {

struct Geometry {
  Shape batch; ///< of z
  int64_t m = 0, n = 0, k = 0;
};

Geometry geometry_of(const Call& call) {
  const Shape& x = call.inputs[0].shape;
  const Shape& y = call.inputs[1].shape;
  const auto refuse = [&] {
    return Refusal{"ValueError", fmt::format("shapes {} and {} do not multiply", text_of(x), text_of(y))};
  };
  if (x.size() < 2 || x.size() != y.size()) throw refuse();
  const size_t rank = x.size();
  Geometry g;
  g.m = x[rank - 2];
  g.k = x[rank - 1];
  g.n = y[rank - 1];
  if (y[rank - 2] != g.k) throw refuse();
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (x[axis] != y[axis] && x[axis] != 1 && y[axis] != 1) throw refuse();
    g.batch.push_back(x[axis] == 1 ? y[axis] : x[axis]);
  }
  return g;
}

/// Whether every element is an integer and every sum of products stays one in double: K max|x| max|y| <= 2^53.
bool is_integer_payload(const Array& x, const Array& y, int64_t k) {
  double largest[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    const Array& a = side == 0 ? x : y;
    for (int64_t i = 0; i < a.count(); ++i) {
      const double value = a.real(i);
      if (!std::isfinite(value) || value != std::floor(value)) return false;
      largest[side] = std::max(largest[side], std::fabs(value));
    }
  }
  return largest[0] * largest[1] * static_cast<double>(k) <= 9007199254740992.0;
}

std::vector<double> reals_of(const Array& a) {
  std::vector<double> result(static_cast<size_t>(a.count()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a.real(static_cast<int64_t>(i));
  return result;
}

} // namespace

void expect_matmul(const Call& call, Expected& expected) {
  const Geometry g = geometry_of(call);
  const Array& x = call.inputs[0];
  const Array& y = call.inputs[1];
  Shape shape = g.batch;
  shape.push_back(g.m);
  shape.push_back(g.n);
  Array out(call.instance->out[0], shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(*call.instance, 0, count);

  const bool floating = is_floating(out.dtype);
  const bool integers = floating && is_integer_payload(x, y, g.k);
  const std::vector<double> xs = floating ? reals_of(x) : std::vector<double>{};
  const std::vector<double> ys = floating ? reals_of(y) : std::vector<double>{};
  const Broadcast x_batch(g.batch, Shape(x.shape.begin(), x.shape.end() - 2));
  const Broadcast y_batch(g.batch, Shape(y.shape.begin(), y.shape.end() - 2));
  Evaluator evaluator(call, call.op->oracle, out.dtype);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t b = i / (g.m * g.n), row = i / g.n % g.m, column = i % g.n;
    const int64_t x0 = x_batch(b) * g.m * g.k + row * g.k, y0 = y_batch(b) * g.k * g.n + column;
    const auto x_at = [&](int64_t k) { return xs[static_cast<size_t>(x0 + k)]; };
    const auto y_at = [&](int64_t k) { return ys[static_cast<size_t>(y0 + k * g.n)]; };
    if (integers) {
      double sum = 0;
      for (int64_t k = 0; k < g.k; ++k) sum += x_at(k) * y_at(k);
      Number exact(64);
      set_double(exact, sum);
      record(bounds, i, count, store(out, i, exact));
    } else {
      const Position position = [&](int64_t k, int operand) {
        return k < 0 ? -1 : operand == 0 ? x0 + k : y0 + k * g.n;
      };
      record(bounds, i, count, evaluator.evaluate(g.k, position, out, i));
    }
    if (bounds.kind != Bounds::Kind::absolute) continue;
    Terms terms;
    for (int64_t k = 0; k < g.k; ++k) terms.add_product(x_at(k), y_at(k));
    judge_group(bounds, i, *call.instance, 0, terms, out.real(i));
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
