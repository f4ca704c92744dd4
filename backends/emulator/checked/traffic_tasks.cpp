#include "backends/emulator/checked/traffic_tasks.h"

#include "backends/kernels/whole.h"

#include <cstring>
#include <type_traits>

namespace ts::emulator::checked {

namespace {

using kernels::At;
using kernels::Once;
using kernels::Sequence;

struct Strided {
  const float* x;
  float* z;
  int64_t stride, shift;
  void operator()(int64_t i) const { z[i] = x[i * stride + shift]; }
};

struct Gather {
  const float* x;
  const int32_t* index;
  float* z;
  void operator()(int64_t i) const { z[i] = x[index[i]]; }
};

struct EverySecond {
  const float* x;
  float* z;
  void operator()(int64_t i) const {
    if (i % 2 == 1) z[i] = x[i];
  }
};

struct Rows {
  const float* x;
  float* z;
  void operator()(int64_t i) const {
    float sum = 0;
    for (int64_t k = 0; k < 4; ++k) sum += x[i + kTrafficItems * k];
    z[i] = sum;
  }
};

struct alignas(16) Pack {
  float value[4];
};

// Its elements are used one by one, which must not make its loads and stores so.
struct Packs {
  const Pack* x;
  Pack* z;
  void operator()(int64_t i) const {
    Pack pack = kernels::load_whole<Pack>(reinterpret_cast<const std::byte*>(x + i));
    for (float& value : pack.value) value += 1;
    kernels::store_whole(pack, reinterpret_cast<std::byte*>(z + i));
  }
};

struct Counters {
  int32_t* sums;
  void operator()(int64_t i) const { __atomic_fetch_add(sums + i % 4, 1, __ATOMIC_RELAXED); }
};

constexpr int kSide = 32;
constexpr int64_t kElements = int64_t{kSide} * kSide;

struct TransposeNaive {
  static constexpr int kThreads = kSide * kSide;
  struct All {};
  struct Shared {};
  struct Local {};
  using Phases = Sequence<Once<All>>;
  const float* x;
  float* z;
  void operator()(All, const At& at, Shared&, Local&) const {
    const int row = at.thread / kSide, column = at.thread % kSide;
    z[column * kSide + row] = x[row * kSide + column];
  }
};

template <int kWidth> struct TransposeTiled {
  static constexpr int kThreads = kSide * kSide;
  struct Load {};
  struct Store {};
  struct Shared {
    float tile[kSide][kWidth];
  };
  struct Local {};
  using Phases = Sequence<Once<Load>, Once<Store>>;
  const float* x;
  float* z;
  void operator()(Load, const At& at, Shared& shared, Local&) const {
    shared.tile[at.thread / kSide][at.thread % kSide] = x[at.thread];
  }
  void operator()(Store, const At& at, Shared& shared, Local&) const {
    z[at.thread] = shared.tile[at.thread % kSide][at.thread / kSide];
  }
};

template <class Value> struct SharedStride {
  static constexpr int kThreads = 32;
  struct Store {};
  struct Load {};
  struct Shared {
    Value a[kThreads * 32];
  };
  struct Local {};
  using Phases = Sequence<Once<Store>, Once<Load>>;
  Value* z;
  int64_t stride;
  void operator()(Store, const At& at, Shared& shared, Local&) const { shared.a[at.thread * stride] = Value{}; }
  void operator()(Load, const At& at, Shared& shared, Local&) const { z[at.thread] = shared.a[at.thread * stride]; }
};

std::vector<float> floats(int64_t count) { return std::vector<float>(static_cast<size_t>(count), 1); }

template <class Task> void launch_transpose(Workbench& bench) {
  const float* x = bench.upload(floats(kElements), "x");
  bench.blocks("transpose", 1, Task{x, bench.allocate<float>(kElements, "z")});
}

template <class Value> void launch_shared(Workbench& bench, int64_t stride) {
  bench.blocks("shared", 1, SharedStride<Value>{bench.allocate<Value>(32, "z"), stride});
}

// What a work item of a plan does, in either kind of launch.
struct Plan {
  const Planned* plan;
  const int32_t* counts;
  std::byte* memory;

  template <class Word> static void access(std::byte* place, int kind) {
    auto* word = reinterpret_cast<Word*>(place);
    if constexpr (std::is_integral_v<Word>) {
      if (kind == 2) {
        __atomic_fetch_add(word, Word{1}, __ATOMIC_RELAXED);
        return;
      }
    }
    Word value{};
    if (kind == 0) {
      value = *word;
      __asm__ volatile("" : : "r"(&value) : "memory"); // it is wanted
    } else {
      *word = value;
    }
  }
  void perform(int64_t first, int64_t count, std::byte* shared) const {
    for (int64_t k = first; k < first + count; ++k) {
      std::byte* place = (plan[k].shared ? shared : memory) + plan[k].byte;
      switch (plan[k].log2) {
        case 0: access<uint8_t>(place, plan[k].kind); break;
        case 1: access<uint16_t>(place, plan[k].kind); break;
        case 2: access<uint32_t>(place, plan[k].kind); break;
        case 3: access<uint64_t>(place, plan[k].kind); break;
        default: access<Pack>(place, plan[k].kind);
      }
    }
  }
};

struct PlannedItems {
  Plan plan;
  void operator()(int64_t i) const { plan.perform(i * kPlannedMax, plan.counts[i], plan.memory); }
};

struct PlannedBlocks {
  static constexpr int kThreads = kPlannedThreads;
  struct First {};
  struct Second {};
  struct Shared {
    alignas(16) std::byte bytes[kPlannedShared];
  };
  struct Local {};
  using Phases = Sequence<Once<First>, Once<Second>>;
  Plan plan;
  void operator()(First, const At& at, Shared& shared, Local&) const { perform(at, 0, shared); }
  void operator()(Second, const At& at, Shared& shared, Local&) const { perform(at, 1, shared); }
  void perform(const At& at, int phase, Shared& shared) const {
    const int64_t slot = (at.block * kPlannedPhases + phase) * kThreads + at.thread;
    plan.perform(slot * kPlannedMax, plan.counts[slot], shared.bytes);
  }
};

} // namespace

void launch_strided(Workbench& bench, int64_t stride, int64_t shift) {
  const float* x = bench.upload(floats(kTrafficItems * (stride > 0 ? stride : 1) + shift), "x");
  bench.flat("strided", kTrafficItems, Strided{x, bench.allocate<float>(kTrafficItems, "z"), stride, shift});
}
void launch_gather(Workbench& bench, const std::vector<int32_t>& index) {
  const float* x = bench.upload(floats(kTrafficItems * 8), "x");
  const int32_t* places = bench.upload(index, "index");
  bench.flat("gather", kTrafficItems, Gather{x, places, bench.allocate<float>(kTrafficItems, "z")});
}
void launch_every_second(Workbench& bench) {
  const float* x = bench.upload(floats(kTrafficItems), "x");
  bench.flat("every_second", kTrafficItems, EverySecond{x, bench.allocate<float>(kTrafficItems, "z")});
}
void launch_rows(Workbench& bench) {
  const float* x = bench.upload(floats(kTrafficItems * 4), "x");
  bench.flat("rows", kTrafficItems, Rows{x, bench.allocate<float>(kTrafficItems, "z")});
}
void launch_packs(Workbench& bench) {
  const Pack* x = bench.upload(std::vector<Pack>(kTrafficItems), "x");
  bench.flat("packs", kTrafficItems, Packs{x, bench.allocate<Pack>(kTrafficItems, "z")});
}
void launch_counters(Workbench& bench) {
  bench.flat("counters", kTrafficItems, Counters{bench.upload(std::vector<int32_t>(4, 0), "sums")});
}
void launch_transpose_naive(Workbench& bench) { launch_transpose<TransposeNaive>(bench); }
void launch_transpose_tiled(Workbench& bench) { launch_transpose<TransposeTiled<kSide>>(bench); }
void launch_transpose_padded(Workbench& bench) { launch_transpose<TransposeTiled<kSide + 1>>(bench); }
void launch_shared_floats(Workbench& bench, int64_t stride) { launch_shared<float>(bench, stride); }
void launch_shared_doubles(Workbench& bench, int64_t stride) { launch_shared<double>(bench, stride); }
void launch_shared_packs(Workbench& bench, int64_t stride) { launch_shared<Pack>(bench, stride); }

void launch_planned(Recorder& program, bool flat, int64_t count, const Planned* plan, const int32_t* counts,
                    std::byte* memory) {
  const Plan all{plan, counts, memory};
  if (flat)
    program.flat("planned", "", count, PlannedItems{all});
  else
    program.blocks("planned", "", count, PlannedBlocks{all});
}

} // namespace ts::emulator::checked
