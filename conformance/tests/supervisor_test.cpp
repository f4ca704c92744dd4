// A plug-in that crashes or hangs costs one case, not the run, and the case that did it is the one that is charged.
#include "conformance/filter.h"
#include "conformance/runner/process.h"
#include "conformance/runner/supervisor.h"
#include "conformance/select/select.h"
#include "runtime/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ts::conformance {
namespace {

std::vector<std::string> few_cases(size_t count) {
  std::vector<std::string> names = Filter("elementwise/add/f32/*").apply(select_kernel_cases(judge::spec()).names);
  names.resize(std::min(names.size(), count));
  return names;
}

SupervisorOptions options_of(const std::string& fault, int jobs, double timeout_s = 60) {
  SupervisorOptions options;
  options.program = TS_PROGRAM;
  options.settings.backends = {std::string(TS_PLANTED) + ":" + fault};
  options.jobs = jobs;
  options.timeout_s = timeout_s;
  return options;
}

int count(const RunResult& result, Verdict verdict) {
  int n = 0;
  for (const auto& outcomes : result.outcomes)
    for (const Outcome& outcome : outcomes) n += outcome.verdict == verdict ? 1 : 0;
  return n;
}

TEST(Supervisor, HonestBackendPassesInAnyNumberOfWorkers) {
  const std::vector<std::string> names = few_cases(60);
  for (const int jobs : {1, 3}) {
    int seen = 0;
    SupervisorOptions options = options_of("none", jobs);
    options.on_outcome = [&](size_t, const Outcome&) { ++seen; };
    const RunResult result = Supervisor(options, names).run();
    EXPECT_EQ(count(result, Verdict::pass), static_cast<int>(names.size()));
    EXPECT_EQ(seen, static_cast<int>(names.size()));
    EXPECT_TRUE(result.irregular.empty());
  }
}

TEST(Supervisor, CrashIsChargedToEveryCaseThatCrashesAlone) {
  const std::vector<std::string> names = few_cases(3);
  const RunResult result = Supervisor(options_of("crashes", 1), names).run();
  EXPECT_EQ(count(result, Verdict::crash), 3);
  EXPECT_THAT(result.outcomes[0][0].message, testing::HasSubstr("signal 6"));
}

TEST(Process, AWorkerThatIsGoneIsNoSignal) {
  Process gone("/bin/true", Settings{});
  EXPECT_EQ(gone.wait_end(), "");
  gone.send("1"); // whoever embeds this need not ignore SIGPIPE
  EXPECT_EQ(gone.input_descriptor(), -1) << "nothing is pending";
}

TEST(Supervisor, AnExitWithoutAFaultHasAName) {
  const RunResult result = Supervisor(options_of("exits", 1), few_cases(1)).run();
  EXPECT_EQ(result.outcomes[0][0].verdict, Verdict::crash);
  EXPECT_THAT(result.outcomes[0][0].message, testing::HasSubstr("exit status 0"));
}

TEST(Supervisor, HangIsATimeout) {
  const std::vector<std::string> names = few_cases(1);
  const RunResult result = Supervisor(options_of("hangs", 1, 1.0), names).run();
  EXPECT_EQ(result.outcomes[0][0].verdict, Verdict::timeout);
}

TEST(Supervisor, DeathThatNeedsPredecessorsIsNotChargedToTheVictim) {
  // Two or three calls a case: the first worker dies among these, the second does not come to forty.
  const std::vector<std::string> names = few_cases(24);
  const RunResult result = Supervisor(options_of("crashes_on_the_40th", 1), names).run();
  EXPECT_EQ(count(result, Verdict::crash), 1);
  EXPECT_EQ(count(result, Verdict::pass), static_cast<int>(names.size()) - 1);
}

TEST(Supervisor, DeathAfterTheLastCaseIsIrregular) {
  const RunResult result = Supervisor(options_of("dies_at_close", 1), few_cases(2)).run();
  EXPECT_EQ(count(result, Verdict::pass), 2);
  ASSERT_EQ(result.irregular.size(), 1U);
  EXPECT_THAT(result.irregular[0], testing::HasSubstr("signal 6"));
}

TEST(Supervisor, BackendThatDoesNotOpenEndsTheRun) {
  Supervisor supervisor(options_of("refuses_to_open", 1), few_cases(2));
  EXPECT_THROW(supervisor.run(), BackendError);
}

} // namespace
} // namespace ts::conformance
