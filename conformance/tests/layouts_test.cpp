#include "conformance/layouts.h"

#include <gtest/gtest.h>

#include <set>

namespace ts::conformance {
namespace {

const std::vector<std::vector<int64_t>> kShapes = {{},        {1},          {7},    {3, 5},    {1, 5, 1},
                                                   {3, 5, 7}, {2, 3, 5, 4}, {0, 3}, {3, 0, 2}, {2, 1, 3, 2, 2}};

// The view's formula and the walk through the parent's coordinates are two computations.
TEST(Layouts, StridesAndCoordinatesAgree) {
  for (const Layout layout : all_layouts()) {
    if (layout == Layout::immediate) continue;
    for (const auto& shape : kShapes) {
      if (!exists_for(layout, shape)) continue;
      const Placement p = place(layout, shape, 4);
      std::vector<int64_t> at(shape.size(), 0);
      for (const int64_t position : p.position) {
        int64_t by_stride = p.offset;
        for (size_t k = 0; k < shape.size(); ++k) by_stride += at[k] * p.stride[k];
        ASSERT_EQ(by_stride, position) << name_of(layout);
        ASSERT_GE(position, 0);
        ASSERT_LT(position, p.storage);
        for (size_t k = shape.size(); k-- > 0;) {
          if (++at[k] < shape[k]) break;
          at[k] = 0;
        }
      }
    }
  }
}

TEST(Layouts, InjectiveOnesGiveEveryElementItsOwnPlace) {
  for (const Layout layout : all_layouts()) {
    if (!is_injective(layout)) continue;
    for (const auto& shape : kShapes) {
      if (!exists_for(layout, shape)) continue;
      const Placement p = place(layout, shape, 2);
      EXPECT_EQ(std::set<int64_t>(p.position.begin(), p.position.end()).size(), p.position.size()) << name_of(layout);
    }
  }
}

TEST(Layouts, EveryOneButDenseLeavesSomethingBesideTheView) {
  for (const Layout layout : all_layouts()) {
    if (layout == Layout::immediate || !exists_for(layout, {3, 5, 7})) continue;
    const Placement p = place(layout, {3, 5, 7}, 4);
    const auto [least, most] = std::minmax_element(p.position.begin(), p.position.end());
    EXPECT_EQ(*least > 0, layout != Layout::dense) << name_of(layout);
#if !defined(TS_SANITIZE) // there the sanitizer guards the end
    EXPECT_LT(*most, p.storage - 1) << name_of(layout);
#endif
  }
}

TEST(Layouts, WhatTheNamesSay) {
  EXPECT_EQ(place(Layout::transposed, {3, 5}, 4).stride, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(place(Layout::permuted, {3, 5, 7}, 4).stride, (std::vector<int64_t>{1, 21, 3}));
  EXPECT_EQ(place(Layout::gap_free, {3, 5, 7}, 4).stride, (std::vector<int64_t>{1, 3, 15}));
  EXPECT_EQ(place(Layout::stepped_inner, {3, 5}, 4).stride, (std::vector<int64_t>{11, 2}));
  EXPECT_EQ(place(Layout::stepped_outer, {3, 5}, 4).stride, (std::vector<int64_t>{10, 1}));
  EXPECT_EQ(place(Layout::reversed_all, {3, 5}, 4).stride, (std::vector<int64_t>{-5, -1}));
  EXPECT_EQ(place(Layout::narrowed, {3, 5}, 4).stride, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(place(Layout::broadcast_middle, {3, 5, 7}, 4).stride, (std::vector<int64_t>{7, 0, 1}));
  EXPECT_EQ(place(Layout::window, {3, 5}, 4).stride, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(place(Layout::offset_1, {3, 5}, 4).offset, 1);
  EXPECT_EQ(place(Layout::offset_5, {3, 5}, 4).offset, 5);
  EXPECT_EQ(place(Layout::dense, {3, 5}, 4).offset, 0);
}

TEST(Layouts, WildStridesStandOnlyOnAxesOfExtentOne) {
  const Placement p = place(Layout::wild, {1, 5, 1}, 4);
  EXPECT_EQ(p.stride, (std::vector<int64_t>{int64_t{1} << 40, 1, -7}));
  EXPECT_FALSE(exists_for(Layout::wild, {3, 5}));
}

TEST(Layouts, NamesReadBack) {
  for (const Layout layout : all_layouts()) EXPECT_EQ(layout_named(name_of(layout)), layout);
  EXPECT_EQ(layout_named("diagonal"), std::nullopt);
}

} // namespace
} // namespace ts::conformance
