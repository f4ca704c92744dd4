// The cpu backend's table: host memory, work done when it is called, errors kept until a queue is asked.
#include "backends/cpu/launcher.h"
#include "backends/cpu/memory.h"
#include "backends/cpu/planted.h"
#include "backends/cpu/queues.h"
#include "backends/kernels/host_door.h"
#include "backends/kernels/index_error.h"
#include "backends/kernels/table.h"

#include <algorithm>
#include <cstring>
#include <thread>

using ts::kernels::BufferFacts;
using ts::kernels::check_range;
using ts::kernels::DoorError;
using ts::kernels::guarded;

struct ts_instance {
  explicit ts_instance(int threads) : pool(threads) {}
  ts::cpu::Memory memory;
  ts::cpu::Queues queues;
  ts::cpu::Pool pool;
  ts::kernels::Census census;
};

namespace {

constexpr int kThreadsMax = 256;

void check_device(int32_t device) {
  if (device != 0)
    throw DoorError(TS_INVALID_ARGUMENT, "device " + std::to_string(device) + " does not exist").values(device, 1);
}

// Lifetime.

ts_status open(const char* options, ts_instance** self, ts_error* error) {
  return guarded(error, [&] {
    int64_t threads = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, kThreadsMax);
    for (const auto& option : ts::kernels::parse_options(options == nullptr ? "" : options)) {
      if (option.name == "threads")
        threads = ts::kernels::whole_number(option, 1, kThreadsMax);
      else if (!ts::kernels::choose_mutant(option) && !ts::cpu::choose_fault(option))
        ts::kernels::refuse_option(option, "threads=N");
    }
    *self = new ts_instance(static_cast<int>(threads));
  });
}

void close(ts_instance* self) { delete self; }

// Devices.

int32_t device_count(ts_instance*) { return 1; }

ts_status device_info(ts_instance* self, int32_t device, ts_device_info* info, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    ts_device_info found{};
    found.size = info->size;
    found.alignment = ts::cpu::kAlignment;
    found.memory_bytes = self->memory.total();
    found.flags = TS_DEVICE_HOST_MEMORY | TS_DEVICE_DETERMINISTIC;
    snprintf(found.name, sizeof found.name, "host processor");
    memcpy(info, &found, std::min<size_t>(info->size, sizeof found));
  });
}

// Memory.

ts_status allocate(ts_instance* self, int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    *buffer = self->memory.allocate(bytes);
  });
}

void release(ts_instance* self, ts_buffer buffer, ts_queue) { self->memory.release(buffer); }

ts_status copy_in(ts_instance* self, ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source,
                  uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    self->queues.check(queue);
    const BufferFacts to = self->memory.get(target);
    check_range("copy_in", target_byte, bytes, to.bytes);
    if (bytes > 0) memcpy(to.data + target_byte, source, bytes);
  });
}

ts_status copy_out(ts_instance* self, ts_queue queue, void* target, ts_buffer source, uint64_t source_byte,
                   uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    self->queues.check(queue);
    const BufferFacts from = self->memory.get(source);
    check_range("copy_out", source_byte, bytes, from.bytes);
    if (ts::cpu::planted(ts::cpu::PlantedFault::use_after_release)) self->memory.release(source);
    if (bytes > 0) memcpy(target, from.data + source_byte, bytes);
  });
}

ts_status copy(ts_instance* self, ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
               ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  return guarded(error, [&] {
    self->queues.check(target_queue);
    self->queues.check(source_queue);
    const BufferFacts to = self->memory.get(target), from = self->memory.get(source);
    check_range("copy, target", target_byte, bytes, to.bytes);
    check_range("copy, source", source_byte, bytes, from.bytes);
    if (bytes > 0) memmove(to.data + target_byte, from.data + source_byte, bytes);
  });
}

// Queues.

ts_status queue_create(ts_instance* self, int32_t device, ts_queue* queue, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    *queue = self->queues.create();
  });
}

void queue_destroy(ts_instance* self, int32_t, ts_queue queue) { self->queues.destroy(queue); }

ts_status record(ts_instance* self, int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    *event = self->queues.record(queue);
  });
}

ts_status wait(ts_instance* self, int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    self->queues.wait(queue, event);
  });
}

ts_status synchronize(ts_instance* self, int32_t device, ts_queue queue, ts_error* error) {
  ts_status status = TS_OK;
  const ts_status refused = guarded(error, [&] {
    check_device(device);
    if (const auto found = self->queues.take(queue)) {
      status = found->status;
      ts::kernels::report(error, *found);
    }
  });
  return refused != TS_OK ? refused : status;
}

// Kernels.

void query(ts_instance*, const ts_call* call, ts_answer* answer) { ts::kernels::answer_query(call, 1, answer); }

template <int32_t kFamily> ts_status kernel(ts_instance* self, const ts_call* call, ts_error* error) {
  return guarded(error, call, [&] {
    const ts::kernels::Row& row = ts::kernels::check_call(call, kFamily, 1);
    self->queues.check(call->queue);
    ts::kernels::ResolvedCall resolved;
    ts::kernels::resolve_call(
        *call, row, ts::kernels::workspace_bytes(*call, row),
        [&](ts_buffer buffer, BufferFacts* facts) { return self->memory.find(buffer, facts); }, &resolved);
    ts::cpu::Launcher launcher(self->pool, self->census);
    ts::kernels::host_family(kFamily)->run(resolved.call, launcher);
    if (launcher.fault()->element != INT64_MAX)
      self->queues.fail(call->queue, ts::kernels::index_error(call->op, call->serial, *launcher.fault()));
  });
}

// Capabilities.

ts_status map(ts_instance* self, ts_buffer buffer, void** address, ts_error* error) {
  return guarded(error, [&] { *address = self->memory.get(buffer).data; });
}

void unmap(ts_instance*, ts_buffer) {}

ts_status import(ts_instance* self, int32_t device, void* native, uint64_t bytes, void (*deleter)(void*), void* context,
                 ts_buffer* buffer, ts_error* error) {
  return guarded(error, [&] {
    check_device(device);
    *buffer = self->memory.import(native, bytes, deleter, context);
  });
}

ts_status native_handle(ts_instance* self, ts_buffer buffer, void** native, ts_error* error) {
  return map(self, buffer, native, error);
}

void census(ts_instance* self, ts_census_visitor visit, void* context, int32_t reset) {
  self->census.visit(visit, context, reset != 0);
}

ts_backend make_table() {
  ts_backend table{};
  TS_REQUIRED_ENTRIES(table, "cpu", "0.1.0");
  table.poll = synchronize;
  table.map = map;
  table.unmap = unmap;
  table.import = import;
  table.native_handle = native_handle;
  table.census = census;
  ts::kernels::fill_kernels([](auto family) -> ts_kernel { return kernel<decltype(family)::value>; }, table.kernels);
  return table;
}

} // namespace

const ts_backend* ts_backend_table(void) {
  static const ts_backend table = make_table();
  return &table;
}
