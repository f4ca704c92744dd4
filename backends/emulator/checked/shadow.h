// The shadow of a device's memory: reserved once, touched as memory is. What allocations, copies and calls do to it.
#pragma once

#include "backends/emulator/checked/state.h"

namespace ts::emulator::checked {

class Shadow {
public:
  /// Throws where the system refuses the address space, 35 bytes for each byte of memory.
  Shadow(const std::byte* memory, uint64_t bytes);
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;
  ~Shadow();

  const ShadowMap& map() const { return map_; }
  uint64_t offset(const void* address) const { return reinterpret_cast<uintptr_t>(address) - map_.base; }
  /// An address that a hook was given, as a pointer.
  const std::byte* pointer(uintptr_t address) const { return memory_ + static_cast<ptrdiff_t>(address - map_.base); }

  /// Bytes begin a new life, of an allocation or of none: nobody touched them, nothing wrote them.
  void renew(uint64_t offset, uint64_t bytes, bool valid);
  void set_written(uint64_t offset, uint64_t bytes, bool written);
  bool is_written(uint64_t offset, uint64_t bytes) const;
  bool is_valid(uint64_t offset, uint64_t bytes) const;
  /// Bytes take over which of others are written.
  void copy_written(uint64_t to, uint64_t from, uint64_t bytes);
  /// Forgets who touched the bytes, not what is written.
  void forget_accesses(uint64_t offset, uint64_t bytes);

private:
  template <class Whole, class Byte> void each(uint64_t offset, uint64_t bytes, Whole whole, Byte byte) const;
  Cell flags_of(uint64_t byte) const; ///< kValid and kWritten of one byte, in lane 0

  const std::byte* memory_;
  ShadowMap map_;
};

} // namespace ts::emulator::checked
