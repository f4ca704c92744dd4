// Each planted fault is reported by checked mode with its kind, place and work items; its right version is not.
#include "backends/emulator/faults/fault.h"

#include <gmock/gmock.h>

#include <ostream>
#include <string>

namespace ts::emulator::faults {

static void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

namespace {

using ::testing::HasSubstr;

class Faults : public ::testing::TestWithParam<Fault> {};

// The problems of a run, a line each; values that are wrong are one, too.
std::string problem_of(const Fault& fault, bool wrong, const std::string& options) {
  try {
    Workbench bench(options);
    const Outcome outcome = fault.run(bench, wrong);
    std::string text;
    for (const checked::Report& report : bench.reports()) text += text_of(report) + "\n";
    if (!text.empty()) return text;
    if (!outcome.problem.empty()) return outcome.problem;
    return outcome.right ? "" : "wrong values";
  } catch (const kernels::Refusal& refusal) {
    return refusal.what();
  }
}

TEST_P(Faults, AreReportedAndTheRightVersionIsNot) {
  // TS_CITES(execution.27, execution.28, execution.29, execution.30, execution.31)
  const Fault& fault = GetParam();
  for (const char* schedule : {"schedule=backward", "schedule=forward", "shuffle=5"})
    EXPECT_EQ(problem_of(fault, false, std::string("check=all,") + schedule), "") << schedule;
  for (const char* options : {"schedule=backward", "schedule=forward", "shuffle=5", "threads=2"})
    EXPECT_EQ(problem_of(fault, false, options), "") << options;
  if (std::string(fault.name) == "host_follows_device_pointer") {
    EXPECT_DEATH(problem_of(fault, true, "check=all"), "");
    return;
  }
  const std::string found = problem_of(fault, true, "check=all");
  if (std::string(fault.says).empty())
    EXPECT_EQ(found, "wrong values");
  else
    EXPECT_THAT(found, HasSubstr(std::string(fault.says)));
  EXPECT_THAT(found, HasSubstr(fault.also));
  if (std::string(fault.missed) == "loop") return; // a program of its own
  const std::string weaker = std::string(fault.missed) == "forward"    ? "schedule=forward"
                             : std::string(fault.missed) == "backward" ? "schedule=backward"
                             : std::string(fault.missed) == "shuffle"  ? "shuffle=5"
                                                                       : fault.missed;
  // What reads host memory is run where that is no accident waiting.
  EXPECT_EQ(problem_of(fault, true, weaker), "") << fault.missed << " was expected to miss it";
}

INSTANTIATE_TEST_SUITE_P(Planted, Faults, ::testing::ValuesIn(all_faults()),
                         [](const auto& fault) { return std::string(fault.param.name); });

} // namespace
} // namespace ts::emulator::faults
