// Operations that a backend does not support, computed on the host device and copied back. Nothing but byte copies is asked
// of the backend here, so that a backend which only has memory still serves the whole library.

#include "runtime/errors.h"
#include "runtime/ops/launch.h"

#include <fmt/format.h>

namespace ts::ops {

namespace {

// The bytes that a layout reaches, as a storage on the host device, and the layout within it.
struct HostCopy {
  Tensor tensor;
  uint64_t byte = 0, bytes = 0; // of the original buffer
};

HostCopy reserve(const Bound& bound) {
  const int64_t width = itemsize(bound.dtype);
  const Reach r = reach(bound.layout);
  HostCopy copy;
  copy.byte = static_cast<uint64_t>(r.low * width);
  copy.bytes = static_cast<uint64_t>((r.high - r.low + 1) * width);
  Layout layout = bound.layout;
  layout.offset -= r.low;
  copy.tensor = Tensor(std::make_shared<Storage>(host_device(), copy.bytes), layout, bound.dtype);
  return copy;
}

void transfer(DeviceRow& row, const HostCopy& copy, ts_buffer buffer, bool to_host) {
  DeviceRow& host = host_device().row();
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(copy.bytes);
  if (to_host) {
    door::copy_out(row, staging.get(), buffer, copy.byte, copy.bytes);
    door::copy_in(host, copy.tensor.storage()->buffer(), 0, staging.get(), copy.bytes);
  } else {
    door::copy_out(host, staging.get(), copy.tensor.storage()->buffer(), 0, copy.bytes);
    door::copy_in(row, buffer, copy.byte, staging.get(), copy.bytes);
  }
}

} // namespace

void fall_back(Device device, Launch& call, const char* reason) {
  const Device host = host_device();
  if (device == host) {
    throw TypeError(
        fmt::format("[backend.35] {}: not supported by device {}: {}", call.row->name, device.name(), reason));
  }
  DeviceRow& row = device.row();
  Launch copy = call;
  for (int i = 0; i < call.input_count; ++i) {
    if (call.inputs[i].immediate()) continue;
    const HostCopy input = reserve(call.inputs[i]);
    transfer(row, input, call.inputs[i].tensor.storage()->buffer(), true);
    copy.inputs[i].tensor = input.tensor;
    copy.inputs[i].layout = input.tensor.layout();
  }
  std::array<HostCopy, kOutputsMax> outputs;
  for (int i = 0; i < call.output_count; ++i) {
    outputs[i] = reserve(call.outputs[i]);
    // What lies between the elements comes back with them, and an inout operand is read.
    const bool read = (i == 0 && call.row->inout >= 0) || !is_contiguous(call.outputs[i].layout);
    if (read) transfer(row, outputs[i], call.outputs[i].tensor.storage()->buffer(), true);
    copy.outputs[i].tensor = outputs[i].tensor;
    copy.outputs[i].layout = outputs[i].tensor.layout();
  }
  launch(host, copy);
  // An index that is out of range must be known before anything is written back.
  door::synchronize(host.row());
  for (int i = 0; i < call.output_count; ++i)
    transfer(row, outputs[i], call.outputs[i].tensor.storage()->buffer(), false);
  row.count_fallback(call.row->id);
}

} // namespace ts::ops
