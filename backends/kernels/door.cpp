#include "backends/kernels/door.h"

#include "backends/kernels/mutate.h"
#include "backends/kernels/overlap.h"

#include <algorithm>
#include <cstring>

namespace ts::kernels {

namespace {

DoorError invalid(const std::string& what) { return {TS_INVALID_ARGUMENT, what}; }

std::string text(int64_t number) { return std::to_string(number); }

std::string text(const ts_view& view) {
  std::string shape = "(";
  for (int axis = 0; axis < view.rank; ++axis) shape += (axis > 0 ? "," : "") + text(view.shape[axis]);
  return shape + ")";
}

std::string output_name(int k) { return "output " + text(k); }
std::string input_name(int k) { return "input " + text(k); }

void check_view(const ts_view& view, const std::string& name, int operand) {
  if (view.rank < 0 || view.rank > TS_RANK_MAX)
    throw invalid(name + " has rank " + text(view.rank) + "; a view has 0 to " + text(TS_RANK_MAX))
        .at(operand)
        .values(view.rank, TS_RANK_MAX);
  int64_t count = 1;
  bool fits = true, empty = false;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] < 0)
      throw invalid(name + " has extent " + text(view.shape[axis]) + " on axis " + text(axis))
          .at(operand)
          .values(view.shape[axis], 0);
    empty = empty || view.shape[axis] == 0;
    fits = fits && !__builtin_mul_overflow(count, view.shape[axis], &count);
  }
  Reach elements{};
  if (!empty && (!fits || !reach_of(view.rank, view.shape, view.stride, &elements)))
    throw invalid(name + ": the number of elements or their distance does not fit 64 bits").at(operand);
}

void check_counts(const ts_call& call, const Row& row) {
  if (call.output_count != row.output_count || call.input_count != row.input_count)
    throw invalid("takes " + text(row.input_count) + " inputs and " + text(row.output_count) + " outputs, not " +
                  text(call.input_count) + " and " + text(call.output_count));
  if (call.attribute_count != static_cast<int32_t>(row.attributes.size()))
    throw invalid("takes " + text(static_cast<int64_t>(row.attributes.size())) + " attributes, not " +
                  text(call.attribute_count))
        .values(call.attribute_count, static_cast<int64_t>(row.attributes.size()));
  if (call.outputs == nullptr || (call.input_count > 0 && call.inputs == nullptr) ||
      (call.attribute_count > 0 && call.attributes == nullptr))
    throw invalid("an array of the call is NULL");
  for (int k = 0; k < call.output_count; ++k) check_view(call.outputs[k], output_name(k), -1);
  for (int k = 0; k < call.input_count; ++k) check_view(call.inputs[k].view, input_name(k), k);
}

void check_dtypes(const ts_call& call, const Row& row) {
  std::vector<int32_t> dtypes;
  for (int k = 0; k < call.output_count; ++k) dtypes.push_back(call.outputs[k].dtype);
  for (int k = 0; k < call.input_count; ++k) dtypes.push_back(call.inputs[k].view.dtype);
  if (std::find(row.instances.begin(), row.instances.end(), dtypes) != row.instances.end()) return;
  std::string given;
  for (int k = 0; k < call.input_count; ++k) given += std::string(dtype_name(call.inputs[k].view.dtype)) + " ";
  given += "->";
  for (int k = 0; k < call.output_count; ++k) given += std::string(" ") + dtype_name(call.outputs[k].dtype);
  throw DoorError(TS_UNSUPPORTED, "has no kernel for " + given);
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

using Shape = std::vector<int64_t>;

Shape shape_of(const ts_view& view) { return {view.shape, view.shape + view.rank}; }

void expect_shape(const ts_view& view, const Shape& wanted, const std::string& name, int operand) {
  if (shape_of(view) == wanted) return;
  ts_view right{};
  right.rank = static_cast<int32_t>(wanted.size());
  std::copy(wanted.begin(), wanted.end(), right.shape);
  throw invalid(name + " has shape " + text(view) + ", not " + text(right)).at(operand);
}

Shape with_extent(Shape shape, int64_t axis, int64_t extent) {
  shape[static_cast<size_t>(axis)] = extent;
  return shape;
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
  Shape wanted = shape_of(x);
  int64_t group = 1, groups = 1;
  for (int axis = 0; axis < x.rank; ++axis) {
    const bool reduced = (axes >> axis & 1) != 0;
    (reduced ? group : groups) *= x.shape[axis] == 0 ? 0 : 1;
    if (reduced) wanted[static_cast<size_t>(axis)] = 1;
  }
  expect_shape(z, wanted, output_name(0), -1);
  if (TS_MUTATE("EM07", row.empty == EmptyRule::error && group == 0 && groups != 0, false))
    throw invalid("a group of no element has no result");
}

void check_matmul(const ts_call& call) {
  const ts_view &x = call.inputs[0].view, &y = call.inputs[1].view;
  if (x.rank < 2)
    throw invalid("input 0 has rank " + text(x.rank) + "; a product takes at least 2").at(0).values(x.rank, 2);
  Shape right = shape_of(x), result = shape_of(x);
  const size_t row = right.size() - 2, column = right.size() - 1;
  right[row] = x.shape[column];
  right[column] = y.rank == x.rank ? y.shape[column] : -1;
  expect_shape(y, right, input_name(1), 1);
  result[column] = y.shape[column];
  expect_shape(call.outputs[0], result, output_name(0), -1);
}

void check_topk(const ts_call& call, int64_t axis, int64_t k) {
  const ts_view& x = call.inputs[0].view;
  if (k < 0 || k > x.shape[axis])
    throw invalid("k = " + text(k) + " is outside [0, " + text(x.shape[axis]) + "]").values(k, x.shape[axis]);
  for (int i = 0; i < call.output_count; ++i)
    expect_shape(call.outputs[i], with_extent(shape_of(x), axis, k), output_name(i), -1);
}

void check_shapes(const ts_call& call, const Row& row) {
  const ts_view& z = call.outputs[0];
  const int64_t first = row.attributes.empty() ? 0 : call.attributes[0].integer;
  const auto input = [&](int k) -> const ts_view& { return call.inputs[k].view; };
  switch (row.shape) {
    case ShapeRule::one: break;
    case ShapeRule::broadcast:
      for (int k = 0; k < call.input_count; ++k) expect_shape(input(k), shape_of(z), input_name(k), k);
      break;
    case ShapeRule::same:
      for (int k = 0; k < call.output_count; ++k) expect_shape(call.outputs[k], shape_of(input(0)), output_name(k), -1);
      break;
    case ShapeRule::reduce: check_reduction(call, row, static_cast<uint64_t>(first)); break;
    case ShapeRule::arg_reduce: check_reduction(call, row, uint64_t{1} << first); break;
    case ShapeRule::topk: check_topk(call, first, call.attributes[1].integer); break;
    case ShapeRule::matmul: check_matmul(call); break;
    case ShapeRule::gather:
      expect_index_within(input(1), input(0), first, 1);
      expect_shape(z, shape_of(input(1)), output_name(0), -1);
      break;
    case ShapeRule::index_select:
      expect_vector(input(1), 1);
      expect_shape(z, with_extent(shape_of(input(0)), first, input(1).shape[0]), output_name(0), -1);
      break;
    case ShapeRule::scatter:
      expect_index_within(input(0), z, first, 0);
      expect_shape(input(1), shape_of(input(0)), input_name(1), 1);
      break;
    case ShapeRule::index_add:
      expect_vector(input(0), 0);
      expect_shape(input(1), with_extent(shape_of(z), first, input(0).shape[0]), input_name(1), 1);
      break;
  }
}

// Buffers.

int64_t count_of(const ts_view& view) {
  int64_t count = 1;
  for (int axis = 0; axis < view.rank; ++axis) count *= view.shape[axis];
  return count;
}

std::byte* resolve_view(const ts_view& view, int32_t device, const std::string& name, int operand,
                        const FindBuffer& find) {
  BufferFacts buffer{};
  if (!find(view.buffer, &buffer))
    throw invalid(name + ": buffer " + std::to_string(view.buffer) + " does not exist").at(operand);
  if (buffer.device != device)
    throw invalid(name + " lives on device " + text(buffer.device) + ", the call runs on " + text(device))
        .at(operand)
        .values(buffer.device, device);
  if (count_of(view) == 0) return buffer.data;
  Reach elements{};
  reach_of(view.rank, view.shape, view.stride, &elements);
  int64_t first = 0, last = 0, end = 0;
  const int size = itemsize(view.dtype);
  const bool fits = !__builtin_add_overflow(view.offset, elements.low, &first) &&
                    !__builtin_add_overflow(view.offset, elements.high, &last) &&
                    !__builtin_add_overflow(last, 1, &end) && !__builtin_mul_overflow(end, size, &end);
  if (!fits || first < 0 || static_cast<uint64_t>(end) > buffer.bytes)
    throw invalid(name + " reaches elements " + text(first) + " to " + text(last) + " of a buffer that holds " +
                  std::to_string(buffer.bytes / static_cast<uint64_t>(size)))
        .at(operand)
        .values(first < 0 ? first : last, static_cast<int64_t>(buffer.bytes) / size);
  return buffer.data + view.offset * size;
}

ByteView bytes_of(const ts_view& view) {
  return ByteView::of(view.offset, view.rank, view.shape, view.stride, itemsize(view.dtype));
}

bool identical(const ts_view& a, const ts_view& b) {
  if (a.offset != b.offset || itemsize(a.dtype) != itemsize(b.dtype) || a.rank != b.rank) return false;
  for (int axis = 0; axis < a.rank; ++axis)
    if (a.shape[axis] != b.shape[axis] || (a.shape[axis] > 1 && a.stride[axis] != b.stride[axis])) return false;
  return true;
}

void check_overlap(const ts_call& call, const Row& row) {
  for (int k = 0; k < call.output_count; ++k) {
    const ts_view& z = call.outputs[k];
    if (count_of(z) == 0) continue;
    const ByteView bytes = bytes_of(z);
    if (overlaps_itself(bytes)) throw invalid(output_name(k) + " writes an element twice: its strides overlap");
    for (int other = 0; other < k; ++other)
      if (call.outputs[other].buffer == z.buffer && overlap(bytes, bytes_of(call.outputs[other])))
        throw invalid(output_name(k) + " overlaps " + output_name(other));
    for (int i = 0; i < call.input_count; ++i) {
      const ts_view& x = call.inputs[i].view;
      if (x.buffer != z.buffer || count_of(x) == 0) continue;
      if (k == 0 && (row.alias >> i & 1) != 0 && identical(x, z)) continue;
      if (overlap(bytes, bytes_of(x))) throw invalid(output_name(k) + " overlaps " + input_name(i)).at(i);
    }
  }
}

void check_immediate(const ts_view& view, int k) {
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.shape[axis] > 1 && view.stride[axis] != 0)
      throw invalid(input_name(k) + " has no buffer, so it is an immediate, whose strides are 0")
          .at(k)
          .values(view.stride[axis], 0);
}

View kernel_view(const ts_view& view, std::byte* data) {
  View result{};
  result.data = data;
  result.dtype = view.dtype;
  result.rank = view.rank;
  std::copy(view.shape, view.shape + view.rank, result.shape);
  std::copy(view.stride, view.stride + view.rank, result.stride);
  return result;
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

void describe_call(const ts_call& call, const Row& row, ResolvedCall* resolved) {
  resolved->row = &row;
  for (int k = 0; k < call.output_count; ++k) resolved->outputs.push_back(kernel_view(call.outputs[k], nullptr));
  for (int k = 0; k < call.input_count; ++k)
    resolved->inputs.push_back({kernel_view(call.inputs[k].view, nullptr), call.inputs[k].bits, false});
  resolved->call = {call.op,
                    row.family,
                    call.output_count,
                    call.input_count,
                    call.attribute_count,
                    resolved->outputs.data(),
                    resolved->inputs.data(),
                    call.attributes,
                    nullptr,
                    call.workspace_bytes};
}

void resolve_call(const ts_call& call, const Row& row, uint64_t workspace_bytes, const FindBuffer& find,
                  ResolvedCall* resolved) {
  describe_call(call, row, resolved);
  for (int k = 0; k < call.output_count; ++k)
    resolved->outputs[static_cast<size_t>(k)].data =
        resolve_view(call.outputs[k], call.device, output_name(k), -1, find);
  for (int k = 0; k < call.input_count; ++k) {
    Operand& operand = resolved->inputs[static_cast<size_t>(k)];
    operand.immediate = call.inputs[k].view.buffer == 0;
    if (operand.immediate)
      check_immediate(call.inputs[k].view, k);
    else
      operand.view.data = resolve_view(call.inputs[k].view, call.device, input_name(k), k, find);
  }
  check_overlap(call, row);
  if (workspace_bytes == 0) return;
  BufferFacts workspace{};
  if (!find(call.workspace, &workspace) || workspace.device != call.device)
    throw invalid("needs a workspace of " + std::to_string(workspace_bytes) +
                  " bytes, and the call names none on its device");
  if (call.workspace_bytes < workspace_bytes || workspace.bytes < call.workspace_bytes)
    throw invalid("needs a workspace of " + std::to_string(workspace_bytes) + " bytes, not " +
                  std::to_string(std::min(call.workspace_bytes, workspace.bytes)))
        .values(static_cast<int64_t>(call.workspace_bytes), static_cast<int64_t>(workspace_bytes));
  for (int k = 0; k < call.output_count + call.input_count; ++k) {
    const ts_view& view = k < call.output_count ? call.outputs[k] : call.inputs[k - call.output_count].view;
    if (view.buffer == call.workspace) throw invalid("the workspace is also an operand");
  }
  resolved->call.workspace = workspace.data;
}

void check_range(const char* what, uint64_t byte, uint64_t bytes, uint64_t size) {
  if (byte <= size && bytes <= size - byte) return;
  throw invalid(std::string(what) + ": bytes " + std::to_string(byte) + " and the " + std::to_string(bytes) +
                " after it are not all in a buffer of " + std::to_string(size))
      .values(static_cast<int64_t>(byte), static_cast<int64_t>(size));
}

void report(ts_error* error, const ts_error& found) {
  if (error == nullptr || error->size < sizeof(uint32_t)) return;
  const uint32_t size = error->size;
  memcpy(error, &found, std::min<size_t>(size, sizeof found));
  error->size = size;
}

void report(ts_error* error, ts_status status, const std::string& message) {
  report(error, error_of(Refusal(status, message), nullptr));
}

ts_error error_of(const Refusal& refusal, const ts_call* call) {
  ts_error error{};
  error.size = sizeof error;
  error.status = refusal.status;
  error.op = error.operand = -1;
  error.element = -1;
  std::string message = refusal.what();
  if (const auto* door = dynamic_cast<const DoorError*>(&refusal)) {
    error.operand = door->operand;
    error.element = door->element;
    error.value = door->value;
    error.bound = door->bound;
  }
  if (call != nullptr && call->size >= sizeof(ts_call)) {
    error.op = call->op;
    error.serial = call->serial;
    if (const Row* row = find_row(call->op)) message = row->name + ": " + message;
  }
  snprintf(error.message, sizeof error.message, "%s", message.c_str());
  return error;
}

} // namespace ts::kernels
