// Layout never changes a result: RapidCheck draws a case of any op, and shrinks one that fails to its smallest bytes.
#include "conformance/cites.h"
#include "fuzz/judge.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ts::fuzz {
namespace {

std::vector<const judge::Op*> all_ops() {
  std::vector<const judge::Op*> ops;
  for (const judge::Op& op : judge::spec().ops) ops.push_back(&op);
  return ops;
}

struct Finding {
  std::string complaint;
  Decoded decoded;
};

// What was found first, and last: RapidCheck goes on from every smaller case that fails, so the last one is the smallest.
// Empty where no drawn case fails.
std::vector<Finding> findings(const std::vector<const judge::Op*>& ops) {
  Judge judge(Judge::Effort::whole);
  std::vector<Finding> found;
  rc::check("every layout gives the bits of the dense run", [&](const std::vector<uint8_t>& bytes) {
    const Decoded decoded = decode(bytes.data(), bytes.size(), ops);
    const std::string complaint = judge.complaint(decoded);
    if (complaint.empty()) return;
    if (found.size() == 2) found.pop_back();
    found.push_back({complaint, decoded});
    RC_FAIL(complaint);
  });
  return found;
}

int64_t elements(const conformance::Case& c) {
  int64_t sum = 0;
  for (const conformance::Shape& shape : c.shapes) sum += judge::count_of(shape);
  return sum;
}

int64_t unusual(const conformance::Case& c) {
  int64_t count = 0;
  for (const auto* layouts : {&c.operands, &c.outputs})
    for (const conformance::Layout layout : *layouts) count += layout != conformance::Layout::dense ? 1 : 0;
  return count;
}

TEST(Layout, NeverChangesAResult) {
  // TS_CITES(layout.7)
  const std::vector<Finding> found = findings(all_ops());
  EXPECT_TRUE(found.empty()) << found.back().complaint;
}

TEST(Layout, APlantedFaultIsFoundAndShrunk) {
  ASSERT_EQ(setenv("TOUCHSTONE_FUZZ_MUTANT", "SO01", 1), 0);
  const std::vector<Finding> found = findings(ops_of(judge::spec(), {"elementwise"}));
  unsetenv("TOUCHSTONE_FUZZ_MUTANT");
  ASSERT_FALSE(found.empty());
  const conformance::Case &first = found.front().decoded.c, &last = found.back().decoded.c;
  EXPECT_LE(unusual(last), unusual(first));
  // Three operands of the smallest shape with two axes, and only the one that is written lies in an unusual way.
  EXPECT_EQ(last.shapes.front().size(), 2U) << last.name();
  EXPECT_LE(elements(last), 3 * 35) << last.name();
  EXPECT_LE(unusual(last), 2) << last.name(); // in place an operand and the output are one
  EXPECT_NE(found.back().complaint.find("--layer mutant:SO01 --seed"), std::string::npos) << found.back().complaint;
}

TEST(Decode, EveryInputIsASmallCaseWithAName) {
  const auto ops = all_ops();
  rc::check("total, small, and its name rebuilds it", [&](const std::vector<uint8_t>& bytes) {
    const Decoded decoded = decode(bytes.data(), bytes.size(), ops);
    const std::string name = decoded.c.name();
    RC_ASSERT(conformance::parse_case(name, judge::spec()).name() == name);
    for (const auto& shape : decoded.c.shapes) {
      int64_t count = 1;
      for (const int64_t extent : shape) count *= extent;
      RC_ASSERT(count <= kElementsMax);
    }
  });
}

} // namespace
} // namespace ts::fuzz
