// Kernels that go to a place they should not, or that only seem to: what a report says of it, and what it leaves alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ts::emulator {
class Recorder;
class Workbench;
} // namespace ts::emulator

namespace ts::emulator::checked {

/// x[index] is written, by one item.
void launch_write_at(Workbench& bench, float* x, int64_t index);

/// 4 or 8 bytes from x + at on are written in one piece, by one item.
void launch_write_piece(Recorder& program, uint8_t* x, int64_t at, int bytes);

/// z[i] = x[i] for `count` items.
void launch_copy(Workbench& bench, const char* kernel, const float* x, float* z, int64_t count);

/// Each item reads what its neighbour writes.
void launch_smooth_in_place(Workbench& bench, float* x, int64_t count);

/// *count += 1 by one item, wherever that is.
void launch_count(Workbench& bench, int* count);

/// A struct of 16 bytes of which a member each or two are written, copied whole in one more launch.
struct alignas(16) Pair {
  float value;
  int32_t key; ///< and 8 bytes of padding
};
void launch_set_pairs(Workbench& bench, Pair* x, int64_t count);
void launch_copy_pairs(Workbench& bench, const Pair* x, Pair* z, int64_t count);
/// The same through shared memory and locals.
void launch_pairs_in_blocks(Workbench& bench, Pair* z);

/// The first member of each of `count` structs is set, all of one is read.
struct Record {
  double first, second, third;
};
void launch_half_set(Workbench& bench, Record* x, Record* z, int64_t count);

/// The last thread of a block writes the element behind its locals, of 4 bytes.
void launch_past_locals(Workbench& bench);

/// Locals of 6 bytes, of which a thread writes 4 from byte 4 on.
void launch_over_locals(Workbench& bench);

/// z[0] is an element of a table of constants.
void launch_constants(Workbench& bench, int32_t* z);

} // namespace ts::emulator::checked
