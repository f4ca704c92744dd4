#include "backends/emulator/memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#if defined(TS_SANITIZE)
#include <sanitizer/asan_interface.h>
#define TS_FORBID(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define TS_ALLOW(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
#define TS_FORBID(address, bytes) ((void)(address), (void)(bytes))
#define TS_ALLOW(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace ts::emulator {

using kernels::DoorError;

namespace {

constexpr uint64_t kQuarantineBytesMax = 64ULL << 20;
constexpr uint64_t kQuarantineBlocksMax = 4096;
constexpr uint64_t kPage = 4096;

uint64_t round_up(uint64_t bytes, uint64_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

std::byte* map_alias(int file, uint64_t size, int protection, uintptr_t wish = 0) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a wish
  void* address = mmap(reinterpret_cast<void*>(wish), size, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

// Where the next arena's device addresses should begin. A launch finds the addresses in a task's bytes, where two small numbers,
// or one and what was left beside it, must not look like one: no stack, heap or library lies there, and the lower half of
// what is allocated first is no small number of either sign.
constexpr uintptr_t kFirstBase = uintptr_t{0x1a5a} << 32;
constexpr uintptr_t kBases = uintptr_t{0x1800} << 32;
uintptr_t next_base(uint64_t size) {
  static std::atomic<uint64_t> next{0};
  return kFirstBase + (next.fetch_add((size >> 32) + 2) << 32) % kBases + 0x4000'0000;
}

// From a device address to the one that works: a step that leaves the lower half as it is. So where the rest of an address
// was left in padding, the flag or number in front of it keeps its value.
constexpr uint64_t kApart = uint64_t{0x2000} << 32;

} // namespace

Memory::Memory(uint64_t bytes) : size_(round_up(bytes, kPage)) {
  const int file = memfd_create("touchstone-emulator", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(size_)) == 0) {
    host_ = map_alias(file, size_, PROT_NONE, next_base(size_));
    kernel_ = map_alias(file, size_, PROT_READ | PROT_WRITE, reinterpret_cast<uintptr_t>(host_) + kApart);
  }
  if (file >= 0) ::close(file);
  if (host_ != nullptr && kernel_ != nullptr) {
    free_.emplace(0, size_);
    quarantine_.resize(kQuarantineBlocksMax);
    return;
  }
  if (host_ != nullptr) munmap(host_, size_);
  throw DoorError(TS_OUT_OF_MEMORY,
                  "the system gives no " + std::to_string(size_) + " bytes of device memory twice mapped")
      .values(static_cast<int64_t>(size_), 0);
}

bool Memory::is_among_arenas(uintptr_t address) { return address - (kFirstBase + kApart) < kBases; }

Memory::~Memory() {
  // Only what was forbidden: to allow the whole arena would make an eighth of it resident as the sanitizer's shadow.
  for (const auto& [device, block] : blocks_) TS_ALLOW(kernel_ + block.start, block.length);
  for (uint64_t k = 0; k < resting_; ++k) {
    const Block& block = quarantine_[(oldest_ + k) % kQuarantineBlocksMax];
    TS_ALLOW(kernel_ + block.start, block.length);
  }
  munmap(host_, size_);
  munmap(kernel_, size_);
}

void Memory::fill(uint64_t start, int byte, uint64_t bytes) {
  TS_ALLOW(kernel_ + start, bytes);
  memset(kernel_ + start, byte, bytes);
}

void Memory::fill_guards(const Block& block) {
  const uint64_t end = block.start + kGuardBytes + block.bytes, after = block.start + block.length - end;
  fill(block.start, kGuardByte, kGuardBytes);
  fill(end, kGuardByte, after);
  TS_FORBID(kernel_ + block.start, kGuardBytes);
  TS_FORBID(kernel_ + end, after);
}

std::byte* Memory::allocate(uint64_t bytes) {
  if (bytes > size_) return nullptr;
  const uint64_t length = kGuardBytes + round_up(std::max<uint64_t>(bytes, 1), kAlignment) + kGuardBytes;
  const auto first_hole = [&] {
    return std::find_if(free_.begin(), free_.end(), [&](const auto& hole) { return hole.second >= length; });
  };
  auto room = first_hole();
  if (room == free_.end() && flush_quarantine() > 0) room = first_hole();
  if (room == free_.end()) return nullptr;
  const auto [start, hole] = *room;
  free_.erase(room);
  if (hole > length) free_.emplace(start + length, hole - length);
  reached_ = std::max(reached_, start + length);

  const uint64_t data = start + kGuardBytes;
  const Block block{start, bytes, length};
  fill(data, kFreshByte, bytes);
  fill_guards(block);
  std::byte* device = host_ + data;
  blocks_.emplace(device, block);
  if (observer_ != nullptr) observer_->allocated(kernel_ + data, bytes);
  return device;
}

void Memory::release(std::byte* device) {
  const auto found = blocks_.find(device);
  if (found == blocks_.end()) return;
  const Block block = found->second;
  blocks_.erase(found);
  if (observer_ != nullptr) observer_->released(reach(device), block.bytes);
  fill(block.start, kReleasedByte, block.length);
  TS_FORBID(kernel_ + block.start, block.length);
  if (resting_ == kQuarantineBlocksMax) retire_oldest();
  quarantine_[(oldest_ + resting_++) % kQuarantineBlocksMax] = block;
  quarantine_bytes_ += block.length;
  while (quarantine_bytes_ > kQuarantineBytesMax) retire_oldest();
}

uint64_t Memory::flush_quarantine() {
  const uint64_t bytes = quarantine_bytes_;
  while (resting_ > 0) retire_oldest();
  return bytes;
}

// Ends a block's quarantine: nobody may have written to it.
void Memory::retire_oldest() {
  const Block block = quarantine_[oldest_];
  oldest_ = (oldest_ + 1) % kQuarantineBlocksMax;
  --resting_;
  quarantine_bytes_ -= block.length;
  TS_ALLOW(kernel_ + block.start, block.length);
  uint64_t where = 0;
  if (!is_filled(block.start, kReleasedByte, block.length, &where) && damage_.empty())
    damage_ = "byte " + std::to_string(static_cast<int64_t>(where) - static_cast<int64_t>(kGuardBytes)) +
              " of a buffer of " + std::to_string(block.bytes) + " bytes was written after its release";
  give_back(block.start, block.length);
}

void Memory::give_back(uint64_t start, uint64_t length) {
  const auto after = free_.lower_bound(start);
  if (after != free_.end() && after->first == start + length) {
    length += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(start);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == start) {
      before->second += length;
      return;
    }
  }
  free_.emplace(start, length);
}

bool Memory::is_filled(uint64_t start, int byte, uint64_t bytes, uint64_t* where) const {
  const std::byte* first = kernel_ + start;
  const auto* odd =
      std::find_if(first, first + bytes, [byte](std::byte b) { return b != static_cast<std::byte>(byte); });
  *where = static_cast<uint64_t>(odd - first);
  return *where == bytes;
}

std::string Memory::take_guard_damage(std::byte* device) {
  const auto found = blocks_.find(device);
  if (found == blocks_.end()) return "";
#if defined(TS_SANITIZE)
  return ""; // the sanitizer forbids the guard zones themselves
#else
  const Block& block = found->second;
  const uint64_t end = block.start + kGuardBytes + block.bytes;
  uint64_t where = 0;
  std::string place;
  if (!is_filled(block.start, kGuardByte, kGuardBytes, &where))
    place = std::to_string(static_cast<int64_t>(where) - static_cast<int64_t>(kGuardBytes)) + " before";
  else if (!is_filled(end, kGuardByte, block.start + block.length - end, &where))
    place = std::to_string(block.bytes + where) + " past";
  else
    return "";
  fill_guards(block);
  return "byte " + place + " a buffer of " + std::to_string(block.bytes) + " bytes was written";
#endif
}

std::string Memory::take_damage() { return std::exchange(damage_, std::string()); }

} // namespace ts::emulator
