#include "backends/emulator/device.h"

#include "backends/emulator/checked/checker.h"
#include "backends/kernels/host_door.h"
#include "backends/kernels/index_error.h"

#include <cstring>
#include <utility>

namespace ts::emulator {

using kernels::BufferFacts;
using kernels::DoorError;

namespace {

ts_error device_error(const ts_call* call, const std::string& what) {
  return kernels::error_of(DoorError(TS_DEVICE_ERROR, what), call);
}

} // namespace

Device::Device(int32_t index, const Settings& settings, kernels::Census& census)
    : index_(index), settings_(settings), census_(census), memory_(settings.memory_bytes) {
  if (!settings.check.any()) return;
  observer_ = checked::make_observer(settings.check, memory_);
  memory_.observe(observer_.get());
}

void Device::allocate(ts_buffer handle, uint64_t bytes) {
  std::byte* data = memory_.allocate(bytes);
  if (data == nullptr && bytes <= memory_.size()) {
    queues_.drain_all(); // releases may wait there
    data = memory_.allocate(bytes);
  }
  if (data == nullptr)
    throw DoorError(TS_OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes")
        .values(static_cast<int64_t>(bytes), static_cast<int64_t>(memory_.size()));
  buffers_.emplace(handle, Buffer{data, bytes, false});
}

bool Device::find(ts_buffer handle, BufferFacts* facts) const {
  const auto found = buffers_.find(handle);
  if (found == buffers_.end() || found->second.released) return false;
  *facts = {found->second.data, found->second.bytes, index_};
  return true;
}

BufferFacts Device::get(ts_buffer handle) const {
  BufferFacts facts{};
  if (!find(handle, &facts))
    throw DoorError(TS_INVALID_ARGUMENT, "buffer " + std::to_string(handle) + " does not exist");
  return facts;
}

std::byte* Device::reach(ts_buffer handle) const {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : memory_.reach(found->second.data);
}

ts_error Device::gone(ts_buffer handle, const char* what) const {
  return device_error(nullptr, std::string(what) + ": buffer " + std::to_string(handle) +
                                   " was released before its queue got here");
}

void Device::release(ts_buffer handle, ts_queue queue) {
  const auto found = buffers_.find(handle);
  if (found == buffers_.end() || found->second.released) return;
  queues_.push(queue, [this, handle] { return end(handle); });
  found->second.released = true;
}

std::optional<ts_error> Device::end(ts_buffer handle) {
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return std::nullopt;
  std::string what = memory_.take_guard_damage(found->second.data);
  memory_.release(found->second.data);
  buffers_.erase(found);
  if (what.empty()) what = memory_.take_damage();
  if (what.empty()) return std::nullopt;
  return device_error(nullptr, what);
}

void Device::copy_in(ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source, uint64_t bytes) {
  kernels::check_range("copy_in", target_byte, bytes, get(target).bytes);
  const auto* first = static_cast<const std::byte*>(source);
  queues_.push(
      queue,
      [this, target, target_byte, data = std::vector<std::byte>(first, first + bytes)]() -> std::optional<ts_error> {
        std::byte* to = reach(target);
        if (to == nullptr) return gone(target, "copy_in");
        if (!data.empty()) memcpy(to + target_byte, data.data(), data.size());
        if (observer_ != nullptr) observer_->written(to + target_byte, data.size());
        return std::nullopt;
      },
      bytes);
}

void Device::copy_out(ts_queue queue, void* target, ts_buffer source, uint64_t source_byte, uint64_t bytes) {
  kernels::check_range("copy_out", source_byte, bytes, get(source).bytes);
  queues_.push(queue, [this, target, source, source_byte, bytes]() -> std::optional<ts_error> {
    const std::byte* from = reach(source);
    if (from == nullptr) return gone(source, "copy_out");
    if (bytes > 0) memcpy(target, from + source_byte, bytes);
    return std::nullopt;
  });
}

void copy_between(Device& to, ts_queue target_queue, ts_buffer target, uint64_t target_byte, Device& from,
                  ts_queue source_queue, ts_buffer source, uint64_t source_byte, uint64_t bytes) {
  kernels::check_range("copy, target", target_byte, bytes, to.get(target).bytes);
  kernels::check_range("copy, source", source_byte, bytes, from.get(source).bytes);
  to.queues().get(target_queue);
  const bool one_queue = &to == &from && target_queue == source_queue;
  const ts_event written = one_queue ? 0 : from.queues().record(source_queue);
  to.queues().push(target_queue, [=, &to, &from]() -> std::optional<ts_error> {
    if (written != 0) from.queues().reach(written);
    std::byte* into = to.reach(target);
    const std::byte* out_of = from.reach(source);
    if (into == nullptr) return to.gone(target, "copy");
    if (out_of == nullptr) return from.gone(source, "copy");
    if (bytes > 0) memmove(into + target_byte, out_of + source_byte, bytes);
    to.note_copy(from, into + target_byte, out_of + source_byte, bytes);
    return std::nullopt;
  });
  if (one_queue) return;
  const ts_event copied = to.queues().record(target_queue);
  from.queues().push(source_queue, [&to, copied]() -> std::optional<ts_error> {
    to.queues().reach(copied);
    return std::nullopt;
  });
}

void Device::note_copy(const Device& from, const std::byte* data, const std::byte* source, uint64_t bytes) {
  if (observer_ == nullptr) return;
  if (&from == this)
    observer_->copied(data, source, bytes);
  else
    observer_->written(data, bytes);
}

std::optional<ts_error> Device::finding(const ts_call& call) {
  if (observer_ == nullptr) return std::nullopt;
  const std::string what = observer_->take_finding();
  if (what.empty()) return std::nullopt;
  return device_error(&call, what);
}

std::optional<ts_error> Device::damage(const ts_call& call, const std::vector<ts_buffer>& buffers,
                                       const Recorder& program) {
  if (!program.damage().empty()) return device_error(&call, program.damage());
  for (const ts_buffer handle : buffers) {
    const std::string what = memory_.take_guard_damage(buffers_.at(handle).data);
    if (!what.empty()) return device_error(&call, what);
  }
  return std::nullopt;
}

std::vector<OperandFacts> Device::operands_of(const ts_call& call, const kernels::ResolvedCall& resolved,
                                              const kernels::Row& row) const {
  std::vector<OperandFacts> operands;
  const bool reads_output = row.family == TS_FAMILY_SCATTER; // its first output is the operand that it changes
  for (size_t k = 0; k < resolved.outputs.size(); ++k)
    operands.push_back({"output " + std::to_string(k), reads_output && k == 0 ? Role::inout : Role::out,
                        resolved.outputs[k], buffers_.at(call.outputs[k].buffer).data});
  for (size_t k = 0; k < resolved.inputs.size(); ++k) {
    if (resolved.inputs[k].immediate) continue;
    operands.push_back({"input " + std::to_string(k), Role::in, resolved.inputs[k].view,
                        buffers_.at(call.inputs[k].view.buffer).data});
  }
  if (resolved.call.workspace != nullptr) {
    kernels::View bytes{resolved.call.workspace, TS_DTYPE_U8, 1, {}, {}};
    bytes.shape[0] = static_cast<int64_t>(resolved.call.workspace_bytes);
    bytes.stride[0] = 1;
    operands.push_back({"workspace", Role::workspace, bytes, resolved.call.workspace});
  }
  return operands;
}

void Device::run(const ts_call& call, const kernels::Row& row) {
  queues_.get(call.queue);
  kernels::ResolvedCall resolved;
  kernels::resolve_call(
      call, row, kernels::workspace_bytes(call, row),
      [this](ts_buffer buffer, BufferFacts* facts) { return find(buffer, facts); }, &resolved);
  auto program = std::make_shared<Recorder>(*settings_.profile, memory_);
  settings_.families(row.family)->run(resolved.call, *program);

  std::vector<ts_buffer> buffers;
  buffers.reserve(static_cast<size_t>(call.output_count) + static_cast<size_t>(call.input_count));
  for (int k = 0; k < call.output_count; ++k) buffers.push_back(call.outputs[k].buffer);
  for (int k = 0; k < call.input_count; ++k)
    if (call.inputs[k].view.buffer != 0) buffers.push_back(call.inputs[k].view.buffer);
  std::vector<OperandFacts> operands;
  if (observer_ != nullptr) operands = operands_of(call, resolved, row);
  ts_call named{}; // what an error names; the arrays are gone by then
  named.size = sizeof named;
  named.op = call.op;
  named.serial = call.serial;
  queues_.push(call.queue, [this, program, buffers, named, operands]() -> std::optional<ts_error> {
    try {
      return run_program(named, buffers, *program, operands);
    } catch (const kernels::Refusal& refusal) {
      return kernels::error_of(refusal, &named);
    }
  });
}

std::optional<ts_error> Device::run_program(const ts_call& named, const std::vector<ts_buffer>& buffers,
                                            Recorder& program, std::vector<OperandFacts> operands) {
  for (const ts_buffer handle : buffers)
    if (reach(handle) == nullptr)
      return device_error(&named, "buffer " + std::to_string(handle) + " was released before the call's turn");
  for (OperandFacts& operand : operands) {
    operand.view.data = memory_.reach(operand.view.data);
    operand.buffer = memory_.reach(operand.buffer);
  }
  if (observer_ != nullptr) observer_->begin_call(operands);
  program.run(settings_.schedule, census_);
  const kernels::IndexFault* fault = program.found_fault();
  const bool complete = fault == nullptr || fault->element == INT64_MAX;
  if (observer_ != nullptr) observer_->end_call(complete);
  if (const auto found = finding(named)) return found;
  if (const auto found = damage(named, buffers, program)) return found;
  return complete ? std::nullopt : std::optional(kernels::index_error(named.op, named.serial, *fault));
}

} // namespace ts::emulator
