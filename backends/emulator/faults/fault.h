// Planted faults: small kernels as people write them wrong, each beside its right version. What must be said of the wrong
// one, by which settings, and of the right one nothing.
#pragma once

#if defined(__CUDACC__)
#include "backends/cuda/faults/workbench.cuh" // to be watched by compute-sanitizer
#elif defined(TS_FAULTS_IN_A_LOOP)
#include "backends/emulator/faults/loop_workbench.h" // the weakest setting
#else
#include "backends/emulator/workbench.h"
#endif

#include <string>
#include <vector>

namespace ts::emulator::faults {

/// What a run of a kernel came to.
struct Outcome {
  std::string problem; ///< what the emulator said; "" for nothing
  bool right = false;  ///< the values are as they should be
};

struct Fault {
  const char* name;
  const char* what;   ///< the mistake, in a few words
  const char* says;   ///< what the report of check=all begins with, up to the place
  const char* also;   ///< what it must hold besides: the other work item, for a conflict; "" for nothing
  const char* missed; ///< a weaker setting that must not notice: loop, the plain one of the host; forward, backward, ..
  Outcome (*run)(Workbench& bench, bool wrong);
};

/// By the file they stand in.
std::vector<Fault> item_faults();
std::vector<Fault> place_faults();
std::vector<Fault> block_faults();
std::vector<Fault> host_faults();

std::vector<Fault> all_faults();

/// Runs what waits, and compares an array with what it should hold.
template <class T> Outcome finish(Workbench& bench, const T* device, const std::vector<T>& wanted) {
  std::vector<T> found(wanted.size());
  bench.copy_out(found, device);
  Outcome outcome;
  outcome.problem = bench.synchronize();
  outcome.right = found == wanted;
  return outcome;
}

/// first, first + 1, ..
template <class T> std::vector<T> ramp(int64_t count, T first = T{0}) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = first++;
  return values;
}

} // namespace ts::emulator::faults
