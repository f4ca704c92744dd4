// The exact overlap test against brute force over bytes.
#include "backends/kernels/overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace ts::kernels {
namespace {

struct Case {
  int64_t offset;
  std::vector<int64_t> shape, stride;
  int itemsize;

  ByteView view() const {
    return ByteView::of(offset, static_cast<int>(shape.size()), shape.data(), stride.data(), itemsize);
  }
  std::vector<int64_t> bytes() const {
    std::vector<int64_t> starts{offset * itemsize};
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<int64_t> next;
      for (const int64_t start : starts)
        for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(start + i * stride[axis] * itemsize);
      starts = next;
    }
    std::vector<int64_t> all;
    for (const int64_t start : starts)
      for (int byte = 0; byte < itemsize; ++byte) all.push_back(start + byte);
    return all;
  }
};

Case random_case(std::mt19937_64& random) {
  Case made{static_cast<int64_t>(random() % 30), {}, {}, 1 << (random() % 3)};
  for (size_t axis = random() % 4; axis > 0; --axis) {
    made.shape.push_back(static_cast<int64_t>(random() % 5));
    made.stride.push_back(static_cast<int64_t>(random() % 15) - 7);
  }
  return made;
}

TEST(Overlap, AgreesWithBruteForce) {
  std::mt19937_64 random(3);
  int yes = 0;
  for (int round = 0; round < 30'000; ++round) {
    const Case a = random_case(random), b = random_case(random);
    const std::vector<int64_t> left = a.bytes(), right = b.bytes();
    const std::set<int64_t> seen(left.begin(), left.end());
    bool meets = false;
    for (const int64_t byte : right) meets = meets || seen.count(byte) > 0;
    ASSERT_EQ(overlap(a.view(), b.view()), meets) << round;
    ASSERT_EQ(overlaps_itself(a.view()), seen.size() != left.size()) << round;
    yes += meets ? 1 : 0;
  }
  EXPECT_GT(yes, 1000); // both answers were tried
  EXPECT_LT(yes, 29'000);
}

TEST(Overlap, TellsInterleavedHalvesOfALargeArrayApart) {
  const int64_t half = int64_t{1} << 30;
  const Case even{0, {half}, {2}, 4}, odd{1, {half}, {2}, 4}, next{2, {half}, {2}, 4};
  EXPECT_FALSE(overlap(even.view(), odd.view()));
  EXPECT_TRUE(overlap(even.view(), next.view()));
  const Case left{0, {4096, 2048}, {4096, 1}, 4}, right{2048, {4096, 2048}, {4096, 1}, 4};
  EXPECT_FALSE(overlap(left.view(), right.view()));
}

} // namespace
} // namespace ts::kernels
