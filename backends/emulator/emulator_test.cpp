// What makes the emulator a device: memory that is elsewhere, queues that wait, orders that no code may rely on, limits.
#include "backends/emulator/launch.h"
#include "backends/emulator/queue.h"
#include "backends/testing/table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

namespace ts::emulator {
namespace {

using kernels::At;
using kernels::Once;
using kernels::Sequence;
using testing::CallBuilder;
using testing::dense_view;
using ::testing::HasSubstr;
using testing::Instance;

constexpr uint64_t kSize = 1 << 20;

// Memory.

TEST(EmulatorMemory, IsPoisonedWhenItComesAndWhenItGoes) {
  Memory memory(kSize);
  std::byte* device = memory.allocate(100);
  std::byte* data = memory.reach(device);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(device) % kAlignment, 0U);
  EXPECT_TRUE(std::all_of(data, data + 100, [](std::byte b) { return b == std::byte{kFreshByte}; }));
  memory.release(device);
#if !defined(TS_SANITIZE)
  EXPECT_TRUE(std::all_of(data, data + 100, [](std::byte b) { return b == std::byte{kReleasedByte}; }));
#endif
}

TEST(EmulatorMemory, CannotBeReachedByTheHost) {
  Memory memory(kSize);
  volatile std::byte* device = memory.allocate(100);
  EXPECT_DEATH(device[0] = std::byte{1}, "");
  EXPECT_DEATH((void)device[0], "");
}

#if !defined(TS_SANITIZE) // there the sanitizer stops these writes itself
TEST(EmulatorMemory, NoticesWritesIntoGuardZonesAndAfterRelease) {
  Memory memory(kSize);
  std::byte* device = memory.allocate(100);
  EXPECT_EQ(memory.take_guard_damage(device), "");
  memory.reach(device)[100] = std::byte{0};
  EXPECT_THAT(memory.take_guard_damage(device), HasSubstr("byte 100 past a buffer of 100 bytes"));
  std::byte* other = memory.allocate(8);
  memory.reach(other)[-3] = std::byte{0};
  EXPECT_THAT(memory.take_guard_damage(other), HasSubstr("before a buffer of 8 bytes"));
  memory.release(other);
  memory.flush_quarantine();
  EXPECT_EQ(memory.take_damage(), "");
  std::byte* late = memory.allocate(16);
  memory.release(late);
  memory.reach(late)[5] = std::byte{0};
  memory.flush_quarantine();
  EXPECT_THAT(memory.take_damage(), HasSubstr("byte 5 of a buffer of 16 bytes was written after its release"));
}
#endif

TEST(EmulatorMemory, ComesBackAfterQuarantine) {
  Memory memory(kSize);
  std::vector<std::byte*> all;
  while (std::byte* device = memory.allocate(10'000)) all.push_back(device);
  EXPECT_GT(all.size(), 90U);
  EXPECT_EQ(std::set<std::byte*>(all.begin(), all.end()).size(), all.size());
  for (std::byte* device : all) memory.release(device);
  EXPECT_NE(memory.allocate(kSize - 2 * kGuardBytes), nullptr); // one piece again, as nothing else is left
  EXPECT_EQ(memory.allocate(1), nullptr);
}

// Orders.

std::vector<int64_t> visited(const Schedule& schedule, int64_t count) {
  std::mutex mutex;
  std::vector<int64_t> seen;
  schedule.for_each(count, [&](int64_t unit) {
    const std::lock_guard<std::mutex> lock(mutex);
    seen.push_back(unit);
  });
  return seen;
}

TEST(EmulatorSchedule, VisitsEveryUnitOnceInItsOrder) {
  const std::vector<int64_t> backward = visited({}, 100), forward = visited({Order::forward, 0, 1}, 100);
  const std::vector<int64_t> seven = visited({Order::shuffled, 7, 1}, 100),
                             eight = visited({Order::shuffled, 8, 1}, 100);
  std::vector<int64_t> wanted(100);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(forward, wanted);
  EXPECT_EQ(backward, std::vector<int64_t>(wanted.rbegin(), wanted.rend()));
  EXPECT_EQ(seven, visited({Order::shuffled, 7, 1}, 100));
  EXPECT_NE(seven, eight);
  EXPECT_NE(seven, wanted);
  for (std::vector<int64_t> seen : {seven, eight, visited({Order::backward, 0, 4}, 100)}) {
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, wanted);
  }
}

// A task of a pointer and two small numbers, which together could be taken for an address.
struct Numbers {
  int32_t* z;
  int32_t low, high;
  void operator()(int64_t) const {
    z[0] = low;
    z[1] = high;
  }
};

TEST(EmulatorLaunch, TakesNoPairOfNumbersForAnAddress) {
  for (const uint64_t size : {kSize, uint64_t{4} << 30}) {
    Memory memory(size);
    auto* device = reinterpret_cast<int32_t*>(memory.allocate(8));
    const auto first = reinterpret_cast<uintptr_t>(device);
    for (const uint64_t upper : {first, first + size - 1}) {
      const auto high = static_cast<int32_t>(upper >> 32);
      for (const int32_t low : {0, 8, 65537, 100'000'000, -1}) {
        kernels::Census census;
        Recorder program(*find_profile("t4"), memory);
        program.flat("numbers", "", 1, Numbers{device, low, high});
        program.run({}, census);
        const auto* z = reinterpret_cast<const int32_t*>(memory.reach(reinterpret_cast<std::byte*>(device)));
        EXPECT_EQ(z[0], low) << size;
        EXPECT_EQ(z[1], high) << size;
      }
    }
  }
}

// A task with flags, and behind them padding in which an address may have been left.
struct Flags {
  int32_t* z;
  bool flag[3];
  void operator()(int64_t) const {
    for (int k = 0; k < 3; ++k) z[k] = static_cast<int32_t>(reinterpret_cast<const uint8_t&>(flag[k]));
  }
};

TEST(EmulatorLaunch, KeepsWhatStandsBesideTheRestOfAnAddress) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Memory memory(kSize);
    auto* device = memory.allocate(200'000); // so that the flags beside its upper bytes are an address of it
    Flags task{};
    memcpy(reinterpret_cast<std::byte*>(&task) + sizeof task.z, &device, sizeof device);
    task.z = reinterpret_cast<int32_t*>(device);
    task.flag[0] = task.flag[2] = true;
    task.flag[1] = false;
    kernels::Census census;
    Recorder program(*find_profile("t4"), memory);
    program.flat("flags", "", 1, task);
    program.run({}, census);
    const auto* z = reinterpret_cast<const int32_t*>(memory.reach(device));
    EXPECT_EQ(z[0], 1);
    EXPECT_EQ(z[1], 0);
    EXPECT_EQ(z[2], 1);
  }
}

// A task that depends on order: item i writes what item i - 1 left.
struct Prefix {
  int64_t* sums;
  void operator()(int64_t i) const { sums[i] = (i == 0 ? 0 : sums[i - 1]) + 1; }
};

int64_t last_prefix(const Schedule& schedule) {
  constexpr int64_t kCount = 1000;
  Memory memory(kSize);
  kernels::Census census;
  std::byte* device = memory.allocate(kCount * sizeof(int64_t));
  Recorder program(*find_profile("t4"), memory);
  program.flat("prefix", "", kCount, Prefix{reinterpret_cast<int64_t*>(device)});
  memset(memory.reach(device), 0, kCount * sizeof(int64_t));
  program.run(schedule, census);
  return reinterpret_cast<const int64_t*>(memory.reach(device))[kCount - 1];
}

TEST(EmulatorSchedule, ExposesATaskThatReliesOnTheOrderOfItems) {
  EXPECT_EQ(last_prefix({Order::forward, 0, 1}), 1000);
  EXPECT_EQ(last_prefix({}), 1);
  EXPECT_NE(last_prefix({Order::shuffled, 3, 1}), 1000);
}

// Every block leaves a number, and in the next launch every block adds up those of all.
struct Leave {
  int64_t* left;
  void operator()(int64_t i) const { left[i] = i + 1; }
};
struct AddUp {
  static constexpr int kThreads = 32;
  struct Read {};
  struct Write {};
  struct Shared {
    int64_t sums[kThreads];
  };
  struct Local {};
  using Phases = Sequence<Once<Read>, Once<Write>>;
  const int64_t* left;
  int64_t* total;
  int64_t count;
  void operator()(Read, const At& at, Shared& shared, Local&) const {
    shared.sums[at.thread] = 0;
    for (int64_t i = at.thread; i < count; i += kThreads) shared.sums[at.thread] += left[i];
  }
  void operator()(Write, const At& at, Shared& shared, Local&) const {
    if (at.thread != 0) return;
    total[at.block] = 0;
    for (const int64_t sum : shared.sums) total[at.block] += sum;
  }
};

TEST(EmulatorSchedule, ALaunchIsCompleteBeforeTheNextBegins) {
  // TS_CITES(execution.7, execution.15)
  constexpr int64_t kItems = 5000, kBlocks = 40;
  for (const Schedule& schedule : {Schedule{}, Schedule{Order::forward, 0, 1}, Schedule{Order::shuffled, 3, 1},
                                   Schedule{Order::backward, 0, 4}, Schedule{Order::shuffled, 4, 4}}) {
    Memory memory(kSize);
    kernels::Census census;
    auto* left = reinterpret_cast<int64_t*>(memory.allocate(kItems * sizeof(int64_t)));
    auto* total = reinterpret_cast<int64_t*>(memory.allocate(kBlocks * sizeof(int64_t)));
    Recorder program(*find_profile("t4"), memory);
    program.flat("leave", "", kItems, Leave{left});
    program.blocks("add_up", "", kBlocks, AddUp{left, total, kItems});
    program.run(schedule, census);
    const auto* found = reinterpret_cast<const int64_t*>(memory.reach(reinterpret_cast<std::byte*>(total)));
    for (int64_t block = 0; block < kBlocks; ++block) EXPECT_EQ(found[block], kItems * (kItems + 1) / 2);
  }
}

// Limits and shared memory.

template <int N, int kBytes> struct Block {
  static constexpr int kThreads = N;
  struct Store {};
  struct Shared {
    uint8_t bytes[kBytes];
  };
  struct Local {
    uint8_t byte;
  };
  using Phases = Sequence<Once<Store>>;
  int64_t past;
  uint8_t* out; ///< two bytes a block: what it found in Shared, and in the Local of its first thread
  void operator()(Store, const At& at, Shared& shared, Local& local) const {
    if (at.thread == 0 && out != nullptr) {
      out[2 * at.block] = shared.bytes[0];
      out[2 * at.block + 1] = local.byte;
      shared.bytes[0] = local.byte = 1; // what the next block must not find
    }
    uint8_t* volatile bytes = shared.bytes; // so that the compiler does not see through the fault
    if (at.thread == 5 && past > 0) bytes[kBytes - 1 + past] = 1;
  }
};

template <class Task> ts_status status_of(const char* profile, const Task& task) {
  Memory memory(kSize);
  Recorder program(*find_profile(profile), memory);
  try {
    program.blocks("block", "", 2, task);
  } catch (const kernels::Refusal& refusal) {
    return refusal.status;
  }
  return TS_OK;
}

TEST(EmulatorProfile, RefusesLaunchesThatADeviceWouldRefuse) {
  EXPECT_EQ(status_of("t4", Block<1024, 65536>{}), TS_OK);
  EXPECT_EQ(status_of("t4", Block<1056, 16>{}), TS_DEVICE_ERROR);
  EXPECT_EQ(status_of("t4", Block<32, 65537>{}), TS_DEVICE_ERROR);
  EXPECT_EQ(status_of("a100", Block<32, 65537>{}), TS_OK);
  EXPECT_EQ(status_of("a100", Block<32, 200'000>{}), TS_DEVICE_ERROR);
  EXPECT_EQ(status_of("h100", Block<32, 200'000>{}), TS_OK);
  EXPECT_EQ(find_profile("abacus"), nullptr);
}

TEST(EmulatorShared, IsPoisonedAndGuarded) {
  // TS_CITES(execution.6)
  Memory memory(kSize);
  kernels::Census census;
  std::byte* device = memory.allocate(4);
  memset(memory.reach(device), 0, 4);
  Recorder clean(*find_profile("t4"), memory), dirty(*find_profile("t4"), memory);
  clean.blocks("clean", "", 2, Block<32, 64>{0, reinterpret_cast<uint8_t*>(device)});
  clean.run({}, census);
  EXPECT_EQ(clean.damage(), "");
  for (int k = 0; k < 4; ++k) EXPECT_EQ(memory.reach(device)[k], std::byte{kFreshByte}) << k;
#if !defined(TS_SANITIZE)
  dirty.blocks("dirty", "", 1, Block<32, 64>{3, nullptr});
  dirty.run({}, census);
  EXPECT_THAT(dirty.damage(), HasSubstr("kernel dirty, block 0: byte 66 past 64 bytes of shared memory"));
#endif
}

// Through the table.

const ts_backend* emulator() { return testing::load_table(testing::built_backend("emulator")); }

TEST(EmulatorQueue, RunsNothingBeforeSomethingSynchronizes) {
  // TS_CITES(execution.18)
  Instance backend(emulator());
  const ts_buffer x = backend.upload(std::vector<float>{1, 2}), z = backend.allocate(8);
  CallBuilder negative(TS_OP_NEGATIVE);
  negative.out(dense_view(z, TS_DTYPE_F32, {2})).in(dense_view(x, TS_DTYPE_F32, {2}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, negative), TS_OK);
  std::vector<float> found{7, 7};
  EXPECT_EQ(emulator()->copy_out(backend.self(), 0, found.data(), z, 0, 8, nullptr), TS_OK);
  EXPECT_TRUE(backend.census().empty());
  EXPECT_EQ(found, (std::vector<float>{7, 7})); // a host that reads too soon
  EXPECT_EQ(backend.synchronize(), TS_OK);
  EXPECT_EQ(found, (std::vector<float>{-1, -2}));
}

TEST(EmulatorQueue, ReleaseTakesItsTurnButTheHandleIsDeadAtOnce) {
  Instance backend(emulator());
  const ts_buffer x = backend.upload(std::vector<float>{1, 2}), z = backend.allocate(8);
  CallBuilder negative(TS_OP_NEGATIVE);
  negative.out(dense_view(z, TS_DTYPE_F32, {2})).in(dense_view(x, TS_DTYPE_F32, {2}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, negative), TS_OK);
  emulator()->release(backend.self(), x, 0);
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, negative), TS_INVALID_ARGUMENT);
  EXPECT_EQ(backend.download<float>(z, 2), (std::vector<float>{-1, -2}));
}

TEST(EmulatorQueue, NoticesABufferReleasedByAnotherQueueTooSoon) {
  Instance backend(emulator());
  ts_queue other = 0;
  ASSERT_EQ(emulator()->queue_create(backend.self(), 0, &other, nullptr), TS_OK);
  const ts_buffer x = backend.upload(std::vector<float>{1, 2}), z = backend.allocate(8);
  CallBuilder negative(TS_OP_NEGATIVE, 12);
  negative.out(dense_view(z, TS_DTYPE_F32, {2})).in(dense_view(x, TS_DTYPE_F32, {2}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, negative), TS_OK);
  emulator()->release(backend.self(), x, other); // without waiting for queue 0
  EXPECT_EQ(backend.synchronize(other), TS_OK);
  EXPECT_EQ(backend.synchronize(), TS_DEVICE_ERROR);
}

TEST(EmulatorQueue, WaitsForEventsOfOtherQueuesAndDevices) {
  Instance backend(emulator(), "devices=2");
  ASSERT_EQ(emulator()->device_count(backend.self()), 2);
  ts_queue other = 0;
  ASSERT_EQ(emulator()->queue_create(backend.self(), 1, &other, nullptr), TS_OK);
  ts_buffer there = 0;
  ASSERT_EQ(emulator()->allocate(backend.self(), 1, 8, &there, nullptr), TS_OK);
  const ts_buffer here = backend.upload(std::vector<int32_t>{3, 4}), back = backend.allocate(8);
  EXPECT_EQ(emulator()->copy(backend.self(), other, there, 0, 0, here, 0, 8, nullptr), TS_OK);
  EXPECT_EQ(emulator()->copy(backend.self(), 0, back, 0, other, there, 0, 8, nullptr), TS_OK);
  emulator()->release(backend.self(), here, 0); // after the copy has read it
  EXPECT_EQ(backend.download<int32_t>(back, 2), (std::vector<int32_t>{3, 4}));
  CallBuilder wrong(TS_OP_NEGATIVE); // operands of two devices
  wrong.out(dense_view(there, TS_DTYPE_I32, {2})).in(dense_view(back, TS_DTYPE_I32, {2}));
  EXPECT_EQ(backend.call(TS_FAMILY_ELEMENTWISE, wrong), TS_INVALID_ARGUMENT);
}

TEST(EmulatorQueue, ReleasesThatWaitMakeRoomForAnAllocation) {
  Instance backend(emulator(), "memory=1");
  for (int k = 0; k < 20; ++k) {
    const ts_buffer buffer = backend.allocate(600'000);
    ASSERT_NE(buffer, 0U);
    emulator()->release(backend.self(), buffer, 0);
  }
  ts_buffer kept = backend.allocate(600'000), none = 0;
  EXPECT_NE(kept, 0U);
  EXPECT_EQ(emulator()->allocate(backend.self(), 0, 600'000, &none, &backend.error), TS_OUT_OF_MEMORY);
  EXPECT_EQ(backend.error.value, 600'000);
}

TEST(EmulatorOptions, AreCheckedOneByOne) {
  const auto status = [](const char* options) {
    ts_instance* self = nullptr;
    const ts_status found = emulator()->open(options, &self, nullptr);
    if (found == TS_OK) emulator()->close(self);
    return found;
  };
  EXPECT_EQ(status("schedule=forward,profile=h100,threads=2"), TS_OK);
  EXPECT_EQ(status("shuffle=7"), TS_OK);
  for (const char* wrong : {"shuffle=", "shuffle=x", "schedule=sideways", "profile=abacus", "threads=0", "memory=-1"})
    EXPECT_EQ(status(wrong), TS_INVALID_ARGUMENT) << wrong;
}

} // namespace
} // namespace ts::emulator
