#include "backends/kernels/family_test.h"
#include "backends/kernels/matmul.h"

namespace ts::kernels::test {
namespace {

std::vector<std::byte> compute(const Tensor& x, const Tensor& y, Tensor& z, bool backward,
                               std::string* route = nullptr) {
  TestLauncher launcher(backward);
  z.poison();
  run(TS_FAMILY_MATMUL, TS_OP_MATMUL, {&z}, {x.operand(), y.operand()}, {}, launcher);
  if (route != nullptr && !launcher.launches().empty()) *route = launcher.launches().back();
  return z.elements();
}

/// The chain of fused multiply-adds that the family promises, bit for bit.
template <class T> void plain(const Tensor& x, const Tensor& y, Tensor& z) {
  const size_t rank = x.shape().size();
  const int64_t rows = x.shape()[rank - 2], inner = x.shape()[rank - 1], columns = y.shape()[rank - 1];
  for (int64_t i = 0; i < z.size(); ++i) {
    const int64_t column = i % columns, row = i / columns % rows, batch = i / columns / rows;
    const auto left = [&](int64_t k) { return x.at<T>((batch * rows + row) * inner + k); };
    const auto right = [&](int64_t k) { return y.at<T>((batch * inner + k) * columns + column); };
    if constexpr (is_floating<T>) {
      Compute<T> sum = 0;
      for (int64_t k = 0; k < inner; ++k)
        sum = std::fma(static_cast<Compute<T>>(left(k)), static_cast<Compute<T>>(right(k)), sum);
      z.set<T>(i, convert<T>(sum));
    } else {
      uint64_t sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += static_cast<uint64_t>(left(k)) * static_cast<uint64_t>(right(k));
      z.set<T>(i, static_cast<T>(sum));
    }
  }
}

void verify(int32_t dtype, const Shape& batch, int64_t rows, int64_t inner, int64_t columns, Random& random) {
  const auto with = [&](int64_t a, int64_t b) {
    Shape shape = batch;
    shape.push_back(a), shape.push_back(b);
    return shape;
  };
  with_dtype(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (!is_bool<T>) {
      for (bool backward : {false, true}) {
        Tensor x(dtype, with(rows, inner), backward ? Layout::kWildBroadcast : Layout::kWild, random);
        Tensor y(dtype, with(inner, columns), Layout::kWildBroadcast, random);
        Tensor z(dtype, with(rows, columns), Layout::kWild, random), right = dense(dtype, with(rows, columns));
        const auto value = [&](int64_t) {
          // Mantissas full: a product that is rounded before it is added shows.
          return is_floating<T> ? std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5
                                : static_cast<double>(below(random, 250));
        };
        x.fill(value);
        y.fill(value);
        plain<T>(x, y, right);
        ASSERT_EQ(compute(x, y, z, backward), right.elements())
            << "dtype " << dtype << " " << rows << "x" << inner << "x" << columns << " batch " << size_of(batch);
        ASSERT_TRUE(z.gaps_intact());
      }
    }
  });
}

TEST(Matmul, IsTheOrderedChainInEveryLayoutAndOrder) {
  // TS_CITES(matmul.7)
  Random random(1);
  for (int32_t dtype : all_dtypes()) {
    for (const auto& [m, k, n] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1},
                                                                                    {4, 4, 4},
                                                                                    {5, 3, 9},
                                                                                    {8, 16, 7},
                                                                                    {33, 20, 65},
                                                                                    {64, 1, 64},
                                                                                    {1, 64, 1},
                                                                                    {32, 32, 32},
                                                                                    {33, 33, 33},
                                                                                    {31, 33, 1},
                                                                                    {1, 100, 40},
                                                                                    {40, 17, 33},
                                                                                    {3, 0, 5},
                                                                                    {129, 31, 130},
                                                                                    {128, 16, 128},
                                                                                    {65, 48, 64},
                                                                                    {0, 3, 4},
                                                                                    {3, 4, 0}}) {
      verify(dtype, {}, m, k, n, random);
      if (m * n < 2000) verify(dtype, {3}, m, k, n, random), verify(dtype, {2, 3, 2}, m, k, n, random);
      if (HasFatalFailure()) return;
    }
    verify(dtype, {0, 2}, 3, 3, 3, random);
  }
}

TEST(Matmul, RoutesGiveTheSameBits) {
  // The same rows of x against one and against many columns: the small and the large tile.
  Random random(2);
  Tensor x = dense(TS_DTYPE_F32, {40, 77}), y = dense(TS_DTYPE_F32, {77, 40}), z = dense(TS_DTYPE_F32, {40, 40});
  x.fill([&](int64_t) { return static_cast<double>(below(random, 1000)) / 999; });
  y.fill([&](int64_t) { return static_cast<double>(below(random, 1000)) / 999; });
  std::string large, small;
  compute(x, y, z, false, &large);
  EXPECT_EQ(large, "matmul/large_tile");
  Tensor column = dense(TS_DTYPE_F32, {77, 1}), out = dense(TS_DTYPE_F32, {40, 1});
  for (int64_t j = 0; j < 40; ++j) {
    for (int64_t k = 0; k < 77; ++k) column.set<float>(k, y.at<float>(k * 40 + j));
    compute(x, column, out, false, &small);
    EXPECT_EQ(small, "matmul/small_tile");
    for (int64_t i = 0; i < 40; ++i) ASSERT_EQ(out.at<uint32_t>(i), z.at<uint32_t>(i * 40 + j));
  }
}

TEST(Matmul, HalfAccumulatesInSingle) {
  Tensor x = dense(TS_DTYPE_F16, {1, 2049}), y = dense(TS_DTYPE_F16, {2049, 1}), z = dense(TS_DTYPE_F16, {1, 1});
  x.fill([](int64_t) { return 1.0; });
  y.fill([](int64_t) { return 1.0; });
  compute(x, y, z, false);
  EXPECT_EQ(z.real(0), 2048); // 2049 ties to even, once
  y.set_real(0, 3);
  compute(x, y, z, false);
  EXPECT_EQ(z.real(0), 2052); // 2051 rounds up: a sum in f16 would stand at 2048
}

TEST(Matmul, RefusesBoolAndShapesThatDisagree) {
  const auto refusal = [](int32_t dtype, const Shape& x, const Shape& y, const Shape& z) {
    Tensor a = dense(dtype, x), b = dense(dtype, y), c = dense(dtype, z);
    try {
      compute(a, b, c, false);
    } catch (const Refusal& refused) {
      return static_cast<int>(refused.status);
    }
    return static_cast<int>(TS_OK);
  };
  EXPECT_EQ(refusal(TS_DTYPE_BOOL, {2, 3}, {3, 2}, {2, 2}), TS_UNSUPPORTED);
  EXPECT_EQ(refusal(TS_DTYPE_F32, {2, 3}, {2, 2}, {2, 2}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal(TS_DTYPE_F32, {3}, {3}, {1}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal(TS_DTYPE_F32, {2, 2, 3}, {1, 3, 2}, {2, 2, 2}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal(TS_DTYPE_F32, {2, 3}, {3, 2}, {2, 2}), TS_OK);
}

} // namespace
} // namespace ts::kernels::test
