// Tasks of workbench_test.cpp that have to be compiled to be checked.
#pragma once

#include "backends/emulator/workbench.h"

namespace ts::emulator {

struct Three {
  float x, y, z;
};

/// z[i] = i for `count` items.
void launch_fill(Workbench& bench, const std::string& kernel, float* z, int64_t count);
/// The same in blocks, with shared memory of 48 KiB.
void launch_blocks(Workbench& bench, float* z, int64_t blocks);
/// Block 0 writes the byte `byte` of its shared memory, thread 0 of it the byte `local_byte` of its locals.
void launch_stray(Workbench& bench, int64_t byte, int64_t local_byte);
/// z[0] = the y of element `index` of x.
void launch_member(Workbench& bench, const Three* x, float* z, int64_t index);
/// Item 3 throws.
void launch_thrower(Workbench& bench, float* z, int64_t count);

} // namespace ts::emulator
