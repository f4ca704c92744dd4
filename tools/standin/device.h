// A device of the stand-in: emulated memory and its allocations, streams, and whether an error has taken it.
#pragma once

#include "backends/emulator/memory.h"
#include "tools/standin/cuda_api.h"
#include "tools/standin/settings.h"
#include "tools/standin/stream.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ts::standin {

/// Memory that the program was given.
struct Allocation {
  uint64_t id;
  uint64_t bytes;
  cudaMemPool_t pool; ///< null for cudaMalloc
};

struct Pool {
  int device;
  bool is_default;
};

class Device {
public:
  Device(int index, const Settings& settings);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int index() const { return index_; }
  const emulator::Memory& memory() const { return memory_; }
  emulator::Memory& memory() { return memory_; }
  Stream& default_stream() { return default_stream_; }
  Pool& default_pool() { return default_pool_; }

  /// Null where there is no room.
  std::byte* allocate(uint64_t bytes, uint64_t id, cudaMemPool_t pool);
  /// The allocation is no longer the program's; its memory goes when `end` is called.
  void forget(std::byte* data) { allocations_.erase(data); }
  void end(std::byte* data);

  /// The allocation that begins here, null for none.
  const Allocation* allocation(const void* data) const;
  /// The last allocation that begins at or before an address, null for none; `offset` from its beginning.
  const Allocation* around(const void* address, uint64_t* offset) const;
  /// True where the bytes lie in one allocation.
  bool holds(const void* address, uint64_t bytes) const;
  const std::map<const std::byte*, Allocation>& allocations() const { return allocations_; }
  uint64_t allocated_bytes() const;

  /// cudaSuccess, or what every call on the device gives from now on.
  cudaError_t lost() const { return lost_; }
  void lose(cudaError_t code, const std::string& why);
  void revive() { lost_ = cudaSuccess; }
  /// Loses the device where guard zones of an allocation, or released memory, were written.
  void check_guards(const void* data, const std::string& who);

private:
  int index_;
  emulator::Memory memory_;
  std::map<const std::byte*, Allocation> allocations_;
  Pool default_pool_;
  cudaError_t lost_ = cudaSuccess;
  Stream default_stream_; // its commands use what stands above
};

} // namespace ts::standin
