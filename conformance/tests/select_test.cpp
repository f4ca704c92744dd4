// What the selection promises: strength 2, distinct names of a closed alphabet, names that rebuild their case.
#include "conformance/payload.h"
#include "conformance/select/cover.h"
#include "conformance/select/orthogonal.h"
#include "conformance/select/select.h"
#include "runtime/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ts::conformance {
namespace {

TEST(OrthogonalArray, EveryPairOfSymbolsMeetsOnceInAnyTwoColumns) {
  const std::vector<OrthogonalRow> rows = orthogonal_array();
  ASSERT_EQ(rows.size(), 121U);
  for (size_t f = 0; f < kColumns; ++f) {
    for (size_t g = f + 1; g < kColumns; ++g) {
      std::set<std::pair<int, int>> met;
      for (const OrthogonalRow& row : rows) met.emplace(row[f], row[g]);
      EXPECT_EQ(met.size(), 121U) << f << " " << g;
    }
  }
}

std::vector<std::string> names_of(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  names.reserve(cases.size());
  for (const Case& c : cases) names.push_back(c.name());
  return names;
}

TEST(Cover, EveryFeasiblePairMeets) {
  for (const char* name :
       {"add", "where", "sum", "gather", "scatter_add", "topk", "matmul", "fill", "convert", "index_add"}) {
    const Factors factors(judge::spec().op(name));
    const Cover found = cover(factors);
    std::vector<Case> cases;
    for (size_t k = 0; k < found.rows.size(); ++k) cases.push_back(factors.build(found.rows[k], k));
    Pairs pairs;
    list_levels(factors, found.feasible, cases, pairs);
    EXPECT_EQ(pairs.met(names_of(cases)), pairs.listed() - pairs.infeasible()) << name;
    // Without the cases of one level its pairs are missed.
    std::erase_if(cases, [](const Case& c) { return c.values.source == Source::ties; });
    EXPECT_LT(pairs.met(names_of(cases)), pairs.listed() - pairs.infeasible()) << name;
    EXPECT_GE(found.rows.size(), 100U) << name;
    EXPECT_LE(found.rows.size(), 200U) << name;
  }
}

// Infeasible is what no case can have: a scalar with a transposed layout, a result over a broadcast operand. Were
// settling too weak, pairs of layouts or of dtypes would turn up here.
TEST(Cover, OnlyRanksDtypesAndPlacesExclude) {
  for (const char* name : {"add", "where", "gather", "matmul", "cummax"}) {
    const Factors factors(judge::spec().op(name));
    const auto& all = factors.all();
    for (size_t f = 0; f < all.size(); ++f) {
      for (size_t g = f + 1; g < all.size(); ++g) {
        const bool both_operands = all[f].kind == Factors::Kind::operand && all[g].kind == Factors::Kind::operand;
        const bool list = takes_index_list(factors.op());
        if (!both_operands || list) continue;
        for (int a = 0; a < all[f].levels; ++a) {
          for (int b = 0; b < all[g].levels; ++b) {
            Levels levels(all.size(), 0);
            levels[f] = a;
            levels[g] = b;
            EXPECT_TRUE(factors.settle(levels, {f, g}).has_value())
                << name << " " << all[f].name << "=" << a << " " << all[g].name << "=" << b;
          }
        }
      }
    }
  }
}

const Selection& selection() {
  static const Selection all = select_kernel_cases(judge::spec());
  return all;
}

TEST(Selection, NamesAreDistinctAndOfAClosedAlphabet) {
  std::set<std::string> seen;
  for (const std::string& name : selection().names) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    const auto allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '=' || c == ',' || c == '/';
    };
    EXPECT_TRUE(std::all_of(name.begin(), name.end(), allowed)) << name;
  }
}

TEST(Selection, ANameRebuildsItsCase) {
  for (const std::string& name : selection().names) {
    if (name.starts_with("door/")) continue;
    ASSERT_EQ(parse_case(name, judge::spec()).name(), name);
  }
}

TEST(Selection, EveryOpHasAHundredCasesAndEveryInstanceOne) {
  std::map<std::string, int> per_op;
  std::set<const judge::Instance*> instances;
  for (const std::string& name : selection().names) {
    if (name.starts_with("door/")) continue;
    const Case c = parse_case(name, judge::spec());
    ++per_op[c.op->name];
    instances.insert(c.instance);
  }
  size_t all = 0;
  for (const judge::Op& op : judge::spec().ops) {
    EXPECT_GE(per_op[op.name], 100) << op.name;
    all += op.instances.size();
  }
  EXPECT_EQ(instances.size(), all);
}

// What the cases beside the array are there for, each kind by what no other case has.
TEST(Selection, HasTheCasesBesideTheArray) {
  std::map<std::string, int> tenth, alias, several_blocks, far;
  for (const std::string& name : selection().names) {
    if (name.starts_with("door/")) continue;
    const Case c = parse_case(name, judge::spec());
    tenth[c.op->name] += c.values.source == Source::tenth ? 1 : 0;
    alias[c.op->name] += c.alias == Alias::same || c.alias == Alias::shifted ? 1 : 0;
    int64_t longest = 0;
    for (const int64_t extent : c.shapes.front()) longest = std::max(longest, extent);
    several_blocks[c.op->name] += longest >= 4097 ? 1 : 0;
    far[c.op->name] += longest >= 65534 ? 1 : 0;
  }
  int64_t beyond_16_bits = 0;
  for (const judge::Op& op : judge::spec().ops) {
    const bool inexact = std::any_of(op.instances.begin(), op.instances.end(), [](const judge::Instance& i) {
      return !i.in.empty() && judge::is_floating(i.in.front()) && i.tolerance != "exact";
    });
    if (inexact && (op.family == "reduce" || op.family == "scan" || has_rows(op))) {
      EXPECT_GT(tenth[op.name], 0) << op.name;
    }
    const bool pair = op.operands.size() > 1 && index_operand(op) < 0 &&
                      std::any_of(op.instances.begin(), op.instances.end(),
                                  [](const judge::Instance& i) { return i.in[0] == i.in[1]; });
    if (pair) {
      EXPECT_GT(alias[op.name], 0) << op.name;
    }
    const auto least = op.family == "matmul" ? 1 : static_cast<int>(op.instances.size());
    EXPECT_GE(several_blocks[op.name], least) << op.name;
    beyond_16_bits += far[op.name];
  }
  EXPECT_GT(beyond_16_bits, 90);
}

TEST(Payload, SeedsDifferAndEveryFamilyMeetsNaN) {
  std::set<std::string> differing, with_nan, floating;
  for (const std::string& name : selection().names) {
    if (name.starts_with("door/")) continue;
    const Case c = parse_case(name, judge::spec());
    if (c.values.source == Source::golden || c.values.source == Source::table || !computes(c)) continue;
    if (judge::count_of(c.shapes.front()) > 600) continue;
    const std::string& family = c.op->family;
    if (c.values.source == Source::specials && !c.instance->in.empty() && judge::is_floating(c.instance->in.front())) {
      floating.insert(family);
      if (with_nan.count(family) == 0)
        for (const Array& operand : generate(c, 0))
          for (int64_t e = 0; e < operand.count(); ++e)
            if (judge::is_floating(operand.dtype) && std::isnan(operand.real(e))) with_nan.insert(family);
    }
    if (differing.count(family) == 0 && generate(c, 1) != generate(c, 2)) differing.insert(family);
  }
  EXPECT_EQ(with_nan, floating);
  EXPECT_GE(floating.size(), 8U);
  EXPECT_GE(differing.size(), floating.size());
}

TEST(Selection, NoPairOfLevelsIsMissing) {
  EXPECT_EQ(selection().missing, 0);
  EXPECT_GT(selection().pairs.listed(), 100000);
}

TEST(CaseName, RejectsWhatNamesNoCase) {
  for (const char* name : {"", "elementwise/add", "reduce/add/f32/3/x=dense,y=dense,out=dense/new/integers",
                           "elementwise/add/f33/3/x=dense,y=dense,out=dense/new/integers",
                           "elementwise/add/f32/3/x=dense,y=dense/new/integers",
                           "elementwise/add/f32/3/x=dense,y=slanted,out=dense/new/integers",
                           "elementwise/add/f32/3/x=dense,y=dense,out=dense/elsewhere/integers",
                           "elementwise/add/f32/03/x=dense,y=dense,out=dense/new/integers",
                           "elementwise/add/f32/3/x=dense,y=dense,out=dense/new/wishes"})
    EXPECT_THROW(parse_case(name, judge::spec()), ValueError) << name;
}

TEST(CaseName, WritesNumbersThatReadBack) {
  for (const double value : {0.0, -0.0, 1.5, -1e-5, 1e38, 9007199254740993.0, 0.1}) {
    const double read = real_named(real_name(value));
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
  EXPECT_EQ(real_name(-1e-5), "neg1eneg05");
  EXPECT_EQ(shape_named(shape_name({3, 5, 7})), (Shape{3, 5, 7}));
  EXPECT_EQ(shape_named("scalar"), Shape{});
  EXPECT_THROW(shape_named("3x"), ValueError);
}

} // namespace
} // namespace ts::conformance
