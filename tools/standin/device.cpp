#include "tools/standin/device.h"

#include <cstdio>

namespace ts::standin {

Device::Device(int index, const Settings& settings)
    : index_(index), memory_(settings.device.memory_bytes), default_pool_{index, true},
      default_stream_(*this, 0, true) {}

std::byte* Device::allocate(uint64_t bytes, uint64_t id, cudaMemPool_t pool) {
  std::byte* data = memory_.allocate(bytes);
  if (data != nullptr) allocations_.emplace(data, Allocation{id, bytes, pool});
  return data;
}

void Device::end(std::byte* data) {
  check_guards(data, "memory that is given back");
  memory_.release(data);
  if (const std::string damage = memory_.take_damage(); !damage.empty()) lose(cudaErrorIllegalAddress, damage);
}

const Allocation* Device::allocation(const void* data) const {
  const auto found = allocations_.find(static_cast<const std::byte*>(data));
  return found == allocations_.end() ? nullptr : &found->second;
}

const Allocation* Device::around(const void* address, uint64_t* offset) const {
  const auto* byte = static_cast<const std::byte*>(address);
  auto found = allocations_.upper_bound(byte);
  if (found == allocations_.begin()) return nullptr;
  --found;
  *offset = static_cast<uint64_t>(byte - found->first);
  return &found->second;
}

bool Device::holds(const void* address, uint64_t bytes) const {
  uint64_t offset = 0;
  const Allocation* found = around(address, &offset);
  return found != nullptr && offset <= found->bytes && bytes <= found->bytes - offset;
}

uint64_t Device::allocated_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [data, allocation] : allocations_) bytes += allocation.bytes;
  return bytes;
}

void Device::lose(cudaError_t code, const std::string& why) {
  if (lost_ != cudaSuccess) return;
  lost_ = code;
  fprintf(stderr, "stand-in CUDA runtime: device %d: %s\n", index_, why.c_str());
}

void Device::check_guards(const void* data, const std::string& who) {
  auto* device = static_cast<std::byte*>(const_cast<void*>(data));
  if (const std::string damage = memory_.take_guard_damage(device); !damage.empty())
    lose(cudaErrorIllegalAddress, who + ": " + damage);
}

} // namespace ts::standin
