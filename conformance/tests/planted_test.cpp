// Every planted fault is found by the check that is there for it, and an honest backend passes all of them.
#include "conformance/filter.h"
#include "conformance/ledger.h"
#include "conformance/runner/bench.h"
#include "conformance/select/select.h"
#include "conformance/tally.h"
#include "runtime/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>

namespace ts::conformance {
namespace {

const std::vector<std::string>& add_cases() {
  static const std::vector<std::string> names =
      Filter("elementwise/add/f32/*,elementwise/add/i32/*").apply(select_kernel_cases(judge::spec()).names);
  return names;
}

Ledger judged(const std::string& fault, const std::vector<std::string>& names = add_cases()) {
  Settings settings;
  settings.backends = {std::string(TS_PLANTED) + ":" + fault};
  Bench bench(settings);
  Ledger ledger("planted:" + fault, names);
  for (const std::string& name : names) ledger.record(bench.run(0, name));
  ledger.close(false);
  return ledger;
}

std::map<std::string, int> checks(const Ledger& ledger, Verdict verdict = Verdict::fail) {
  std::map<std::string, int> counts;
  for (const Outcome& outcome : ledger.outcomes())
    if (outcome.verdict == verdict) ++counts[outcome.check];
  return counts;
}

std::string first_failure(const Ledger& ledger) {
  for (const Outcome& outcome : ledger.outcomes())
    if (is_bad(outcome.verdict)) return outcome.name + ": " + outcome.message;
  return "";
}

TEST(Planted, HonestBackendPasses) {
  const Ledger ledger = judged("none");
  EXPECT_TRUE(ledger.green()) << first_failure(ledger);
  EXPECT_GT(ledger.telling(), 30);
  EXPECT_EQ(ledger.count(Verdict::unsupported), 0);
}

TEST(Planted, WrongStrideFailsByValue) {
  const Ledger ledger = judged("absolute_stride");
  const auto found = checks(ledger);
  EXPECT_GT(found.at("values"), 3);
  for (const Outcome& outcome : ledger.outcomes()) {
    if (outcome.verdict == Verdict::fail && outcome.check == "values") {
      EXPECT_THAT(outcome.message, testing::HasSubstr("element ("));
    }
  }
}

TEST(Planted, ForgottenElementIsNamedAsUnwritten) {
  const Ledger ledger = judged("forgets_last");
  EXPECT_GT(checks(ledger).at("values"), 30);
  EXPECT_THAT(first_failure(ledger), testing::HasSubstr("still holds its bytes"));
}

TEST(Planted, ValuesThatLookLikePoisonAreNotCalledUnwritten) {
  EXPECT_THAT(first_failure(judged("writes_ones")), testing::Not(testing::HasSubstr("still holds its bytes")));
}

TEST(Planted, EveryDeviceThatIsCountedHasToAnswer) {
  const std::vector<std::string> names = {"door/memory/alignment"};
  EXPECT_TRUE(judged("none", names).green());
  EXPECT_THAT(first_failure(judged("counts_a_device_too_many", names)), testing::HasSubstr("device 1 of 2"));
}

TEST(Planted, OpenWithoutAnInstanceIsRefused) {
  EXPECT_THROW(open_backend(std::string(TS_PLANTED) + ":opens_nothing"), BackendError);
}

TEST(Planted, EachFaultByItsCheck) {
  const std::vector<std::pair<const char*, const char*>> faults = {
    {"off_by_one_ulp", "values"},
    {"depends_on_layout", "values"},
    {"writes_zero", "values"},
    {"keeps_what_is_no_ones", "poison"},
    {"writes_gap", "gaps"},
#if !defined(TS_SANITIZE) // there nothing lies past the end
    {"writes_past_end", "gaps"},
    {"overruns_workspace", "gaps"},
#endif
    {"changes_input", "gaps"},
    {"computes_elsewhere", "census"},
    {"device_lost", "synchronize"},
    {"rounds_up", "floating-point environment"},
    {"query_rounds_up", "floating-point environment"},
    {"asks_for_everything", "query"}
  };
  for (const auto& [fault, check] : faults) EXPECT_GT(checks(judged(fault))[check], 0) << fault;
  std::fesetround(FE_TONEAREST);
}

#if !defined(TS_SANITIZE) // the sanitizer's own detector knows the heap there
TEST(Planted, MemoryThatIsNotGivenBackFails) {
  const std::vector<std::string> names = {"door/heap/calls_leave_nothing"};
  EXPECT_TRUE(judged("none", names).green());
  for (const char* fault : {"leaks", "forgets_release"})
    EXPECT_THAT(first_failure(judged(fault, names)), testing::HasSubstr("elementwise/add/")) << fault;
}
#endif

TEST(Tally, SeesWhatOutlivesACase) {
  auto layer = std::make_unique<TallyLayer>(open_backend(std::string(TS_PLANTED) + ":none"));
  const TallyLayer& tally = *layer;
  Device device(make_layer(std::move(layer), ""));
  const Alive before = tally.alive();
  const ts_buffer empty = device.allocate(0), some = device.allocate(100);
  EXPECT_THAT(kept(before, tally.alive()), testing::HasSubstr("2 buffers (101 bytes)"));
  EXPECT_EQ(kept(before, tally.alive(), 101), "") << "what the library keeps for later is not lost";
  device.release(empty);
  device.release(some);
  EXPECT_EQ(kept(before, tally.alive()), "");
  EXPECT_EQ(device.counts(), true) << "the layer hides nothing of what a backend has";
}

TEST(Planted, QueryThatClaimsTooMuchFails) {
  const std::vector<std::string> names =
      Filter("elementwise/add/f64/*").apply(select_kernel_cases(judge::spec()).names);
  const Ledger ledger = judged("claims_too_much", names);
  EXPECT_EQ(checks(ledger)["query"], static_cast<int>(names.size()));
  EXPECT_EQ(judged("none", names).count(Verdict::unsupported), static_cast<int64_t>(names.size()));
}

TEST(Planted, QueryThatClaimsTooLittleFails) {
  EXPECT_EQ(checks(judged("claims_too_little"))["query"], static_cast<int>(add_cases().size()));
}

TEST(Planted, LayoutThatIsRefusedIsIrregular) {
  const Ledger ledger = judged("refuses_reversed");
  EXPECT_FALSE(ledger.green());
  ASSERT_FALSE(ledger.irregularities().empty());
  EXPECT_EQ(ledger.irregularities().front().kind, "support");
}

} // namespace
} // namespace ts::conformance
