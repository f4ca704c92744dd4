// The transaction lint against counts made by hand, and against a recount of recorded traces byte by byte.
#include "backends/emulator/checked/traffic.h"
#include "backends/emulator/checked/traffic_tasks.h"
#include "backends/kernels/census.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

namespace ts::emulator::checked {

static void PrintTo(const Traffic& t, std::ostream* out) {
  *out << t.requests << " requests, " << t.lanes << " lanes, " << t.sectors << " sectors, " << t.least << " least, "
       << t.conflicts << " conflicts";
}

namespace {

// What became of the accesses to one memory, under any schedule.
Traffic traffic_of(const std::function<void(Workbench&)>& launch, const std::string& memory, Access access,
                   const std::string& schedule) {
  Workbench bench("check=memory," + schedule);
  launch(bench);
  EXPECT_EQ(bench.synchronize(), "");
  Traffic sum;
  for (const TrafficRow& row : bench.traffic())
    if (row.memory == memory && row.access == access) sum += row.traffic;
  return sum;
}

void expect(const std::function<void(Workbench&)>& launch, const std::string& memory, Access access,
            const Traffic& wanted) {
  for (const char* schedule : {"schedule=backward", "schedule=forward", "shuffle=3"})
    EXPECT_EQ(traffic_of(launch, memory, access, schedule), wanted) << memory << ", " << schedule;
}

// Eight warps; a warp's 32 floats are 128 bytes, 4 sectors.
TEST(Traffic, CoalescedAccessesTouchTheLeast) {
  const auto launch = [](Workbench& bench) { launch_strided(bench, 1, 0); };
  expect(launch, "x", kRead, {8, 256, 32, 32, 0});
  expect(launch, "z", kWrite, {8, 256, 32, 32, 0});
}
TEST(Traffic, AStrideOfTwoTouchesTwice) {
  expect([](Workbench& bench) { launch_strided(bench, 2, 0); }, "x", kRead, {8, 256, 64, 32, 0});
}
TEST(Traffic, AStrideOf32TouchesASectorAnItem) {
  expect([](Workbench& bench) { launch_strided(bench, 32, 0); }, "x", kRead, {8, 256, 256, 32, 0});
}
TEST(Traffic, OneElementForAllIsOneSector) {
  expect([](Workbench& bench) { launch_strided(bench, 0, 0); }, "x", kRead, {8, 256, 8, 8, 0});
}
TEST(Traffic, FourBytesOffTouchesOneMore) {
  expect([](Workbench& bench) { launch_strided(bench, 1, 1); }, "x", kRead, {8, 256, 40, 32, 0});
}
TEST(Traffic, AGatherCountsByWhereItGoes) {
  std::vector<int32_t> apart(kTrafficItems), pairs(kTrafficItems), clusters(kTrafficItems);
  for (int32_t i = 0; i < static_cast<int32_t>(kTrafficItems); ++i) {
    const auto at = static_cast<size_t>(i);
    apart[at] = i * 8;                   // a sector each
    pairs[at] = i / 2;                   // 16 floats a warp
    clusters[at] = (i % 4) * 64 + i / 4; // four runs of 8 floats a warp
  }
  const auto launch = [](const std::vector<int32_t>& index) {
    return [&index](Workbench& bench) { launch_gather(bench, index); };
  };
  expect(launch(apart), "x", kRead, {8, 256, 256, 32, 0});
  expect(launch(pairs), "x", kRead, {8, 256, 16, 16, 0});
  expect(launch(clusters), "x", kRead, {8, 256, 32, 32, 0});
  expect(launch(apart), "index", kRead, {8, 256, 32, 32, 0});
}
TEST(Traffic, LanesThatDoNothingAreNotCounted) {
  expect(launch_every_second, "x", kRead, {8, 128, 32, 16, 0}); // 16 floats a warp, spread over 4 sectors
}
TEST(Traffic, EachTurnOfALoopIsARequest) { expect(launch_rows, "x", kRead, {32, 1024, 128, 128, 0}); }
TEST(Traffic, FourFloatsAtOnceAreOneRequest) {
  expect(launch_packs, "x", kRead, {8, 256, 128, 128, 0});
  expect(launch_packs, "z", kWrite, {8, 256, 128, 128, 0});
}
TEST(Traffic, AtomicsAreCountedApart) {
  expect(launch_counters, "sums", kAtomic, {8, 256, 8, 8, 0});
  expect(launch_counters, "sums", kRead, {});
}

// 32 warps. Naive: each warp's stores lie 128 bytes apart.
TEST(Traffic, TransposesNaiveTiledAndPadded) {
  for (const auto& launch : {launch_transpose_naive, launch_transpose_tiled, launch_transpose_padded})
    expect(launch, "x", kRead, {32, 1024, 128, 128, 0});
  expect(launch_transpose_naive, "z", kWrite, {32, 1024, 1024, 128, 0});
  expect(launch_transpose_tiled, "z", kWrite, {32, 1024, 128, 128, 0});
  expect(launch_transpose_tiled, "shared memory", kWrite, {32, 1024, 0, 0, 0});
  expect(launch_transpose_tiled, "shared memory", kRead, {32, 1024, 0, 0, uint64_t{32} * 31}); // all lanes in one bank
  expect(launch_transpose_padded, "shared memory", kRead, {32, 1024, 0, 0, 0});
}

// 32 banks of 4 bytes; 16 lanes of 8 bytes or 8 of 16 are served together.
TEST(Traffic, BanksOfSharedMemory) {
  const auto floats_by = [](int64_t stride) { return [=](Workbench& b) { launch_shared_floats(b, stride); }; };
  const auto doubles_by = [](int64_t stride) { return [=](Workbench& b) { launch_shared_doubles(b, stride); }; };
  const auto packs_by = [](int64_t stride) { return [=](Workbench& b) { launch_shared_packs(b, stride); }; };
  for (const Access access : {kRead, kWrite}) {
    expect(floats_by(1), "shared memory", access, {1, 32, 0, 0, 0});
    expect(floats_by(2), "shared memory", access, {1, 32, 0, 0, 1});
    expect(floats_by(3), "shared memory", access, {1, 32, 0, 0, 0});
    expect(floats_by(32), "shared memory", access, {1, 32, 0, 0, 31});
    expect(doubles_by(1), "shared memory", access, {1, 32, 0, 0, 0});
    expect(doubles_by(2), "shared memory", access, {1, 32, 0, 0, 2});   // one more turn in either half
    expect(doubles_by(16), "shared memory", access, {1, 32, 0, 0, 30}); // 15 more in either half
    expect(packs_by(1), "shared memory", access, {1, 32, 0, 0, 0});
    expect(packs_by(8), "shared memory", access, {1, 32, 0, 0, 28}); // 7 more in each quarter
  }
  expect(floats_by(0), "shared memory", kRead, {1, 32, 0, 0, 0}); // one word for all
}

TEST(Traffic, APageNamesKernelSiteAndCounts) {
  Workbench bench("check=memory");
  launch_strided(bench, 2, 0);
  launch_transpose_tiled(bench);
  bench.synchronize();
  const std::string page = text_of(bench.traffic()), lines = json_lines_of(bench.traffic());
  EXPECT_NE(page.find("transpose                traffic_tasks.cpp:"), std::string::npos) << page;
  EXPECT_NE(page.find("992"), std::string::npos) << page;
  EXPECT_LT(page.find("transpose"), page.find("strided")) << "what wastes most comes first";
  EXPECT_NE(lines.find("{\"kernel\": \"strided\", \"site\": \"traffic_tasks.cpp:"), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"requests\": 8, \"lanes\": 256, \"sectors\": 64, \"least\": 32, \"ratio\": 2.000"),
            std::string::npos)
      << lines;
}

TEST(Traffic, StandsAlone) {
  for (const char* options : {"check=memory,race", "check=all,memory", "check=memory,jitter=3", "page=somewhere"})
    EXPECT_THROW(parse_settings(options), kernels::Refusal) << options;
}

struct Random {
  uint64_t state;
  int below(int n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<int>((state >> 20) % static_cast<uint64_t>(n));
  }
};

// Counts again, byte by byte, with sets alone.
class Recount {
public:
  Traffic total;
  uint64_t steps = 0;

  void add(const std::vector<Step>& trace) {
    // By warp, site, how many times before, and which memory.
    std::map<std::tuple<int, uint32_t, uint64_t, bool>, std::vector<Step>> requests;
    std::map<std::pair<int, uint32_t>, uint64_t> times;
    for (const Step& step : trace)
      requests[{step.thread / 32, step.site, times[{step.thread, step.site}]++, step.shared}].push_back(step);
    for (const auto& [key, lanes] : requests) total += lanes.front().shared ? shared(lanes) : global(lanes);
    steps += trace.size();
  }

private:
  static Traffic global(const std::vector<Step>& lanes) {
    std::set<uint64_t> sectors, bytes;
    for (const Step& step : lanes)
      for (uint64_t byte = step.offset; byte < step.offset + step.bytes; ++byte) {
        sectors.insert(byte / 32);
        bytes.insert(byte);
      }
    return {1, lanes.size(), sectors.size(), (bytes.size() + 31) / 32, 0};
  }
  static Traffic shared(const std::vector<Step>& lanes) {
    std::map<int, std::map<uint64_t, std::set<uint64_t>>> parts; // which lanes go together: bank: words
    for (const Step& step : lanes)
      for (uint64_t byte = step.offset; byte < step.offset + step.bytes; ++byte)
        parts[step.bytes <= 4 ? 0 : step.thread % 32 * step.bytes / 128][byte / 4 % 32].insert(byte / 4);
    Traffic traffic{1, lanes.size(), 0, 0, 0};
    for (const auto& [part, banks] : parts) {
      uint64_t turns = 0;
      for (const auto& [bank, words] : banks) turns = std::max<uint64_t>(turns, words.size());
      traffic.conflicts += turns - 1;
    }
    return traffic;
  }
};

// Sectors are cheap where places are near: some launches stay near.
Planned invent(Random& random, bool with_shared, int near) {
  Planned one{};
  one.log2 = static_cast<uint8_t>(random.below(5));
  one.kind = static_cast<uint8_t>(random.below(one.log2 <= 3 ? 3 : 2));
  one.shared = with_shared && random.below(2) == 0;
  one.byte = random.below((one.shared ? std::min(near, kPlannedShared) : near) >> one.log2) << one.log2;
  return one;
}

TEST(Traffic, EqualsARecountOfTheTrace) {
  const char* chosen = std::getenv("TS_TRAFFIC_LAUNCHES");
  const int64_t launches = chosen != nullptr ? std::atoll(chosen) : 300;
  Memory memory(1 << 22);
  std::byte* data = memory.allocate(1 << 16);
  Random random{0x9e3779b97f4a7c15ULL};
  kernels::Census census;
  uint64_t steps = 0, mismatches = 0;
  for (int64_t k = 0; k < launches && mismatches < 5; ++k) {
    const bool flat = random.below(2) == 0;
    const int64_t count = flat ? 1 + random.below(600) : 1 + random.below(3);
    const int near = 64 << random.below(9);
    const auto slots = static_cast<size_t>(flat ? count : count * kPlannedThreads * kPlannedPhases);
    std::vector<Planned> plan(slots * kPlannedMax);
    for (Planned& one : plan) one = invent(random, !flat, near);
    std::vector<int32_t> counts(slots);
    uint64_t planned = 0;
    for (int32_t& one : counts) planned += static_cast<uint64_t>(one = random.below(kPlannedMax + 1));
    Schedule schedule;
    schedule.order = std::array{Order::backward, Order::forward, Order::shuffled}[static_cast<size_t>(random.below(3))];
    schedule.seed = static_cast<uint64_t>(k);

    TrafficMeter meter(memory, "");
    memory.observe(&meter);
    Recount recount;
    meter.watch([](void* to, int64_t, const std::vector<Step>& trace) { static_cast<Recount*>(to)->add(trace); },
                &recount);
    Recorder program(*find_profile("t4"), memory);
    launch_planned(program, flat, count, plan.data(), counts.data(), data);
    program.run(schedule, census);
    Traffic sum;
    for (const TrafficRow& row : meter.rows()) sum += row.traffic;
    memory.observe(nullptr);
    steps += recount.steps;
    if (sum == recount.total && recount.steps == planned && sum.lanes == planned) continue;
    ++mismatches;
    ADD_FAILURE() << "launch " << k << ": " << ::testing::PrintToString(sum) << ", by the trace "
                  << ::testing::PrintToString(recount.total) << "; " << planned << " accesses planned";
  }
  memory.release(data);
  std::printf("%lld launches, %llu accesses, %llu mismatches\n", static_cast<long long>(launches),
              static_cast<unsigned long long>(steps), static_cast<unsigned long long>(mismatches));
}

} // namespace
} // namespace ts::emulator::checked
