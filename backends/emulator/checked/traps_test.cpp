// No access of instrumented code is hidden from the checker, by this compiler and with these flags.
#include "backends/emulator/checked/trap_tasks.h"
#include "backends/emulator/workbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ts::emulator::checked {
namespace {

TEST(CompilerTraps, EveryOneIsReported) {
  RecordProperty("compiler", trap_compiler());
  for (const Trap* trap = traps(); trap->name != nullptr; ++trap) {
    for (const char* schedule : {"schedule=backward", "schedule=forward", "shuffle=3"}) {
      Workbench bench(std::string("check=all,") + schedule);
      trap->launch(bench);
      bench.synchronize();
      EXPECT_TRUE(std::any_of(bench.reports().begin(), bench.reports().end(),
                              [&](const Report& report) { return std::string(name_of(report.kind)) == trap->says; }))
          << trap->name << ", " << schedule << ", " << trap_compiler();
    }
  }
}

TEST(CompilerTraps, WhoWaitsIsAbandoned) {
  for (const Trap* trap = waits(); trap->name != nullptr; ++trap) {
    Workbench bench("check=all");
    trap->launch(bench);
    const std::string problem = bench.synchronize();
    EXPECT_THAT(problem, ::testing::StartsWith(std::string("waits for another work item: ") + trap->name));
    EXPECT_THAT(problem, ::testing::HasSubstr(trap->says));
  }
}

TEST(CompilerTraps, RightTasksAreNot) {
  for (const Trap* task = right_tasks(); task->name != nullptr; ++task) {
    for (const char* options : {"check=all", "check=all,schedule=forward", "check=all,shuffle=3", "check=host"}) {
      Workbench bench(options);
      task->launch(bench);
      EXPECT_EQ(bench.synchronize(), "") << task->name << ", " << options << ", " << trap_compiler();
    }
  }
}

} // namespace
} // namespace ts::emulator::checked
