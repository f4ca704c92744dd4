// The CUDA backend's table.
#include "backends/cuda/errors.h"
#include "backends/cuda/instance.h"
#include "backends/kernels/family_door.h"
#include "backends/kernels/options.h"
#include "backends/kernels/table.h"

#include <algorithm>
#include <cstring>

using ts::cuda::CurrentDevice;
using ts::cuda::Device;
using ts::cuda::Hardware;
using ts::cuda::Queue;
using ts::kernels::BufferFacts;
using ts::kernels::check_range;
using ts::kernels::DoorError;
using ts::kernels::guarded;

struct ts_instance : ts::cuda::Instance {
  using Instance::Instance;
};

namespace {

ts::kernels::WorkspaceOf workspace_of(int32_t family) {
  const auto* found = ts::cuda::family(family);
  return found == nullptr ? nullptr : found->workspace;
}

// Lifetime.

bool switched(const ts::kernels::Option& option) {
  if (option.value != "on" && option.value != "off")
    throw DoorError(TS_INVALID_ARGUMENT, "option '" + option.name + "' is on or off, not '" + option.value + "'");
  return option.value == "on";
}

cudaStream_t stream_of(const ts::kernels::Option& option) {
  return reinterpret_cast<cudaStream_t>(
      ts::kernels::whole_number(option, 0, INT64_MAX)); // NOLINT(performance-no-int-to-ptr)
}

ts_status open(const char* options, ts_instance** self, ts_error* error) {
  return guarded(error, [&] {
    ts::cuda::Settings settings;
    for (const auto& option : ts::kernels::parse_options(options == nullptr ? "" : options)) {
      if (option.name == "blocking")
        settings.blocking = switched(option);
      else if (option.name == "vendor")
        settings.vendor = switched(option);
      else if (option.name == "stream")
        settings.stream = stream_of(option);
      else
        ts::kernels::refuse_option(option, "blocking=on|off, vendor=on|off, stream=N");
    }
    *self = new ts_instance(settings);
  });
}

void close(ts_instance* self) { delete self; }

// Devices.

int32_t device_count(ts_instance*) { return Hardware::get().devices; }

ts_status device_info(ts_instance* self, int32_t index, ts_device_info* info, ts_error* error) {
  return guarded(error, [&] {
    const Device& device = self->device(index);
    ts_device_info found{};
    found.size = info->size;
    found.alignment = ts::cuda::kAlignment;
    found.memory_bytes = device.memory_bytes();
    snprintf(found.name, sizeof found.name, "%s", device.name().c_str());
    memcpy(info, &found, std::min<size_t>(info->size, sizeof found));
  });
}

// Memory.

ts_status allocate(ts_instance* self, int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  return guarded(error, [&] { *buffer = self->allocate(device, bytes); });
}

void release(ts_instance* self, ts_buffer buffer, ts_queue queue) {
  guarded(nullptr, [&] { self->release(buffer, queue); });
}

ts_status copy_in(ts_instance* self, ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source,
                  uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    const BufferFacts to = self->get(target);
    check_range("copy_in", target_byte, bytes, to.bytes);
    Device& device = self->device(to.device);
    const Queue& turn = device.queue(queue);
    const CurrentDevice current(to.device);
    device.staging().copy_in(turn.stream(), to.data + target_byte, static_cast<const std::byte*>(source), bytes);
  });
}

ts_status copy_out(ts_instance* self, ts_queue queue, void* target, ts_buffer source, uint64_t source_byte,
                   uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    const BufferFacts from = self->get(source);
    check_range("copy_out", source_byte, bytes, from.bytes);
    const Queue& turn = self->device(from.device).queue(queue);
    if (bytes == 0) return;
    const CurrentDevice current(from.device);
    TS_CUDA(cudaMemcpyAsync(target, from.data + source_byte, bytes, cudaMemcpyDeviceToHost, turn.stream()));
  });
}

// Between two buffers of one device; ranges that overlap go through memory of their own.
void copy_within(Device& device, const Queue& turn, std::byte* to, const std::byte* from, uint64_t bytes) {
  const bool apart = to + bytes <= from || from + bytes <= to;
  if (apart) {
    TS_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, turn.stream()));
    return;
  }
  ts::cuda::Temporary between(device.memory(), device.allocate(bytes), turn.stream());
  TS_CUDA(cudaMemcpyAsync(between.data(), from, bytes, cudaMemcpyDeviceToDevice, turn.stream()));
  TS_CUDA(cudaMemcpyAsync(to, between.data(), bytes, cudaMemcpyDeviceToDevice, turn.stream()));
  between.release();
}

ts_status copy(ts_instance* self, ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
               ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    const BufferFacts to = self->get(target), from = self->get(source);
    check_range("copy, target", target_byte, bytes, to.bytes);
    check_range("copy, source", source_byte, bytes, from.bytes);
    Device& device = self->device(to.device);
    const Queue& writes = device.queue(target_queue);
    const Queue& reads = self->device(from.device).queue(source_queue);
    if (bytes == 0) return;
    if (&writes != &reads) {
      const CurrentDevice current(from.device);
      self->events().wait(writes.stream(), self->events().record(from.device, reads.stream()));
    }
    const CurrentDevice current(to.device);
    if (to.device == from.device)
      copy_within(device, writes, to.data + target_byte, from.data + source_byte, bytes);
    else
      TS_CUDA(cudaMemcpyPeerAsync(to.data + target_byte, to.device, from.data + source_byte, from.device, bytes,
                                  writes.stream()));
    if (&writes == &reads) return;
    try {
      self->events().wait(reads.stream(), self->events().record(to.device, writes.stream()));
    } catch (const ts::cuda::CudaError&) {
      cudaStreamSynchronize(writes.stream()); // what follows in the source's queue cannot come too early
      throw;
    }
  });
}

// Queues.

ts_status queue_create(ts_instance* self, int32_t device, ts_queue* queue, ts_error* error) {
  return guarded(error, [&] { *queue = self->device(device).create_queue(); });
}

void queue_destroy(ts_instance* self, int32_t device, ts_queue queue) {
  guarded(nullptr, [&] { self->device(device).destroy_queue(queue); });
}

ts_status record(ts_instance* self, int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  return guarded(error, [&] {
    const Queue& turn = self->device(device).queue(queue);
    const CurrentDevice current(device);
    *event = self->events().record(device, turn.stream());
  });
}

ts_status wait(ts_instance* self, int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  return guarded(error, [&] {
    const Queue& turn = self->device(device).queue(queue);
    const CurrentDevice current(device);
    self->events().wait(turn.stream(), event);
  });
}

template <class Ask> ts_status surface(ts_instance* self, int32_t device, ts_queue queue, ts_error* error, Ask ask) {
  ts_status status = TS_OK;
  const ts_status refused = guarded(error, [&] {
    Queue& turn = self->device(device).queue(queue);
    const CurrentDevice current(device);
    if (const std::optional<ts_error> found = ask(turn)) {
      status = found->status;
      ts::kernels::report(error, *found);
    }
  });
  return refused != TS_OK ? refused : status;
}

ts_status synchronize(ts_instance* self, int32_t device, ts_queue queue, ts_error* error) {
  return surface(self, device, queue, error, [](Queue& turn) { return turn.synchronize(); });
}

ts_status poll(ts_instance* self, int32_t device, ts_queue queue, ts_error* error) {
  return surface(self, device, queue, error, [](Queue& turn) { return turn.poll(); });
}

// Kernels.

void query(ts_instance*, const ts_call* call, ts_answer* answer) {
  ts::kernels::answer_query(call, Hardware::get().devices, answer, workspace_of);
}

template <int32_t kFamily> ts_status kernel(ts_instance* self, const ts_call* call, ts_error* error) {
  return guarded(error, call, [&] {
    const ts::kernels::Row& row = ts::kernels::check_call(call, kFamily, Hardware::get().devices, workspace_of);
    Queue& turn = self->device(call->device).queue(call->queue);
    ts::kernels::ResolvedCall resolved;
    ts::kernels::resolve_call(
        *call, row, ts::kernels::workspace_bytes(*call, row, workspace_of),
        [self](ts_buffer buffer, BufferFacts* facts) { return self->find(buffer, facts); }, &resolved);
    const CurrentDevice current(call->device);
    ts::cuda::Launcher launcher(turn, self->census(), self->settings(), *call);
    ts::cuda::family(kFamily)->run(resolved.call, launcher);
  });
}

// Capabilities.

ts_status native_handle(ts_instance* self, ts_buffer buffer, void** native, ts_error* error) {
  return guarded(error, [&] { *native = self->get(buffer).data; });
}

void census(ts_instance* self, ts_census_visitor visit, void* context, int32_t reset) {
  self->census().visit(visit, context, reset != 0);
}

ts_backend make_table() {
  ts_backend table{};
  TS_REQUIRED_ENTRIES(table, "cuda", "0.1.0");
  table.poll = poll;
  table.native_handle = native_handle;
  table.census = census;
  ts::kernels::fill_kernels([](auto family) -> ts_kernel { return kernel<decltype(family)::value>; }, table.kernels,
                            workspace_of);
  return table;
}

} // namespace

const ts_backend* ts_backend_table(void) {
  static const ts_backend table = make_table();
  return &table;
}
