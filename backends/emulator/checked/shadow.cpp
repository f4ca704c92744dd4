#include "backends/emulator/checked/shadow.h"

#include "backends/kernels/door.h"

#include <sys/mman.h>

namespace ts::emulator::checked {

namespace {

template <class T> T* reserve(uint64_t count) {
  void* memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw kernels::DoorError(TS_OUT_OF_MEMORY, "the system gives no address space for the shadow of a checked device; "
                                               "a smaller one (memory=MIB) needs less");
  return static_cast<T*>(memory);
}

Layer reserve_layer(uint64_t cells) {
  return {reserve<Cell>(cells), reserve<uint32_t>(cells), reserve<Witness>(cells)};
}

void give_back(const Layer& layer, uint64_t cells) {
  munmap(layer.cells, cells * sizeof(Cell));
  munmap(layer.sites, cells * sizeof(uint32_t));
  munmap(layer.witnesses, cells * sizeof(Witness));
}

constexpr Cell kByte = 0x11; // kValid and kWritten of lane 0

} // namespace

Shadow::Shadow(const std::byte* memory, uint64_t bytes)
    : memory_(memory), map_{reinterpret_cast<uintptr_t>(memory), bytes, reserve_layer(bytes / kGranule),
                            reserve_layer(bytes)} {}

Shadow::~Shadow() {
  give_back(map_.granules, map_.bytes / kGranule);
  give_back(map_.single_bytes, map_.bytes);
}

// whole(cell) for granules that lie inside and are not split, byte(cell, lane) for single bytes: in the granule's cell, or
// in lane 0 of their own.
template <class Whole, class Byte> void Shadow::each(uint64_t offset, uint64_t bytes, Whole whole, Byte byte) const {
  const uint64_t end = offset + bytes;
  for (uint64_t at = offset; at < end;) {
    Cell& cell = map_.granules.cells[at / kGranule];
    if ((cell & kSplit) == 0 && at % kGranule == 0 && end - at >= kGranule) {
      whole(cell);
      at += kGranule;
    } else {
      if ((cell & kSplit) == 0)
        byte(cell, at % kGranule);
      else
        byte(map_.single_bytes.cells[at], 0U);
      ++at;
    }
  }
}

void Shadow::renew(uint64_t offset, uint64_t bytes, bool valid) {
  const Cell flags = valid ? kValid : 0;
  for (uint64_t at = offset; at < offset + bytes;) {
    Cell& cell = map_.granules.cells[at / kGranule];
    if (at % kGranule == 0 && offset + bytes - at >= kGranule) {
      cell = flags;
      at += kGranule;
      continue;
    }
    // The tail of an allocation: its granule is no other's.
    const Cell lane = Cell{1} << at % kGranule;
    cell = ((at % kGranule == 0 ? 0 : bytes_of(cell)) & ~(lane | lane << 4 | kSplit)) | (valid ? lane : 0);
    ++at;
  }
}

void Shadow::set_written(uint64_t offset, uint64_t bytes, bool written) {
  each(
      offset, bytes, [&](Cell& cell) { cell = written ? cell | kWritten : cell & ~kWritten; },
      [&](Cell& cell, unsigned lane) {
        const Cell bit = Cell{0x10} << lane;
        cell = written ? cell | bit : cell & ~bit;
      });
}

bool Shadow::is_written(uint64_t offset, uint64_t bytes) const {
  bool all = true;
  each(
      offset, bytes, [&](const Cell& cell) { all = all && (cell & kWritten) == kWritten; },
      [&](const Cell& cell, unsigned lane) { all = all && (cell & Cell{0x10} << lane) != 0; });
  return all;
}

bool Shadow::is_valid(uint64_t offset, uint64_t bytes) const {
  bool all = true;
  each(
      offset, bytes, [&](const Cell& cell) { all = all && (cell & kValid) == kValid; },
      [&](const Cell& cell, unsigned lane) { all = all && (cell & Cell{1} << lane) != 0; });
  return all;
}

Cell Shadow::flags_of(uint64_t byte) const {
  const Cell cell = map_.granules.cells[byte / kGranule];
  if ((cell & kSplit) != 0) return map_.single_bytes.cells[byte] & kByte;
  return cell >> byte % kGranule & kByte;
}

void Shadow::copy_written(uint64_t to, uint64_t from, uint64_t bytes) {
  const bool backwards = to > from; // the ranges may overlap
  for (uint64_t k = 0; k < bytes; ++k) {
    const uint64_t at = backwards ? bytes - 1 - k : k;
    set_written(to + at, 1, (flags_of(from + at) & 0x10) != 0);
  }
}

void Shadow::forget_accesses(uint64_t offset, uint64_t bytes) {
  each(
      offset, bytes, [](Cell& cell) { cell = bytes_of(cell); }, [](Cell& cell, unsigned) { cell = bytes_of(cell); });
}

} // namespace ts::emulator::checked
