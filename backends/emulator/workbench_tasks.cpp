#include "backends/emulator/workbench_tasks.h"

#include <stdexcept>

namespace ts::emulator {

namespace {

using kernels::At;
using kernels::Once;
using kernels::Sequence;

struct Fill {
  float* z;
  void operator()(int64_t i) const { z[i] = static_cast<float>(i); }
};

struct Blocks {
  static constexpr int kThreads = 32;
  struct Work {};
  using Phases = Sequence<Once<Work>>;
  struct Shared {
    float value[12 << 10];
  };
  struct Local {};
  float* z;
  void operator()(Work, const At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = 1;
    if (at.thread == 0) z[at.block] = shared.value[0];
  }
};

struct Stray {
  static constexpr int kThreads = 32;
  struct Work {};
  using Phases = Sequence<Once<Work>>;
  struct Shared {
    uint8_t value[64];
  };
  struct Local {
    uint8_t value[4];
  };
  int64_t byte, local_byte;
  void operator()(Work, const At& at, Shared& shared, Local& local) const {
    if (at.thread != 0) return;
    uint8_t* const first = shared.value;
    first[byte] = 1;
    uint8_t* const own = local.value;
    own[local_byte] = 1;
  }
};

struct Member {
  const Three* x;
  float* z;
  int64_t index;
  void operator()(int64_t) const { z[0] = x[index].y; }
};

struct Thrower {
  float* z;
  void operator()(int64_t i) const {
    if (i == 3) throw std::runtime_error("three");
    z[i] = 1;
  }
};

} // namespace

void launch_fill(Workbench& bench, const std::string& kernel, float* z, int64_t count) {
  bench.flat(kernel, count, Fill{z});
}
void launch_blocks(Workbench& bench, float* z, int64_t blocks) { bench.blocks("blocks", blocks, Blocks{z}); }
void launch_stray(Workbench& bench, int64_t byte, int64_t local_byte) {
  bench.blocks("stray", 1, Stray{byte, local_byte});
}
void launch_member(Workbench& bench, const Three* x, float* z, int64_t index) {
  bench.flat("member", 1, Member{x, z, index});
}
void launch_thrower(Workbench& bench, float* z, int64_t count) { bench.flat("thrower", count, Thrower{z}); }

} // namespace ts::emulator
