// A caching allocator per device: device allocation is slow and its release may wait for the device, so blocks are kept
// by size class and given out again. Queues are in order, hence a block that comes back may be reused at once.
#pragma once

#include "runtime/backend/device.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ts {

struct AllocatorStats {
  uint64_t hits = 0;         ///< allocations served from the cache
  uint64_t misses = 0;       ///< allocations that reached the device
  uint64_t cached_bytes = 0; ///< held and given to nobody
  uint64_t in_use_bytes = 0; ///< given out, rounded up to size classes
  uint64_t peak_bytes = 0;   ///< the most ever given out at once
};

/// A piece of device memory.
struct Block {
  ts_buffer buffer = 0;
  uint64_t bytes = 0;
};

/// Alive past static destruction. Its methods may be called from any thread.
class Allocator {
public:
  static constexpr uint64_t kCapBytes = uint64_t{1} << 30;

  /// The allocator of a device. Its cap is kCapBytes, 0 in sanitizer builds, or what the variable TOUCHSTONE_CACHE_BYTES says as it is first asked
  /// for; ValueError where that is no number.
  static Allocator& of(Device device);

  /// A block of at least this many bytes; 0 bytes is a valid request. OutOfMemoryError after giving back the cache.
  Block allocate(uint64_t bytes);
  /// Takes back what allocate gave.
  void release(Block block) noexcept;
  /// Gives every cached block back to the device.
  void empty_cache();
  AllocatorStats stats() const;
  /// The most bytes kept; blocks beyond it go back to the device. 0 turns caching off: every allocation lies apart, exact
  /// in size, as sanitizers need it.
  void set_cap(uint64_t bytes);

  /// The bytes that a request takes from the cache: four classes to each power of two.
  static uint64_t class_bytes(uint64_t bytes);

private:
  static constexpr int kClasses = 4 * 56;
  explicit Allocator(DeviceRow& row);
  static int class_of(uint64_t bytes);
  ts_buffer allocate_from_device(uint64_t bytes);
  void count_in_use(uint64_t bytes);

  DeviceRow& row_;
  mutable std::mutex mutex_;
  std::array<std::vector<ts_buffer>, kClasses> cache_;
  uint64_t cap_;
  AllocatorStats stats_;
};

} // namespace ts
