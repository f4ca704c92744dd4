// Picking elements and slices by index. Indices are read in row-major order, so the first that is out of range is
// named.
#include "conformance/oracle/families.h"

#include <fmt/format.h>

namespace ts::judge {

int64_t index_at(const Call& call, const Array& index, int64_t i, int64_t extent, int64_t axis) {
  const int64_t value = index.integer(i);
  if (value < 0 || value >= extent) {
    throw Refusal{"IndexError", fmt::format("element {} of index of {}: {} is out of range for axis {} of extent {}", i,
                                            call.op->name, value, axis, extent)};
  }
  return value;
}

namespace {

/// An index of rank 1 names slices; any other names single elements.
bool names_slices(const Op& op) { return op.shape.find("rank(index) = 1") != std::string::npos; }

Array gather_elements(const Call& call, const Array& x, const Array& index, int64_t axis) {
  if (index.shape.size() != x.shape.size()) {
    throw Refusal{"ValueError", fmt::format("index of rank {} for x of rank {}", index.shape.size(), x.shape.size())};
  }
  for (size_t k = 0; k < x.shape.size(); ++k) {
    if (static_cast<int64_t>(k) != axis && index.shape[k] > x.shape[k]) {
      throw Refusal{"ValueError", fmt::format("index {} is larger than x {}", text_of(index.shape), text_of(x.shape))};
    }
  }
  Array out(call.instance->out[0], index.shape);
  Shape where(index.shape.size(), 0);
  const int64_t count = out.count();
  for (int64_t i = 0; i < count; ++i, advance(index.shape, where)) {
    int64_t from = 0;
    for (size_t k = 0; k < x.shape.size(); ++k) {
      const int64_t at = static_cast<int64_t>(k) == axis ? index_at(call, index, i, x.shape[k], axis) : where[k];
      from = from * x.shape[k] + at;
    }
    convert_element(out, i, x, from);
  }
  return out;
}

Array select_slices(const Call& call, const Array& x, const Array& index, int64_t axis) {
  if (index.shape.size() != 1) throw Refusal{"ValueError", "index has rank " + std::to_string(index.shape.size())};
  const Lines lines(x.shape, axis);
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = index.shape[0];
  for (int64_t j = 0; j < index.count(); ++j) index_at(call, index, j, lines.extent, axis);
  Array out(call.instance->out[0], shape);
  const Lines to(shape, axis);
  for (int64_t i = 0; i < out.count(); ++i) {
    const int64_t inner = i % to.inner_count, j = i / to.inner_count % to.extent;
    const int64_t outer = i / to.inner_count / to.extent;
    convert_element(out, i, x, lines.at(outer, inner, index.integer(j)));
  }
  return out;
}

} // namespace

void expect_gather(const Call& call, Expected& expected) {
  const Array& x = call.inputs[0];
  const Array& index = call.inputs[1];
  const int64_t axis = axis_of(call, x.shape.size());
  expected.outputs.push_back(names_slices(*call.op) ? select_slices(call, x, index, axis)
                                                    : gather_elements(call, x, index, axis));
  Bounds bounds;
  bounds.payload = true;
  expected.bounds.push_back(std::move(bounds));
}

} // namespace ts::judge
