// A kernel writer's first page: two tasks of one's own, each right and wrong, on the emulator and without tensors.
#include "backends/emulator/workbench.h"

#include <cstdio>

using ts::kernels::At;
using ts::kernels::Once;
using ts::kernels::Sequence;

namespace {

// A flat task does one work item. This one smooths: right out of place, wrong in place.
struct Smooth {
  const float* x;
  float* z;
  int64_t count;
  void operator()(int64_t i) const {
    const float left = i > 0 ? x[i - 1] : x[i], right = i + 1 < count ? x[i + 1] : x[i];
    z[i] = (left + x[i] + right) / 3;
  }
};

// A block task has shared memory and phases; the end of a phase is a barrier. This one turns tiles of 32 around: right in two
// phases, wrong in one.
template <bool kBarrier> struct TurnTiles {
  static constexpr int kThreads = 32;
  struct Load {};
  struct Store {};
  struct Shared {
    float value[kThreads];
  };
  struct Local {};
  using Phases = std::conditional_t<kBarrier, Sequence<Once<Load>, Once<Store>>, Sequence<Once<Load>>>;
  const float* x;
  float* z;
  void operator()(Load, const At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = x[at.block * kThreads + at.thread];
    if constexpr (!kBarrier) store(at, shared);
  }
  void operator()(Store, const At& at, Shared& shared, Local&) const { store(at, shared); }
  void store(const At& at, const Shared& shared) const {
    z[at.block * kThreads + at.thread] = shared.value[kThreads - 1 - at.thread];
  }
};

void report(const char* title, ts::emulator::Workbench& bench) {
  bench.synchronize(); // nothing has run before
  std::printf("%s: %zu found\n", title, bench.reports().size());
  for (const auto& found : bench.reports()) std::printf("  %s\n", text_of(found).c_str());
  bench.clear_reports();
}

// Right, and slow on a device: neighbouring items read far apart.
struct ByColumns {
  const float* x;
  float* z;
  void operator()(int64_t i) const { z[i] = x[i % 8 * 8 + i / 8]; }
};

} // namespace

int main() {
  ts::emulator::Workbench bench("check=all");
  float* x = bench.upload(std::vector<float>(64, 1), "x");
  float* z = bench.allocate<float>(64, "z");
  bench.flat("smooth", 64, Smooth{x, z, 64});
  report("smooth", bench);
  bench.flat("smooth in place", 64, Smooth{x, x, 64});
  report("smooth in place", bench);
  bench.blocks("turn", 2, TurnTiles<true>{x, z});
  report("turn", bench);
  bench.blocks("turn without barrier", 2, TurnTiles<false>{x, z});
  report("turn without barrier", bench);

  ts::emulator::Workbench meter("check=memory"); // nothing is checked, transactions are counted
  x = meter.upload(std::vector<float>(64, 1), "x");
  z = meter.allocate<float>(64, "z");
  meter.flat("by columns", 64, ByColumns{x, z});
  meter.synchronize();
  std::fputs(text_of(meter.traffic()).c_str(), stdout);
}
