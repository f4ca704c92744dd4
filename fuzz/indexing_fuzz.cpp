// Fuzzes layouts of index operands, and of what they point into.
#include "fuzz/target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  ts::fuzz::judge_of_target();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto ops = ts::fuzz::ops_of(ts::judge::spec(), {"gather", "scatter"});
  return ts::fuzz::run_target(data, size, ops);
}
