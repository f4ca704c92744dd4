#include "runtime/tensor/storage.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace ts {

Storage::Storage(Device device, uint64_t bytes)
    : device_(device), bytes_(bytes), block_(Allocator::of(device).allocate(bytes)) {}

Storage::Storage(Device device, void* native, uint64_t bytes, std::function<void()> deleter)
    : device_(device), bytes_(bytes), imported_(true) {
  DeviceRow& row = device.row();
  if (row.table().import == nullptr)
    throw DeviceError(fmt::format("[backend.47] device {} cannot use memory that it did not allocate", row.name));
  auto context = std::make_unique<std::function<void()>>(std::move(deleter));
  const auto run_deleter = [](void* held) {
    const std::unique_ptr<std::function<void()>> function(static_cast<std::function<void()>*>(held));
    if (*function) (*function)();
  };
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  const ts_status status =
      row.table().import(row.instance(), row.index, native, bytes, run_deleter, context.get(), &block_.buffer, &error);
  if (status != TS_OK) throw_status(*row.backend, status, error);
  static_cast<void>(context.release()); // the backend's now
}

Storage::~Storage() {
  DeviceRow& row = device_.row();
  if (mapped_ && row.table().unmap != nullptr) row.table().unmap(row.instance(), block_.buffer);
  if (imported_)
    door::release(row, block_.buffer);
  else
    Allocator::of(device_).release(block_);
}

std::byte* Storage::map() {
  DeviceRow& row = device_.row();
  if (!row.host_memory()) {
    throw DeviceError(fmt::format("[backend.52] this reads tensor memory directly, which is not possible on device "
                                  "{}; call cpu() first",
                                  row.name));
  }
  door::synchronize(row);
  void* address = nullptr;
  ts_error error = make_error();
  const std::lock_guard lock(row.queue);
  const ts_status status = row.table().map(row.instance(), block_.buffer, &address, &error);
  if (status != TS_OK) throw_status(*row.backend, status, error);
  mapped_ = true;
  return static_cast<std::byte*>(address);
}

} // namespace ts
