// Fuzzes the reader of golden files: any text is read or refused with a typed error.
#include "conformance/golden.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    ts::judge::parse_golden(std::string_view(reinterpret_cast<const char*>(data), size), "fuzzed");
  } catch (const ts::judge::InputError&) {}
  return 0;
}
