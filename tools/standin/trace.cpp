#include "tools/standin/trace.h"

#include "tools/standin/machine.h"

#include <cstring>

namespace ts::standin {

Trace::Trace(const std::string& path) {
  if (path.empty()) return;
  file_ = fopen(path.c_str(), "ae"); // NOLINT(cppcoreguidelines-owning-memory): as long as the process
  if (file_ == nullptr) fprintf(stderr, "stand-in CUDA runtime: no trace: cannot write %s\n", path.c_str());
}

void Trace::line(const std::string& text) {
  if (file_ == nullptr) return;
  fprintf(file_, "%s\n", text.c_str());
  fflush(file_); // the program may end in any way
}

std::string place_name(Machine& machine, const void* address) {
  if (Device* device = machine.owner(address)) {
    uint64_t offset = 0;
    const Allocation* found = device->around(address, &offset);
    // A view may begin at its allocation's end; what lies further belongs to nobody.
    if (found == nullptr || offset > found->bytes) return "released";
    return "a" + std::to_string(found->id) + "+" + std::to_string(offset);
  }
  const auto* byte = static_cast<const std::byte*>(address);
  const auto next = machine.pinned.upper_bound(byte);
  if (next == machine.pinned.begin()) return "host";
  const auto& [start, allocation] = *std::prev(next);
  const auto offset = static_cast<uint64_t>(byte - start);
  if (offset >= allocation.bytes) return "host";
  return "p" + std::to_string(allocation.id) + "+" + std::to_string(offset);
}

std::string argument_text(Machine& machine, const void* argument, size_t bytes) {
  std::string text;
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void* word = nullptr;
    memcpy(&word, static_cast<const std::byte*>(argument) + at, sizeof word);
    const Device* device = machine.owner(word);
    if (device != nullptr && device->memory().is_allocated_address(word))
      text += " +" + std::to_string(at) + "=" + place_name(machine, word);
  }
  return text;
}

} // namespace ts::standin
