// From an address of code to a line of source.
#pragma once

#include <cstdint>
#include <string>

namespace ts::emulator::checked {

/// `reduce_tree.h:219`, of the innermost function in a file of this project or of its user; "?" where the library that
/// holds the address has no line table. The address is one that a call returns to. Asks addr2line once per address.
std::string source_line(uintptr_t code);

} // namespace ts::emulator::checked
