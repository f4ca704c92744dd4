#include "backends/emulator/device.h"

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
    : index_(index), settings_(settings), census_(census), memory_(settings.memory_bytes) {}

void Device::allocate(ts_buffer handle, uint64_t bytes) {
  std::byte* data = memory_.allocate(bytes);
  if (data == nullptr && bytes <= memory_.size()) {
    queues_.drain_all(); // releases may wait there
    data = memory_.allocate(bytes);
    if (data == nullptr && memory_.flush_quarantine() > 0) data = memory_.allocate(bytes);
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
  std::string what = memory_.guard_damage(found->second.data);
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
    return std::nullopt;
  });
  if (one_queue) return;
  const ts_event copied = to.queues().record(target_queue);
  from.queues().push(source_queue, [&to, copied]() -> std::optional<ts_error> {
    to.queues().reach(copied);
    return std::nullopt;
  });
}

std::optional<ts_error> Device::damage(const ts_call& call, const std::vector<ts_buffer>& buffers,
                                       const Recorder& program) {
  if (!program.damage().empty()) return device_error(&call, program.damage());
  for (const ts_buffer handle : buffers) {
    const std::string what = memory_.guard_damage(buffers_.at(handle).data);
    if (!what.empty()) return device_error(&call, what);
  }
  return std::nullopt;
}

void Device::run(const ts_call& call, const kernels::Row& row) {
  queues_.get(call.queue);
  kernels::ResolvedCall resolved;
  kernels::resolve_call(
      call, row, kernels::workspace_bytes(call, row),
      [this](ts_buffer buffer, BufferFacts* facts) { return find(buffer, facts); }, &resolved);
  auto program = std::make_shared<Recorder>(*settings_.profile, memory_);
  kernels::host_family(row.family)->run(resolved.call, *program);

  std::vector<ts_buffer> buffers;
  for (int k = 0; k < call.output_count; ++k) buffers.push_back(call.outputs[k].buffer);
  for (int k = 0; k < call.input_count; ++k)
    if (call.inputs[k].view.buffer != 0) buffers.push_back(call.inputs[k].view.buffer);
  ts_call named{}; // what an error names; the arrays are gone by then
  named.size = sizeof named;
  named.op = call.op;
  named.serial = call.serial;
  queues_.push(call.queue, [this, program, buffers, named]() -> std::optional<ts_error> {
    for (const ts_buffer handle : buffers)
      if (reach(handle) == nullptr)
        return device_error(&named, "buffer " + std::to_string(handle) + " was released before the call's turn");
    program->run(settings_.schedule, census_);
    if (const auto found = damage(named, buffers, *program)) return found;
    const kernels::IndexFault* fault = program->found_fault();
    if (fault != nullptr && fault->element != INT64_MAX) return kernels::index_error(named.op, named.serial, *fault);
    return std::nullopt;
  });
}

} // namespace ts::emulator
