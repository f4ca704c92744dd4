// Writing by index. The elements of source that hit one place form a group, in row-major order of the index; a move
// keeps the last of them, every other oracle is evaluated over the old element and the group.
#include "conformance/oracle/families.h"

#include <fmt/format.h>

namespace ts::judge {
namespace {

/// For each place of x the elements of source that name it.
std::vector<std::vector<int64_t>> hits_of(const Call& call, int64_t axis) {
  const Array& x = call.inputs[0];
  const Array& index = call.inputs[1];
  const Array& source = call.inputs[2];
  const bool slices = call.op->shape.find("rank(index) = 1") != std::string::npos;
  Shape wanted = slices ? x.shape : index.shape;
  if (slices) {
    if (index.shape.size() != 1) throw Refusal{"ValueError", "index has rank " + std::to_string(index.shape.size())};
    wanted[static_cast<size_t>(axis)] = index.shape[0];
  }
  if (source.shape != wanted || source.shape.size() != x.shape.size()) {
    throw Refusal{"ValueError", fmt::format("source {} for x {} and index {}", text_of(source.shape), text_of(x.shape),
                                            text_of(index.shape))};
  }
  const int64_t indices = index.count();
  for (int64_t i = 0; i < indices; ++i) index_at(call, index, i, x.shape[static_cast<size_t>(axis)], axis);

  std::vector<std::vector<int64_t>> hits(static_cast<size_t>(x.count()));
  Shape where(source.shape.size(), 0);
  const int64_t count = source.count();
  for (int64_t i = 0; i < count; ++i, advance(source.shape, where)) {
    int64_t to = 0;
    for (size_t k = 0; k < x.shape.size(); ++k) {
      const bool along = static_cast<int64_t>(k) == axis;
      if (!along && where[k] >= x.shape[k]) {
        throw Refusal{"ValueError",
                      fmt::format("index {} is larger than x {}", text_of(index.shape), text_of(x.shape))};
      }
      to = to * x.shape[k] + (along ? index.integer(slices ? where[k] : i) : where[k]);
    }
    hits[static_cast<size_t>(to)].push_back(i);
  }
  return hits;
}

/// The old element and the sources that joined it, as the terms of a bound.
Terms terms_of(const Call& call, int64_t place, const std::vector<int64_t>& sources) {
  Terms terms;
  terms.add(call.inputs[0].real(place));
  for (int64_t i : sources) terms.add(call.inputs[2].real(i));
  return terms;
}

} // namespace

void expect_scatter(const Call& call, Expected& expected) {
  const Array& x = call.inputs[0];
  const Array& source = call.inputs[2];
  const auto hits = hits_of(call, axis_of(call, x.shape.size()));
  Array out(call.instance->out[0], x.shape);
  const int64_t count = out.count();
  Bounds bounds = bounds_of(*call.instance, 0, count);
  const bool moves = call.op->oracle.names("move");
  bounds.payload = moves;

  std::unique_ptr<Evaluator> evaluator;
  if (!moves) {
    evaluator = std::make_unique<Evaluator>(call, call.op->oracle, out.dtype);
    evaluator->start_sums_at_negative_zero(); // the old element is the first term: -0 plus -0 is -0
  }
  for (int64_t place = 0; place < count; ++place) {
    const std::vector<int64_t>& sources = hits[static_cast<size_t>(place)];
    if (sources.empty()) {
      out.set_bits(place, x.bits(place)); // it keeps its bytes, a bool that is neither 0 nor 1 too
      judge_unchanged(bounds, place);
      continue;
    }
    if (moves) {
      convert_element(out, place, source, sources.back());
      continue;
    }
    const Position position = [&](int64_t j, int operand) {
      if (operand == 0) return place;
      return operand == 2 && j >= 0 ? sources[static_cast<size_t>(j)] : int64_t{-1};
    };
    record(bounds, place, count, evaluator->evaluate(static_cast<int64_t>(sources.size()), position, out, place));
    judge_group(bounds, place, *call.instance, 0, terms_of(call, place, sources), out.real(place));
  }
  expected.outputs.push_back(std::move(out));
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
