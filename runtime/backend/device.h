// Devices by name. A device is a row of a process-wide registry: an open backend and an index into its devices. Rows
// live as long as the process, so that tensors with static storage can still give their memory back.
#pragma once

#include "backends/abi/backend.h"
#include "runtime/backend/registry.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ts {

class Allocator;
class Device;
Device default_device();

/// Bytes that crossed to and from a device since the process began.
struct TransferCounts {
  uint64_t to_device_bytes = 0; ///< host to this device
  uint64_t to_host_bytes = 0;   ///< this device to host
  uint64_t between_bytes = 0;   ///< from another device of the same backend, past the host
};

/// The state behind a Device: one per backend instance and index.
struct DeviceRow {
  std::shared_ptr<Backend> backend;
  int32_t index = 0;
  std::string name;
  ts_device_info info{};
  std::mutex queue;                ///< one thread per queue at a time: held around calls on the default queue
  std::atomic<uint64_t> serial{0}; ///< of the last call
  std::atomic<uint64_t> to_device_bytes{0}, to_host_bytes{0}, between_bytes{0};
  std::atomic<Allocator*> allocator{nullptr};

  std::mutex fallback_mutex;
  std::map<int32_t, uint64_t> fallbacks_by_op, compositions_by_op;

  void count_fallback(int32_t op);
  void count_composition(int32_t op);
  const ts_backend& table() const { return backend->table(); }
  ts_instance* instance() const { return backend->instance(); }
  bool host_memory() const { return (info.flags & TS_DEVICE_HOST_MEMORY) != 0 && table().map != nullptr; }
};

/// A handle to a row; cheap to copy, equal when it names the same device.
class Device {
public:
  /// The default device: the one that set_default_device named, at first `cpu`.
  Device();
  /// `NAME`, `NAME:INDEX`, `NAME:OPTIONS` or `NAME:OPTIONS:INDEX`; NAME may be a plug-in's path. Opens the backend on first
  /// use. DeviceError: unknown or not built (with how to build it), no such index, no device present.
  Device(std::string_view text);
  Device(const char* text) : Device(std::string_view(text)) {}
  Device(const std::string& text) : Device(std::string_view(text)) {}
  /// A device of a backend at hand, a layered one for example.
  static Device of(const std::shared_ptr<Backend>& backend, int32_t index = 0);

  /// As errors and prints show it: the index is left out where it is 0.
  const std::string& name() const { return row_->name; }
  int32_t index() const { return row_->index; }
  const std::shared_ptr<Backend>& backend() const { return row_->backend; }
  TransferCounts transfers() const;
  /// How often each op was computed on the host because the backend does not support it, by op id.
  std::map<int32_t, uint64_t> fallbacks() const;
  /// How often each op was composed of others on this device because the backend does not support it, by op id.
  std::map<int32_t, uint64_t> compositions() const;
  /// Waits for everything enqueued. Throws the first deferred error, which names the op that caused it.
  void synchronize() const;
  DeviceRow& row() const { return *row_; }

  friend bool operator==(const Device&, const Device&) = default;

private:
  friend Device default_device();
  explicit Device(DeviceRow* row) : row_(row) {}
  DeviceRow* row_;
};

/// The device that tensors are made on when none is named.
Device default_device();
void set_default_device(Device device);
/// Where unsupported operations are computed: `cpu`, whatever the default device is.
Device host_device();

/// Calls on a device's default queue: locked, counted, and with statuses turned into typed errors.
namespace door {
ts_buffer allocate(DeviceRow& row, uint64_t bytes);
void release(DeviceRow& row, ts_buffer buffer) noexcept;
void copy_in(DeviceRow& row, ts_buffer target, uint64_t byte, const void* source, uint64_t bytes);
/// Complete when it returns: synchronizes.
void copy_out(DeviceRow& row, void* target, ts_buffer source, uint64_t byte, uint64_t bytes);
/// Between two buffers of one backend instance.
void copy(DeviceRow& to, ts_buffer target, uint64_t target_byte, DeviceRow& from, ts_buffer source,
          uint64_t source_byte, uint64_t bytes);
void synchronize(DeviceRow& row);
} // namespace door

} // namespace ts
