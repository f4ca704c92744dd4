// Accesses that a compiler has hidden from its own race instrumentation before. Each is a task whose launch must be
// reported; they are compiled by every compiler at hand, so that a new one cannot blind the checker.
#pragma once

#include <cstdint>

namespace ts::emulator {
class Workbench;
}

namespace ts::emulator::checked {

/// A trap: `launch` makes launches in which work items conflict, in nothing but the access it is named after.
struct Trap {
  const char* name;
  const char* says; ///< what the report begins with
  void (*launch)(Workbench& bench);
};

/// All of them; the null name ends the list.
const Trap* traps();

/// Tasks with a work item or a block that waits for ever; `says` is a part of what is reported.
const Trap* waits();

/// Tasks in which nothing is wrong, and nothing may be reported; the null name ends the list.
const Trap* right_tasks();

/// The compiler that compiled them.
const char* trap_compiler();

} // namespace ts::emulator::checked
