#include "backends/kernels/arg_reduce.h"
#include "backends/kernels/family_test.h"

namespace ts::kernels::test {
namespace {

std::vector<std::byte> compute(int32_t op, int axis, const Tensor& x, Tensor& z, bool backward) {
  TestLauncher launcher(backward);
  z.poison();
  run(TS_FAMILY_ARG_REDUCE, op, {&z}, {x.operand()}, {integer_attribute(axis)}, launcher);
  return z.elements();
}

/// First of equals, first NaN.
int64_t plain(int32_t op, const std::vector<double>& v) {
  size_t best = 0;
  for (size_t i = 1; i < v.size(); ++i) {
    if (std::isnan(v[best])) break;
    if (std::isnan(v[i]) || (op == TS_OP_ARGMAX ? v[i] > v[best] : v[i] < v[best])) best = i;
  }
  return static_cast<int64_t>(best);
}

void verify(int32_t op, int32_t dtype, const Shape& shape, int axis, Random& random, int64_t distinct) {
  Tensor x = dense(dtype, shape);
  x.fill([&](int64_t) {
    if (is_floating_dtype(dtype) && below(random, 150) == 0) return static_cast<double>(NAN);
    return static_cast<double>(below(random, distinct)) -
           (dtype == TS_DTYPE_U8 ? 0.0 : std::floor(static_cast<double>(distinct) / 2));
  });
  Shape result = shape;
  const int64_t length = shape[static_cast<size_t>(axis)];
  result[static_cast<size_t>(axis)] = 1;
  Tensor z = dense(TS_DTYPE_I64, result);
  const auto bits = compute(op, axis, x, z, false);
  int64_t inner = 1;
  for (size_t a = static_cast<size_t>(axis) + 1; a < shape.size(); ++a) inner *= shape[a];
  for (int64_t o = 0; o < z.size(); ++o) {
    std::vector<double> v;
    for (int64_t r = 0; r < length; ++r) v.push_back(x.real((o / inner * length + r) * inner + o % inner));
    ASSERT_EQ(z.at<int64_t>(o), plain(op, v))
        << "op " << op << " dtype " << dtype << " output " << o << " length " << length;
  }
  for (bool backward : {false, true}) {
    Tensor wild(dtype, shape, Layout::kWild, random), out(TS_DTYPE_I64, result, Layout::kWild, random);
    wild.set_elements(x.elements());
    ASSERT_EQ(bits, compute(op, axis, wild, out, backward));
    ASSERT_TRUE(out.gaps_intact());
  }
}

TEST(ArgReduce, MatchesPlainLoopsInEveryLayoutAndOrder) {
  Random random(1);
  for (int32_t dtype : all_dtypes()) {
    for (int32_t op : {TS_OP_ARGMAX, TS_OP_ARGMIN}) {
      for (int64_t n : {1, 2, 31, 32, 33, 88, 255, 256, 257, 1000, 4097}) {
        for (int64_t distinct : {2, 200}) {
          verify(op, dtype, {n}, 0, random, distinct);
          verify(op, dtype, {3, n}, 1, random, distinct);
          verify(op, dtype, {n, 3}, 0, random, distinct);
          verify(op, dtype, {2, n, 3}, 1, random, distinct);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  verify(TS_OP_ARGMAX, TS_DTYPE_F32, {65537}, 0, random, 1000);
  verify(TS_OP_ARGMIN, TS_DTYPE_F64, {65537, 2}, 0, random, 1000);
}

int64_t find(int32_t op, int32_t dtype, const std::vector<double>& values) {
  Tensor x = dense(dtype, {static_cast<int64_t>(values.size())}), z = dense(TS_DTYPE_I64, {1});
  x.fill([&](int64_t i) { return values[static_cast<size_t>(i)]; });
  compute(op, 0, x, z, true);
  return z.at<int64_t>(0);
}

TEST(ArgReduce, SpecialValues) {
  for (int32_t dtype : {TS_DTYPE_F16, TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64}) {
    EXPECT_EQ(find(TS_OP_ARGMAX, dtype, {-0.0, 0.0}), 0);
    EXPECT_EQ(find(TS_OP_ARGMIN, dtype, {0.0, -0.0}), 0);
    EXPECT_EQ(find(TS_OP_ARGMAX, dtype, {-INFINITY, -INFINITY}), 0);
    EXPECT_EQ(find(TS_OP_ARGMIN, dtype, {1, -INFINITY, NAN, NAN}), 2);
    EXPECT_EQ(find(TS_OP_ARGMAX, dtype, {1, NAN, INFINITY}), 1);
  }
  EXPECT_EQ(find(TS_OP_ARGMAX, TS_DTYPE_F32, {-1, -0.0, 0x1p-149}), 2);
  Tensor x = dense(TS_DTYPE_I64, {3}), z = dense(TS_DTYPE_I64, {1});
  for (int64_t i = 0; i < 3; ++i) x.set<int64_t>(i, (int64_t{1} << 53) + i);
  compute(TS_OP_ARGMAX, 0, x, z, false);
  EXPECT_EQ(z.at<int64_t>(0), 2);
  Tensor truth = dense(TS_DTYPE_BOOL, {3});
  for (int64_t i = 0; i < 3; ++i) truth.set<uint8_t>(i, static_cast<uint8_t>(i * 3)); // 3 and 6 are both true
  compute(TS_OP_ARGMAX, 0, truth, z, false);
  EXPECT_EQ(z.at<int64_t>(0), 1);
}

TEST(ArgReduce, RefusesAnEmptyAxisAndAForeignAxis) {
  Tensor x = dense(TS_DTYPE_F32, {3, 0}), z = dense(TS_DTYPE_I64, {3, 1}), empty = dense(TS_DTYPE_I64, {1, 0});
  EXPECT_THROW(compute(TS_OP_ARGMAX, 1, x, z, false), Refusal);
  EXPECT_THROW(compute(TS_OP_ARGMAX, 2, x, z, false), Refusal);
  EXPECT_THROW(compute(TS_OP_ARGMAX, -1, x, z, false), Refusal);
  compute(TS_OP_ARGMAX, 0, x, empty, false);
}

} // namespace
} // namespace ts::kernels::test
