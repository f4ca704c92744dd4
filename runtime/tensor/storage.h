// The bytes behind tensors: one allocation on one device, shared by every view of it.
#pragma once

#include "runtime/backend/device.h"
#include "runtime/tensor/allocator.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace ts {

class Storage {
public:
  /// Takes memory from the device's allocator.
  Storage(Device device, uint64_t bytes);
  /// Host memory that somebody else owns, made known to the device by its import capability. `deleter` runs when the
  /// device is done with it. DeviceError where the device cannot import.
  Storage(Device device, void* native, uint64_t bytes, std::function<void()> deleter);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  /// Released through the device's queue: work already enqueued still finds it.
  ~Storage();

  Device device() const { return device_; }
  uint64_t bytes() const { return bytes_; }
  ts_buffer buffer() const { return block_.buffer; }

  /// The address of its first byte, after everything enqueued has run. DeviceError unless the device computes in host
  /// memory.
  std::byte* map();

  /// Counts writes: what was saved for later can tell that it was changed since. Shared by all views.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }
  void set_version(uint64_t version) { version_.store(version, std::memory_order_relaxed); }

private:
  Device device_;
  uint64_t bytes_;
  Block block_;
  bool imported_ = false;
  bool mapped_ = false;
  std::atomic<uint64_t> version_{0};
};

} // namespace ts
