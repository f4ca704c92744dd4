// Geometry without memory: where elements lie, whether they meet, what merges.
#include "runtime/tests/support.h"

#include <limits>

namespace ts::tests {

using testing::ElementsAre;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(Layout, ReachFollowsSignedStrides) {
  const Reach r = reach({{3, 4}, {-8, 2}, 20});
  EXPECT_EQ(r.low, 4);
  EXPECT_EQ(r.high, 26);
}

TEST(Layout, StridesOfExtentOneAxesMeanNothing) {
  EXPECT_EQ(reach({{1, 3}, {kHuge, 1}, 0}).high, 2);
  EXPECT_TRUE(is_contiguous({{1, 3, 1}, {-7, 1, 99}, 5}));
}

TEST(Layout, OverflowOfShapeTimesStrideIsAValueError) {
  EXPECT_THROW(element_count(Dims{kHuge, 2}), ValueError);
  EXPECT_EQ(element_count(Dims{kHuge, kHuge, 0}), 0);
  EXPECT_THROW(reach({{3}, {kHuge}, 0}), ValueError);
  EXPECT_THROW(reach({{2}, {kHuge}, 1}), ValueError);
  EXPECT_THROW(empty({int64_t{1} << 62, 1}, DType::kF64, device_named("tiny")), ValueError);
}

TEST(Layout, NegativeExtentIsAValueError) { EXPECT_THROW(element_count(Dims{2, -1}), ValueError); }

TEST(Layout, SelfOverlapIsExact) {
  EXPECT_FALSE(self_overlaps({{2, 3}, {3, 1}, 0}));
  EXPECT_FALSE(self_overlaps({{2, 3}, {-1, 2}, 1}));
  EXPECT_TRUE(self_overlaps({{2, 3}, {1, 1}, 0}));
  EXPECT_TRUE(self_overlaps({{4}, {0}, 0}));
  EXPECT_FALSE(self_overlaps({{1}, {0}, 0}));
  EXPECT_FALSE(self_overlaps({{0, 4}, {0, 0}, 0}));
  // Neither stride steps over the other's reach, and still no two indices meet: 0 3 6 5 8 11.
  EXPECT_FALSE(self_overlaps({{2, 3}, {5, 3}, 0}));
}

TEST(Layout, OverlapTellsInterleavedFromShared) {
  const Layout even{{4}, {2}, 0}, odd{{4}, {2}, 1}, shifted{{4}, {1}, 1};
  EXPECT_EQ(overlap(even, 4, odd, 4), Overlap::kNone);
  EXPECT_EQ(overlap(even, 4, even, 4), Overlap::kIdentical);
  EXPECT_EQ(overlap(even, 4, shifted, 4), Overlap::kSome);
  EXPECT_EQ(overlap(even, 4, even, 8), Overlap::kSome);
  EXPECT_EQ(overlap({{2}, {1}, 0}, 4, {{2}, {1}, 1}, 8), Overlap::kNone);
}

TEST(Layout, BroadcastAlignsFromTheLastAxis) {
  EXPECT_EQ(broadcast_shapes(Dims{2, 1, 3}, Dims{4, 1}, "add"), (Dims{2, 4, 3}));
  EXPECT_EQ(broadcast_shapes(Dims{0, 3}, Dims{1}, "add"), (Dims{0, 3}));
  expect_error<ValueError>([] { broadcast_shapes(Dims{2, 3}, Dims{4}, "add"); }, {"add", "(2, 3)", "(4,)", "axis 1"});
}

TEST(Layout, MergesAxesThatAdvanceTogether) {
  std::vector<Layout> layouts{{{2, 3}, {3, 1}, 0}, {{2, 3}, {3, 1}, 7}};
  Dims groups{0, 0};
  merge_axes(layouts, groups);
  EXPECT_THAT(layouts[0].shape, ElementsAre(6));
  EXPECT_THAT(layouts[1].strides, ElementsAre(1));
}

TEST(Layout, ABroadcastRowKeepsTheAxesApart) {
  std::vector<Layout> layouts{{{2, 3}, {3, 1}, 0}, {{2, 3}, {0, 1}, 0}};
  Dims groups{0, 0};
  merge_axes(layouts, groups);
  EXPECT_THAT(layouts[0].shape, ElementsAre(2, 3));
}

TEST(Layout, AnAxisThatStandsAloneNeverMerges) {
  std::vector<Layout> layouts{{{2, 3, 1, 4}, {12, 4, 4, 1}, 0}};
  Dims groups{0, kAlone, 0, 0};
  merge_axes(layouts, groups);
  EXPECT_THAT(layouts[0].shape, ElementsAre(2, 3, 4));
  EXPECT_THAT(groups, ElementsAre(0, kAlone, 0));
  std::vector<Layout> matrix{{{2, 3}, {3, 1}, 0}};
  Dims alone{kAlone, kAlone};
  merge_axes(matrix, alone);
  EXPECT_THAT(matrix[0].shape, ElementsAre(2, 3));
}

} // namespace ts::tests
