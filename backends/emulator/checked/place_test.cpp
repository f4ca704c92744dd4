// What reports say of places: how far an index went and of whose elements, which memory is the host's, which lines of source.
#include "backends/emulator/checked/checker.h"
#include "backends/emulator/checked/place_tasks.h"
#include "backends/emulator/checked/symbols.h"
#include "backends/emulator/checked/traffic.h"
#include "backends/emulator/workbench.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace ts::emulator::checked {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The first report of what is launched; "" for none.
std::string first_report(const std::string& options, const std::function<void(Workbench&)>& launch) {
  Workbench bench(options);
  launch(bench);
  bench.synchronize();
  return bench.reports().empty() ? "" : text_of(bench.reports().front());
}

TEST(WildIndices, AreOutOfBoundsOfTheNearestOperand) {
  // TS_CITES(execution.28)
  const auto found = [](const std::string& options, int64_t index) {
    return first_report(options + ",memory=64", [=](Workbench& bench) {
      launch_write_at(bench, bench.upload(std::vector<float>(4, 0), "x"), index);
    });
  };
  for (const char* options : {"check=bounds", "check=all", "check=host"})
    for (const int64_t index : {int64_t{-200}, int64_t{1} << 25, int64_t{1} << 31, int64_t{UINT32_MAX},
                                -(int64_t{1} << 31), int64_t{1} << 36})
      EXPECT_THAT(found(options, index), StartsWith("out of bounds: write: item 0 writes element " +
                                                    std::to_string(index) + " of x, whose buffer has 16 bytes at "))
          << options;
  EXPECT_THAT(
      found("check=bounds", int64_t{1} << 60), // no index went that far: the pointer itself is wrong
      ::testing::ContainsRegex("out of bounds: write: item 0 writes address 0x[0-9a-f]+, where no memory is at "));
}

TEST(WildIndices, LeaveMemoryOfTheHostWhatItIs) {
  int count = 0;
  static int global_count = 0;
  const std::vector<int> heap(1, 0);
  for (int* place : {&count, &global_count, const_cast<int*>(heap.data())}) {
    EXPECT_THAT(first_report("check=all", [=](Workbench& bench) { launch_count(bench, place); }),
                HasSubstr("reads memory of the host"));
    EXPECT_EQ(first_report("check=bounds", [=](Workbench& bench) { launch_count(bench, place); }), "");
    EXPECT_EQ(*place, 1);
    *place = 0;
  }
}

TEST(WildIndices, IntoAnotherDeviceAreOutOfBounds) {
  Workbench other("check=bounds");
  Workbench bench("check=bounds");
  auto* there = other.upload(std::vector<float>(4, 0), "there");
  auto* here = bench.upload(std::vector<float>(4, 0), "here");
  launch_write_at(bench, here, there - here);
  bench.synchronize();
  ASSERT_EQ(bench.reports().size(), 1U);
  EXPECT_THAT(text_of(bench.reports().front()), HasSubstr("of here, whose buffer has 16 bytes"));
}

// An operand of `elements` bytes at the beginning of a buffer of `bytes`.
std::string piece_report(int64_t elements, uint64_t bytes, int64_t at, int piece) {
  Memory memory(1 << 20);
  CheckSettings settings;
  settings.bounds = true;
  Checker checker(settings, memory);
  memory.observe(&checker);
  std::byte* device = memory.allocate(bytes);
  kernels::View view{memory.reach(device), TS_DTYPE_U8, 1, {elements}, {1}};
  checker.begin_call({{"x", Role::out, view, memory.reach(device)}});
  kernels::Census census;
  Recorder program(*find_profile("t4"), memory);
  launch_write_piece(program, reinterpret_cast<uint8_t*>(device), at, piece);
  program.run({}, census);
  std::string text = checker.reports().empty() ? "" : text_of(checker.reports().front());
  checker.end_call(false);
  memory.observe(nullptr);
  return text;
}

TEST(Bounds, EndWithinAWordAndTheFirstByteBeyondIsNamed) {
  const std::string wanted = "out of bounds: piece: item 0 writes byte 5 of the buffer of x, outside its elements";
  EXPECT_THAT(piece_report(5, 64, 4, 4), StartsWith(wanted));
  EXPECT_THAT(piece_report(5, 64, 0, 8), StartsWith(wanted));
  EXPECT_THAT(piece_report(5, 64, 3, 4), StartsWith(wanted));
  EXPECT_EQ(piece_report(5, 64, 0, 4), "");
  EXPECT_EQ(piece_report(5, 64, 1, 4), "");
  EXPECT_EQ(piece_report(8, 64, 0, 8), "");
  const std::string whole = "out of bounds: piece: item 0 writes byte 5 of x, whose buffer has 5 bytes";
  EXPECT_THAT(piece_report(5, 5, 4, 4), StartsWith(whole));
  EXPECT_THAT(piece_report(5, 5, 0, 8), StartsWith(whole));
}

TEST(Bounds, OfLocalsEndWithinAWord) {
  EXPECT_THAT(first_report("check=bounds", launch_over_locals),
              HasSubstr("thread 2, phase 0 writes byte 0 of the locals of thread 3"));
}

TEST(Bounds, BehindTheLastLocalsAreLocals) {
  EXPECT_THAT(first_report("check=all", launch_past_locals),
              HasSubstr("writes byte 128 of the locals of 32 threads, 128 bytes"));
}

TEST(Bounds, OfNothing) {
  EXPECT_THAT(
      first_report("check=all", [](Workbench& bench) { launch_write_at(bench, bench.allocate<float>(0, "x"), 0); }),
      HasSubstr("writes byte 0 of x, whose buffer has 0 bytes"));
}

TEST(Folding, TakesNoTimeToSpeakOf) {
  constexpr int64_t kItems = 250'000;
  const auto seconds = [](const std::string& options, const std::function<void(Workbench&)>& launch) {
    Workbench bench(options);
    launch(bench);
    const auto start = std::chrono::steady_clock::now();
    bench.synchronize();
    uint64_t times = 0;
    for (const Report& report : bench.reports()) times += report.times;
    EXPECT_GT(times, 900U);
    EXPECT_LE(bench.reports().size(), 2U);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto racy = [](Workbench& bench) {
    launch_smooth_in_place(bench, bench.upload(std::vector<float>(kItems, 1), "x"), kItems);
  };
  const auto unwritten = [](Workbench& bench) {
    launch_copy(bench, "copy", bench.allocate<float>(kItems, "x"), bench.allocate<float>(kItems, "z"), kItems);
  };
  const auto stray = [](Workbench& bench) {
    launch_copy(bench, "copy", bench.upload(std::vector<float>(kItems, 1), "x"), bench.allocate<float>(16, "z"),
                kItems);
  };
  EXPECT_LT(seconds("check=all", racy), 2);
  EXPECT_LT(seconds("check=all", unwritten), 2);
  EXPECT_LT(seconds("check=all,memory=64", stray), 2);
}

// Another thread's variable, for as long as `use` runs.
void with_variable_of_another_thread(size_t stack_bytes, const std::function<void(int*)>& use) {
  struct Other {
    std::mutex mutex;
    std::condition_variable turn;
    int* place = nullptr;
    bool done = false;
  } other;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread{};
  const auto body = [](void* context) -> void* {
    auto& self = *static_cast<Other*>(context);
    int variable = 7;
    std::unique_lock<std::mutex> lock(self.mutex);
    self.place = &variable;
    self.turn.notify_all();
    self.turn.wait(lock, [&] { return self.done; });
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &other), 0);
  {
    std::unique_lock<std::mutex> lock(other.mutex);
    other.turn.wait(lock, [&] { return other.place != nullptr; });
  }
  use(other.place);
  {
    const std::unique_lock<std::mutex> lock(other.mutex);
    other.done = true;
  }
  other.turn.notify_all();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Threads' stacks are mapped one below the other, so the launching thread is made first.
TEST(HostMemory, IsSeenBelowASmallStack) {
  // TS_CITES(execution.30)
  struct Turn {
    std::mutex mutex;
    std::condition_variable ready;
    int* place = nullptr;
    std::string text;
  } turn;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t launching{};
  const auto body = [](void* context) -> void* {
    auto& self = *static_cast<Turn*>(context);
    std::unique_lock<std::mutex> lock(self.mutex);
    self.ready.wait(lock, [&] { return self.place != nullptr; });
    self.text = first_report("check=all,memory=64", [&](Workbench& bench) { launch_count(bench, self.place); });
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&launching, &attributes, body, &turn), 0);
  with_variable_of_another_thread(256 << 10, [&](int* place) {
    {
      const std::unique_lock<std::mutex> lock(turn.mutex);
      turn.place = place;
    }
    turn.ready.notify_all();
    pthread_join(launching, nullptr);
  });
  EXPECT_THAT(turn.text, HasSubstr("reads memory of the host"));
  pthread_attr_destroy(&attributes);
}

TEST(HostMemory, IsSeenBelowADeepStack) {
  std::string text;
  std::thread([&] {
    with_variable_of_another_thread(8 << 20, [&](int* place) {
      volatile std::byte deep[3 << 20];
      deep[0] = std::byte{1};
      text = first_report("check=all,memory=64", [&](Workbench& bench) { launch_count(bench, place); });
      deep[sizeof deep - 1] = deep[0];
    });
  }).join();
  EXPECT_THAT(text, HasSubstr("reads memory of the host"));
}

TEST(HostMemory, ConstantsOfTheProgramAreNone) {
  EXPECT_EQ(
      first_report("check=all", [](Workbench& bench) { launch_constants(bench, bench.allocate<int32_t>(1, "z")); }),
      "");
}

TEST(Padding, IsCopiedWithItsStruct) {
  // TS_CITES(execution.29)
  constexpr int64_t kCount = 40;
  for (const char* schedule : {"check=all", "check=all,schedule=forward", "check=all,shuffle=3"}) {
    EXPECT_EQ(first_report(schedule,
                           [](Workbench& bench) {
                             Pair* x = bench.allocate<Pair>(kCount, "x");
                             launch_set_pairs(bench, x, kCount);
                             launch_copy_pairs(bench, x, bench.allocate<Pair>(kCount, "z"), kCount);
                           }),
              "");
    EXPECT_EQ(
        first_report(schedule, [](Workbench& bench) { launch_pairs_in_blocks(bench, bench.allocate<Pair>(64, "z")); }),
        "");
    EXPECT_THAT(first_report(schedule,
                             [](Workbench& bench) {
                               launch_copy_pairs(bench, bench.allocate<Pair>(kCount, "x"),
                                                 bench.allocate<Pair>(kCount, "z"), kCount);
                             }),
                HasSubstr("of x at place_tasks.cpp"));
  }
}

TEST(Padding, IsNoWholeWordOfASmallerAlignment) {
  const std::string found = first_report("check=all", [](Workbench& bench) {
    launch_half_set(bench, bench.allocate<Record>(4, "x"), bench.allocate<Record>(4, "z"), 4);
  });
  EXPECT_THAT(found, StartsWith("read of what nothing wrote: copy_records: item 3 reads "));
  EXPECT_THAT(found, ::testing::Not(HasSubstr("element (9) of x"))) << "the member that was written";
}

TEST(Lines, OfAProgramThatMovedAway) {
  const std::filesystem::path folder = std::filesystem::current_path();
  const std::string before = first_report(
      "check=all", [](Workbench& bench) { launch_write_at(bench, bench.upload(std::vector<float>(4, 0), "x"), 4); });
  std::filesystem::current_path("/");
  const std::string after = first_report(
      "check=all", [](Workbench& bench) { launch_write_at(bench, bench.upload(std::vector<float>(4, 0), "x"), -200); });
  std::filesystem::current_path(folder);
  EXPECT_THAT(before, HasSubstr(" at place_tasks.cpp:"));
  EXPECT_THAT(after, HasSubstr(" at place_tasks.cpp:"));
}

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

TEST(Lines, OfAProgramFoundByThePathInAFolderOfAnyName) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "it's here";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file("/proc/self/exe", folder / "places_elsewhere",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string path = search_path();
  setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  EXPECT_EQ(std::system("places_elsewhere --gtest_filter=Lines.OfAProgramThatMovedAway >/dev/null"), 0);
  setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
}

TEST(Lines, OfAMachineWithoutAddr2lineAreOffsets) {
  const std::string path = search_path();
  setenv("PATH", "/nonexistent", 1);
  EXPECT_THAT(source_line(reinterpret_cast<uintptr_t>(&innermost_line) + 1), HasSubstr("checked_place_test+0x"));
  setenv("PATH", path.c_str(), 1);
}

TEST(Lines, OfFilesInFoldersOfAnyName) {
  EXPECT_EQ(innermost_line("/a b/my (old) file.h:35 (discriminator 3)\n/a b/main.cpp:7\n"), "my (old) file.h:35");
  EXPECT_EQ(innermost_line("/usr/include/c++/12/vector:99\n/home/it's/k.h:8 (discriminator 1)\n"), "k.h:8");
  EXPECT_EQ(innermost_line("??:0\n"), "?");
  EXPECT_EQ(innermost_line("/a b/places.cpp:?\n"), "places.cpp:?");
  EXPECT_EQ(innermost_line(""), "?");
}

TEST(TrafficPage, NamesAreWrittenSoThatTheyCanBeRead) {
  TrafficRow row{"a \"kernel\"\n", "back\\slash.h:1", std::string(2000, 'x'), kRead, {}};
  const std::string lines = json_lines_of({row});
  EXPECT_THAT(lines,
              HasSubstr("{\"kernel\": \"a \\\"kernel\\\"\\n\", \"site\": \"back\\\\slash.h:1\", \"memory\": \"xxx"));
  EXPECT_THAT(lines, HasSubstr("x\", \"access\": \"read\", \"requests\": 0, "));
}

TEST(TrafficPage, IsOpenedBeforeAnythingRuns) {
  EXPECT_THROW(Workbench("check=memory,page=/nonexistent/page"), kernels::Refusal);
}

TEST(TrafficPage, NamesEveryBuffer) {
  Workbench bench("check=memory");
  float* last = nullptr;
  for (int k = 0; k < 600; ++k) last = bench.upload(std::vector<float>(4, 0), "x" + std::to_string(k));
  launch_copy(bench, "copy", last, last, 4);
  bench.synchronize();
  ASSERT_FALSE(bench.traffic().empty());
  EXPECT_EQ(bench.traffic().front().memory, "x599");
}

} // namespace
} // namespace ts::emulator::checked
