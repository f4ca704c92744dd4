// What every libFuzzer target over cases is: the decoder restricted to some families, and the judge.
#pragma once

#include "fuzz/judge.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ts::fuzz {

inline int run_target(const uint8_t* data, size_t size, const std::vector<const judge::Op*>& ops) {
  static Judge judge;
  const std::string complaint = judge.complaint(decode(data, size, ops));
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "\n%s\n", complaint.c_str());
  std::abort();
}

} // namespace ts::fuzz
