// A call against its row, as far as no buffer is needed: counts, dtypes, attributes, shapes.
#include "backends/kernels/door_parts.h"
#include "backends/kernels/mutate.h"
#include "backends/kernels/plan.h"

namespace ts::kernels {

using namespace door;

namespace {

void check_view(const ts_view& view, const OperandName& name) {
  if (view.rank < 0 || view.rank > TS_RANK_MAX)
    throw invalid(name + " has rank " + text(view.rank) + "; a view has 0 to " + text(TS_RANK_MAX))
        .at(name.number())
        .values(view.rank, TS_RANK_MAX);
  int64_t count = 1;
  bool fits = true, empty = false;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] < 0)
      throw invalid(name + " has extent " + text(view.shape[axis]) + " on axis " + text(axis))
          .at(name.number())
          .values(view.shape[axis], 0);
    empty = empty || view.shape[axis] == 0;
    fits = fits && !__builtin_mul_overflow(count, view.shape[axis], &count);
  }
  Reach elements{};
  if (!empty && (!fits || !reach_of(view.rank, view.shape, view.stride, &elements)))
    throw invalid(name + ": the number of elements or their distance does not fit 64 bits").at(name.number());
}

void check_counts(const ts_call& call, const Row& row) {
  if (call.output_count != row.output_count || call.input_count != row.input_count)
    throw invalid("takes " + text(row.input_count) + " inputs and " + text(row.output_count) + " outputs, not " +
                  text(call.input_count) + " and " + text(call.output_count));
  if (call.attribute_count != static_cast<int32_t>(row.attributes.size()))
    throw invalid("takes " + text(row.attributes.size()) + " attributes, not " + text(call.attribute_count))
        .values(call.attribute_count, static_cast<int64_t>(row.attributes.size()));
  if (call.outputs == nullptr || (call.input_count > 0 && call.inputs == nullptr) ||
      (call.attribute_count > 0 && call.attributes == nullptr))
    throw invalid("an array of the call is NULL");
  for (int k = 0; k < call.output_count; ++k) check_view(call.outputs[k], output(k));
  for (int k = 0; k < call.input_count; ++k) check_view(call.inputs[k].view, input(k));
}

void check_dtypes(const ts_call& call, const Row& row) {
  const int count = call.output_count + call.input_count;
  const auto given = [&](int k) {
    return k < call.output_count ? call.outputs[k].dtype : call.inputs[k - call.output_count].view.dtype;
  };
  for (const std::vector<int32_t>& instance : row.instances) {
    int same = 0;
    while (same < count && instance[static_cast<size_t>(same)] == given(same)) ++same;
    if (same == count) return;
  }
  std::string names;
  for (int k = call.output_count; k < count; ++k) names += std::string(dtype_name(given(k))) + " ";
  names += "->";
  for (int k = 0; k < call.output_count; ++k) names += std::string(" ") + dtype_name(given(k));
  throw DoorError(TS_UNSUPPORTED, "has no kernel for " + names);
}

bool is_real_dtype(int32_t dtype) {
  bool real = false;
  with_dtype(dtype, [&](auto type) { real = is_floating<typename decltype(type)::type>; });
  return real;
}

void check_value(const AttributeFacts& facts, const ts_attribute& attribute, int32_t dtype) {
  if (is_real_dtype(dtype)) return;
  with_dtype(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (is_integer<T>) {
      if (attribute.integer < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
          attribute.integer > static_cast<int64_t>(std::numeric_limits<T>::max()))
        throw invalid("attribute " + facts.name + " = " + text(attribute.integer) + " is no " + dtype_name(dtype))
            .values(attribute.integer, static_cast<int64_t>(std::numeric_limits<T>::max()));
    }
  });
}

/// The operand whose rank bounds an axis: the first input, or the inout operand.
const ts_view& lead_of(const ts_call& call, const Row& row) {
  const bool inout = row.shape == ShapeRule::scatter || row.shape == ShapeRule::index_add || call.input_count == 0;
  return inout ? call.outputs[0] : call.inputs[0].view;
}

void check_attribute(const ts_call& call, const Row& row, int slot) {
  const AttributeFacts& facts = row.attributes[static_cast<size_t>(slot)];
  const ts_attribute& attribute = call.attributes[slot];
  const int32_t dtype = facts.of_output ? call.outputs[facts.index].dtype : call.inputs[facts.index].view.dtype;
  const bool real = facts.kind == AttributeKind::real || (facts.kind == AttributeKind::value && is_real_dtype(dtype));
  if (attribute.kind != (real ? TS_ATTRIBUTE_REAL : TS_ATTRIBUTE_INTEGER))
    throw invalid("attribute " + facts.name + " (slot " + text(slot) + ") must travel as " +
                  (real ? "a real" : "an integer"));
  const int64_t value = attribute.integer;
  const int rank = lead_of(call, row).rank;
  switch (facts.kind) {
    case AttributeKind::axis:
      if (value < 0 || value >= rank)
        throw invalid("axis " + text(value) + " is out of range for rank " + text(rank)).values(value, rank);
      break;
    case AttributeKind::axes:
      if (value < 0 || (value >> rank) != 0)
        throw invalid("the mask of axes " + text(value) + " names an axis past rank " + text(rank)).values(value, rank);
      break;
    case AttributeKind::boolean:
      if (value != 0 && value != 1)
        throw invalid("attribute " + facts.name + " is 0 or 1, not " + text(value)).values(value, 1);
      break;
    case AttributeKind::value: check_value(facts, attribute, dtype); break;
    case AttributeKind::integer:
    case AttributeKind::real: break;
  }
}

// Shapes.

void expect_shape(const ts_view& view, const Shape& wanted, const OperandName& name) {
  const Shape given = Shape::of(view);
  if (given == wanted) return;
  throw invalid(name + " has shape " + given.text() + ", not " + wanted.text()).at(name.number());
}

/// index may be smaller than x on every axis but the one it indexes. // gather.2
void expect_index_within(const ts_view& index, const ts_view& x, int64_t axis, int operand) {
  if (index.rank != x.rank)
    throw invalid("index has rank " + text(index.rank) + ", x has rank " + text(x.rank))
        .at(operand)
        .values(index.rank, x.rank);
  for (int k = 0; k < x.rank; ++k)
    if (k != axis && index.shape[k] > x.shape[k])
      throw invalid("index has extent " + text(index.shape[k]) + " on axis " + text(k) + ", x only " + text(x.shape[k]))
          .at(operand)
          .values(index.shape[k], x.shape[k]);
}

void expect_vector(const ts_view& index, int operand) {
  if (index.rank != 1)
    throw invalid("index has rank " + text(index.rank) + ", not 1").at(operand).values(index.rank, 1);
}

void check_reduction(const ts_call& call, const Row& row, uint64_t axes) {
  const ts_view &x = call.inputs[0].view, &z = call.outputs[0];
  Shape wanted = Shape::of(x);
  int64_t group = 1, groups = 1;
  for (int axis = 0; axis < x.rank; ++axis) {
    const bool reduced = (axes >> axis & 1) != 0;
    (reduced ? group : groups) *= x.shape[axis] == 0 ? 0 : 1;
    if (reduced) wanted.extent[axis] = 1;
  }
  expect_shape(z, wanted, output(0));
  if (TS_MUTATE("EM07", row.empty == EmptyRule::error && group == 0 && groups != 0, false))
    throw invalid("a group of no element has no result");
}

void check_matmul(const ts_call& call) {
  const ts_view &x = call.inputs[0].view, &y = call.inputs[1].view;
  if (x.rank < 2)
    throw invalid("input 0 has rank " + text(x.rank) + "; a product takes at least 2").at(0).values(x.rank, 2);
  Shape right = Shape::of(x), result = Shape::of(x);
  const int row = x.rank - 2, column = x.rank - 1;
  right.extent[row] = x.shape[column];
  right.extent[column] = y.rank == x.rank ? y.shape[column] : -1;
  expect_shape(y, right, input(1));
  result.extent[column] = y.shape[column];
  expect_shape(call.outputs[0], result, output(0));
}

void check_topk(const ts_call& call, int64_t axis, int64_t k) {
  const ts_view& x = call.inputs[0].view;
  if (k < 0 || k > x.shape[axis])
    throw invalid("k = " + text(k) + " is outside [0, " + text(x.shape[axis]) + "]").values(k, x.shape[axis]);
  for (int i = 0; i < call.output_count; ++i) expect_shape(call.outputs[i], Shape::of(x).with(axis, k), output(i));
}

void check_shapes(const ts_call& call, const Row& row) {
  const ts_view& z = call.outputs[0];
  const int64_t first = row.attributes.empty() ? 0 : call.attributes[0].integer;
  const auto view = [&](int k) -> const ts_view& { return call.inputs[k].view; };
  switch (row.shape) {
    case ShapeRule::one: break;
    case ShapeRule::broadcast:
      for (int k = 0; k < call.input_count; ++k) expect_shape(view(k), Shape::of(z), input(k));
      break;
    case ShapeRule::broadcast_to_x:
      for (int k = 1; k < call.input_count; ++k) expect_shape(view(k), Shape::of(view(0)), input(k));
      expect_shape(z, Shape::of(view(0)), output(0));
      break;
    case ShapeRule::same:
      for (int k = 0; k < call.output_count; ++k) expect_shape(call.outputs[k], Shape::of(view(0)), output(k));
      break;
    case ShapeRule::reduce: check_reduction(call, row, static_cast<uint64_t>(first)); break;
    case ShapeRule::arg_reduce: check_reduction(call, row, uint64_t{1} << first); break;
    case ShapeRule::topk: check_topk(call, first, call.attributes[1].integer); break;
    case ShapeRule::matmul: check_matmul(call); break;
    case ShapeRule::gather:
      expect_index_within(view(1), view(0), first, 1);
      expect_shape(z, Shape::of(view(1)), output(0));
      break;
    case ShapeRule::index_select:
      expect_vector(view(1), 1);
      expect_shape(z, Shape::of(view(0)).with(first, view(1).shape[0]), output(0));
      break;
    case ShapeRule::scatter:
      expect_index_within(view(0), z, first, 0);
      expect_shape(view(1), Shape::of(view(0)), input(1));
      break;
    case ShapeRule::index_add:
      expect_vector(view(0), 0);
      expect_shape(view(1), Shape::of(z).with(first, view(0).shape[0]), input(1));
      break;
  }
}

} // namespace

const Row& check_descriptor(const ts_call* call) {
  if (call == nullptr || call->size < sizeof(ts_call))
    throw invalid("the call is NULL or smaller than ABI 1.0 knows it");
  const Row* row = find_row(call->op);
  if (row == nullptr) throw DoorError(TS_UNSUPPORTED, "op " + text(call->op) + " is not known here");
  check_counts(*call, *row);
  check_dtypes(*call, *row);
  for (int slot = 0; slot < call->attribute_count; ++slot) check_attribute(*call, *row, slot);
  check_shapes(*call, *row);
  return *row;
}

} // namespace ts::kernels
