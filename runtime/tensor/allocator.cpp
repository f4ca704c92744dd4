#include "runtime/tensor/allocator.h"

#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace ts {

namespace {
constexpr uint64_t kSmallest = 256;
#if defined(TS_SANITIZE)
constexpr uint64_t kFirstCapBytes = 0;
#else
constexpr uint64_t kFirstCapBytes = Allocator::kCapBytes;
#endif

// TOUCHSTONE_CACHE_BYTES, for a program that is run under a tool which watches memory.
uint64_t cap_in_environment(uint64_t otherwise) {
  const char* text = std::getenv("TOUCHSTONE_CACHE_BYTES");
  if (text == nullptr) return otherwise;
  const char* last = text + strlen(text);
  uint64_t bytes = 0;
  const auto [end, problem] = std::from_chars(text, last, bytes);
  if (problem != std::errc{} || end != last)
    throw ValueError(fmt::format("TOUCHSTONE_CACHE_BYTES is a number of bytes, not '{}'", text));
  return bytes;
}
} // namespace

Allocator::Allocator(DeviceRow& row) : row_(row), cap_(cap_in_environment(kFirstCapBytes)) {}

uint64_t Allocator::class_bytes(uint64_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  const uint64_t step = uint64_t{1} << (std::bit_width(bytes - 1) - 3); // a quarter of the power of two below
  return (bytes + step - 1) & ~(step - 1);
}

int Allocator::class_of(uint64_t bytes) {
  const uint64_t rounded = class_bytes(bytes);
  const int power = std::bit_width(rounded - 1) - 1; // rounded lies in (2^power, 2^(power + 1)]
  const auto quarter = static_cast<int>((rounded - 1) >> (power - 2) & 3);
  return 4 * (power - 7) + quarter;
}

Allocator& Allocator::of(Device device) {
  DeviceRow& row = device.row();
  Allocator* allocator = row.allocator.load(std::memory_order_acquire);
  if (allocator != nullptr) return *allocator;
  auto* fresh = new Allocator(row); // never destroyed, as its row
  if (row.allocator.compare_exchange_strong(allocator, fresh)) return *fresh;
  delete fresh;
  return *allocator;
}

Block Allocator::allocate(uint64_t bytes) {
  if (bytes > uint64_t{1} << 62) throw OutOfMemoryError(fmt::format("{}: no room for {} bytes", row_.name, bytes));
  Block block;
  {
    const std::lock_guard lock(mutex_);
    block.bytes = cap_ == 0 ? bytes : class_bytes(bytes);
    auto& blocks = cache_[static_cast<size_t>(class_of(bytes))];
    if (!blocks.empty()) {
      block.buffer = blocks.back();
      blocks.pop_back();
      stats_.cached_bytes -= block.bytes;
      ++stats_.hits;
      count_in_use(block.bytes);
      return block;
    }
    ++stats_.misses;
  }
  block.buffer = allocate_from_device(block.bytes);
  const std::lock_guard lock(mutex_);
  count_in_use(block.bytes);
  return block;
}

void Allocator::count_in_use(uint64_t bytes) {
  stats_.in_use_bytes += bytes;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.in_use_bytes);
}

ts_buffer Allocator::allocate_from_device(uint64_t bytes) {
  try {
    return door::allocate(row_, bytes);
  } catch (const OutOfMemoryError&) {
    if (stats().cached_bytes == 0) throw;
  }
  empty_cache();
  door::synchronize(row_); // releases take their turn in the queue
  return door::allocate(row_, bytes);
}

void Allocator::release(Block block) noexcept {
  {
    const std::lock_guard lock(mutex_);
    stats_.in_use_bytes -= block.bytes;
    // A block that was made while caching was off has its exact size, and belongs to no class.
    const bool classed = block.bytes == class_bytes(block.bytes);
    if (classed && stats_.cached_bytes + block.bytes <= cap_) {
      try {
        cache_[static_cast<size_t>(class_of(block.bytes))].push_back(block.buffer);
        stats_.cached_bytes += block.bytes;
        return;
      } catch (...) { // no room to remember it: the device takes it back
      }
    }
  }
  door::release(row_, block.buffer);
}

void Allocator::empty_cache() {
  std::vector<ts_buffer> released;
  {
    const std::lock_guard lock(mutex_);
    for (auto& blocks : cache_) {
      released.insert(released.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    stats_.cached_bytes = 0;
  }
  for (const ts_buffer buffer : released) door::release(row_, buffer);
}

AllocatorStats Allocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Allocator::set_cap(uint64_t bytes) {
  empty_cache();
  const std::lock_guard lock(mutex_);
  cap_ = bytes;
}

} // namespace ts
