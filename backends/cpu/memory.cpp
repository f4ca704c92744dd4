#include "backends/cpu/memory.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace ts::cpu {

using kernels::BufferFacts;
using kernels::DoorError;

Memory::Memory()
    : total_(static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE))) {}

Memory::~Memory() {
  for (const auto& [handle, allocation] : allocations_) free_allocation(allocation);
}

void Memory::free_allocation(const Allocation& allocation) {
  if (allocation.deleter != nullptr) allocation.deleter(allocation.context);
}

ts_buffer Memory::keep(const Allocation& allocation) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const ts_buffer handle = next_++;
  allocations_.emplace(handle, allocation);
  return handle;
}

ts_buffer Memory::allocate(uint64_t bytes) {
  void* data = nullptr;
  // Not rounded up: a memory checker then sees the first byte past the end.
  if (bytes > total_ || posix_memalign(&data, kAlignment, std::max<uint64_t>(bytes, 1)) != 0)
    throw DoorError(TS_OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes")
        .values(static_cast<int64_t>(bytes), static_cast<int64_t>(total_));
  return keep({static_cast<std::byte*>(data), bytes, std::free, data});
}

ts_buffer Memory::import(void* native, uint64_t bytes, void (*deleter)(void*), void* context) {
  if (native == nullptr && bytes > 0) throw DoorError(TS_INVALID_ARGUMENT, "there is no memory at NULL to import");
  if (reinterpret_cast<uintptr_t>(native) % alignof(std::max_align_t) != 0)
    throw DoorError(TS_INVALID_ARGUMENT, "imported memory must be aligned to the largest scalar type");
  return keep({static_cast<std::byte*>(native), bytes, deleter, context});
}

bool Memory::release(ts_buffer buffer) {
  Allocation allocation{};
  {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const auto found = allocations_.find(buffer);
    if (found == allocations_.end()) return false;
    allocation = found->second;
    allocations_.erase(found);
  }
  free_allocation(allocation);
  return true;
}

bool Memory::find(ts_buffer buffer, BufferFacts* facts) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto found = allocations_.find(buffer);
  if (found == allocations_.end()) return false;
  *facts = {found->second.data, found->second.bytes, 0};
  return true;
}

BufferFacts Memory::get(ts_buffer buffer) const {
  BufferFacts facts{};
  if (!find(buffer, &facts))
    throw DoorError(TS_INVALID_ARGUMENT, "buffer " + std::to_string(buffer) + " does not exist");
  return facts;
}

} // namespace ts::cpu
