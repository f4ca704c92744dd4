#include "backends/emulator/checked/trap_tasks.h"

#include "backends/emulator/workbench.h"

#include <algorithm>
#include <cstring>

namespace ts::emulator::checked {
namespace {

constexpr int64_t kItems = 8;

// x += v is a read and a write; a compiler that drops the read leaves nothing to see but the write. Item 0 alone writes
// elsewhere, so only the others' reads meet a write.
struct ReadOfUpdate {
  float* sums;
  float* unwritten;
  void operator()(int64_t i) const { unwritten[i] += sums[i]; }
};
void read_of_update(Workbench& bench) {
  bench.flat("read_of_update", kItems,
             ReadOfUpdate{bench.upload(std::vector<float>(kItems, 1), "x"), bench.allocate<float>(kItems, "z")});
}

// A struct copied as a whole: a call of memcpy, or a range.
struct Large {
  double value[24];
};
struct StructCopy {
  Large* large;
  void operator()(int64_t i) const { large[i] = large[i + 1]; }
};
void struct_copy(Workbench& bench) {
  double* values = bench.upload(std::vector<double>(24 * (kItems + 1), 1), "x");
  bench.flat("struct_copy", kItems, StructCopy{reinterpret_cast<Large*>(values)});
}

struct CallOfMemcpy {
  double* values;
  int64_t bytes;
  void operator()(int64_t i) const { memcpy(values + i, values + i + 1, static_cast<size_t>(bytes)); }
};
void call_of_memcpy(Workbench& bench) {
  bench.flat("call_of_memcpy", kItems, CallOfMemcpy{bench.upload(std::vector<double>(kItems + 1, 1), "x"), 8});
}
struct CallOfMemmove {
  double* values;
  int64_t bytes;
  void operator()(int64_t i) const { memmove(values + i, values + i + 1, static_cast<size_t>(bytes)); }
};
void call_of_memmove(Workbench& bench) {
  bench.flat("call_of_memmove", kItems, CallOfMemmove{bench.upload(std::vector<double>(kItems + 1, 1), "x"), 8});
}
struct CallOfMemset {
  double* values;
  int64_t bytes;
  void operator()(int64_t) const { memset(values, 0, static_cast<size_t>(bytes)); }
};
void call_of_memset(Workbench& bench) {
  bench.flat("call_of_memset", kItems, CallOfMemset{bench.upload(std::vector<double>(kItems, 1), "x"), 16});
}

// Sizes that a compiler knows: it writes the copy itself, out of what it has.
template <size_t kBytes> struct MemcpyOf {
  uint8_t* bytes;
  void operator()(int64_t i) const {
    uint8_t* own = bytes + static_cast<int64_t>(kBytes) * i;
    std::memcpy(own, own + kBytes, kBytes);
  }
};
template <size_t kBytes> struct MemmoveOf {
  uint8_t* bytes;
  void operator()(int64_t i) const {
    uint8_t* own = bytes + static_cast<int64_t>(kBytes) * i;
    std::memmove(own, own + kBytes, kBytes);
  }
};
template <size_t kBytes> struct MemsetOf {
  uint8_t* bytes;
  void operator()(int64_t) const { std::memset(bytes, 0, kBytes); }
};
template <size_t kBytes> struct FillOf {
  uint8_t* bytes;
  void operator()(int64_t) const { std::fill_n(bytes, kBytes, uint8_t{0}); }
};
template <size_t kBytes> struct ClearLoopOf {
  uint8_t* bytes;
  void operator()(int64_t) const {
    for (size_t k = 0; k < kBytes; ++k) bytes[k] = 0;
  }
};
template <size_t kBytes> struct CopyOf {
  uint8_t* bytes;
  void operator()(int64_t i) const {
    uint8_t* own = bytes + static_cast<int64_t>(kBytes) * i;
    std::copy_n(own + kBytes, kBytes, own);
  }
};
template <size_t kBytes> struct StructOf {
  struct Bytes {
    uint8_t value[kBytes];
  };
  uint8_t* bytes;
  void operator()(int64_t i) const {
    auto* all = reinterpret_cast<Bytes*>(bytes);
    all[i] = all[i + 1];
  }
};
template <size_t kBytes> struct ClearedStructOf {
  using Bytes = typename StructOf<kBytes>::Bytes;
  uint8_t* bytes;
  void operator()(int64_t) const { *reinterpret_cast<Bytes*>(bytes) = Bytes{}; }
};
template <template <size_t> class Task, size_t kBytes> void known_size(Workbench& bench) {
  bench.flat("known_size", kItems, Task<kBytes>{bench.upload(std::vector<uint8_t>(kBytes * (kItems + 1), 1), "x")});
}

struct MemcpyOfBoundedSize {
  uint8_t* bytes;
  int64_t count;
  void operator()(int64_t i) const { memcpy(bytes + i, bytes + i + 24, static_cast<size_t>(count < 24 ? count : 24)); }
};
void memcpy_of_bounded_size(Workbench& bench) {
  bench.flat("memcpy_of_bounded_size", kItems,
             MemcpyOfBoundedSize{bench.upload(std::vector<uint8_t>(kItems + 48, 1), "x"), 24});
}
struct MemsetOfBoundedSize {
  uint8_t* bytes;
  int64_t count;
  void operator()(int64_t) const { memset(bytes, 0, static_cast<size_t>(count < 24 ? count : 24)); }
};
void memset_of_bounded_size(Workbench& bench) {
  bench.flat("memset_of_bounded_size", kItems, MemsetOfBoundedSize{bench.upload(std::vector<uint8_t>(24, 1), "x"), 24});
}

// Loops and neighbouring statements that a compiler makes vectors of 32 or 64 bytes of.
struct VectorLoop {
  float* values;
  void operator()(int64_t i) const {
    for (int64_t k = 0; k < 64; ++k) values[i + k] = 1;
  }
};
void vector_loop(Workbench& bench) {
  bench.flat("vector_loop", kItems, VectorLoop{bench.upload(std::vector<float>(kItems + 64, 0), "x")});
}
struct NeighbouringStatements {
  float* values;
  void operator()(int64_t i) const {
    float* v = values + i;
    v[0] = 1, v[1] = 2, v[2] = 3, v[3] = 4, v[4] = 5, v[5] = 6, v[6] = 7, v[7] = 8;
  }
};
void neighbouring_statements(Workbench& bench) {
  bench.flat("neighbouring_statements", kItems,
             NeighbouringStatements{bench.upload(std::vector<float>(kItems + 8, 0), "x")});
}

struct alignas(16) Four {
  float value[4];
};
struct AlignedPack {
  Four* packs;
  float* sums;
  void operator()(int64_t i) const {
    const Four pack = packs[0];
    sums[i] = pack.value[0] + pack.value[3];
    packs[0] = Four{{1, 2, 3, 4}};
  }
};
void aligned_pack(Workbench& bench) {
  float* packs = bench.upload(std::vector<float>(4, 1), "x");
  bench.flat("aligned_pack", kItems, AlignedPack{reinterpret_cast<Four*>(packs), bench.allocate<float>(kItems, "z")});
}

// Functions of the standard library whose uninstrumented twin in another unit must not be the one that runs.
struct StandardMax {
  float* values;
  void operator()(int64_t i) const { values[i] = std::max(values[i], values[(i + 1) % kItems]); }
};
void standard_max(Workbench& bench) {
  bench.flat("standard_max", kItems, StandardMax{bench.upload(std::vector<float>(kItems, 1), "x")});
}
struct StandardSort {
  float* values;
  void operator()(int64_t i) const { std::sort(values + i, values + i + 4); }
};
void standard_sort(Workbench& bench) {
  bench.flat("standard_sort", kItems, StandardSort{bench.upload(std::vector<float>(kItems + 4, 1), "x")});
}

// An atomic operation that arrives as a plain access would hide that the others are plain.
struct MixedAtomic {
  int* sum;
  void operator()(int64_t i) const {
    if (i == 3)
      *sum += 1;
    else
      __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
  }
};
void mixed_atomic(Workbench& bench) {
  bench.flat("mixed_atomic", kItems, MixedAtomic{bench.upload(std::vector<int>{0}, "x")});
}

struct SmallAccesses {
  uint8_t* bytes;
  void operator()(int64_t i) const {
    bytes[i] = 1;
    if (i == 5) bytes[4] = 2;
  }
};
void small_accesses(Workbench& bench) {
  bench.flat("small_accesses", kItems, SmallAccesses{bench.upload(std::vector<uint8_t>(kItems, 0), "x")});
}

struct Unaligned {
  uint8_t* bytes;
  void operator()(int64_t i) const {
    const uint32_t value = 1;
    memcpy(bytes + 3 * i + 1, &value, sizeof value);
  }
};
void unaligned(Workbench& bench) {
  bench.flat("unaligned", kItems, Unaligned{bench.upload(std::vector<uint8_t>(3 * kItems + 8, 0), "x")});
}

// What is done once for all threads of a block reads past the end of n, in nothing but the function it is named after.
struct OnceForAll {
  static constexpr int kThreads = 32;
  struct Part {};
  struct Shared {};
  struct Local {};
  const int* n;
  int* sums;
  int give(Part, const kernels::At& at, Shared&, Local&) const { return at.thread; }
  int combine(Part, int left, int right) const { return left + right; }
  void take(Part, const kernels::At& at, int total, Shared&, Local&) const {
    if (at.thread == 0) sums[at.block] = total;
  }
};
template <class Task> void once_for_all(Workbench& bench, const char* name) {
  bench.blocks(name, 2, Task{{bench.upload(std::vector<int>(4, 1), "n"), bench.allocate<int>(2, "z")}});
}
struct CountOfSteps : OnceForAll {
  using Phases = kernels::Sequence<kernels::Loop<Part>>;
  int64_t count(Part, int64_t block) const { return n[block + 3]; }
  void operator()(Part, const kernels::At& at, Shared&, Local&) const {
    if (at.thread == 0) sums[at.block] = 1;
  }
};
void count_of_steps(Workbench& bench) { once_for_all<CountOfSteps>(bench, "count_of_steps"); }
struct TeamLog2 : OnceForAll {
  using Phases = kernels::Sequence<kernels::ReduceTeams<Part>>;
  int32_t team_log2(Part) const { return n[4] & 1; }
};
void team_log2(Workbench& bench) { once_for_all<TeamLog2>(bench, "team_log2"); }
struct Identity : OnceForAll {
  using Phases = kernels::Sequence<kernels::Scan<Part>>;
  int identity(Part) const { return n[4]; }
  void take(Part, const kernels::At& at, int, int total, Shared&, Local&) const {
    if (at.thread == 0) sums[at.block] = total;
  }
};
void identity(Workbench& bench) { once_for_all<Identity>(bench, "identity"); }
struct Combine : OnceForAll {
  using Phases = kernels::Sequence<kernels::Reduce<Part>>;
  int combine(Part, int left, int right) const { return left + right + n[4]; }
};
void combine(Workbench& bench) { once_for_all<Combine>(bench, "combine"); }

// A count is read by every thread before the first step, which nothing orders after that.
struct CountIsWritten {
  static constexpr int kThreads = 32;
  struct Part {};
  struct Shared {};
  struct Local {};
  using Phases = kernels::Sequence<kernels::Loop<Part>>;
  int* n;
  int64_t count(Part, int64_t block) const { return n[block]; }
  void operator()(Part, const kernels::At& at, Shared&, Local&) const {
    if (at.thread == 5) n[at.block] = 1;
  }
};
void count_is_written(Workbench& bench) {
  bench.blocks("count_is_written", 2, CountIsWritten{bench.upload(std::vector<int>(2, 1), "n")});
}

// Work items that wait for what never comes.
template <class Wait> void wait_for(Workbench& bench, const char* name, Wait) {
  bench.flat(name, kItems, Wait{bench.upload(std::vector<int>(2, 0), "flags")});
}
struct WaitForFlag {
  int* flags;
  void operator()(int64_t i) const {
    while (i == 3 && __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0) {}
  }
};
void wait_for_flag(Workbench& bench) { wait_for(bench, "wait_for_flag", WaitForFlag{}); }
struct WaitForEither {
  int* flags;
  void operator()(int64_t i) const {
    while (i == 3 && __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0 &&
           __atomic_load_n(flags + 1, __ATOMIC_ACQUIRE) == 0) {}
  }
};
void wait_for_either(Workbench& bench) { wait_for(bench, "wait_for_either", WaitForEither{}); }
struct WaitByAddingNothing {
  int* flags;
  void operator()(int64_t i) const {
    while (i == 3 && __atomic_fetch_add(flags, 0, __ATOMIC_ACQUIRE) == 0) {}
  }
};
void wait_by_adding_nothing(Workbench& bench) { wait_for(bench, "wait_by_adding_nothing", WaitByAddingNothing{}); }
struct WaitByStoringTheSame {
  int* flags;
  void operator()(int64_t i) const {
    while (i == 3 && __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0) __atomic_store_n(flags + 1, 7, __ATOMIC_RELEASE);
  }
};
void wait_by_storing_the_same(Workbench& bench) { wait_for(bench, "wait_by_storing_the_same", WaitByStoringTheSame{}); }
struct WaitByExchange {
  int* flags;
  void operator()(int64_t i) const {
    for (int wanted = 1;
         i == 3 && !__atomic_compare_exchange_n(flags, &wanted, 2, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);)
      wanted = 1;
  }
};
void wait_by_exchange(Workbench& bench) { wait_for(bench, "wait_by_exchange", WaitByExchange{}); }
struct WaitBehindFence {
  int* flags;
  void operator()(int64_t i) const {
    while (i == 3 && flags[0] == 0) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
};
void wait_behind_fence(Workbench& bench) { wait_for(bench, "wait_behind_fence", WaitBehindFence{}); }
struct WaitByPhases {
  static constexpr int kThreads = 64;
  struct Poll {};
  struct Shared {};
  struct Local {};
  using Phases = kernels::Sequence<kernels::LoopWhile<Poll>>;
  int* flags;
  bool operator()(Poll, const kernels::At& at, Shared&, Local&) const {
    return at.block == 2 && __atomic_load_n(flags, __ATOMIC_ACQUIRE) == 0;
  }
};
void wait_by_phases(Workbench& bench) {
  bench.blocks("wait_by_phases", 3, WaitByPhases{bench.upload(std::vector<int>(2, 0), "flags")});
}

// Right ones: what the checker does of its own accord, in a program whose memcpy is watched, is none of a work item's.
struct Fill {
  float* values;
  void operator()(int64_t i) const { values[i] = 1; }
};
void many_items(Workbench& bench) { bench.flat("many_items", 1000, Fill{bench.allocate<float>(1000, "z")}); }

struct FillBlocks {
  static constexpr int kThreads = 32;
  struct Fill {};
  struct Copy {};
  struct Shared {
    float value[kThreads];
  };
  struct Local {};
  using Phases = kernels::Sequence<kernels::Once<Fill>, kernels::Once<Copy>>;
  float* values;
  void operator()(Fill, const kernels::At& at, Shared& shared, Local&) const {
    shared.value[at.thread] = static_cast<float>(at.block);
  }
  void operator()(Copy, const kernels::At& at, Shared& shared, Local&) const {
    values[at.block * kThreads + at.thread] = shared.value[kThreads - 1 - at.thread];
  }
};
void many_blocks(Workbench& bench) {
  bench.blocks("many_blocks", 1000, FillBlocks{bench.allocate<float>(int64_t{1000} * FillBlocks::kThreads, "z")});
}

// What memset wrote is written.
struct Clear {
  float* values;
  void operator()(int64_t i) const { memset(values + 6 * i, 0, 6 * sizeof(float)); }
};
struct SumOfCleared {
  const float* values;
  float* sums;
  void operator()(int64_t i) const { sums[i] = values[6 * i] + values[6 * i + 5]; }
};
void read_of_cleared(Workbench& bench) {
  float* values = bench.allocate<float>(6 * kItems, "x");
  bench.flat("clear", kItems, Clear{values});
  bench.flat("read_of_cleared", kItems, SumOfCleared{values, bench.allocate<float>(kItems, "z")});
}

// Looks often, and waits for nobody.
struct ManyLoads {
  int* value;
  int* sums;
  void operator()(int64_t i) const {
    int sum = 0;
    for (int k = 0; k < 3'000'000; ++k) sum += __atomic_load_n(value, __ATOMIC_RELAXED);
    sums[i] = sum;
  }
};
void many_loads(Workbench& bench) {
  bench.flat("many_loads", 2, ManyLoads{bench.upload(std::vector<int>(1, 1), "x"), bench.allocate<int>(2, "z")});
}

} // namespace

#define TS_KNOWN_SIZE(name, says, task, bytes)                                                                         \
  { name " of " #bytes " bytes", says, known_size<task, bytes> }
#define TS_KNOWN_SIZES(name, says, task)                                                                               \
  TS_KNOWN_SIZE(name, says, task, 1), TS_KNOWN_SIZE(name, says, task, 3), TS_KNOWN_SIZE(name, says, task, 12),         \
      TS_KNOWN_SIZE(name, says, task, 16), TS_KNOWN_SIZE(name, says, task, 24), TS_KNOWN_SIZE(name, says, task, 31),   \
      TS_KNOWN_SIZE(name, says, task, 200), TS_KNOWN_SIZE(name, says, task, 1000)

const Trap* traps() {
  static constexpr Trap kTraps[] = {{"read_of_update", "read of what nothing wrote", read_of_update},
                                    {"struct_copy", "read/write conflict", struct_copy},
                                    {"call_of_memcpy", "read/write conflict", call_of_memcpy},
                                    {"call_of_memmove", "read/write conflict", call_of_memmove},
                                    {"call_of_memset", "write/write conflict", call_of_memset},
                                    TS_KNOWN_SIZES("memcpy", "read/write conflict", MemcpyOf),
                                    TS_KNOWN_SIZES("memmove", "read/write conflict", MemmoveOf),
                                    TS_KNOWN_SIZES("memset", "write/write conflict", MemsetOf),
                                    TS_KNOWN_SIZES("fill_n", "write/write conflict", FillOf),
                                    TS_KNOWN_SIZES("a loop that clears", "write/write conflict", ClearLoopOf),
                                    TS_KNOWN_SIZES("copy_n", "read/write conflict", CopyOf),
                                    TS_KNOWN_SIZES("a struct", "read/write conflict", StructOf),
                                    TS_KNOWN_SIZES("a cleared struct", "write/write conflict", ClearedStructOf),
                                    {"memcpy_of_bounded_size", "read/write conflict", memcpy_of_bounded_size},
                                    {"memset_of_bounded_size", "write/write conflict", memset_of_bounded_size},
                                    {"vector_loop", "write/write conflict", vector_loop},
                                    {"neighbouring_statements", "write/write conflict", neighbouring_statements},
                                    {"aligned_pack", "read/write conflict", aligned_pack},
                                    {"standard_max", "read/write conflict", standard_max},
                                    {"standard_sort", "read/write conflict", standard_sort},
                                    {"count_of_steps", "out of bounds", count_of_steps},
                                    {"team_log2", "out of bounds", team_log2},
                                    {"identity", "out of bounds", identity},
                                    {"combine", "out of bounds", combine},
                                    {"count_is_written", "read/write conflict", count_is_written},
                                    {"mixed_atomic", "conflict of an atomic with a plain access", mixed_atomic},
                                    {"small_accesses", "write/write conflict", small_accesses},
                                    {"unaligned", "write/write conflict", unaligned},
                                    {nullptr, nullptr, nullptr}};
  return kTraps;
}

const Trap* waits() {
  static constexpr Trap kWaits[] = {{"wait_for_flag", "updates element (0) of flags", wait_for_flag},
                                    {"wait_for_either", " of flags", wait_for_either},
                                    {"wait_by_adding_nothing", "updates element (0) of flags", wait_by_adding_nothing},
                                    {"wait_by_storing_the_same", " of flags", wait_by_storing_the_same},
                                    {"wait_by_exchange", "updates element (0) of flags", wait_by_exchange},
                                    {"wait_behind_fence", "reads memory at trap_tasks.cpp", wait_behind_fence},
                                    {"wait_by_phases", "updates element (0) of flags", wait_by_phases},
                                    {nullptr, nullptr, nullptr}};
  return kWaits;
}

const Trap* right_tasks() {
  static constexpr Trap kRight[] = {{"many_items", nullptr, many_items},
                                    {"many_blocks", nullptr, many_blocks},
                                    {"read_of_cleared", nullptr, read_of_cleared},
                                    {"many_loads", nullptr, many_loads},
                                    {nullptr, nullptr, nullptr}};
  return kRight;
}

const char* trap_compiler() { return __VERSION__; }

} // namespace ts::emulator::checked
