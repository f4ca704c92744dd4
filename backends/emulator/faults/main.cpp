// One planted fault under one setting, in a process of its own: what was said, or that nothing was noticed.
//   faults list                      name, mistake, report, other side, setting that misses it; between tabs
//   faults NAME wrong|right OPTIONS  `caught<tab>sentence` for each report, `values` or `nothing`
#include "backends/emulator/faults/fault.h"

#include <cstdio>
#include <cstring>
#include <exception>

using namespace ts::emulator;
using namespace ts::emulator::faults;

namespace {

int list() {
  for (const Fault& fault : all_faults())
    std::printf("%s\t%s\t%s\t%s\t%s\n", fault.name, fault.what, fault.says, fault.also, fault.missed);
  return 0;
}

int run(const Fault& fault, bool wrong, const char* options) {
  try {
    Workbench bench(options);
    const Outcome outcome = fault.run(bench, wrong);
    for (const checked::Report& report : bench.reports()) std::printf("caught\t%s\n", text_of(report).c_str());
    if (!outcome.problem.empty() && bench.reports().empty())
      std::printf("caught\t%s\n", outcome.problem.c_str());
    else if (bench.reports().empty())
      std::puts(outcome.right ? "nothing" : "values");
  } catch (const std::exception& refusal) {
    std::printf("caught\t%s\n", refusal.what());
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) return list();
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s list | NAME wrong|right OPTIONS\n", argv[0]);
    return 2;
  }
  for (const Fault& fault : all_faults())
    if (std::strcmp(fault.name, argv[1]) == 0) return run(fault, std::strcmp(argv[2], "wrong") == 0, argv[3]);
  std::fprintf(stderr, "no fault is called '%s'\n", argv[1]);
  return 2;
}
