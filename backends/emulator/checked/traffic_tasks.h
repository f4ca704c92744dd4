// Kernels whose traffic is known: their sectors and bank conflicts can be counted by hand.
#pragma once

#include "backends/emulator/launch.h"
#include "backends/emulator/workbench.h"

#include <cstdint>

namespace ts::emulator::checked {

constexpr int64_t kTrafficItems = 256; // eight warps

/// z[i] = x[i * stride + shift].
void launch_strided(Workbench& bench, int64_t stride, int64_t shift);
/// z[i] = x[index[i]].
void launch_gather(Workbench& bench, const std::vector<int32_t>& index);
/// Every second item copies its element.
void launch_every_second(Workbench& bench);
/// z[i] += x[i + 256 k] for four k.
void launch_rows(Workbench& bench);
/// Four floats at once.
void launch_packs(Workbench& bench);
/// Adds 1 to one of four counters, atomically.
void launch_counters(Workbench& bench);

/// A square of 32 is transposed by one block of 1024 threads.
void launch_transpose_naive(Workbench& bench);
void launch_transpose_tiled(Workbench& bench);
void launch_transpose_padded(Workbench& bench);
/// 32 threads write a[t * stride] of shared memory, then read it; float, double or four floats.
void launch_shared_floats(Workbench& bench, int64_t stride);
void launch_shared_doubles(Workbench& bench, int64_t stride);
void launch_shared_packs(Workbench& bench, int64_t stride);

/// What one work item does: an access of 1 << log2 bytes at a place of global or shared memory.
struct Planned {
  int32_t byte;
  uint8_t log2; ///< up to 4
  uint8_t kind; ///< 0 reads, 1 writes, 2 atomic (up to 8 bytes)
  bool shared;
};
constexpr int kPlannedMax = 4, kPlannedThreads = 64, kPlannedPhases = 2, kPlannedShared = 1024;

/// A launch of planned accesses, kPlannedMax for each item, or for each thread and phase.
void launch_planned(Recorder& program, bool flat, int64_t count, const Planned* plan, const int32_t* counts,
                    std::byte* memory);

} // namespace ts::emulator::checked
