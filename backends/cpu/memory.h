// Allocations of the cpu backend: host memory behind opaque handles.
#pragma once

#include "backends/kernels/door.h"

#include <cstdint>
#include <shared_mutex>
#include <unordered_map>

namespace ts::cpu {

inline constexpr uint32_t kAlignment = 64;

class Memory {
public:
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  /// Bytes of memory that this machine has.
  uint64_t total() const { return total_; }

  ts_buffer allocate(uint64_t bytes);
  ts_buffer import(void* native, uint64_t bytes, void (*deleter)(void*), void* context);
  /// False for a handle that does not exist.
  bool release(ts_buffer buffer);
  bool find(ts_buffer buffer, kernels::BufferFacts* facts) const;
  /// As find, but throws.
  kernels::BufferFacts get(ts_buffer buffer) const;

private:
  struct Allocation {
    std::byte* data;
    uint64_t bytes;
    void (*deleter)(void*);
    void* context;
  };
  ts_buffer keep(const Allocation& allocation);
  static void free_allocation(const Allocation& allocation);

  uint64_t total_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<ts_buffer, Allocation> allocations_;
  ts_buffer next_ = 1;
};

} // namespace ts::cpu
