#include "backends/emulator/checked/place_tasks.h"

#include "backends/emulator/workbench.h"

#include <cstring>

namespace ts::emulator::checked {

namespace {

using kernels::At;
using kernels::Once;
using kernels::Sequence;

struct WriteAt {
  float* x;
  int64_t index;
  void operator()(int64_t) const { x[index] = 1; }
};

template <class Piece> struct WritePiece {
  uint8_t* x;
  int64_t at;
  void operator()(int64_t) const {
    const Piece piece = 1;
    memcpy(x + at, &piece, sizeof piece);
  }
};

template <class T> struct CopyOf {
  const T* x;
  T* z;
  void operator()(int64_t i) const { z[i] = x[i]; }
};

struct SmoothInPlace {
  float* x;
  int64_t count;
  void operator()(int64_t i) const { x[i] = x[(i + 1) % count]; }
};

struct Count {
  int* count;
  void operator()(int64_t) const { *count += 1; }
};

struct SetPairs {
  Pair* x;
  void operator()(int64_t i) const {
    x[i].value = 1;
    x[i].key = 2;
  }
};
struct PairsInBlocks {
  static constexpr int kThreads = 32;
  struct Set {};
  struct Keep {};
  struct Store {};
  struct Shared {
    Pair pairs[kThreads];
  };
  struct Local {
    Pair pair, kept;
  };
  using Phases = Sequence<Once<Set>, Once<Keep>, Once<Store>>;
  Pair* z;
  void operator()(Set, const At& at, Shared& shared, Local& local) const {
    shared.pairs[at.thread].value = 1;
    shared.pairs[at.thread].key = at.thread;
    local.kept.value = 2;
    local.kept.key = at.thread;
  }
  void operator()(Keep, const At& at, Shared& shared, Local& local) const {
    local.pair = shared.pairs[(at.thread + 1) % kThreads];
  }
  void operator()(Store, const At& at, Shared&, Local& local) const {
    z[int64_t{2} * at.thread] = local.pair;
    z[2 * at.thread + 1] = local.kept;
  }
};

struct SetFirst {
  Record* x;
  void operator()(int64_t i) const { x[i].first = 1; }
};

struct PastLocals {
  static constexpr int kThreads = 32;
  struct Step {};
  struct Shared {};
  struct Local {
    int value;
  };
  using Phases = Sequence<Once<Step>>;
  int64_t past;
  void operator()(Step, const At& at, Shared&, Local& local) const {
    if (at.thread == kThreads - 1) (&local.value)[past] = 1;
  }
};

struct OverLocals {
  static constexpr int kThreads = 32;
  struct Step {};
  struct Shared {};
  struct Local {
    uint16_t value[3];
  };
  using Phases = Sequence<Once<Step>>;
  int64_t at;
  void operator()(Step, const At& where, Shared&, Local& local) const {
    if (where.thread != 2) return;
    const uint32_t piece = 1;
    memcpy(local.value + at, &piece, sizeof piece);
  }
};

constexpr int32_t kTable[] = {3, 1, 4, 1, 5};
struct Constants {
  int32_t* z;
  int64_t at;
  void operator()(int64_t) const { z[0] = kTable[at]; }
};

} // namespace

void launch_write_at(Workbench& bench, float* x, int64_t index) { bench.flat("write", 1, WriteAt{x, index}); }

void launch_write_piece(Recorder& program, uint8_t* x, int64_t at, int bytes) {
  if (bytes == 4)
    program.flat("piece", "", 1, WritePiece<uint32_t>{x, at});
  else
    program.flat("piece", "", 1, WritePiece<uint64_t>{x, at});
}

void launch_copy(Workbench& bench, const char* kernel, const float* x, float* z, int64_t count) {
  bench.flat(kernel, count, CopyOf<float>{x, z});
}

void launch_smooth_in_place(Workbench& bench, float* x, int64_t count) {
  bench.flat("smooth", count, SmoothInPlace{x, count});
}

void launch_count(Workbench& bench, int* count) { bench.flat("count", 1, Count{count}); }

void launch_set_pairs(Workbench& bench, Pair* x, int64_t count) { bench.flat("set_pairs", count, SetPairs{x}); }
void launch_copy_pairs(Workbench& bench, const Pair* x, Pair* z, int64_t count) {
  bench.flat("copy_pairs", count, CopyOf<Pair>{x, z});
}
void launch_pairs_in_blocks(Workbench& bench, Pair* z) { bench.blocks("pairs", 1, PairsInBlocks{z}); }

void launch_half_set(Workbench& bench, Record* x, Record* z, int64_t count) {
  bench.flat("set_first", count, SetFirst{x});
  bench.flat("copy_records", count, CopyOf<Record>{x, z});
}

void launch_past_locals(Workbench& bench) { bench.blocks("past_locals", 1, PastLocals{1}); }

void launch_over_locals(Workbench& bench) { bench.blocks("over_locals", 1, OverLocals{2}); }

void launch_constants(Workbench& bench, int32_t* z) { bench.flat("constants", 1, Constants{z, 2}); }

} // namespace ts::emulator::checked
