// What the checker reports, as data and as a sentence.
#pragma once

#include "backends/emulator/checked/state.h"

#include <cstdint>
#include <string>

namespace ts::emulator::checked {

enum class Kind {
  write_write,       ///< two work items write the same bytes
  read_write,        ///< one reads what another writes
  mixed_atomic,      ///< one is atomic, the other is not
  out_of_bounds,     ///< outside every operand of the launch
  after_release,     ///< in memory that was given back
  unwritten,         ///< reads bytes that nothing wrote
  output_unwritten,  ///< an element of an output that the call left as it was
  host_memory,       ///< the host's memory
  null_address,      ///< an address near 0
  arguments_written, ///< the launch's own copy of its task
  waiting,           ///< atomic operations that change nothing, until only a hang explains it
};

/// "read/write conflict", "out of bounds", ..
const char* name_of(Kind kind);

/// Which work item: an item of a flat launch, or a thread of a block in a phase.
struct WorkItem {
  bool known = false;
  bool flat = false;
  int64_t item = 0;  ///< flat
  int64_t block = 0; ///< of a block launch, with thread and phase
  int thread = 0;
  int64_t phase = 0; ///< barriers passed since the block began
  bool operator==(const WorkItem&) const = default;
};

struct Report {
  Kind kind{};
  std::string kernel; ///< "reduce/rows"
  WorkItem mine;
  Access access{};
  uint64_t bytes = 0;
  uintptr_t site = 0; ///< address of code, 0 for none
  std::string memory; ///< "input 0", "shared memory", "a buffer of 64 bytes", ..
  std::string place;  ///< "element (2,3)", "byte 260", ..
  WorkItem other;     ///< of a conflict
  Access other_access{};
  uintptr_t other_site = 0;
  uint64_t times = 1; ///< how often this pair of places was met
};

/// `item 5`, `block 2, thread 33, phase 1`.
std::string text_of(const WorkItem& item);

/// One sentence: who did what where, with lines of source.
std::string text_of(const Report& report);

} // namespace ts::emulator::checked
