// A workbench in the hands of somebody who errs: each mistake is one sentence, and what stands behind it goes on.
#include "backends/emulator/workbench_tasks.h"

#include <gmock/gmock.h>

#include <limits>

namespace ts::emulator {
namespace {

using kernels::Refusal;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<float> kFour{1, 2, 3, 4};

std::string refusal_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "nothing was refused";
}

// Every schedule and setting.
class AnyWorkbench : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Settings, AnyWorkbench,
                         ::testing::Values("", "schedule=forward", "shuffle=3", "threads=2", "check=all"));

TEST_P(AnyWorkbench, CopiesStayInsideAnAllocation) {
  Workbench bench(GetParam());
  auto* x = bench.upload(kFour, "x");
  auto* y = bench.upload(kFour, "y");
  bench.copy_in(x + 1, std::vector<float>(300, 9));
  EXPECT_EQ(bench.synchronize(), "copy_in: 1200 bytes at byte 4 of x, which has 16");
  std::vector<float> many(5, 7), none;
  bench.copy_out(many, x);
  EXPECT_EQ(bench.synchronize(), "copy_out: 20 bytes at byte 0 of x, which has 16");
  EXPECT_EQ(many, std::vector<float>(5, 7));
  float host = 0;
  for (float* nowhere : {static_cast<float*>(nullptr), &host, x - 1, y + 1000}) {
    bench.copy_in(nowhere, kFour);
    EXPECT_EQ(bench.synchronize(), "copy_in: memory that is not allocated");
    bench.copy_out(many, nowhere);
    EXPECT_EQ(bench.synchronize(), "copy_out: memory that is not allocated");
    bench.copy_out(none, nowhere);
    EXPECT_EQ(bench.synchronize(), "");
  }
  bench.release(y);
  bench.copy_in(y, kFour);
  EXPECT_EQ(bench.synchronize(), "copy_in: memory that is not allocated");
  std::vector<float> values(4);
  bench.copy_out(values, x);
  EXPECT_EQ(bench.synchronize(), "");
  EXPECT_EQ(values, kFour);
}

TEST_P(AnyWorkbench, TellsAProblemOnceAndByItsKernel) {
  Workbench bench(GetParam());
  auto* x = bench.allocate<float>(4, "x");
  launch_fill(bench, std::string("too ") + "far", x, 5); // a name that is gone when the launch runs
  EXPECT_THAT(bench.synchronize(), AllOf(HasSubstr("too far"), HasSubstr("x"), HasSubstr("16 bytes")));
  launch_fill(bench, "right", x, 4);
  EXPECT_EQ(bench.synchronize(), "");
  launch_fill(bench, "too far", x, 5);
  EXPECT_THAT(bench.synchronize(), HasSubstr("too far"));
  EXPECT_EQ(bench.synchronize(), "");
}

TEST_P(AnyWorkbench, AWorkItemThatThrowsStopsNothingElse) {
  Workbench bench(GetParam());
  auto* z = bench.allocate<float>(1000, "z");
  launch_thrower(bench, z, 1000);
  launch_fill(bench, "fill", z, 1000);
  EXPECT_EQ(bench.synchronize(), "kernel thrower: a work item threw: three");
  std::vector<float> values(1000);
  bench.copy_out(values, z);
  launch_fill(bench, "fill", z, 1000);
  EXPECT_EQ(bench.synchronize(), "");
  EXPECT_EQ(values[999], 999);
}

TEST_P(AnyWorkbench, GivesRoomAgain) {
  Workbench bench(std::string("memory=8") + (*GetParam() == '\0' ? "" : ",") + GetParam());
  auto* z = bench.allocate<float>(4, "z");
  for (int k = 0; k < 300; ++k) launch_blocks(bench, z, 4); // more shared memory, one after another, than there is
  EXPECT_EQ(bench.synchronize(), "");
  for (int k = 0; k < 4; ++k) { // releases that still wait, or rest in quarantine
    auto* most = bench.allocate<char>(5 << 20, "most");
    bench.release(most);
  }
  EXPECT_THAT(refusal_of([&] { bench.allocate<char>(9 << 20, "more"); }), HasSubstr("no room for more"));
  EXPECT_EQ(bench.synchronize(), "");
}

TEST_P(AnyWorkbench, RefusesNumbersThatCannotBe) {
  Workbench bench(GetParam());
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  for (const int64_t count : {int64_t{-1}, kLeast, -(int64_t{1} << 61)})
    EXPECT_THAT(refusal_of([&] { bench.allocate<double>(count, "x"); }), HasSubstr("x of -"));
  for (const int64_t count : {kMost, (int64_t{1} << 61) + 1})
    EXPECT_THAT(refusal_of([&] { bench.allocate<double>(count, "x"); }), HasSubstr("no room for x"));
  auto* z = bench.allocate<float>(4, "z");
  EXPECT_EQ(refusal_of([&] { launch_fill(bench, "fill", z, -3); }), "kernel fill is launched with -3 items");
  EXPECT_EQ(refusal_of([&] { launch_blocks(bench, z, -1); }), "kernel blocks is launched with -1 blocks");
  launch_fill(bench, "fill", z, 0);
  EXPECT_EQ(bench.synchronize(), "");
}

TEST(Workbench, NamesElementsOfAnySize) {
  Workbench bench("check=all");
  auto* x = bench.allocate<Three>(8, "x");
  auto* z = bench.allocate<float>(1, "z");
  launch_member(bench, x, z, 7);
  EXPECT_THAT(bench.synchronize(), HasSubstr("element (7,1) of x"));
}

#if !defined(TS_SANITIZE) // there the sanitizer ends the process
TEST(Workbench, GuardsABlocksMemoryOnBothSides) {
  for (const auto& [byte, local_byte, says] :
       std::vector<std::tuple<int64_t, int64_t, const char*>>{{64, 0, "byte 64 past 64 bytes of shared memory"},
                                                              {-1, 0, "byte -1 before 64 bytes of shared memory"},
                                                              {0, 128, "byte 128 past 128 bytes of local memory"},
                                                              {0, -2, "byte -2 before 128 bytes of local memory"}}) {
    Workbench bench;
    launch_stray(bench, byte, local_byte);
    EXPECT_THAT(bench.synchronize(), HasSubstr(says));
  }
}
#endif

TEST(Workbench, RefusesOptionsThatItCannotKeep) {
  for (const char* options : {"devices=2", "devices=0", "jitter=3", "shuffle=7,schedule=backward",
                              "schedule=forward,shuffle=7", "shuffle=1,shuffle=2"})
    EXPECT_THROW(Workbench{options}, Refusal) << options;
  EXPECT_THAT(refusal_of([] { Workbench{"check=race,memory"}; }), HasSubstr("'check=memory' stands alone"));
  EXPECT_THAT(refusal_of([] { parse_settings("jitter=3,threads=2"); }), HasSubstr("'jitter' and 'threads'"));
}

} // namespace
} // namespace ts::emulator
