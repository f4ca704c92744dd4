// The planted faults of the emulator on a GPU, for compute-sanitizer: `cuda_faults list`, `cuda_faults NAME wrong|right`.
#include "backends/emulator/faults/fault.h"

#include <cstdio>
#include <cstring>

using namespace ts::emulator;
using namespace ts::emulator::faults;

int main(int argc, char** argv) {
  std::vector<Fault> all;
  for (const std::vector<Fault>& part : {item_faults(), place_faults(), block_faults()})
    all.insert(all.end(), part.begin(), part.end());
  for (const Fault& fault : all) {
    if (argc == 2 && std::strcmp(argv[1], "list") == 0) std::printf("%s\n", fault.name);
    if (argc != 3 || std::strcmp(argv[1], fault.name) != 0) continue;
    Workbench bench;
    const Outcome outcome = fault.run(bench, std::strcmp(argv[2], "wrong") == 0);
    std::puts(!outcome.problem.empty() ? outcome.problem.c_str() : outcome.right ? "nothing" : "values");
    return 0;
  }
  return argc == 2 ? 0 : 2;
}
