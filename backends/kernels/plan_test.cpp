#include "backends/kernels/offsets.h"
#include "backends/kernels/plan.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ts::kernels {
namespace {

using Numbers = std::vector<int64_t>;

Plan plan_of(const Numbers& shape, const std::vector<Numbers>& strides, int itemsize = 4) {
  Plan plan = begin_plan(static_cast<int>(shape.size()), shape.data());
  for (const Numbers& stride : strides) add_operand(plan, stride.data(), itemsize);
  return plan;
}
Plan merged(const Numbers& shape, const std::vector<Numbers>& strides, int itemsize = 4) {
  Plan plan = plan_of(shape, strides, itemsize);
  merge_axes(plan);
  return plan;
}
Numbers shape_of(const Plan& plan) { return {plan.shape, plan.shape + plan.rank}; }
Numbers stride_of(const Plan& plan, int k) { return {plan.stride[k], plan.stride[k] + plan.rank}; }

TEST(Plan, KeepsAxesApartThatABroadcastOperandRepeats) {
  const Plan plan = merged({2, 3}, {{3, 1}, {3, 1}, {0, 1}});
  EXPECT_EQ(plan.rank, 2);
  EXPECT_EQ(plan.count, 6);
  EXPECT_EQ(stride_of(plan, 0), (Numbers{12, 4}));
  EXPECT_EQ(stride_of(plan, 1), (Numbers{12, 4}));
  EXPECT_EQ(stride_of(plan, 2), (Numbers{0, 4}));
}

TEST(Plan, MergesDenseOperandsOfAnyRankToOneAxis) {
  const Plan plan = merged({2, 3, 4}, {{12, 4, 1}, {12, 4, 1}});
  EXPECT_EQ(shape_of(plan), (Numbers{24}));
  EXPECT_EQ(stride_of(plan, 1), (Numbers{4}));
}

TEST(Plan, MergesNegativeAndZeroStridesByTheSameRule) {
  EXPECT_EQ(shape_of(merged({2, 3}, {{3, 1}, {-3, -1}})), (Numbers{6}));
  EXPECT_EQ(shape_of(merged({2, 3}, {{0, 0}})), (Numbers{6}));
  EXPECT_EQ(shape_of(merged({2, 3}, {{3, 1}, {3, -1}})), (Numbers{2, 3}));
}

TEST(Plan, DropsUnitAxesWhateverTheirStrides) {
  const Plan plan = merged({1, 4, 1, 5}, {{999, 5, -77, 1}});
  EXPECT_EQ(shape_of(plan), (Numbers{20}));
  EXPECT_EQ(merged({1, 1}, {{7, 9}}).rank, 0);
  EXPECT_EQ(merged({}, {{}}).count, 1);
  EXPECT_EQ(merged({3, 0}, {{0, 1}}).count, 0);
}

TEST(Plan, SortingMakesAnyDenseOrderOneAxis) {
  Plan plan = plan_of({3, 4, 5}, {{1, 15, 3}, {1, 15, 3}});
  drop_unit_axes(plan);
  sort_axes(plan);
  merge_axes(plan);
  EXPECT_EQ(shape_of(plan), (Numbers{60}));
  EXPECT_TRUE(is_dense(plan, 0, 4));
}

TEST(Plan, ReachCountsBothDirections) {
  const Plan plan = plan_of({3, 4}, {{-4, 1}});
  const Reach found = reach(plan, 0);
  EXPECT_EQ(found.low, -32);
  EXPECT_EQ(found.high, 12);
  const int64_t shape[] = {int64_t{1} << 40}, stride[] = {int64_t{1} << 40};
  Reach ignored{};
  EXPECT_FALSE(reach_of(1, shape, stride, &ignored));
}

TEST(Plan, IndexWidthFollowsReachAndNotCount) {
  const int64_t far = (int64_t{1} << 31) / 4;
  EXPECT_TRUE(index_is_narrow(plan_of({2}, {{far - 1}})));
  EXPECT_FALSE(index_is_narrow(plan_of({2}, {{far}})));
  EXPECT_FALSE(index_is_narrow(plan_of({2}, {{-far}})));
  EXPECT_FALSE(index_is_narrow(plan_of({int64_t{1} << 31}, {{0}})));
}

TEST(Plan, FlatLaunchCoversEveryCount) {
  const auto expect = [](int64_t count, int64_t blocks, int64_t threads, int64_t idle) {
    const FlatLaunch launch = flat_launch(count);
    EXPECT_EQ(launch.blocks, blocks) << count;
    EXPECT_EQ(launch.threads, threads) << count;
    EXPECT_EQ(launch.idle, idle) << count;
  };
  expect(0, 0, 0, 0);
  expect(1, 1, 256, 255);
  expect(255, 1, 256, 1);
  expect(256, 1, 256, 0);
  expect(257, 2, 512, 255);
  expect(1000, 4, 1024, 24);
  expect(20'000'000, 65535, 16'776'960, 0);
}

TEST(Divider, AgreesWithDivision) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200'000; ++k) {
    const uint32_t divisor = static_cast<uint32_t>(random() % 0x7fffffff) >> (random() % 31) | 1;
    const Divider divider = Divider::of(divisor);
    for (const uint32_t n :
         {static_cast<uint32_t>(random() % 0x80000000U), 0U, divisor - 1, 0x7fffffffU, 0x7fffffffU / divisor * divisor})
      ASSERT_EQ(divider.divide(n), n / divisor) << n << " / " << divisor;
  }
}

// The address rule of layout.1, by counting an index up.
Numbers addresses(const Plan& plan, int k) {
  Numbers found;
  std::vector<int64_t> index(static_cast<size_t>(plan.rank), 0);
  for (int64_t i = 0; i < plan.count; ++i) {
    int64_t at = 0;
    for (int axis = 0; axis < plan.rank; ++axis) at += index[static_cast<size_t>(axis)] * plan.stride[k][axis];
    found.push_back(at);
    for (int axis = plan.rank - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < plan.shape[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
  return found;
}

TEST(Offsets, AgreeWithTheAddressRuleInBothWidthsAndAfterMerging) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    Numbers shape(random() % 5), a(shape.size()), b(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      shape[axis] = static_cast<int64_t>(random() % 5) + 1;
      a[axis] = static_cast<int64_t>(random() % 41) - 20;
      b[axis] = static_cast<int64_t>(random() % 3) - 1;
    }
    const Plan plain = plan_of(shape, {a, b}, 8);
    Plan plan = plain;
    merge_axes(plan);
    auto offsets = Offsets<2>::of(plan);
    ASSERT_EQ(offsets.narrow, 1);
    const Numbers first = addresses(plain, 0), second = addresses(plain, 1);
    for (const int narrow : {1, 0}) {
      offsets.narrow = narrow;
      for (int64_t i = 0; i < plan.count; ++i) {
        int64_t offset[2];
        offsets.at(i, offset);
        ASSERT_EQ(offset[0], first[static_cast<size_t>(i)]);
        ASSERT_EQ(offset[1], second[static_cast<size_t>(i)]);
      }
    }
  }
}

TEST(Offsets, ReachPastTwoToTheThirtyOne) {
  const int64_t far = int64_t{1} << 33;
  const auto offsets = Offsets<1>::of(plan_of({3, 2}, {{far, -1}}, 1));
  int64_t offset[1];
  offsets.at(5, offset);
  EXPECT_EQ(offset[0], 2 * far - 1);
}

} // namespace
} // namespace ts::kernels
