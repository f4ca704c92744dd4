#include "runtime/ops/launch.h"

#include "runtime/errors.h"
#include "runtime/mutate.h"
#include "runtime/tensor/allocator.h"

#include <fmt/format.h>

namespace ts::ops {

namespace {

// Workspace goes back to the allocator when the call is enqueued: the next user of the block comes later in the queue.
class Workspace {
public:
  Workspace(Device device, uint64_t bytes) : device_(device) {
    if (bytes > 0) block_ = Allocator::of(device).allocate(bytes);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (block_.buffer != 0) Allocator::of(device_).release(block_);
  }
  ts_buffer buffer() const { return block_.buffer; }

private:
  Device device_;
  Block block_;
};

void describe(const Bound& bound, ts_view& view) {
  view.buffer = bound.immediate() ? 0 : bound.tensor.storage()->buffer();
  view.offset = bound.immediate() ? 0 : bound.layout.offset;
  view.rank = bound.layout.rank();
  view.dtype = static_cast<int32_t>(bound.dtype);
  std::copy(bound.layout.shape.begin(), bound.layout.shape.end(), view.shape);
  std::copy(bound.layout.strides.begin(), bound.layout.strides.end(), view.stride);
}

bool too_many_axes(const Launch& call) {
  for (int i = 0; i < call.output_count; ++i)
    if (call.outputs[i].layout.rank() > TS_RANK_MAX) return true;
  for (int i = 0; i < call.input_count; ++i)
    if (call.inputs[i].layout.rank() > TS_RANK_MAX) return true;
  return false;
}

} // namespace

// What the device does not support.
static void launch_without(Device device, Launch& call, const char* reason) {
  if (!compose(device, call)) fall_back(device, call, reason);
}

void launch(Device device, Launch& call) {
  if (too_many_axes(call)) merge_to_rank_max(call);
  DeviceRow& row = device.row();
  const ts_kernel kernel = row.backend->kernel(call.row->family);
  if (kernel == nullptr) return launch_without(device, call, "the backend has no kernels of this family");

  std::array<ts_view, kOutputsMax> outputs;
  std::array<ts_operand, kOperandsMax> inputs;
  for (int i = 0; i < call.output_count; ++i) describe(call.outputs[i], outputs[i]);
  for (int i = 0; i < call.input_count; ++i) {
    describe(call.inputs[i], inputs[i].view);
    inputs[i].bits = call.inputs[i].bits;
  }
  ts_call descriptor{};
  descriptor.size = sizeof descriptor;
  descriptor.op = call.row->id;
  descriptor.device = row.index;
  descriptor.output_count = call.output_count;
  descriptor.input_count = call.input_count;
  descriptor.attribute_count = call.attribute_count;
  descriptor.outputs = outputs.data();
  descriptor.inputs = inputs.data();
  descriptor.attributes = call.attributes.data();

  ts_answer answer;
  answer.size = sizeof answer;
  answer.status = TS_OK;
  answer.workspace_bytes = 0;
  answer.reason[0] = '\0';
  row.table().query(row.instance(), &descriptor, &answer);
  if (answer.status == TS_UNSUPPORTED) return launch_without(device, call, answer.reason);
  ts_error error = make_error();
  if (answer.status != TS_OK) {
    error.op = call.row->id;
    std::copy(std::begin(answer.reason), std::end(answer.reason), error.message);
    throw_status(*row.backend, answer.status, error);
  }
  const Workspace workspace(device, answer.workspace_bytes);
  descriptor.workspace = TS_MUTATE("AS13", workspace.buffer(), mutants::first_workspace(workspace.buffer()));
  descriptor.workspace_bytes = answer.workspace_bytes;
  ts_status status;
  {
    const std::lock_guard lock(row.queue);
    descriptor.serial = row.serial.fetch_add(1, std::memory_order_relaxed) + 1;
    status = kernel(row.instance(), &descriptor, &error);
  }
  if (status == TS_UNSUPPORTED) return launch_without(device, call, error.message);
  if (status != TS_OK) throw_status(*row.backend, status, error);
}

void merge_to_rank_max(Launch& call) {
  std::array<Layout, kOutputsMax + kOperandsMax> layouts;
  size_t count = 0;
  const size_t rank = call.groups.size();
  const auto collect = [&](const Bound& bound) {
    if (bound.layout.shape.size() == rank) layouts[count++] = bound.layout; // an index of rank 1 stays as it is
  };
  for (int i = 0; i < call.output_count; ++i) collect(call.outputs[i]);
  for (int i = 0; i < call.input_count; ++i) collect(call.inputs[i]);
  Dims groups = call.groups;
  const Dims before = groups;
  merge_axes({layouts.data(), count}, groups);
  if (groups.size() > TS_RANK_MAX) {
    throw ValueError(
        fmt::format("[layout.21] {}: {} axes are left after merging those that advance together, a view has "
                    "at most {}",
                    call.row->name, groups.size(), TS_RANK_MAX));
  }
  size_t next = 0;
  const auto put_back = [&](Bound& bound) {
    if (bound.layout.shape.size() == rank) bound.layout = layouts[next++];
  };
  for (int i = 0; i < call.output_count; ++i) put_back(call.outputs[i]);
  for (int i = 0; i < call.input_count; ++i) put_back(call.inputs[i]);
  if (call.axis_slot >= 0) { // the one axis that stands alone and is the last of the two for a matmul
    const auto alone = std::find(groups.begin(), groups.end(), kAlone) - groups.begin();
    call.attributes[static_cast<size_t>(call.axis_slot)].integer = alone;
  }
  if (call.axes_slot >= 0) {
    int64_t mask = 0;
    for (size_t axis = 0; axis < groups.size(); ++axis)
      if (groups[axis] == 1) mask |= int64_t{1} << axis;
    call.attributes[static_cast<size_t>(call.axes_slot)].integer = mask;
  }
  call.groups = groups;
}

} // namespace ts::ops
