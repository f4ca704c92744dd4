#include "runtime/backend/layers/validate.h"

#include "runtime/base/layout.h"
#include "runtime/base/row.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace ts {

namespace {

Layout layout_of(const ts_view& view) {
  const auto rank = static_cast<size_t>(view.rank);
  return {Dims(std::span(view.shape, rank)), Dims(std::span(view.stride, rank)), view.offset};
}

int64_t width_of(const ts_view& view) { return itemsize(static_cast<DType>(view.dtype)); }

std::optional<std::string> check_dtypes(const ops::OpRow& row, const ts_call& call) {
  const auto matches = [&](const ops::Instance& instance) {
    for (int32_t i = 0; i < call.output_count; ++i)
      if (call.outputs[i].dtype != static_cast<int32_t>(instance.out[static_cast<size_t>(i)])) return false;
    for (int32_t i = 0; i < call.input_count; ++i) {
      const DType wanted = instance.in[row.operand_of_input(static_cast<size_t>(i))];
      if (call.inputs[i].view.dtype != static_cast<int32_t>(wanted)) return false;
    }
    return true;
  };
  if (std::any_of(row.instances.begin(), row.instances.end(), matches)) return std::nullopt;
  return "the dtypes are no tuple of the op's row";
}

std::optional<std::string> check_attributes(const ops::OpRow& row, const ts_call& call, int32_t rank) {
  using ops::AttributeKind;
  for (int32_t slot = 0; slot < call.attribute_count; ++slot) {
    const ops::AttributeRow& attribute = row.attributes[static_cast<size_t>(slot)];
    const ts_attribute& given = call.attributes[slot];
    bool real = attribute.kind == AttributeKind::real;
    if (attribute.kind == AttributeKind::value) {
      const ts_view& of = attribute.of_output ? call.outputs[attribute.of] : call.inputs[attribute.of].view;
      real = is_floating(static_cast<DType>(of.dtype));
    }
    if (given.kind != (real ? TS_ATTRIBUTE_REAL : TS_ATTRIBUTE_INTEGER)) {
      return fmt::format("attribute {} travels as the wrong kind, {} for {}", attribute.name, given.kind,
                         real ? "a real" : "an integer");
    }
    const bool outside = (attribute.kind == AttributeKind::axis && (given.integer < 0 || given.integer >= rank)) ||
                         (attribute.kind == AttributeKind::axes && (given.integer < 0 || given.integer >> rank != 0));
    if (outside) return fmt::format("attribute {} = {} for {} axes", attribute.name, given.integer, rank);
  }
  return std::nullopt;
}

} // namespace

uint64_t ValidateLayer::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

ts_status ValidateLayer::violation(ts_error* error, const std::string& what, int32_t op, uint64_t serial) {
  ++violations_;
  return detail::refuse(error, TS_INVALID_ARGUMENT, "validate layer: " + what, op, serial);
}

ValidateLayer::Fault ValidateLayer::check_live(ts_buffer buffer, const char* what) const {
  if (live_.contains(buffer)) return std::nullopt;
  if (released_.contains(buffer)) return fmt::format("{} uses a buffer after its release", what);
  return fmt::format("{} names a buffer that was never allocated", what);
}

ValidateLayer::Fault ValidateLayer::check_range(ts_buffer buffer, uint64_t byte, uint64_t bytes,
                                                const char* what) const {
  if (Fault fault = check_live(buffer, what)) return fault;
  const uint64_t all = live_.at(buffer).bytes;
  if (byte <= all && bytes <= all - byte) return std::nullopt;
  return fmt::format("{} covers bytes {} to {} of a buffer of {}", what, byte, byte + bytes, all);
}

ts_status ValidateLayer::allocate(int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  const std::lock_guard lock(mutex_);
  if (device < 0 || device >= inner().device_count())
    return violation(error, fmt::format("allocate on device {} of {}", device, inner().device_count()));
  const ts_status status = Layer::allocate(device, bytes, buffer, error);
  if (status != TS_OK) return status;
  live_[*buffer] = {device, bytes};
  released_.erase(*buffer);
  return status;
}

void ValidateLayer::release(ts_buffer buffer, ts_queue queue) {
  const std::lock_guard lock(mutex_);
  if (check_live(buffer, "release")) {
    ++violations_; // a release cannot be refused with a reason, but it need not reach the backend
    return;
  }
  live_.erase(buffer);
  released_.insert(buffer);
  Layer::release(buffer, queue);
}

ts_status ValidateLayer::copy_in(ts_queue queue, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes,
                                 ts_error* error) {
  const std::lock_guard lock(mutex_);
  if (const Fault fault = check_range(target, byte, bytes, "copy_in")) return violation(error, *fault);
  if (source == nullptr && bytes > 0) return violation(error, "copy_in from null");
  return Layer::copy_in(queue, target, byte, source, bytes, error);
}

ts_status ValidateLayer::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t byte, uint64_t bytes,
                                  ts_error* error) {
  const std::lock_guard lock(mutex_);
  if (const Fault fault = check_range(source, byte, bytes, "copy_out")) return violation(error, *fault);
  if (target == nullptr && bytes > 0) return violation(error, "copy_out to null");
  return Layer::copy_out(queue, target, source, byte, bytes, error);
}

ts_status ValidateLayer::copy(ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
                              ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  const std::lock_guard lock(mutex_);
  if (const Fault fault = check_range(target, target_byte, bytes, "copy's target")) return violation(error, *fault);
  if (const Fault fault = check_range(source, source_byte, bytes, "copy's source")) return violation(error, *fault);
  return Layer::copy(target_queue, target, target_byte, source_queue, source, source_byte, bytes, error);
}

ts_status ValidateLayer::map(ts_buffer buffer, void** address, ts_error* error) {
  const std::lock_guard lock(mutex_);
  if (const Fault fault = check_live(buffer, "map")) return violation(error, *fault);
  return Layer::map(buffer, address, error);
}

ts_status ValidateLayer::import(int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                                ts_buffer* buffer, ts_error* error) {
  const std::lock_guard lock(mutex_);
  const ts_status status = Layer::import(device, native, bytes, deleter, context, buffer, error);
  if (status != TS_OK) return status;
  live_[*buffer] = {device, bytes};
  released_.erase(*buffer);
  return status;
}

ts_status ValidateLayer::launch(int32_t family, const ts_call& call, ts_error* error) {
  const std::lock_guard lock(mutex_);
  Fault fault;
  try {
    fault = check_call(family, call);
  } catch (const Error& thrown) { // shape times stride beyond int64, an id that is no op
    fault = thrown.what();
  }
  if (fault) return violation(error, *fault, call.op, call.serial);
  return Layer::launch(family, call, error);
}

ValidateLayer::Fault ValidateLayer::check_call(int32_t family, const ts_call& call) {
  const ops::OpRow& row = ops::row(call.op);
  if (row.family != family) return fmt::format("{} was sent to the entry of another family", row.name);
  const auto inputs = static_cast<int32_t>(row.operands.size()) - (row.inout >= 0 ? 1 : 0);
  if (call.size < sizeof(ts_call) || call.output_count != row.output_count || call.input_count != inputs ||
      call.attribute_count != static_cast<int32_t>(row.attributes.size())) {
    return fmt::format("{} has {} outputs, {} inputs, {} attributes; got {}, {}, {}", row.name, row.output_count,
                       inputs, row.attributes.size(), call.output_count, call.input_count, call.attribute_count);
  }
  if (Fault fault = check_views(call)) return fmt::format("{}: {}", row.name, *fault);
  if (Fault fault = check_dtypes(row, call)) return fmt::format("{}: {}", row.name, *fault);
  const int32_t rank = row.inout < 0 && call.input_count > 0 ? call.inputs[0].view.rank : call.outputs[0].rank;
  if (Fault fault = check_attributes(row, call, rank)) return fmt::format("{}: {}", row.name, *fault);
  const bool broadcasts = row.family == TS_FAMILY_ELEMENTWISE || row.shape == ops::ShapeRule::broadcast_to_x;
  for (int32_t i = 0; broadcasts && i < call.input_count; ++i)
    if (layout_of(call.inputs[i].view).shape != layout_of(call.outputs[0]).shape)
      return fmt::format("{}: input {} was not broadcast to the output's shape", row.name, i);
  if (Fault fault = check_workspace(call)) return fmt::format("{}: {}", row.name, *fault);
  return std::nullopt;
}

ValidateLayer::Fault ValidateLayer::check_view(const ts_call& call, const ts_view& view,
                                               const std::string& what) const {
  if (view.rank < 0 || view.rank > TS_RANK_MAX) return fmt::format("{} has rank {}", what, view.rank);
  if (view.dtype <= 0 || view.dtype >= TS_DTYPE_COUNT) return fmt::format("{} has dtype {}", what, view.dtype);
  const Layout layout = layout_of(view);
  static_cast<void>(element_count(layout.shape));
  if (view.buffer == 0) return std::nullopt;
  if (Fault fault = check_live(view.buffer, what.c_str())) return fault;
  const Buffer& buffer = live_.at(view.buffer);
  if (buffer.device != call.device)
    return fmt::format("{} lives on device {}, the call runs on {}", what, buffer.device, call.device);
  const Reach r = reach(layout);
  const auto elements = static_cast<int64_t>(buffer.bytes) / width_of(view);
  if (r.high >= r.low && (r.low < 0 || r.high >= elements))
    return fmt::format("{} reaches positions {} to {} of a buffer of {} elements", what, r.low, r.high, elements);
  return std::nullopt;
}

ValidateLayer::Fault ValidateLayer::check_views(const ts_call& call) const {
  const ops::OpRow& row = ops::row(call.op);
  for (int32_t i = 0; i < call.input_count; ++i) {
    const ts_view& view = call.inputs[i].view;
    if (Fault fault = check_view(call, view, fmt::format("input {}", i))) return fault;
    for (int32_t axis = 0; view.buffer == 0 && axis < view.rank; ++axis)
      if (view.stride[axis] != 0) return fmt::format("input {} is an immediate with a stride", i);
  }
  for (int32_t i = 0; i < call.output_count; ++i) {
    const ts_view& view = call.outputs[i];
    if (view.buffer == 0) return fmt::format("output {} has no buffer", i);
    if (Fault fault = check_view(call, view, fmt::format("output {}", i))) return fault;
    const Layout layout = layout_of(view);
    if (self_overlaps(layout)) return fmt::format("two elements of output {} share memory", i);
    const auto meets = [&](const ts_view& other) {
      return other.buffer == view.buffer ? overlap(layout, width_of(view), layout_of(other), width_of(other))
                                         : Overlap::kNone;
    };
    for (int32_t j = 0; j < i; ++j)
      if (meets(call.outputs[j]) != Overlap::kNone) return fmt::format("outputs {} and {} share memory", j, i);
    for (int32_t j = 0; j < call.input_count; ++j) {
      const Overlap overlapping = meets(call.inputs[j].view);
      const bool allowed = overlapping == Overlap::kIdentical && i == 0 && (row.identical_inputs >> j & 1) != 0;
      if (overlapping != Overlap::kNone && !allowed) return fmt::format("output {} and input {} share memory", i, j);
    }
  }
  return std::nullopt;
}

ValidateLayer::Fault ValidateLayer::check_workspace(const ts_call& call) {
  ts_answer answer{};
  answer.size = sizeof answer;
  Layer::query(call, &answer);
  if (answer.status != TS_OK || answer.workspace_bytes == 0) return std::nullopt;
  if (call.workspace_bytes < answer.workspace_bytes) {
    return fmt::format("query asked for {} bytes of workspace, the call brings {}", answer.workspace_bytes,
                       call.workspace_bytes);
  }
  return check_range(call.workspace, 0, call.workspace_bytes, "workspace");
}

} // namespace ts
