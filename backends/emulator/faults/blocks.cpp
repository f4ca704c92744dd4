// Blocks and phases: a barrier that is missing, shared memory, blocks that count on each other.
#include "backends/emulator/faults/atomics.h"
#include "backends/emulator/faults/fault.h"

namespace ts::emulator::faults {
namespace {

using kernels::At;
using kernels::Loop;
using kernels::Once;
using kernels::Sequence;

constexpr int kThreads = 64;
constexpr int kBlocks = 3;
constexpr int kItems = kThreads * kBlocks;

// Reverses each block's elements through shared memory: in two phases, or in one.
template <bool kOnePhase> struct Reverse {
  static constexpr int kThreads = faults::kThreads;
  struct Clear {};
  struct Load {};
  struct Store {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {};
  using Phases =
      std::conditional_t<kOnePhase, Sequence<Once<Clear>, Once<Load>>, Sequence<Once<Clear>, Once<Load>, Once<Store>>>;
  const int* x;
  int* out;
  TS_HD void operator()(Clear, const At& at, Shared& shared, Local&) const { shared.value[at.thread] = 7; }
  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = x[at.block * kThreads + at.thread];
    if constexpr (kOnePhase) store(at, shared);
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const { store(at, shared); }
  TS_HD void store(const At& at, const Shared& shared) const {
    out[at.block * kThreads + at.thread] = shared.value[kThreads - 1 - at.thread];
  }
};
Outcome missing_barrier(Workbench& bench, bool wrong) {
  // Equal values: the order cannot be seen in the result.
  const int* x = bench.upload(std::vector<int>(kItems, 7), "x");
  int* out = bench.allocate<int>(kItems, "out");
  if (wrong)
    bench.blocks("reverse", kBlocks, Reverse<true>{x, out});
  else
    bench.blocks("reverse", kBlocks, Reverse<false>{x, out});
  return finish(bench, out, std::vector<int>(kItems, 7));
}

// A sum by halving distances: a barrier after each step, or all steps in one phase.
template <bool kOnePhase> struct TreeSum {
  static constexpr int kThreads = faults::kThreads;
  struct Load {};
  struct Fold {};
  struct Store {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {};
  using Phases = std::conditional_t<kOnePhase, Sequence<Once<Load>, Once<Fold>, Once<Store>>,
                                    Sequence<Once<Load>, Loop<Fold>, Once<Store>>>;
  const int* x;
  int* out;
  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = x[at.block * kThreads + at.thread];
  }
  TS_HD int64_t count(Fold, int64_t) const { return 6; }
  TS_HD void operator()(Fold, const At& at, Shared& shared, Local&) const {
    const int last = kOnePhase ? 6 : static_cast<int>(at.step) + 1;
    for (int step = static_cast<int>(at.step); step < last; ++step) {
      const int distance = kThreads >> (step + 1);
      if (at.thread < distance) shared.value[at.thread] += shared.value[at.thread + distance];
    }
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    if (at.thread == 0) out[at.block] = shared.value[0];
  }
};
Outcome tree_without_barriers(Workbench& bench, bool wrong) {
  const int* x = bench.upload(std::vector<int>(kItems, 1), "x");
  int* out = bench.allocate<int>(kBlocks, "out");
  if (wrong)
    bench.blocks("tree_sum", kBlocks, TreeSum<true>{x, out});
  else
    bench.blocks("tree_sum", kBlocks, TreeSum<false>{x, out});
  return finish(bench, out, std::vector<int>(kBlocks, kThreads));
}

// Two buffers that take turns, and the turn forgotten: a step reads what the same step writes.
struct Rotate {
  static constexpr int kThreads = faults::kThreads;
  struct Load {};
  struct Step {};
  struct Store {};
  struct Shared {
    int value[2][kThreads];
  };
  struct Local {};
  using Phases = Sequence<Once<Load>, Loop<Step>, Once<Store>>;
  const int* x;
  int* out;
  int64_t turn;
  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    shared.value[0][at.thread] = x[at.block * kThreads + at.thread];
  }
  TS_HD int64_t count(Step, int64_t) const { return 4; }
  TS_HD void operator()(Step, const At& at, Shared& shared, Local&) const {
    const auto from = static_cast<int>(at.step * turn % 2), to = static_cast<int>((at.step + 1) * turn % 2);
    shared.value[to][at.thread] = shared.value[from][(at.thread + 1) % kThreads];
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    out[at.block * kThreads + at.thread] = shared.value[0][at.thread];
  }
};
Outcome buffers_without_turns(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(kItems, "out");
  bench.blocks("rotate", kBlocks, Rotate{bench.upload(std::vector<int>(kItems, 3), "x"), out, wrong ? 0 : 1});
  return finish(bench, out, std::vector<int>(kItems, 3));
}

// The halo of a tile: thread t also loads the place behind the tile, one too far.
struct Halo {
  static constexpr int kThreads = faults::kThreads;
  struct Load {};
  struct Store {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {};
  using Phases = Sequence<Once<Load>, Once<Store>>;
  int* out;
  int past;
  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    int* volatile value = shared.value; // so that the compiler does not see through the fault
    value[at.thread] = 1;
    if (at.thread == kThreads - 1) value[at.thread + past] = 1;
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    out[at.block * kThreads + at.thread] = shared.value[at.thread];
  }
};
Outcome shared_overrun(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(kItems, "out");
  bench.blocks("halo", kBlocks, Halo{out, wrong ? 1 : 0});
  return finish(bench, out, std::vector<int>(kItems, 1));
}

// Only some threads fill shared memory, all read it, and what the others find does not show.
struct PartlyFilled {
  static constexpr int kThreads = faults::kThreads;
  struct Load {};
  struct Store {};
  struct Shared {
    int value[kThreads];
  };
  struct Local {};
  using Phases = Sequence<Once<Load>, Once<Store>>;
  int* out;
  int filled;
  TS_HD void operator()(Load, const At& at, Shared& shared, Local&) const {
    if (at.thread < filled) shared.value[at.thread] = 1;
  }
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    out[at.block * kThreads + at.thread] = shared.value[at.thread] > 1 ? 1 : 0;
  }
};
Outcome shared_not_filled(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(kItems, "out");
  bench.blocks("partly_filled", kBlocks, PartlyFilled{out, wrong ? kThreads / 2 : kThreads});
  return finish(bench, out, std::vector<int>(kItems, 0));
}

struct LocalCounter {
  static constexpr int kThreads = faults::kThreads;
  struct Begin {};
  struct Count {};
  struct Store {};
  struct Shared {};
  struct Local {
    int count;
  };
  using Phases = Sequence<Once<Begin>, Loop<Count>, Once<Store>>;
  int* out;
  bool forgets;
  TS_HD void operator()(Begin, const At&, Shared&, Local& local) const {
    if (!forgets) local.count = 0;
  }
  TS_HD int64_t count(Count, int64_t) const { return 3; }
  TS_HD void operator()(Count, const At&, Shared&, Local& local) const {
    local.count = local.count > 0 ? local.count : 0;
  }
  TS_HD void operator()(Store, const At& at, Shared&, Local& local) const {
    out[at.block * kThreads + at.thread] = local.count;
  }
};
Outcome local_not_set(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(kItems, "out");
  bench.blocks("local_counter", kBlocks, LocalCounter{out, wrong});
  return finish(bench, out, std::vector<int>(kItems, 0));
}

// What a neighbour holds: its value in shared memory, or an address of its locals, which are registers.
struct Neighbour {
  static constexpr int kThreads = faults::kThreads;
  struct Publish {};
  struct Take {};
  struct Shared {
    int value[kThreads];
    const int* place[kThreads];
  };
  struct Local {
    int value;
  };
  using Phases = Sequence<Once<Publish>, Once<Take>>;
  int* out;
  bool by_address;
  TS_HD void operator()(Publish, const At& at, Shared& shared, Local& local) const {
    local.value = at.thread;
    shared.value[at.thread] = at.thread;
    shared.place[at.thread] = &local.value;
  }
  TS_HD void operator()(Take, const At& at, Shared& shared, Local&) const {
    const int next = (at.thread + 1) % kThreads;
    out[at.block * kThreads + at.thread] = by_address ? *shared.place[next] : shared.value[next];
  }
};
Outcome locals_of_a_neighbour(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(kItems, "out");
  bench.blocks("neighbour", kBlocks, Neighbour{out, wrong});
  std::vector<int> wanted(kItems);
  for (size_t k = 0; k < wanted.size(); ++k) wanted[k] = (static_cast<int>(k) + 1) % kThreads;
  return finish(bench, out, wanted);
}

// Every block adds its sum to one place: atomically, or not.
struct GrandTotal {
  static constexpr int kThreads = faults::kThreads;
  struct Add {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<Once<Add>>;
  int* total;
  bool atomic;
  TS_HD void operator()(Add, const At& at, Shared&, Local&) const {
    if (at.thread != 0) return;
    if (atomic)
      TS_FETCH_ADD(total, kThreads);
    else
      *total += kThreads;
  }
};
Outcome blocks_share_a_total(Workbench& bench, bool wrong) {
  int* total = bench.upload(std::vector<int>{0}, "total");
  bench.blocks("grand_total", kBlocks, GrandTotal{total, !wrong});
  return finish(bench, total, std::vector<int>{kItems});
}

// The block that finishes last adds up what the others left, in the same launch: only a launch boundary orders them.
struct LastBlock {
  static constexpr int kThreads = faults::kThreads;
  struct Part {};
  struct Total {};
  struct Shared {
    int last;
  };
  struct Local {};
  using Phases = Sequence<Once<Part>, Once<Total>>;
  int* parts;
  int* done;
  int* total;
  bool same_launch;
  TS_HD void operator()(Part, const At& at, Shared& shared, Local&) const {
    if (at.thread != 0) return;
    parts[at.block] = kThreads;
    shared.last = same_launch && TS_FETCH_ADD(done, 1) == kBlocks - 1 ? 1 : 0;
  }
  TS_HD void operator()(Total, const At& at, Shared& shared, Local&) const {
    if (at.thread != 0 || shared.last == 0) return;
    int sum = 0;
    for (int k = 0; k < kBlocks; ++k) sum += parts[k];
    *total = sum;
  }
};
struct AddParts {
  const int* parts;
  int* total;
  TS_HD void operator()(int64_t) const { *total = parts[0] + parts[1] + parts[2]; }
};
Outcome last_block_done(Workbench& bench, bool wrong) {
  int* parts = bench.allocate<int>(kBlocks, "parts");
  int* total = bench.upload(std::vector<int>{0}, "total");
  bench.blocks("last_block", kBlocks, LastBlock{parts, bench.upload(std::vector<int>{0}, "done"), total, wrong});
  if (!wrong) bench.flat("add_parts", 1, AddParts{parts, total});
  return finish(bench, total, std::vector<int>{kItems});
}

// A block spins until another has raised a flag. Which one waits depends on nothing that a device promises.
struct SpinOnFlag {
  static constexpr int kThreads = 32;
  struct Wait {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<Once<Wait>>;
  int* flag;
  int* out;
  int64_t waits_for; ///< the block that raises it, -1 for nobody
  TS_HD void operator()(Wait, const At& at, Shared&, Local&) const {
    if (at.thread != 0) return;
    if (at.block == waits_for) {
      TS_STORE(flag, 1);
    } else if (waits_for >= 0) {
      // A device would spin for ever; here the loop ends, so that settings that do not see it come to an end.
      for (int k = 0; k < 70'000'000 && TS_LOAD(flag) == 0; ++k) {}
    }
    out[at.block] = 1;
  }
};
Outcome block_waits_for_block(Workbench& bench, bool wrong) {
  int* out = bench.allocate<int>(2, "out");
  bench.blocks("spin", 2, SpinOnFlag{bench.upload(std::vector<int>{0}, "flag"), out, wrong ? 0 : -1});
  return finish(bench, out, std::vector<int>(2, 1));
}

// Neighbouring blocks write one element of overlap each, with equal values.
struct Tiles {
  static constexpr int kThreads = faults::kThreads;
  struct Store {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<Once<Store>>;
  int* out;
  int64_t pitch;
  TS_HD void operator()(Store, const At& at, Shared&, Local&) const { out[at.block * pitch + at.thread] = 9; }
};
Outcome overlapping_tiles(Workbench& bench, bool wrong) {
  int* out = bench.upload(std::vector<int>(kItems, 9), "out");
  bench.blocks("tiles", kBlocks, Tiles{out, wrong ? kThreads - 1 : kThreads});
  return finish(bench, out, std::vector<int>(kItems, 9));
}

template <int kWide, int kBytes> struct Wide {
  static constexpr int kThreads = kWide;
  struct Store {};
  struct Shared {
    uint8_t bytes[kBytes];
  };
  struct Local {};
  using Phases = Sequence<Once<Store>>;
  int* out;
  TS_HD void operator()(Store, const At& at, Shared& shared, Local&) const {
    shared.bytes[at.thread] = 1;
    out[at.thread] = shared.bytes[at.thread];
  }
};
template <class Task> Outcome one_block(Workbench& bench, int threads) {
  int* out = bench.allocate<int>(threads, "out");
  bench.blocks("wide", 1, Task{out});
  return finish(bench, out, std::vector<int>(static_cast<size_t>(threads), 1));
}
Outcome too_many_threads(Workbench& bench, bool wrong) {
  return wrong ? one_block<Wide<1056, 2048>>(bench, 1056) : one_block<Wide<1024, 2048>>(bench, 1024);
}
Outcome too_much_shared_memory(Workbench& bench, bool wrong) {
  return wrong ? one_block<Wide<64, 80 << 10>>(bench, 64) : one_block<Wide<64, 64 << 10>>(bench, 64);
}

} // namespace

std::vector<Fault> block_faults() {
  return {
      {"missing_barrier", "a missing barrier: one phase too few",
       "read/write conflict: reverse: block 2, thread 31, phase 1 writes byte 124 of shared memory",
       "thread 32 reads it at blocks.cpp", "shuffle", missing_barrier},
      {"tree_without_barriers", "a tree of additions without barriers between its steps",
       "read/write conflict: tree_sum: block 2, thread ", " at blocks.cpp", "backward", tree_without_barriers},
      {"buffers_without_turns", "two buffers whose turn was forgotten",
       "read/write conflict: rotate: block 2, thread 62, phase 1 reads byte 252 of shared memory",
       "thread 63 writes it at blocks.cpp", "shuffle", buffers_without_turns},
      {"shared_overrun", "a tile's halo is written past shared memory",
       "out of bounds: halo: block 2, thread 63, phase 0 writes byte 256 of shared memory of 256 bytes",
       "at blocks.cpp", "loop", shared_overrun},
      {"shared_not_filled", "shared memory that only half of the threads filled",
       "read of what nothing wrote: partly_filled: block 2, thread 63, phase 1 reads byte 252 of shared memory",
       "at blocks.cpp", "shuffle", shared_not_filled},
      {"local_not_set", "a thread's counter that nobody set",
       "read of what nothing wrote: local_counter: block 2, thread 63, phase 1 reads byte 0 of the locals of thread 63",
       "at blocks.cpp", "shuffle", local_not_set},
      {"locals_of_a_neighbour", "a thread follows an address of another's locals",
       "out of bounds: neighbour: block 2, thread 63, phase 1 reads byte 0 of the locals of thread 0", "at blocks.cpp",
       "shuffle", locals_of_a_neighbour},
      {"blocks_share_a_total", "blocks add to one place without atomics",
       "read/write conflict: grand_total: block 1, thread 0, phase 0 reads element (0) of total",
       "block 2, thread 0, phase 0 writes it at blocks.cpp", "shuffle", blocks_share_a_total},
      {"last_block_done", "the last block reads what others wrote in the same launch",
       "read/write conflict: last_block: block 0, thread 0, phase 1 reads element (1) of parts",
       "block 1, thread 0, phase 0 writes it at blocks.cpp", "shuffle", last_block_done},
      {"block_waits_for_block", "a block spins on the flag of another",
       "waits for another work item: spin: block 1, thread 0, phase 0 updates element (0) of flag", "at blocks.cpp",
       "forward", block_waits_for_block},
      {"overlapping_tiles", "tiles of neighbouring blocks overlap, with equal values",
       "write/write conflict: tiles: block 1, thread 63, phase 0 writes element (126) of out",
       "block 2, thread 0, phase 0 writes it at blocks.cpp", "shuffle", overlapping_tiles},
      {"too_many_threads", "1056 threads a block", "kernel wide needs 1056 threads a block", "device t4 has 1024",
       "loop", too_many_threads},
      {"too_much_shared_memory", "80 KiB of shared memory on a device that has 64",
       "kernel wide needs 81920 bytes of shared memory a block", "device t4 has 65536", "profile=h100",
       too_much_shared_memory},
  };
}

} // namespace ts::emulator::faults
