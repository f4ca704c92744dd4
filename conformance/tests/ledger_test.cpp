// The strict rules: what looks green and is not.
#include "conformance/coverage.h"
#include "conformance/filter.h"
#include "conformance/ledger.h"
#include "conformance/prepare.h"
#include "conformance/report/summary.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ts::conformance {
namespace {

Outcome outcome(const std::string& name, Verdict verdict, bool telling = true) {
  Outcome o;
  o.name = name;
  o.verdict = verdict;
  o.telling = telling;
  o.cites = {"add.1"};
  return o;
}

const std::vector<std::string> kNames = {"e/add/f32/a", "e/add/f32/b", "e/add/i32/a"};

TEST(Ledger, GreenWhenEverythingPassed) {
  Ledger ledger("cpu", kNames);
  for (const std::string& name : kNames) ledger.record(outcome(name, Verdict::pass));
  ledger.close(true);
  EXPECT_TRUE(ledger.green());
  EXPECT_EQ(ledger.count(Verdict::pass), 3);
}

TEST(Ledger, ACaseThatNobodyExecutedIsMissing) {
  Ledger ledger("cpu", kNames);
  ledger.record(outcome(kNames[0], Verdict::pass));
  ledger.close(false);
  EXPECT_EQ(ledger.count(Verdict::missing), 2);
  EXPECT_FALSE(ledger.green());
}

TEST(Ledger, UnsupportedEverywhereIsHonest) {
  Ledger ledger("cpu", kNames);
  for (const std::string& name : kNames) ledger.record(outcome(name, Verdict::unsupported));
  ledger.close(true);
  EXPECT_TRUE(ledger.green());
}

TEST(Ledger, UnsupportedForSomeLayoutsOfAClaimedTupleIsNot) {
  Ledger ledger("cpu", kNames);
  ledger.record(outcome(kNames[0], Verdict::pass));
  ledger.record(outcome(kNames[1], Verdict::unsupported));
  ledger.record(outcome(kNames[2], Verdict::unsupported));
  ledger.close(false);
  ASSERT_EQ(ledger.irregularities().size(), 1U);
  EXPECT_THAT(ledger.irregularities()[0].message, testing::HasSubstr("e/add/f32"));
}

TEST(Ledger, ExpectationsExcuseFailuresAndAccusePasses) {
  const auto expected = parse_expectations("# known\ne/add/f32/*   # the driver rounds up\n", "cpu.txt");
  Ledger ledger("cpu", kNames, expected);
  ledger.record(outcome(kNames[0], Verdict::fail));
  ledger.record(outcome(kNames[1], Verdict::pass));
  ledger.record(outcome(kNames[2], Verdict::pass));
  ledger.close(true);
  EXPECT_EQ(ledger.count(Verdict::known_failure), 1);
  EXPECT_EQ(ledger.count(Verdict::unexpected_pass), 1);
  EXPECT_FALSE(ledger.green());
}

TEST(Ledger, AnExpectationThatMatchesNothingIsIrregularOnAWholeRun) {
  for (const bool whole : {true, false}) {
    Ledger ledger("cpu", kNames, parse_expectations("e/sub/* # gone\n", "cpu.txt"));
    for (const std::string& name : kNames) ledger.record(outcome(name, Verdict::pass));
    ledger.close(whole);
    EXPECT_EQ(ledger.green(), !whole);
  }
}

TEST(Ledger, ARouteThatWasNeverSeenIsIrregular) {
  Ledger ledger("cpu", kNames);
  for (const std::string& name : kNames) {
    Outcome o = outcome(name, Verdict::pass);
    o.launches["add/contiguous"] = 2;
    ledger.record(o);
  }
  ledger.close(true, {"add/contiguous", "add/strided"});
  ASSERT_EQ(ledger.irregularities().size(), 1U);
  EXPECT_EQ(ledger.irregularities()[0].kind, "route");
  EXPECT_EQ(ledger.routes().at("add/contiguous"), 6U);
}

TEST(Ledger, ARouteThatNoListNamesIsIrregular) {
  Ledger ledger("cpu", {"e/add/f32/a"});
  Outcome o = outcome("e/add/f32/a", Verdict::pass);
  o.launches["add/secret"] = 1;
  ledger.record(o);
  ledger.close(true, {"*/secret"});
  EXPECT_TRUE(ledger.green());
  Ledger other("cpu", {"e/add/f32/a"});
  other.record(o);
  other.close(true, {"*/contiguous"});
  EXPECT_EQ(other.irregularities().size(), 2U);
}

TEST(Ledger, RefusesWhatWasNotSelectedAndWhatCameTwice) {
  Ledger ledger("cpu", kNames);
  EXPECT_THROW(ledger.record(outcome("e/add/f32/z", Verdict::pass)), BackendError);
  ledger.record(outcome(kNames[0], Verdict::pass));
  EXPECT_THROW(ledger.record(outcome(kNames[0], Verdict::pass)), BackendError);
  EXPECT_THROW(Ledger("cpu", {"a", "a"}), BackendError);
}

TEST(Ledger, CitesOnlyByCasesThatPassedAndCouldHaveFailed) {
  Ledger ledger("cpu", kNames);
  ledger.record(outcome(kNames[0], Verdict::fail));
  ledger.record(outcome(kNames[1], Verdict::pass, false));
  ledger.record(outcome(kNames[2], Verdict::unsupported));
  EXPECT_TRUE(ledger.cited().empty());
}

TEST(Expectations, ALineWithoutAReasonIsRefusedWithItsPlace) {
  try {
    parse_expectations("\ne/add/*\n", "cpu.txt");
    FAIL();
  } catch (const ValueError& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("cpu.txt:2"));
  }
}

TEST(Filter, GlobsMatchNames) {
  EXPECT_TRUE(glob_matches("e/*/f32/*", "e/add/f32/a"));
  EXPECT_TRUE(glob_matches("*b", "e/add/f32/b"));
  EXPECT_FALSE(glob_matches("e/add", "e/add/f32/b"));
  EXPECT_EQ(Filter("e/add/f32/?,*i32*").apply(kNames).size(), 3U);
  EXPECT_EQ(Filter("x=a,y=*").apply({"x=a,y=b", "z"}).size(), 1U);
}

TEST(Filter, AGlobThatMatchesNothingIsAnError) {
  EXPECT_THROW(Filter("e/sub/*").apply(kNames), ValueError);
  EXPECT_THROW(Filter("e/add/*,e/sub/*").apply(kNames), ValueError);
}

TEST(Ledger, AnOpWhoseValuesTellLittleIsIrregular) {
  for (const int telling : {11, 12}) {
    std::vector<std::string> names(20);
    for (size_t k = 0; k < names.size(); ++k) names[k] = fmt::format("e/add/f32/{}", k);
    Ledger ledger("cpu", names);
    for (int k = 0; k < 20; ++k) {
      Outcome o = outcome(names[static_cast<size_t>(k)], Verdict::pass);
      o.telling = k < telling;
      ledger.record(std::move(o));
    }
    ledger.close(true);
    EXPECT_EQ(ledger.green(), telling == 12);
    EXPECT_EQ(ledger.telling_by_op().at("e/add").telling, telling);
  }
}

TEST(Shard, PartsAreDisjointAndWhole) {
  for (const std::string& name : kNames) {
    for (const int parts : {1, 2, 3, 7, 8, 16, 61}) {
      int held = 0;
      for (int k = 0; k < parts; ++k) held += Shard::parse(fmt::format("{}/{}", k, parts)).holds(name) ? 1 : 0;
      EXPECT_EQ(held, 1) << name << ", " << parts << " parts";
    }
  }
  for (const char* text : {"3/3", "-1/3", "1", "1/0", "a/b", "1/2x"})
    EXPECT_THROW(Shard::parse(text), ValueError) << text;
}

TEST(Outcome, ReadsBackFromJson) {
  Outcome o = outcome("e/add/f32/a", Verdict::crash);
  o.message = "line one\nline \"two\"";
  o.launches["add/strided"] = 3;
  const Outcome read = outcome_from_json(to_json(o));
  EXPECT_EQ(read.message, o.message);
  EXPECT_EQ(read.verdict, o.verdict);
  EXPECT_EQ(read.launches, o.launches);
  EXPECT_THROW(outcome_from_json("{}"), ValueError);
}

TEST(Report, FailureNamesCaseCheckAndReplayLine) {
  Outcome o = outcome("e/add/f32/a", Verdict::fail);
  o.check = "values";
  o.message = "element (2,0) is wrong";
  const std::string text = failure_text("./mine.so", o, 7);
  EXPECT_THAT(text, testing::HasSubstr("replay: touchstone replay --backend ./mine.so --seed 7 e/add/f32/a"));
  EXPECT_THAT(text, testing::HasSubstr("values: element (2,0) is wrong"));
}

TEST(Report, XmlSurvivesHostileMessages) {
  RunReport report;
  Ledger ledger("cpu", {"e/add/f32/a"});
  Outcome o = outcome("e/add/f32/a", Verdict::fail);
  o.message = "<&>\"\x01";
  ledger.record(o);
  ledger.close(true);
  report.backends.push_back({std::move(ledger), 0.5, 3});
  report.pairs = 5;
  EXPECT_THAT(report.summary_line(report.backends[0]), testing::HasSubstr("1 failed · 2 pairs of levels unmet"));
  EXPECT_THAT(junit_xml(report), testing::HasSubstr("&lt;&amp;&gt;&quot;?"));
  EXPECT_THAT(html_page(report), testing::HasSubstr("e/add/f32/a"));
}

TEST(Report, FolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  EXPECT_THROW(prepare_folder("/proc/touchstone"), ValueError);
}

TEST(Citations, AreReadFromTheTextOfATest) {
  EXPECT_EQ(citations_in("TS_CITES(layout.3, add.1); // TS_CITES(golden.1)"),
            (std::vector<std::string>{"layout.3", "add.1", "golden.1"}));
}

TEST(Citations, RulesNameLabelsThatExist) {
  EXPECT_THROW(parse_citation_rules("nonsense.1 e/*\n", "cites.txt", judge::spec()), ValueError);
  EXPECT_THROW(parse_citation_rules("add.1\n", "cites.txt", judge::spec()), ValueError);
  EXPECT_EQ(parse_citation_rules("# all\nadd.1 elementwise/add/*\n", "cites.txt", judge::spec()).size(), 1U);
}

TEST(Ties, ElementsThatShareAPlaceShareAValue) {
  const Array wanted = Array::of(TS_DTYPE_F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Array rows = with_ties(Layout::broadcast_outer, wanted);
  for (int64_t k = 0; k < 3; ++k) EXPECT_EQ(rows.real(k), rows.real(3 + k));
  const Array windows = with_ties(Layout::window, wanted);
  EXPECT_EQ(windows.real(1), windows.real(3));
  EXPECT_EQ(with_ties(Layout::transposed, wanted), wanted);
}

} // namespace
} // namespace ts::conformance
