// The emulator's table: a device whose memory the host cannot reach and whose queues wait.
#include "backends/emulator/checked/library.h"
#include "backends/emulator/device.h"
#include "backends/kernels/host_door.h"
#include "backends/kernels/table.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using ts::emulator::Device;
using ts::emulator::Settings;
using ts::kernels::DoorError;
using ts::kernels::guarded;

struct ts_instance {
  std::mutex mutex;
  Settings settings;
  ts::kernels::Census census;
  std::vector<std::unique_ptr<Device>> devices;
  ts_buffer next_buffer = 1;
  std::vector<std::pair<int32_t, ts_event>> events; ///< device and its own event, by the door's event - 1

  Device& device(int32_t index) {
    if (index < 0 || index >= static_cast<int32_t>(devices.size()))
      throw DoorError(TS_INVALID_ARGUMENT, "device " + std::to_string(index) + " does not exist")
          .values(index, static_cast<int64_t>(devices.size()));
    return *devices[static_cast<size_t>(index)];
  }
  /// The device a buffer lives on; throws where there is no such buffer.
  Device& owner(ts_buffer buffer) {
    ts::kernels::BufferFacts facts{};
    for (const auto& device : devices)
      if (device->find(buffer, &facts)) return *device;
    throw DoorError(TS_INVALID_ARGUMENT, "buffer " + std::to_string(buffer) + " does not exist");
  }
};

namespace {

// Runs the body of an entry with the instance locked.
template <class Body> ts_status entry(ts_instance* self, ts_error* error, Body&& body) {
  const std::lock_guard<std::mutex> lock(self->mutex);
  return guarded(error, std::forward<Body>(body));
}

// Lifetime.

ts_status open(const char* options, ts_instance** self, ts_error* error) {
  return guarded(error, [&] {
    auto instance = std::make_unique<ts_instance>();
    Settings& settings = instance->settings;
    for (const auto& option : ts::kernels::parse_options(options == nullptr ? "" : options))
      if (!apply(option, &settings) && !ts::kernels::choose_mutant(option))
        ts::kernels::refuse_option(option, ts::emulator::known_options());
    check_settings(settings);
    if (settings.check.memory && settings.check.page.empty())
      throw DoorError(TS_INVALID_ARGUMENT, "option 'check=memory' needs 'page=FILE', to which it adds what it finds");
    // Whatever watches kernels runs those that were compiled for it.
    settings.families =
        settings.check.any() ? ts::emulator::checked::instrumented_kernels().families : ts::kernels::host_family;
    for (int k = 0; k < instance->settings.devices; ++k)
      instance->devices.push_back(std::make_unique<Device>(k, instance->settings, instance->census));
    *self = instance.release();
  });
}

void close(ts_instance* self) { delete self; }

// Devices.

int32_t device_count(ts_instance* self) { return self->settings.devices; }

ts_status device_info(ts_instance* self, int32_t device, ts_device_info* info, ts_error* error) {
  return entry(self, error, [&] {
    ts_device_info found{};
    found.size = info->size;
    found.alignment = ts::emulator::kAlignment;
    found.memory_bytes = self->device(device).memory().size();
    found.flags = TS_DEVICE_DETERMINISTIC;
    snprintf(found.name, sizeof found.name, "emulated %s", self->settings.profile->name);
    memcpy(info, &found, std::min<size_t>(info->size, sizeof found));
  });
}

// Memory.

ts_status allocate(ts_instance* self, int32_t device, uint64_t bytes, ts_buffer* buffer, ts_error* error) {
  return entry(self, error, [&] {
    self->device(device).allocate(self->next_buffer, bytes);
    *buffer = self->next_buffer++;
  });
}

void release(ts_instance* self, ts_buffer buffer, ts_queue queue) {
  if (buffer != 0) entry(self, nullptr, [&] { self->owner(buffer).release(buffer, queue); });
}

ts_status copy_in(ts_instance* self, ts_queue queue, ts_buffer target, uint64_t target_byte, const void* source,
                  uint64_t bytes, ts_error* error) {
  return entry(self, error, [&] { self->owner(target).copy_in(queue, target, target_byte, source, bytes); });
}

ts_status copy_out(ts_instance* self, ts_queue queue, void* target, ts_buffer source, uint64_t source_byte,
                   uint64_t bytes, ts_error* error) {
  return entry(self, error, [&] { self->owner(source).copy_out(queue, target, source, source_byte, bytes); });
}

ts_status copy(ts_instance* self, ts_queue target_queue, ts_buffer target, uint64_t target_byte, ts_queue source_queue,
               ts_buffer source, uint64_t source_byte, uint64_t bytes, ts_error* error) {
  return entry(self, error, [&] {
    ts::emulator::copy_between(self->owner(target), target_queue, target, target_byte, self->owner(source),
                               source_queue, source, source_byte, bytes);
  });
}

// Queues.

ts_status queue_create(ts_instance* self, int32_t device, ts_queue* queue, ts_error* error) {
  return entry(self, error, [&] { *queue = self->device(device).queues().create(); });
}

void queue_destroy(ts_instance* self, int32_t device, ts_queue queue) {
  entry(self, nullptr, [&] { self->device(device).queues().destroy(queue); });
}

ts_status record(ts_instance* self, int32_t device, ts_queue queue, ts_event* event, ts_error* error) {
  return entry(self, error, [&] {
    self->events.emplace_back(device, self->device(device).queues().record(queue));
    *event = self->events.size();
  });
}

ts_status wait(ts_instance* self, int32_t device, ts_queue queue, ts_event event, ts_error* error) {
  return entry(self, error, [&] {
    if (event == 0 || event > self->events.size())
      throw DoorError(TS_INVALID_ARGUMENT, "event " + std::to_string(event) + " does not exist");
    const auto [other, awaited] = self->events[event - 1];
    Device& from = self->device(other);
    self->device(device).queues().push(queue, [&from, awaited = awaited]() -> std::optional<ts_error> {
      from.queues().reach(awaited);
      return std::nullopt;
    });
  });
}

ts_status synchronize(ts_instance* self, int32_t device, ts_queue queue, ts_error* error) {
  ts_status status = TS_OK;
  const ts_status refused = entry(self, error, [&] {
    ts::emulator::Queues& queues = self->device(device).queues();
    queues.drain(queue);
    if (const auto found = queues.get(queue).take_error()) {
      status = found->status;
      ts::kernels::report(error, *found);
    }
  });
  return refused != TS_OK ? refused : status;
}

// Kernels.

void query(ts_instance* self, const ts_call* call, ts_answer* answer) {
  ts::kernels::answer_query(call, self->settings.devices, answer);
}

template <int32_t kFamily> ts_status kernel(ts_instance* self, const ts_call* call, ts_error* error) {
  const std::lock_guard<std::mutex> lock(self->mutex);
  return guarded(error, call, [&] {
    const ts::kernels::Row& row = ts::kernels::check_call(call, kFamily, self->settings.devices);
    self->device(call->device).run(*call, row);
  });
}

// Capabilities.

ts_status native_handle(ts_instance* self, ts_buffer buffer, void** native, ts_error* error) {
  return entry(self, error, [&] { *native = self->owner(buffer).get(buffer).data; });
}

void census(ts_instance* self, ts_census_visitor visit, void* context, int32_t reset) {
  self->census.visit(visit, context, reset != 0);
}

ts_backend make_table() {
  ts_backend table{};
  TS_REQUIRED_ENTRIES(table, "emulator", "0.1.0");
  table.poll = synchronize;
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
