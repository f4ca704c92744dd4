// Every family through the library: shapes, attributes, errors, out and in-place forms. Values are worked by hand.
#include "runtime/tests/support.h"

#include <cmath>
#include <limits>

namespace ts::tests {

using testing::ElementsAre;

class Ops : public OnEveryDevice {};
TS_ON_EVERY_DEVICE(Ops);

TEST_P(Ops, BroadcastRowIsTracedElementByElement) {
  const Tensor a = counting({2, 3}), b = from_values<float>({10, 20, 30}, device_);
  EXPECT_THAT(numbers(a + b), ElementsAre(10, 21, 32, 13, 24, 35));
  EXPECT_THAT(numbers(b + a), ElementsAre(10, 21, 32, 13, 24, 35));
  EXPECT_THAT(numbers(transpose(a, 0, 1) + unsqueeze(b, 1)), ElementsAre(10, 13, 21, 24, 32, 35));
  expect_error<ValueError>([&] { a + counting({2}); }, {"[layout.4]", "add", "(2, 3)", "(2,)"});
}

TEST_P(Ops, NumbersFollowTheTensorsDevice) {
  const Tensor x = counting({3});
  EXPECT_EQ((x + 1).device(), device_);
  EXPECT_THAT(numbers(x + 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers(1 - x), ElementsAre(1, 0, -1));
  EXPECT_THAT(numbers(2 / (x + 1)), ElementsAre(2, 1, 2.0F / 3));
  EXPECT_THAT(numbers(-x * 2), ElementsAre(-0.0, -2, -4));
  EXPECT_EQ((add(full({}, 1, DType::kF32, device_), 2)).item(), Scalar(3.0));
}

TEST_P(Ops, OutWritesIntoAViewAndNowhereElse) {
  const Tensor whole = full({3, 4}, -1, DType::kF32, device_);
  const Tensor window = index(whole, {Slice{std::nullopt, std::nullopt, -2}, Slice{1, 3, 1}});
  add_out(window, counting({2, 2}), 10);
  EXPECT_THAT(numbers(whole), ElementsAre(-1, 12, 13, -1, -1, -1, -1, -1, -1, 10, 11, -1));
  expect_error<ValueError>([&] { add_out(whole, counting({2, 2}), 1); }, {"[add]", "(2, 2)", "(3, 4)"});
}

TEST_P(Ops, InPlaceIsSeenThroughViews) {
  const Tensor x = counting({2, 3});
  const Tensor t = transpose(x, 0, 1);
  t += 1;
  t *= from_values<float>({1, 10}, device_);
  EXPECT_THAT(numbers(x), ElementsAre(1, 2, 3, 40, 50, 60));
  clamp_(x, 2, 45);
  EXPECT_THAT(numbers(x), ElementsAre(2, 2, 3, 40, 45, 45));
  EXPECT_THROW(add_(1, x), TypeError);
  EXPECT_THROW(add_(counting({3}), counting({2, 3})), ValueError);
}

TEST_P(Ops, SelectionTakesNumbersAndMasks) {
  const Tensor x = counting({4});
  EXPECT_THAT(numbers(where(x > 1, x, -1)), ElementsAre(-1, -1, 2, 3));
  EXPECT_THAT(numbers(masked_fill(x, x < 2, 9)), ElementsAre(9, 9, 2, 3));
  masked_fill_(x, x >= 3, 0.5);
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 2, 0.5));
}

TEST_P(Ops, ReductionsTakeAxesAndKeepThem) {
  const Tensor x = counting({2, 3, 4}, DType::kI32);
  EXPECT_EQ(sum(x).item(), Scalar(276));
  EXPECT_EQ(sum(x).dtype(), DType::kI64);
  EXPECT_EQ(sum(x).rank(), 0);
  EXPECT_THAT(numbers(sum(x, {0, -1})), ElementsAre(60, 92, 124));
  EXPECT_THAT(sum(x, 1, true).shape(), ElementsAre(2, 1, 4));
  EXPECT_THAT(sum(x, {}, true).shape(), ElementsAre(1, 1, 1));
  EXPECT_THAT(max(x, Axes(Dims{})).shape(), ElementsAre(2, 3, 4)); // no axis at all
  EXPECT_THAT(numbers(max(transpose(x, 0, 2), {1, 2})), ElementsAre(20, 21, 22, 23));
  EXPECT_THROW(sum(x, 3), IndexError);
  EXPECT_THROW(sum(x, {0, -3}), ValueError);
  EXPECT_THAT(numbers(mean(counting({2, 2}), 0)), ElementsAre(1, 2));
  EXPECT_THAT(numbers(var(counting({4}))), ElementsAre(testing::DoubleNear(5.0 / 3, 1e-6)));
  EXPECT_THAT(numbers(var(counting({4}), {}, 0)), ElementsAre(1.25));
  EXPECT_TRUE(any(x > 22).item().truth());
  EXPECT_FALSE(all(x > 22).item().truth());
}

TEST_P(Ops, FullReductionOfOneRowHasNoAxis) {
  EXPECT_EQ(logsumexp(counting({1, 3})).rank(), 0);
  EXPECT_THAT(sum(counting({1, 3}), 0).shape(), ElementsAre(3));
}

TEST_P(Ops, ReductionsOfNothing) {
  EXPECT_EQ(sum(zeros({0, 3}, DType::kI64, device_)).item(), Scalar(0));
  EXPECT_TRUE(std::isnan(mean(zeros({0}, DType::kF32, device_)).item().real()));
  EXPECT_TRUE(std::isnan(var(counting({1})).item().real()));
  expect_error<ValueError>([&] { max(zeros({0, 3}, DType::kF32, device_), 0); }, {"[reduce.7]", "max", "(0, 3)"});
  EXPECT_EQ(max(zeros({0, 3}, DType::kF32, device_), 1).numel(), 0);
  EXPECT_THROW(argmax(zeros({0}, DType::kF32, device_)), ValueError);
}

TEST_P(Ops, ReductionIntoOutKeepsHiddenAxesStraight) {
  const Tensor out = zeros({4, 1}, DType::kI64, device_);
  sum_out(select(out, 1, 0), counting({1, 4, 1}, DType::kI64), {0, 2});
  EXPECT_THAT(numbers(out), ElementsAre(0, 1, 2, 3));
  const Tensor row = zeros({1, 4}, DType::kI64, device_);
  sum_out(row, counting({1, 4, 2}, DType::kI64), 2);
  EXPECT_THAT(numbers(row), ElementsAre(1, 5, 9, 13));
}

TEST_P(Ops, ArgmaxTakesTheFirstOfEquals) {
  const Tensor x = reshape(from_values<float>({1, 5, 5, 7, 0, 7}, device_), {2, 3});
  EXPECT_THAT(numbers(argmax(x, 1)), ElementsAre(1, 0));
  EXPECT_EQ(argmax(x).item(), Scalar(3));
  EXPECT_EQ(argmin(x).item(), Scalar(4));
  EXPECT_EQ(argmax(transpose(x, 0, 1)).item(), Scalar(1)); // row-major order of the view: 1 7 5 0 5 7
  EXPECT_THAT(argmax(x, -1, true).shape(), ElementsAre(2, 1));
  EXPECT_THAT(argmax(x, std::nullopt, true).shape(), ElementsAre(1, 1));
  const Tensor out = zeros({}, DType::kI64, device_);
  argmax_out(out, x);
  EXPECT_EQ(out.item(), Scalar(3));
}

TEST_P(Ops, ScansRunAlongAnAxis) {
  EXPECT_THAT(numbers(cumsum(counting({2, 3}, DType::kI32), 0)), ElementsAre(0, 1, 2, 3, 5, 7));
  const auto [values, indices] = cummax(from_values<float>({1, 3, 2, 3}, device_), -1);
  EXPECT_THAT(numbers(values), ElementsAre(1, 3, 3, 3));
  EXPECT_THAT(numbers(indices), ElementsAre(0, 1, 1, 3)); // last of ties
  EXPECT_THROW(cumsum(counting({2}), 1), IndexError);
}

TEST_P(Ops, MatmulTakesVectorsAndBroadcastsBatches) {
  const Tensor m = counting({2, 3}), v = from_values<float>({1, 2, 3}, device_);
  EXPECT_THAT(numbers(matmul(m, v)), ElementsAre(8, 26));
  EXPECT_THAT(matmul(m, v).shape(), ElementsAre(2));
  EXPECT_THAT(numbers(matmul(from_values<float>({1, 10}, device_), m)), ElementsAre(30, 41, 52));
  EXPECT_EQ(matmul(v, v).rank(), 0);
  EXPECT_EQ(matmul(v, v).item(), Scalar(14.0));
  const Tensor batched = matmul(counting({2, 1, 2, 3}), counting({4, 3, 1}));
  EXPECT_THAT(batched.shape(), ElementsAre(2, 4, 2, 1));
  EXPECT_EQ(select(reshape(batched, {-1}), 0, 15).item(), Scalar(9.0 * 9 + 10 * 10 + 11 * 11));
  EXPECT_THAT(numbers(matmul(transpose(m, 0, 1), m)), ElementsAre(9, 12, 15, 12, 17, 22, 15, 22, 29));
  EXPECT_THAT(numbers(matmul(zeros({2, 0}, DType::kF32, device_), zeros({0, 1}, DType::kF32, device_))),
              ElementsAre(0, 0));
  expect_error<ValueError>([&] { matmul(m, m); }, {"[matmul]", "(2, 3)", "3 columns meet 2 rows"});
  EXPECT_THROW(matmul(m, full({}, 1, DType::kF32, device_)), ValueError);
  EXPECT_THROW(matmul(m, 2), TypeError);
}

TEST_P(Ops, GatherAndIndexSelect) {
  const Tensor x = counting({2, 3});
  const Tensor index = reshape(from_values<int64_t>({2, 0, 1, 1}, device_), {2, 2});
  EXPECT_THAT(numbers(gather(x, index, 1)), ElementsAre(2, 0, 4, 4));
  EXPECT_THAT(numbers(index_select(x, from_values<int32_t>({2, 2, 0}, device_), 1)), ElementsAre(2, 2, 0, 5, 5, 3));
  EXPECT_THROW(gather(x, from_values<int64_t>({0}, device_), 1), ValueError);
  EXPECT_THROW(index_select(x, index, 1), ValueError);
  EXPECT_THROW(gather(x, zeros({3, 1}, DType::kI64, device_), 1), ValueError);
}

TEST_P(Ops, OutOfRangeIndicesAreAnIndexErrorAndTheDeviceLives) {
  const Tensor x = counting({2, 3});
  const auto use = [&](int64_t bad) {
    const Tensor z = gather(x, reshape(from_values<int64_t>({0, bad}, device_), {1, 2}), 1);
    device_.synchronize();
  };
  expect_error<IndexError>([&] { use(3); }, {"gather", "3"});
  EXPECT_THROW(use(-1), IndexError);
  use(2);
  EXPECT_THAT(numbers(x), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_P(Ops, ScatterWritesACopyOrInPlace) {
  const Tensor x = zeros({2, 3}, DType::kF32, device_);
  const Tensor index = reshape(from_values<int64_t>({2, 2, 0, 1}, device_), {2, 2}), source = counting({2, 2}) + 1;
  EXPECT_THAT(numbers(scatter(x, index, source, 1)), ElementsAre(0, 0, 2, 3, 4, 0)); // the last of duplicates
  EXPECT_THAT(numbers(x), ElementsAre(0, 0, 0, 0, 0, 0));
  scatter_add_(x, index, source, 1);
  EXPECT_THAT(numbers(x), ElementsAre(0, 0, 3, 3, 4, 0));
  index_add_(x, from_values<int64_t>({0, 0}, device_), counting({2, 3}), 0);
  EXPECT_THAT(numbers(x), ElementsAre(3, 5, 10, 3, 4, 0));
  EXPECT_THROW(scatter(x, index, counting({2, 3}), 1), ValueError);
  EXPECT_THROW(index_add(x, from_values<int64_t>({0}, device_), counting({2, 3}), 0), ValueError);
}

TEST_P(Ops, SortAndTopkGiveValuesAndIndices) {
  const Tensor x = reshape(from_values<int32_t>({3, 1, 2, 1, 9, 9}, device_), {2, 3});
  const auto [values, indices] = sort(x, -1);
  EXPECT_THAT(numbers(values), ElementsAre(1, 2, 3, 1, 9, 9));
  EXPECT_THAT(numbers(indices), ElementsAre(1, 2, 0, 0, 1, 2));
  EXPECT_THAT(numbers(argsort(x, 1, true)), ElementsAre(0, 2, 1, 1, 2, 0));
  const auto [best, where_best] = topk(x, 0, 1);
  EXPECT_THAT(best.shape(), ElementsAre(1, 3));
  EXPECT_THAT(numbers(best), ElementsAre(3, 9, 9));
  EXPECT_THAT(numbers(where_best), ElementsAre(0, 1, 1));
  EXPECT_EQ(topk(x, 1, 0).first.numel(), 0);
  expect_error<ValueError>([&] { topk(x, 1, 4); }, {"[topk.2]", "4", "extent 3"});
  const Tensor stepped = zeros({2, 6}, DType::kI32, device_), positions = zeros({2, 3}, DType::kI64, device_);
  sort_out(slice(stepped, 1, {0, 6, 2}), positions, x, 1);
  EXPECT_THAT(numbers(stepped), ElementsAre(1, 0, 2, 0, 3, 0, 1, 0, 9, 0, 9, 0));
}

TEST_P(Ops, ByNameIsTheSame) {
  const Tensor x = from_values<float>({5, 1, 4}, device_);
  const Results best = call("topk", {x}, {Scalar(-1), Scalar(2), Scalar(true)});
  EXPECT_THAT(numbers(best[0]), ElementsAre(5, 4));
  EXPECT_THAT(numbers(best[1]), ElementsAre(0, 2));
  EXPECT_THAT(numbers(call("sum", {x}, {Axes()})[0]), ElementsAre(10));
  EXPECT_THROW(call("nonesuch", {x}), ValueError);
  EXPECT_THROW(call("add", {x}), TypeError);
  EXPECT_THROW(call("sum", {x}, {Scalar(0.5)}), Error);
}

TEST_P(Ops, MoreThanEightAxesRunWhereTheyMerge) {
  // TS_CITES(backend.53)
  const Tensor x = reshape(arange(1024, DType::kI32, device_), Dims(10, 2));
  EXPECT_EQ(x.rank(), 10);
  EXPECT_THAT(numbers(reshape(x + x, {-1})),
              testing::Pointwise(testing::Eq(), numbers(arange(0, 2048, 2, DType::kI32, device_))));
  EXPECT_EQ(sum(x).item(), Scalar(1023 * 512));
  EXPECT_THAT(sum(x, {0, 1, 2}).shape(), testing::SizeIs(7));
  EXPECT_THAT(numbers(sum(reshape(sum(x, {1, 2, 3, 4, 5, 6, 7, 8, 9}), {2}), 0)), ElementsAre(1023 * 512));
  EXPECT_THAT(numbers(sum(x, {1, 2, 3, 4, 5, 6, 7, 8, 9})), ElementsAre(512 * 511 / 2, 512 * 511 / 2 + 512 * 512));
  const Tensor scanned = cumsum(x, 0);
  EXPECT_EQ(select(reshape(scanned, {-1}), 0, 1023).item(), Scalar(511 + 1023));
  const Tensor halves = gather(x, zeros({1, 2, 2, 2, 2, 2, 2, 2, 2, 1}, DType::kI64, device_), 0);
  EXPECT_THAT(numbers(slice(reshape(halves, {-1}), 0, {0, 3, 1})), ElementsAre(0, 2, 4));
  const auto [sorted, order] = sort(x, 5, true);
  EXPECT_EQ(select(reshape(sorted, {-1}), 0, 0).item(), Scalar(16));
}

TEST_P(Ops, MoreThanEightAxesThatDoNotMergeAreAnError) {
  Tensor x = counting(Dims(9, 3), DType::kU8);
  for (int axis = 0; axis < 9; ++axis) x = slice(x, axis, {0, 2, 1}); // gaps on every axis
  expect_error<ValueError>([&] { x + x; }, {"[layout.21]", "add", "9 axes"});
}

} // namespace ts::tests
