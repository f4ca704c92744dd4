// A call against its buffers: they exist, hold every element, do not overlap against the rules; and their addresses.
#include "backends/kernels/door_parts.h"
#include "backends/kernels/overlap.h"

namespace ts::kernels {

using namespace door;

namespace {

int64_t count_of(const ts_view& view) {
  int64_t count = 1;
  for (int axis = 0; axis < view.rank; ++axis) count *= view.shape[axis];
  return count;
}

std::byte* resolve_view(const ts_view& view, int32_t device, const OperandName& name, const FindBuffer& find) {
  BufferFacts buffer{};
  if (!find(view.buffer, &buffer))
    throw invalid(name + ": buffer " + text(view.buffer) + " does not exist").at(name.number());
  if (buffer.device != device)
    throw invalid(name + " lives on device " + text(buffer.device) + ", the call runs on " + text(device))
        .at(name.number())
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
                  text(buffer.bytes / static_cast<uint64_t>(size)))
        .at(name.number())
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
    if (overlaps_itself(bytes)) throw invalid(output(k) + " writes an element twice: its strides overlap");
    for (int other = 0; other < k; ++other)
      if (call.outputs[other].buffer == z.buffer && overlap(bytes, bytes_of(call.outputs[other])))
        throw invalid(output(k) + " overlaps " + output(other));
    for (int i = 0; i < call.input_count; ++i) {
      const ts_view& x = call.inputs[i].view;
      if (x.buffer != z.buffer || count_of(x) == 0) continue;
      if (k == 0 && (row.alias >> i & 1) != 0 && identical(x, z)) continue;
      if (overlap(bytes, bytes_of(x))) throw invalid(output(k) + " overlaps " + input(i)).at(i);
    }
  }
}

void check_immediate(const ts_view& view, int k) {
  for (int axis = 0; axis < view.rank; ++axis)
    if (view.shape[axis] > 1 && view.stride[axis] != 0)
      throw invalid(input(k) + " has no buffer, so it is an immediate, whose strides are 0")
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
    resolved->outputs[static_cast<size_t>(k)].data = resolve_view(call.outputs[k], call.device, output(k), find);
  for (int k = 0; k < call.input_count; ++k) {
    Operand& operand = resolved->inputs[static_cast<size_t>(k)];
    operand.immediate = call.inputs[k].view.buffer == 0;
    if (operand.immediate)
      check_immediate(call.inputs[k].view, k);
    else
      operand.view.data = resolve_view(call.inputs[k].view, call.device, input(k), find);
  }
  check_overlap(call, row);
  if (workspace_bytes == 0) return;
  BufferFacts workspace{};
  if (!find(call.workspace, &workspace) || workspace.device != call.device)
    throw invalid("needs a workspace of " + text(workspace_bytes) + " bytes, and the call names none on its device");
  if (call.workspace_bytes < workspace_bytes || workspace.bytes < call.workspace_bytes)
    throw invalid("needs a workspace of " + text(workspace_bytes) + " bytes, not " +
                  text(std::min(call.workspace_bytes, workspace.bytes)))
        .values(static_cast<int64_t>(call.workspace_bytes), static_cast<int64_t>(workspace_bytes));
  for (int k = 0; k < call.output_count + call.input_count; ++k) {
    const ts_view& view = k < call.output_count ? call.outputs[k] : call.inputs[k - call.output_count].view;
    if (view.buffer == call.workspace) throw invalid("the workspace is also an operand");
  }
  resolved->call.workspace = workspace.data;
}

void check_range(const char* what, uint64_t byte, uint64_t bytes, uint64_t size) {
  if (byte <= size && bytes <= size - byte) return;
  throw invalid(std::string(what) + ": bytes " + text(byte) + " and the " + text(bytes) +
                " after it are not all in a buffer of " + text(size))
      .values(static_cast<int64_t>(byte), static_cast<int64_t>(size));
}

} // namespace ts::kernels
