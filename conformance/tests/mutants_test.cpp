// The table of mutants, the views that faults change, and a hunt on a backend that is right.
#include "conformance/mutants/hunt.h"
#include "conformance/mutants/layer.h"
#include "conformance/select/select.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace ts::conformance::mutants {

namespace {

ts_view view_of(std::vector<int64_t> shape, std::vector<int64_t> stride, int64_t offset = 0) {
  ts_view view{};
  view.buffer = 1;
  view.dtype = TS_DTYPE_F32;
  view.rank = static_cast<int32_t>(shape.size());
  view.offset = offset;
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(stride.begin(), stride.end(), view.stride);
  return view;
}

std::string row(const std::string& changed = "") {
  return fmt::format(R"({{"id": "M1", "kind": "TAIL", "title": "t", "project": "p", "report": "a/b#1", "how": "door",
                         "ops": ["elementwise/add"], "clause": "add.1"{}}})",
                     changed);
}

std::string problem_of(const std::string& document) {
  try {
    parse_mutants(document, judge::spec());
  } catch (const judge::InputError& problem) {
    return problem.what();
  }
  return "";
}

TEST(MutantTable, CoversEveryKindThatTheDoorHas) {
  std::set<std::string> kinds;
  for (const Mutant& mutant : all_mutants()) kinds.insert(mutant.kind);
  for (const char* kind :
       {"STRIDE-IN", "STRIDE-OUT", "OFFSET", "BCAST", "ALIAS", "IDX-WIDTH", "TAIL", "EMPTY", "REDUCE", "SPECIAL",
        "ZERO-SUB", "INT", "CONVERT", "PROMOTE", "STABILITY", "INDEXING", "ORDER", "MATMUL", "ASYNC"})
    EXPECT_EQ(kinds.count(kind), 1U) << kind;
}

TEST(MutantTable, PlantsEveryMutantOfTheDoor) {
  for (const Mutant& mutant : all_mutants()) {
    if (mutant.how != Mutant::How::door) continue;
    EXPECT_NO_THROW(add_mutant(open_backend(TS_PLANTED), mutant.id)) << mutant.id;
  }
  EXPECT_THROW(add_mutant(open_backend(TS_PLANTED), "XX99"), ValueError);
}

// A switch that no row names is planted by nobody.
TEST(MutantTable, NamesEverySwitchInTheSources) {
  std::set<std::string> places;
  for (const Mutant& mutant : all_mutants()) places.insert(mutant.place);
  constexpr std::string_view kSwitch = "TS_MUTATE(\"";
  size_t found = 0;
  for (const char* room : {"/backends", "/runtime"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(judge::project_root() + room)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string source = text.str();
      for (size_t at = source.find(kSwitch); at != std::string::npos; at = source.find(kSwitch, at), ++found) {
        at += kSwitch.size();
        const std::string id = source.substr(at, source.find('"', at) - at);
        EXPECT_EQ(places.count(id), 1U) << entry.path() << ": " << id;
      }
    }
  }
  EXPECT_GT(found, 60U);
}

TEST(MutantTable, NamesWhatIsWrongWithARow) {
  EXPECT_EQ(problem_of("[" + row() + "]"), "");
  EXPECT_NE(problem_of("[" + row() + "," + row() + "]").find("M1 is there twice"), std::string::npos);
  EXPECT_NE(problem_of("[" + row(R"(, "opps": 1)") + "]").find("M1 has an unknown key 'opps'"), std::string::npos);
  EXPECT_NE(problem_of("[" + row(R"(, "ops": ["elementwise/ad"])") + "]").find("'elementwise/ad'"), std::string::npos);
  EXPECT_NE(problem_of("[" + row(R"(, "clause": "add.99")") + "]").find("add.99"), std::string::npos);
  EXPECT_NE(problem_of("[{}]").find("needs a text 'id'"), std::string::npos);
}

TEST(MutantTable, LeadsToTheReport) {
  Mutant mutant;
  EXPECT_EQ(report_url(mutant), "");
  mutant.report = "a/b#12";
  EXPECT_EQ(report_url(mutant), "https://github.com/a/b/issues/12");
  mutant.report = "a/b!12";
  EXPECT_EQ(report_url(mutant), "https://github.com/a/b/pull/12");
}

TEST(MutantViews, IgnoreStridesOfUnitAxes) {
  EXPECT_TRUE(is_dense(view_of({3, 1, 5}, {5, -7, 1})));
  EXPECT_FALSE(is_dense(view_of({3, 5}, {1, 3})));
  EXPECT_TRUE(is_gap_free(view_of({3, 5}, {1, 3})));
  EXPECT_FALSE(is_gap_free(view_of({3, 5}, {6, 1})));
  EXPECT_TRUE(same_positions(view_of({1, 5}, {9, 1}), view_of({1, 5}, {0, 1})));
}

TEST(MutantViews, SayWhatTheyReach) {
  const Reach reach = reach_of(view_of({3, 5}, {-10, 2}, 40));
  EXPECT_EQ(reach.low, 20);
  EXPECT_EQ(reach.high, 48);
  ts_view view = view_of({3, 5}, {10, 1}, 40);
  EXPECT_TRUE(shift_inside(view, 50));
  EXPECT_EQ(view.offset, 25);
  EXPECT_FALSE(shift_inside(view, 24));
}

TEST(MutantViews, ChangeOnlyWhatTheySay) {
  ts_view view = view_of({3, 5}, {1, 3}, 2);
  EXPECT_TRUE(make_dense(view));
  EXPECT_TRUE(same_positions(view, view_of({3, 5}, {5, 1}, 2)));
  EXPECT_FALSE(make_dense(view));
  EXPECT_TRUE(same_positions(flipped(view, 1), view_of({3, 5}, {5, -1}, 6)));
  EXPECT_TRUE(same_positions(slice(view, 0, 1, 2), view_of({2, 5}, {5, 1}, 7)));
}

std::vector<std::string> names_like(const std::string& part) {
  std::vector<std::string> names = select_kernel_cases(judge::spec()).names;
  std::erase_if(names, [&](const std::string& name) { return name.find(part) == std::string::npos; });
  return names;
}

TEST(MutantHunt, KillsByACaseThatPassesWithout) {
  HuntOptions options;
  options.backend = TS_PLANTED;
  const KillHistory none;
  Hunt hunt(options, none, names_like("elementwise/add/f32/"));
  const Catch found = hunt.hunt(find_mutant("OF04"));
  ASSERT_TRUE(found.killed);
  EXPECT_TRUE(found.reached);
  EXPECT_EQ(found.outcome.check, "values");
  EXPECT_NE(found.outcome.message.find("element"), std::string::npos) << found.outcome.message;
  EXPECT_EQ(hunt.unmutated(*found.mutant, found.killer).verdict, Verdict::pass);
}

TEST(MutantHunt, CountsNoKillWhereTheBackendIsWrongItself) {
  HuntOptions options;
  options.backend = std::string(TS_PLANTED) + ":forgets_last";
  const KillHistory none;
  Hunt hunt(options, none, names_like("elementwise/add/f32/"));
  const Catch found = hunt.hunt(find_mutant("OF04"));
  EXPECT_TRUE(found.reached);
  EXPECT_FALSE(found.killed);
  EXPECT_FALSE(found.red.empty());
}

TEST(MutantHunt, TriesTheKillerOfBeforeFirst) {
  HuntOptions options;
  options.backend = TS_PLANTED;
  const KillHistory none;
  const std::vector<std::string> names = names_like("elementwise/add/f32/");
  const Catch first = Hunt(options, none, names).hunt(find_mutant("OF04"));
  KillHistory history;
  history.set("OF04", first.killer);
  const Catch again = Hunt(options, history, names).hunt(find_mutant("OF04"));
  EXPECT_TRUE(again.killed);
  EXPECT_EQ(again.cases, 1);
  EXPECT_EQ(again.killer, first.killer);
}

TEST(MutantHunt, SaysWhereNothingConcernsAMutant) {
  HuntOptions options;
  options.backend = TS_PLANTED;
  const KillHistory none;
  const Catch found = Hunt(options, none, names_like("elementwise/add/f32/5x7")).hunt(find_mutant("SI03"));
  EXPECT_FALSE(found.reached);
  EXPECT_FALSE(found.killed);
  EXPECT_EQ(found.cases, 0);
}

} // namespace

} // namespace ts::conformance::mutants
