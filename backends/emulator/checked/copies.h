// Included before everything else in code that g++ compiles to be checked: its calls of memcpy and its kin go to our hooks. What
// other code of the program calls, a library of C++ among it, stays as it is.
#pragma once

#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier): clang calls the hooks by these names by itself.
extern "C" {
void* memcpy(void* to, const void* from, size_t bytes) noexcept __asm__("__tsan_memcpy");
void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("__tsan_memmove");
void* memset(void* to, int byte, size_t bytes) noexcept __asm__("__tsan_memset");
}
// NOLINTEND(bugprone-reserved-identifier)
