// Device memory that is really another place. The arena is mapped twice: device addresses point into an alias that
// nobody can read or write, and only a launch learns the alias that works. Allocations stand between guard zones, are
// poisoned when they come and when they go, and rest in quarantine before their memory is used again.
#pragma once

#include "backends/emulator/observer.h"
#include "backends/kernels/door.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace ts::emulator {

inline constexpr uint32_t kAlignment = 256;
inline constexpr uint64_t kGuardBytes = 256;
inline constexpr int kFreshByte = 0xFF;    ///< NaN in every float, -1 in every signed integer, true
inline constexpr int kReleasedByte = 0xFD; ///< of memory that was given back
inline constexpr int kGuardByte = 0xFB;

class Memory {
public:
  /// Reserves `bytes` of address space; pages come as they are touched. Throws where the system refuses.
  explicit Memory(uint64_t bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  uint64_t size() const { return size_; }

  /// Who sees allocations and launches from now on; null for nobody. Lives longer than this, or until another one.
  void observe(Observer* observer) { observer_ = observer; }
  Observer* observer() const { return observer_; }
  /// Where kernels see the arena.
  const std::byte* kernel_base() const { return kernel_; }

  /// Device address of a new allocation, null where there is no room even without quarantine. It is full of kFreshByte.
  std::byte* allocate(uint64_t bytes);
  /// Gives an allocation back; it is full of kReleasedByte from now on.
  void release(std::byte* device);
  /// Ends the quarantine of all that rests there. Returns how many bytes came free.
  uint64_t flush_quarantine();

  /// The address that works, of a device address. For launches and copies only.
  std::byte* reach(std::byte* device) const { return device - host_ + kernel_; }
  bool is_device_address(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    return byte >= host_ && byte < host_ + size_;
  }
  /// Whether an address lies where kernels see arenas, this one or another's: no memory of the host is there.
  static bool is_among_arenas(uintptr_t address);
  /// Whether something was ever allocated at a device address, or past it.
  bool is_allocated_address(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    return byte >= host_ && byte < host_ + reached_;
  }

  /// What is wrong with the guard zones of an allocation: "" or a sentence. They are whole again: damage is told once.
  std::string take_guard_damage(std::byte* device);
  /// A sentence about memory that was written after it was given back, found when it left quarantine; "" for none.
  std::string take_damage();

private:
  struct Block {
    uint64_t start; ///< of the guard zone before
    uint64_t bytes; ///< as asked for
    uint64_t length;
  };
  void fill(uint64_t start, int byte, uint64_t bytes);
  void fill_guards(const Block& block);
  void retire_oldest();
  void give_back(uint64_t start, uint64_t length);
  bool is_filled(uint64_t start, int byte, uint64_t bytes, uint64_t* where) const;

  uint64_t size_;
  uint64_t reached_ = 0; ///< the end of what was ever allocated
  Observer* observer_ = nullptr;
  std::byte* host_ = nullptr;
  std::byte* kernel_ = nullptr;
  std::map<uint64_t, uint64_t> free_; ///< start -> length
  std::unordered_map<std::byte*, Block> blocks_;
  std::vector<Block> quarantine_; ///< a ring: its room is taken once, so that a release takes none
  uint64_t resting_ = 0;          ///< blocks in it
  uint64_t oldest_ = 0;           ///< where in it
  uint64_t quarantine_bytes_ = 0;
  std::string damage_;
};

} // namespace ts::emulator
