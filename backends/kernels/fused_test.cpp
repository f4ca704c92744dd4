// Fused rows: the tree of spec/execution.md written a second time, in its words, and held against the kernels bit by bit; which
// program a row takes; rows that are none of the kernel's business.
#include "backends/kernels/family_test.h"
#include "backends/kernels/written_trees.h"

#include <limits>

namespace ts::kernels::test {
namespace {

// execution.34: lane g folds its run of each chunk from first to last, then lanes combine.
template <class T, class Join> T tree_of(const Values<T>& v, const Join& join) {
  constexpr size_t kChunk = 4096;
  size_t lanes = 1;
  while (lanes < 256 && 16 * lanes < v.size()) lanes *= 2;
  Values<T> lane;
  for (size_t g = 0; g < lanes; ++g) {
    T sum = 0;
    for (size_t chunk = 0; chunk < v.size(); chunk += kChunk) {
      const Values<T> run = run_at(v, chunk, g, lanes);
      sum = chunk == 0 ? run_of(run, join) : sum + run_of(run, join);
    }
    lane.push_back(sum);
  }
  return joined(lane);
}

template <class T> T fused_tree(const Values<T>& v) {
  return tree_of(v, [](T sum, T value) { return sum + value; });
}
// Of squared distances from a mean, which join by a fused step.
template <class T> T fused_tree(const Values<T>& v, T mean) {
  return tree_of(v, [mean](T sum, T value) { return std::fma(value - mean, value - mean, sum); });
}

void fill_rough(Tensor& x, Random& random) {
  x.fill([&](int64_t) { return std::ldexp(static_cast<double>(random() >> 11), -53) * 40 - 20; });
}

// The launches it took.
std::vector<std::string> softmax_of(const Tensor& x, const Tensor& z, int axis, bool backward) {
  TestLauncher launcher(backward);
  run(TS_FAMILY_SOFTMAX, TS_OP_SOFTMAX, {&z}, {x.operand()}, {integer_attribute(axis)}, launcher);
  return launcher.launches();
}

template <class T> void check_softmax_bits(int32_t dtype, int64_t rows, int64_t n, Layout layout, Random& random) {
  Tensor x(dtype, {rows, n}, layout, random), z(dtype, {rows, n}, layout, random);
  fill_rough(x, random);
  ASSERT_EQ(softmax_of(x, z, 1, true).size(), 1U) << n;
  for (int64_t row = 0; row < rows; ++row) {
    T top = -std::numeric_limits<T>::infinity();
    for (int64_t i = 0; i < n; ++i) top = std::max(top, x.at<T>(row * n + i));
    Values<T> power;
    for (int64_t i = 0; i < n; ++i) power.push_back(std::exp(x.at<T>(row * n + i) - top));
    const T rest = T{1} / fused_tree(power);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(z.at<T>(row * n + i), power[static_cast<size_t>(i)] * rest) << "row of " << n << ", element " << i;
  }
}

TEST(Fused, ARowIsSummedInLanesThatGoThroughItsChunks) {
  // TS_CITES(execution.34, fused.5)
  Random random(1);
  for (const int64_t n : {2, 3, 5, 16, 17, 33, 64, 255, 257, 1000, 4095, 4096, 4097, 8191, 8192})
    for (const Layout layout : {Layout::kDense, Layout::kWild}) {
      check_softmax_bits<float>(TS_DTYPE_F32, 3, n, layout, random);
      check_softmax_bits<double>(TS_DTYPE_F64, 2, n, layout, random);
    }
  for (const int64_t n : {8193, 12289, 16384}) check_softmax_bits<float>(TS_DTYPE_F32, 2, n, Layout::kDense, random);
}

Operand immediate(int32_t dtype, const Shape& shape, double value) {
  Random random(0);
  Operand operand = Tensor(dtype, shape, Layout::kDense, random).operand();
  std::fill(std::begin(operand.view.stride), std::end(operand.view.stride), 0);
  operand.view.data = nullptr;
  operand.immediate = true;
  with_dtype(dtype, [&](auto type) {
    const auto bits = convert<typename decltype(type)::type>(value);
    memcpy(&operand.bits, &bits, sizeof bits);
  });
  return operand;
}

template <class T> void check_norm_bits(int32_t dtype, int64_t rows, int64_t n, Layout layout, Random& random) {
  const Shape shape{rows, n};
  Tensor x(dtype, shape, layout, random), weight(dtype, shape, Layout::kWild, random), z(dtype, shape, layout, random);
  fill_rough(x, random);
  fill_rough(weight, random);
  const double eps = 1e-5;
  for (const bool centred : {false, true}) {
    std::vector<Operand> inputs = {x.operand(), weight.operand()};
    if (centred) inputs.push_back(immediate(dtype, shape, 0.5));
    TestLauncher launcher(true);
    run(TS_FAMILY_NORMALIZE, centred ? TS_OP_LAYER_NORM : TS_OP_RMS_NORM, {&z}, inputs,
        {integer_attribute(2), real_attribute(eps)}, launcher);
    ASSERT_EQ(launcher.launches().size(), 1U) << n;
    for (int64_t row = 0; row < rows; ++row) {
      Values<T> v;
      for (int64_t i = 0; i < n; ++i) v.push_back(x.at<T>(row * n + i));
      const double length = static_cast<double>(n);
      T mean = centred ? static_cast<T>(fused_tree(v) / length) : T{0};
      // Squares join their run by a fused step, so the tree is told to add them that way.
      double shift = 0;
      if (centred) {
        Values<T> distance;
        for (const T value : v) distance.push_back(value - mean);
        shift = fused_tree(distance) / length;
      }
      const double squares = fused_tree(v, mean);
      const double spread = centred ? std::max(squares / length - shift * shift, 0.0) : squares / length;
      if (centred) mean = static_cast<T>(mean + shift);
      const T scale = static_cast<T>(1 / std::sqrt(spread + eps));
      for (int64_t i = 0; i < n; ++i) {
        const T value = v[static_cast<size_t>(i)], w = weight.at<T>(row * n + i);
        const T want = centred ? (value - mean) * scale * w + T{0.5} : value * scale * w;
        ASSERT_EQ(z.at<T>(row * n + i), want) << "row of " << n << ", element " << i << ", centred " << centred;
      }
    }
  }
}

TEST(Fused, ANormClimbsTheSameTree) {
  // TS_CITES(execution.34, fused.5)
  Random random(4);
  for (const int64_t n : {2, 7, 16, 33, 100, 768, 4095, 4096, 4097, 8192})
    for (const Layout layout : {Layout::kDense, Layout::kWild}) {
      check_norm_bits<float>(TS_DTYPE_F32, 3, n, layout, random);
      check_norm_bits<double>(TS_DTYPE_F64, 2, n, layout, random);
    }
}

TEST(Fused, TheMeanOfAConstantIsTheConstant) {
  // TS_CITES(layer_norm.5)
  for (const Shape& shape : {Shape{3, 1000}, Shape{1, 20000}, Shape{1000, 1}, Shape{700, 3}}) {
    Tensor x = dense(TS_DTYPE_F32, shape), z = dense(TS_DTYPE_F32, shape);
    x.fill([](int64_t) { return 0.1; });
    TestLauncher launcher(false);
    const int64_t axes = shape[0] > shape[1] ? 1 : 2;
    run(TS_FAMILY_NORMALIZE, TS_OP_LAYER_NORM, {&z},
        {x.operand(), immediate(TS_DTYPE_F32, shape, 1), immediate(TS_DTYPE_F32, shape, 3)},
        {integer_attribute(axes), real_attribute(1e-5)}, launcher);
    for (int64_t i = 0; i < z.size(); ++i) ASSERT_EQ(z.at<float>(i), 3.0F) << i;
  }
}

TEST(Fused, ALongRowAndAColumnTakeAReductionAndOneLaunch) {
  // TS_CITES(execution.34, execution.11, execution.12)
  Random random(2);
  const auto launches = [&](int32_t dtype, const Shape& shape, int axis) {
    Tensor x = dense(dtype, shape), z = dense(dtype, shape);
    fill_rough(x, random);
    return softmax_of(x, z, axis, false);
  };
  const std::vector<std::string> long_row = {"reduce_rows/wide", "reduce_rows/partials", "fused_apply/wide"};
  EXPECT_EQ(launches(TS_DTYPE_F32, {2, 16388}, 1), long_row);
  EXPECT_EQ(launches(TS_DTYPE_F64, {2, 8196}, 1), (std::vector<std::string>{"reduce_lines/wide", "fused_apply/wide"}));
  EXPECT_EQ(launches(TS_DTYPE_F32, {33, 5}, 0),
            (std::vector<std::string>{"reduce_columns/strided", "fused_apply/strided"}));
  EXPECT_EQ(launches(TS_DTYPE_F32, {64, 1}, 0),
            (std::vector<std::string>{"fused_rows/wide"})); // extents of 1 do not count
  EXPECT_EQ(launches(TS_DTYPE_F32, {65, 1}, 0), (std::vector<std::string>{"fused_rows/strided"}));
  EXPECT_EQ(launches(TS_DTYPE_F32, {3, 65}, 1), (std::vector<std::string>{"fused_rows/strided"}));
  EXPECT_EQ(launches(TS_DTYPE_F32, {3, 64}, 1), (std::vector<std::string>{"fused_rows/wide"}));
  EXPECT_EQ(launches(TS_DTYPE_F32, {3, 0}, 1), (std::vector<std::string>{}));
}

TEST(Fused, ProgramsOfTwoLaunchesAreRight) {
  // TS_CITES(fused.2, fused.3)
  Random random(3);
  for (const auto& [shape, axis] : {std::pair<Shape, int>{{2, 16389}, 1}, {{70, 5}, 0}, {{3, 130, 4}, 1}}) {
    for (const Layout layout : {Layout::kDense, Layout::kWild}) {
      Tensor x(TS_DTYPE_F32, shape, layout, random), z(TS_DTYPE_F32, shape, layout, random);
      fill_rough(x, random);
      softmax_of(x, z, axis, true);
      const int64_t n = shape[static_cast<size_t>(axis)];
      const int64_t inner = axis + 1 < static_cast<int>(shape.size()) ? shape.back() : 1;
      for (int64_t line = 0; line < x.size() / n; ++line) {
        const int64_t first = line / inner * inner * n + line % inner;
        double total = 0, ones = 0;
        for (int64_t i = 0; i < n; ++i) total += std::exp(x.real(first + i * inner));
        for (int64_t i = 0; i < n; ++i) {
          const double want = std::exp(x.real(first + i * inner)) / total;
          ASSERT_NEAR(z.real(first + i * inner), want, want * 1e-4);
          ones += z.real(first + i * inner);
        }
        ASSERT_NEAR(ones, 1, 1e-4);
      }
      EXPECT_TRUE(z.gaps_intact());
    }
  }
}

} // namespace
} // namespace ts::kernels::test
