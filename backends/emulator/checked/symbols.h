// From an address of code to a line of source.
#pragma once

#include <cstdint>
#include <string>

namespace ts::emulator::checked {

/// `reduce_tree.h:219`, of the innermost function in a file of this project or of its user; `kernels.so+0x1c0` where the
/// library that holds the address has no line table, or there is no addr2line, which is asked once per address. The address is
/// one that a call returns to.
std::string source_line(uintptr_t code);

/// Of the lines that addr2line prints for an address, the innermost function's first, the one to name; "?" for none.
std::string innermost_line(const std::string& lines);

} // namespace ts::emulator::checked
