// Views share storage and keep the values that the address rule gives.
#include "runtime/tests/support.h"

namespace ts::tests {

using testing::ElementsAre;

class View : public OnEveryDevice {};
TS_ON_EVERY_DEVICE(View);

TEST_P(View, TableOfViewsOnSixElements) {
  const Tensor x = counting({2, 3});
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 2, 3, 4, 5));
  const Tensor t = transpose(x, 0, 1);
  EXPECT_THAT(t.shape(), ElementsAre(3, 2));
  EXPECT_THAT(t.strides(), ElementsAre(1, 3));
  EXPECT_THAT(numbers(t), ElementsAre(0, 3, 1, 4, 2, 5));
  const Tensor columns = slice(x, 1, {1, 3, 1});
  EXPECT_EQ(columns.offset(), 1);
  EXPECT_THAT(columns.strides(), ElementsAre(3, 1));
  EXPECT_THAT(numbers(columns), ElementsAre(1, 2, 4, 5));
  const Tensor row = slice(x, 0, {1, 2, 1});
  EXPECT_EQ(row.offset(), 3);
  EXPECT_THAT(numbers(row), ElementsAre(3, 4, 5));
  for (const Tensor& view : {t, columns, row}) EXPECT_EQ(view.storage(), x.storage());
}

TEST_P(View, ContiguousIsNotCompact) {
  const Tensor x = counting({2, 3});
  EXPECT_TRUE(x.is_compact());
  const Tensor row = slice(x, 0, {1, 2, 1});
  EXPECT_TRUE(row.is_contiguous());
  EXPECT_FALSE(row.is_compact());
  EXPECT_FALSE(transpose(x, 0, 1).is_contiguous());
  EXPECT_TRUE(transpose(x, 0, 1).contiguous().is_compact());
  EXPECT_TRUE(x.contiguous().same_as(x));
}

TEST_P(View, CompactOfATransposePlusOne) {
  const Tensor compact = transpose(counting({2, 3}), 0, 1).contiguous();
  EXPECT_THAT(compact.strides(), ElementsAre(2, 1));
  EXPECT_THAT(numbers(compact), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(numbers(add(compact, 1)), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_P(View, ExpandRepeatsWithStrideZero) {
  const Tensor wide = expand(unsqueeze(counting({2, 3}), 2), {2, 3, 4});
  EXPECT_THAT(wide.strides(), ElementsAre(3, 1, 0));
  EXPECT_EQ(wide.numel(), 24);
  EXPECT_EQ(wide.storage()->bytes(), 24U);
  EXPECT_THAT(numbers(select(wide, 2, 3)), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(expand(counting({1, 3}), {5, -1}).shape(), ElementsAre(5, 3));
  EXPECT_THROW(expand(counting({2, 3}), {2, 4}), ValueError);
  EXPECT_THROW(expand(counting({2, 3}), {3}), ValueError);
}

TEST_P(View, SlicesAsPythonDoes) {
  const Tensor x = counting({10}, DType::kI64);
  EXPECT_THAT(numbers(slice(x, 0, {2, 9, 3})), ElementsAre(2, 5, 8));
  EXPECT_THAT(numbers(slice(x, 0, {-3, std::nullopt, 1})), ElementsAre(7, 8, 9));
  EXPECT_THAT(numbers(slice(x, 0, {std::nullopt, std::nullopt, -4})), ElementsAre(9, 5, 1));
  EXPECT_THAT(numbers(slice(x, 0, {7, 2, -2})), ElementsAre(7, 5, 3));
  EXPECT_THAT(numbers(slice(x, 0, {-100, 100, 9})), ElementsAre(0, 9));
  EXPECT_THAT(numbers(slice(x, 0, {5, 5, 1})), ElementsAre());
  EXPECT_THAT(numbers(slice(x, 0, {2, 8, -1})), ElementsAre());
  EXPECT_THAT(numbers(slice(x, 0, {1, std::nullopt, std::numeric_limits<int64_t>::min()})), ElementsAre(1));
  EXPECT_THROW(slice(x, 0, {0, 1, 0}), ValueError);
}

TEST_P(View, NegativeStepsCompose) {
  const Tensor x = counting({10});
  EXPECT_THAT(numbers(slice(slice(x, 0, {std::nullopt, std::nullopt, -1}), 0, {1, 8, 3})), ElementsAre(8, 5, 2));
  EXPECT_THAT(numbers(flip(counting({2, 3}), {0, 1})), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THROW(flip(x, {0, 0}), ValueError);
}

TEST_P(View, SelectChecksItsIndex) {
  const Tensor x = counting({2, 3});
  EXPECT_THAT(numbers(select(x, 1, -1)), ElementsAre(2, 5));
  expect_error<IndexError>([&] { select(x, 1, 3); }, {"[layout.", "index 3", "axis 1", "extent 3"});
  EXPECT_THROW(select(x, 1, -4), IndexError);
  EXPECT_THROW(select(x, 2, 0), IndexError);
}

TEST_P(View, ReshapeViewsWherePossibleElseCopies) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(reshape(x, {6, -1}).storage(), x.storage());
  EXPECT_EQ(reshape(transpose(x, 0, 1), {3, 2, 2, 2}).storage(), x.storage());
  const Tensor copied = reshape(transpose(x, 0, 2), {-1});
  EXPECT_NE(copied.storage(), x.storage());
  EXPECT_THAT(numbers(slice(copied, 0, {0, 6, 1})), ElementsAre(0, 12, 4, 16, 8, 20));
  EXPECT_THAT(reshape(x, {2, 1, 12, 1}).shape(), ElementsAre(2, 1, 12, 1));
  EXPECT_THAT(numbers(reshape(expand(counting({2, 1}), {2, 3}), {6})), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THROW(reshape(x, {5, -1}), ValueError);
  EXPECT_THROW(reshape(x, {-1, -1}), ValueError);
  EXPECT_THROW(reshape(x, {23}), ValueError);
  EXPECT_THAT(reshape(counting({0, 3}), {3, 0}).shape(), ElementsAre(3, 0));
}

TEST_P(View, PermuteSqueezeUnsqueeze) {
  const Tensor x = counting({2, 1, 3});
  EXPECT_THAT(permute(x, {2, 0, 1}).strides(), ElementsAre(1, 3, 3));
  EXPECT_THROW(permute(x, {0, 1}), ValueError);
  EXPECT_THROW(permute(x, {0, 1, 1}), ValueError);
  EXPECT_THAT(squeeze(x).shape(), ElementsAre(2, 3));
  EXPECT_THAT(squeeze(x, {-2}).shape(), ElementsAre(2, 3));
  EXPECT_THROW(squeeze(x, {0}), ValueError);
  EXPECT_THROW(squeeze(empty({2, 0}, DType::kF32, device_), {1}), ValueError);
  EXPECT_THAT(unsqueeze(x, -1).shape(), ElementsAre(2, 1, 3, 1));
  EXPECT_THROW(unsqueeze(x, 4), IndexError);
  EXPECT_THROW(matrix_transpose(counting({3})), ValueError);
}

TEST_P(View, DiagonalAndUnfold) {
  const Tensor x = counting({3, 4});
  EXPECT_THAT(numbers(diagonal(x)), ElementsAre(0, 5, 10));
  EXPECT_THAT(numbers(diagonal(x, 2)), ElementsAre(2, 7));
  EXPECT_THAT(numbers(diagonal(x, -1)), ElementsAre(4, 9));
  EXPECT_THAT(numbers(diagonal(x, 9)), ElementsAre());
  EXPECT_THROW(diagonal(x, 0, 1, 1), ValueError);
  const Tensor windows = unfold(counting({7}), 0, 3, 2);
  EXPECT_THAT(windows.shape(), ElementsAre(3, 3));
  EXPECT_THAT(numbers(windows), ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
  EXPECT_THROW(unfold(x, 1, 5, 1), ValueError);
}

TEST_P(View, AsStridedStaysInsideTheStorage) {
  const Tensor x = counting({6});
  EXPECT_THAT(numbers(as_strided(x, {2, 2}, {-2, 1}, 3)), ElementsAre(3, 4, 1, 2));
  expect_error<ValueError>([&] { as_strided(x, {2, 3}, {4, 1}, 0); }, {"[layout.", "0 to 6", "6 elements"});
  EXPECT_THROW(as_strided(x, {2}, {-1}, 0), ValueError);
  // No element, and strides that no view of it may overflow. TS_CITES(layout.8)
  const Tensor none = as_strided(x, {5, 0}, {INT64_MAX, INT64_MAX}, 0);
  for (const Tensor& y :
       {select(none, 0, 3), flip(none, {0}), slice(none, 0, {4, std::nullopt, -2}), unfold(none, 0, 2, 3)}) {
    EXPECT_EQ(y.numel(), 0);
    EXPECT_GE(y.layout().offset, 0);
    EXPECT_LE(y.layout().offset, 10);
  }
  EXPECT_THROW(as_strided(x, {2}, {1, 1}, 0), ValueError);
  EXPECT_THAT(as_strided(x, {0, 5}, {100, 100}, 0).shape(), ElementsAre(0, 5));
}

TEST_P(View, IndexTakesSubscripts) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_THAT(numbers(index(x, {1, Slice{0, 3, 2}, -1})), ElementsAre(15, 23));
  EXPECT_THAT(index(x, {Ellipsis{}, 0}).shape(), ElementsAre(2, 3));
  EXPECT_THAT(index(x, {0, NewAxis{}, Ellipsis{}, Slice{}}).shape(), ElementsAre(1, 3, 4));
  EXPECT_THROW(index(x, {0, 0, 0, 0}), IndexError);
}

TEST_P(View, SetitemWritesThroughViews) {
  const Tensor x = counting({3, 4});
  setitem(x, {Slice{}, 1}, from_values<float>({100, 101, 102}, device_));
  setitem(x, {2, Slice{std::nullopt, std::nullopt, -2}}, from_values<int64_t>({7}, device_));
  setitem(x, {0, Slice{2, 4, 1}}, -1.5);
  EXPECT_THAT(numbers(x), ElementsAre(0, 100, -1.5, -1.5, 4, 101, 6, 7, 8, 7, 10, 7));
  EXPECT_THROW(setitem(x, {0}, counting({3})), ValueError);
}

TEST_P(View, SetitemOfItsOwnShiftedSelfReadsFirst) {
  const Tensor x = counting({5, 3});
  setitem(x, {Slice{std::nullopt, -1, 1}}, index(x, {Slice{1, std::nullopt, 1}}));
  EXPECT_THAT(numbers(x), ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 12, 13, 14));
  const Tensor y = counting({3, 3});
  setitem(y, {Slice{}, Slice{1, std::nullopt, 1}}, index(y, {Slice{}, Slice{std::nullopt, -1, 1}}));
  EXPECT_THAT(numbers(y), ElementsAre(0, 0, 1, 3, 3, 4, 6, 6, 7));
}

TEST_P(View, WritingToAnExpandedViewIsAnError) {
  const Tensor x = expand(counting({1, 3}), {2, 3});
  expect_error<ValueError>([&] { x.fill_(1); }, {"[layout.", "(2, 3)"});
  EXPECT_THROW(x.copy_(counting({2, 3})), ValueError);
  EXPECT_THROW(add_(x, 1), ValueError);
  EXPECT_THROW(add_(unfold(counting({4}), 0, 2, 1), 1), ValueError);
}

} // namespace ts::tests
