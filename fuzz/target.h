// What every libFuzzer target over cases is: the decoder restricted to some families, and the judge.
#pragma once

#include "fuzz/judge.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ts::fuzz {

/// The judge of this process. The backend is loaded with the first use, which has to be before libFuzzer counts what it
/// can cover: at its initialisation.
inline Judge& judge_of_target() {
  static Judge judge(Judge::Effort::once);
  return judge;
}

inline int run_target(const uint8_t* data, size_t size, const std::vector<const judge::Op*>& ops) {
  const std::string complaint = judge_of_target().complaint(decode(data, size, ops));
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "\n%s\n", complaint.c_str());
  std::abort();
}

} // namespace ts::fuzz
