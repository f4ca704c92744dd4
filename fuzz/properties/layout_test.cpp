// Layout never changes a result: RapidCheck draws a case of any op, and shrinks one that fails to its smallest bytes.
#include "conformance/cites.h"
#include "fuzz/judge.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

namespace ts::fuzz {
namespace {

std::vector<const judge::Op*> all_ops() {
  std::vector<const judge::Op*> ops;
  for (const judge::Op& op : judge::spec().ops) ops.push_back(&op);
  return ops;
}

// True where no drawn case fails.
bool layouts_are_invariant(const std::vector<const judge::Op*>& ops) {
  Judge judge;
  return rc::check("every layout gives the bits of the dense run", [&](const std::vector<uint8_t>& bytes) {
    const std::string complaint = judge.complaint(decode(bytes.data(), bytes.size(), ops));
    if (!complaint.empty()) RC_FAIL(complaint);
  });
}

TEST(Layout, NeverChangesAResult) {
  // TS_CITES(layout.7)
  EXPECT_TRUE(layouts_are_invariant(all_ops()));
}

TEST(Layout, PropertyFindsAPlantedFault) {
  ASSERT_EQ(setenv("TOUCHSTONE_FUZZ_MUTANT", "SO01", 1), 0);
  const bool found = !layouts_are_invariant(ops_of(judge::spec(), {"elementwise"}));
  unsetenv("TOUCHSTONE_FUZZ_MUTANT");
  EXPECT_TRUE(found);
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
