#include "runtime/backend/device.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace ts {

namespace {

// Never destroyed: storage of static tensors is released after main returns.
struct Devices {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Backend>, std::less<>> opened; // by name and options
  std::map<std::pair<const Backend*, int32_t>, std::unique_ptr<DeviceRow>> rows;
  std::map<std::string, DeviceRow*, std::less<>> by_text; // what callers wrote, so that a name costs one look-up
  std::atomic<DeviceRow*> chosen{nullptr};
};

Devices& devices() {
  static auto* all = new Devices;
  return *all;
}

std::optional<int32_t> parse_index(std::string_view text) {
  int32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

DeviceRow* row_of(Devices& all, const std::shared_ptr<Backend>& backend, int32_t index) {
  std::unique_ptr<DeviceRow>& slot = all.rows[{backend.get(), index}];
  if (slot) return slot.get();
  const int32_t count = backend->device_count();
  if (index < 0 || index >= count) {
    all.rows.erase({backend.get(), index});
    if (count == 0) {
      throw DeviceError(
          fmt::format("[backend.7] {}: no such device is present: {}", backend->name(), absence_of(*backend)));
    }
    throw DeviceError(fmt::format("[backend.15] {}:{}: index out of range, there {} {} device{}", backend->name(),
                                  index, count == 1 ? "is" : "are", count, count == 1 ? "" : "s"));
  }
  auto row = std::make_unique<DeviceRow>();
  row->backend = backend;
  row->index = index;
  row->name = index == 0 ? backend->name() : fmt::format("{}:{}", backend->name(), index);
  row->info.size = sizeof row->info;
  ts_error error = make_error();
  const ts_status status = backend->table().device_info(backend->instance(), index, &row->info, &error);
  if (status != TS_OK) throw_status(*backend, status, error);
  slot = std::move(row);
  return slot.get();
}

DeviceRow* parse(std::string_view text) {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.by_text.find(text); known != all.by_text.end()) return known->second;
  // The part after the last colon is an index where it is a number, else it belongs to the options.
  const size_t colon = text.rfind(':');
  const std::optional<int32_t> index =
      colon == std::string_view::npos ? std::nullopt : parse_index(text.substr(colon + 1));
  const std::string backend(index ? text.substr(0, colon) : text);
  auto opened = all.opened.find(backend);
  if (opened == all.opened.end()) {
    try {
      opened = all.opened.emplace(backend, open_backend(backend)).first;
    } catch (const BackendError& error) {
      throw DeviceError(fmt::format("[backend.51] device '{}': {}", text, error.what()));
    }
  }
  DeviceRow* row = row_of(all, opened->second, index.value_or(0));
  all.by_text.emplace(text, row);
  return row;
}

} // namespace

Device::Device() : row_(default_device().row_) {}
Device::Device(std::string_view text) : row_(parse(text)) {}

Device Device::of(const std::shared_ptr<Backend>& backend, int32_t index) {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  return Device(row_of(all, backend, index));
}

TransferCounts Device::transfers() const { return {row_->to_device_bytes, row_->to_host_bytes, row_->between_bytes}; }

std::map<int32_t, uint64_t> Device::fallbacks() const {
  const std::lock_guard lock(row_->fallback_mutex);
  return row_->fallbacks_by_op;
}

void DeviceRow::count_fallback(int32_t op) {
  const std::lock_guard lock(fallback_mutex);
  ++fallbacks_by_op[op];
}

std::map<int32_t, uint64_t> Device::compositions() const {
  const std::lock_guard lock(row_->fallback_mutex);
  return row_->compositions_by_op;
}

void DeviceRow::count_composition(int32_t op) {
  const std::lock_guard lock(fallback_mutex);
  ++compositions_by_op[op];
}

void Device::synchronize() const { door::synchronize(*row_); }

Device host_device() {
  static const Device host("cpu");
  return host;
}

Device default_device() {
  DeviceRow* chosen = devices().chosen.load(std::memory_order_acquire);
  if (chosen == nullptr) {
    set_default_device(host_device());
    chosen = devices().chosen.load(std::memory_order_acquire);
  }
  return Device(chosen);
}

void set_default_device(Device device) { devices().chosen.store(&device.row(), std::memory_order_release); }

namespace door {

namespace {
void check(const DeviceRow& row, ts_status status, const ts_error& error) {
  if (status != TS_OK) throw_status(*row.backend, status, error);
}
} // namespace

ts_buffer allocate(DeviceRow& row, uint64_t bytes) {
  ts_buffer buffer = 0;
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  check(row, row.table().allocate(row.instance(), row.index, bytes, &buffer, &error), error);
  return buffer;
}

void release(DeviceRow& row, ts_buffer buffer) noexcept {
  const std::lock_guard lock(row.queue);
  row.table().release(row.instance(), buffer, 0);
}

void copy_in(DeviceRow& row, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes) {
  if (bytes == 0) return;
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  check(row, row.table().copy_in(row.instance(), 0, target, byte, source, bytes, &error), error);
  row.to_device_bytes += bytes;
}

void copy_out(DeviceRow& row, void* target, ts_buffer source, uint64_t byte, uint64_t bytes) {
  if (bytes == 0) return;
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  check(row, row.table().copy_out(row.instance(), 0, target, source, byte, bytes, &error), error);
  check(row, row.table().synchronize(row.instance(), row.index, 0, &error), error);
  row.to_host_bytes += bytes;
}

void copy(DeviceRow& to, ts_buffer target, uint64_t target_byte, DeviceRow& from, ts_buffer source,
          uint64_t source_byte, uint64_t bytes) {
  if (bytes == 0) return;
  TS_CHECK(to.backend == from.backend);
  ts_error error = make_error();
  const auto call = [&] {
    check(to, to.table().copy(to.instance(), 0, target, target_byte, 0, source, source_byte, bytes, &error), error);
  };
  if (&to == &from) {
    const std::lock_guard lock(to.queue);
    call();
    return;
  }
  const std::scoped_lock lock(to.queue, from.queue);
  call();
  to.between_bytes += bytes;
}

void synchronize(DeviceRow& row) {
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  check(row, row.table().synchronize(row.instance(), row.index, 0, &error), error);
}

} // namespace door

} // namespace ts
