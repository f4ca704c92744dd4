#include "backends/kernels/family_test.h"
#include "backends/kernels/reduce.h"

#include <limits>

namespace ts::kernels::test {
namespace {

struct Problem {
  int32_t op;
  int32_t dtype;
  Shape shape;
  uint64_t axes;
  double correction = 1;
};

int32_t result_dtype(const Problem& p) {
  switch (p.op) {
    case TS_OP_SUM:
    case TS_OP_PROD: return is_floating_dtype(p.dtype) ? p.dtype : TS_DTYPE_I64;
    case TS_OP_ANY:
    case TS_OP_ALL: return TS_DTYPE_BOOL;
    case TS_OP_COUNT_NONZERO: return TS_DTYPE_I64;
    default: return p.dtype;
  }
}

Shape reduced_shape(const Problem& p) {
  Shape shape = p.shape;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if ((p.axes >> axis & 1) != 0) shape[axis] = 1;
  return shape;
}

std::vector<std::byte> compute(const Problem& p, const Tensor& x, Tensor& z, bool backward) {
  TestLauncher launcher(backward);
  z.poison();
  run(TS_FAMILY_REDUCE, p.op, {&z}, {x.operand()},
      {integer_attribute(static_cast<int64_t>(p.axes)), real_attribute(p.correction)}, launcher);
  return z.elements();
}

/// The elements of each output, in row-major order of the reduced axes.
std::vector<std::vector<double>> groups(const Problem& p, const Tensor& x) {
  std::vector<std::vector<double>> found(static_cast<size_t>(size_of(reduced_shape(p))));
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t rest = i, output = 0, pitch = 1;
    for (int axis = static_cast<int>(p.shape.size()) - 1; axis >= 0; --axis) {
      const int64_t extent = p.shape[static_cast<size_t>(axis)];
      if ((p.axes >> axis & 1) == 0) {
        output += rest % extent * pitch;
        pitch *= extent;
      }
      rest /= extent;
    }
    found[static_cast<size_t>(output)].push_back(x.real(i));
  }
  return found;
}

struct Expected {
  double value, bound;
};

Expected expected_moments(const Problem& p, const std::vector<double>& v, double u) {
  const double n = static_cast<double>(v.size()), k = depth(static_cast<int64_t>(v.size()));
  if (!(n > p.correction)) return {NAN, 0};
  long double mean = 0, squares = 0, size = 0;
  for (double x : v) mean += x, size += std::fabs(x);
  mean /= n, size /= n;
  for (double x : v) squares += (x - mean) * (x - mean);
  const double variance = static_cast<double>(squares) / (n - p.correction);
  const double shift = k * u * static_cast<double>(size);
  const double bound = (k + 4) * u * variance + shift * shift * n / (n - p.correction);
  if (p.op == TS_OP_VAR) return {variance, bound};
  const double deviation = std::sqrt(variance);
  return {deviation, deviation > 0 ? std::min(std::sqrt(bound), bound / deviation) : std::sqrt(bound)};
}

Expected expected(const Problem& p, const std::vector<double>& v) {
  const double u = accumulator_roundoff(p.dtype), k = depth(static_cast<int64_t>(v.size()));
  const double n = static_cast<double>(v.size());
  long double sum = 0, size = 0, product = 1, squares = 0;
  double top = -std::numeric_limits<double>::infinity(), low = -top, nonzero = 0;
  for (double x : v) {
    sum += x, size += std::fabs(x), product *= x, squares += static_cast<long double>(x) * x;
    top = std::max(top, x), low = std::min(low, x), nonzero += x != 0;
  }
  const double s = static_cast<double>(size);
  switch (p.op) {
    case TS_OP_SUM: return {static_cast<double>(sum), k * u * s};
    case TS_OP_MEAN: return {static_cast<double>(sum / n), (k + 1) * u * s / n};
    case TS_OP_PROD: return {static_cast<double>(product), n * u * std::fabs(static_cast<double>(product))};
    case TS_OP_MAX: return {top, 0};
    case TS_OP_MIN: return {low, 0};
    case TS_OP_ANY: return {nonzero > 0 ? 1.0 : 0.0, 0};
    case TS_OP_ALL: return {nonzero == n ? 1.0 : 0.0, 0};
    case TS_OP_COUNT_NONZERO: return {nonzero, 0};
    case TS_OP_NORM: {
      const double norm = static_cast<double>(std::sqrt(squares));
      return {norm, (k / 2 + 2) * u * norm};
    }
    case TS_OP_LOGSUMEXP: {
      long double total = 0, distance = 0;
      for (double x : v) {
        const long double weight = std::exp(static_cast<long double>(x) - top);
        total += weight, distance += weight * std::fabs(x - top);
      }
      const double value = static_cast<double>(top + std::log(total));
      if (v.empty()) return {top, 0};
      return {value, u * (static_cast<double>(distance / total) + 4 + k + 4 * static_cast<double>(std::log(total)) +
                          std::fabs(value))};
    }
    default: return expected_moments(p, v, u);
  }
}

void check(const Problem& p, const Tensor& x, const Tensor& z) {
  const auto all = groups(p, x);
  for (size_t i = 0; i < all.size(); ++i) {
    const Expected e = expected(p, all[i]);
    const double got = z.real(static_cast<int64_t>(i));
    if (std::isnan(e.value)) {
      ASSERT_TRUE(std::isnan(got)) << "op " << p.op << " dtype " << p.dtype << " output " << i;
      continue;
    }
    const bool real = is_floating_dtype(result_dtype(p));
    const double bound = e.bound + (real && e.bound > 0 ? roundoff(p.dtype) * std::fabs(e.value) + 0x1p-149 : 0);
    ASSERT_TRUE(got == e.value || std::fabs(got - e.value) <= bound)
        << "op " << p.op << " dtype " << p.dtype << " output " << i << " of " << all.size() << " over " << all[i].size()
        << ": " << got << " rather than " << e.value << " within " << bound;
  }
}

/// Runs on a dense and on wild layouts, forward and backward: all bits agree, and the values are right.
void verify(const Problem& p, Random& random, const std::function<double(int64_t)>& value) {
  Tensor x = dense(p.dtype, p.shape), z = dense(result_dtype(p), reduced_shape(p));
  x.fill(value);
  const auto bits = compute(p, x, z, false);
  ASSERT_EQ(bits, compute(p, x, z, true));
  check(p, x, z);
  for (int repeat = 0; repeat < 2; ++repeat) {
    Tensor wild(p.dtype, p.shape, Layout::kWild, random), out(result_dtype(p), reduced_shape(p), Layout::kWild, random);
    wild.set_elements(x.elements());
    const auto before = wild.storage();
    ASSERT_EQ(bits, compute(p, wild, out, repeat == 1)) << "op " << p.op << " dtype " << p.dtype;
    ASSERT_EQ(before, wild.storage());
    ASSERT_TRUE(out.gaps_intact());
  }
}

std::vector<Problem> shapes_of_interest() {
  std::vector<Problem> problems;
  for (int64_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097}) {
    problems.push_back({0, 0, {n}, 1});
    problems.push_back({0, 0, {3, n}, 2});
    problems.push_back({0, 0, {n, 3}, 1});
    problems.push_back({0, 0, {2, n, 5}, 2});
  }
  problems.push_back({0, 0, {}, 0});
  problems.push_back({0, 0, {4, 5}, 0});
  problems.push_back({0, 0, {0, 5}, 2});
  problems.push_back({0, 0, {2, 3, 4, 5, 3, 2}, 0b011011});
  problems.push_back({0, 0, {2, 3, 4, 5, 3, 2}, 0b101101});
  problems.push_back({0, 0, {2, 3, 2, 2, 2, 3, 2, 2}, 0b10110101});
  problems.push_back({0, 0, {7, 1, 300, 1}, 0b1110});
  return problems;
}

const std::vector<int32_t> kAnyDtype{TS_OP_SUM, TS_OP_PROD, TS_OP_MAX,          TS_OP_MIN,
                                     TS_OP_ANY, TS_OP_ALL,  TS_OP_COUNT_NONZERO};
const std::vector<int32_t> kFloating{TS_OP_MEAN, TS_OP_VAR, TS_OP_STD, TS_OP_NORM, TS_OP_LOGSUMEXP};

TEST(Reduce, MatchesPlainLoopsInEveryLayoutAndOrder) {
  // TS_CITES(execution.3)
  Random random(1);
  for (int32_t dtype : all_dtypes()) {
    std::vector<int32_t> ops = kAnyDtype;
    if (is_floating_dtype(dtype)) ops.insert(ops.end(), kFloating.begin(), kFloating.end());
    for (int32_t op : ops) {
      for (Problem p : shapes_of_interest()) {
        p.op = op, p.dtype = dtype;
        const bool empty = size_of(p.shape) == 0;
        if ((op == TS_OP_MAX || op == TS_OP_MIN) && empty) continue;
        const bool product = op == TS_OP_PROD, integral = !is_floating_dtype(dtype);
        verify(p, random, [&](int64_t) {
          if (op == TS_OP_ALL) return below(random, 200) == 0 ? 0.0 : 1.0;
          if (op == TS_OP_ANY) return below(random, 200) == 0 ? 1.0 : 0.0;
          if (product) return below(random, 100) == 0 ? 1.125 : 1.0;
          if (integral) return static_cast<double>(below(random, 7));
          return static_cast<double>(below(random, 4001) - 2000) / 256.0;
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Reduce, SeveralLevelsKeepTheBound) {
  Random random(2);
  for (int32_t dtype : {TS_DTYPE_F32, TS_DTYPE_F64, TS_DTYPE_BF16}) {
    for (int32_t op : {TS_OP_SUM, TS_OP_MEAN, TS_OP_VAR, TS_OP_STD, TS_OP_NORM, TS_OP_LOGSUMEXP, TS_OP_MAX}) {
      for (const Shape& shape : {Shape{65537}, Shape{2, 20000}, Shape{65537, 2}}) {
        const Problem p{op, dtype, shape, shape.size() == 1 || shape[0] > 2 ? 1U : 2U};
        verify(p, random, [&](int64_t) { return 0.1; });
        verify(p, random, [&](int64_t) { return 1234.0 + static_cast<double>(below(random, 1000)) / 1000; });
        if (HasFatalFailure()) return;
      }
    }
  }
}

double reduce_one(int32_t op, int32_t dtype, const std::vector<double>& values, double correction = 1) {
  const Problem p{op, dtype, {static_cast<int64_t>(values.size())}, 1, correction};
  Tensor x = dense(dtype, p.shape), z = dense(result_dtype(p), {1});
  x.fill([&](int64_t i) { return values[static_cast<size_t>(i)]; });
  compute(p, x, z, true);
  return z.real(0);
}

TEST(Reduce, SpecialValues) {
  for (int32_t dtype : {TS_DTYPE_F16, TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64}) {
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_MAX, dtype, {1, NAN, INFINITY})));
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_MIN, dtype, {1, NAN, -INFINITY})));
    EXPECT_EQ(reduce_one(TS_OP_MAX, dtype, {-INFINITY, -INFINITY}), -INFINITY);
    EXPECT_EQ(reduce_one(TS_OP_MIN, dtype, {INFINITY, INFINITY}), INFINITY);
    EXPECT_FALSE(std::signbit(reduce_one(TS_OP_MAX, dtype, {-0.0, 0.0, -0.0})));
    EXPECT_TRUE(std::signbit(reduce_one(TS_OP_MIN, dtype, {0.0, -0.0, 0.0})));
    EXPECT_EQ(reduce_one(TS_OP_ANY, dtype, {0, NAN}), 1);
    EXPECT_EQ(reduce_one(TS_OP_ALL, dtype, {1, -0.0}), 0);
    EXPECT_EQ(reduce_one(TS_OP_LOGSUMEXP, dtype, {}), -INFINITY);
    EXPECT_EQ(reduce_one(TS_OP_LOGSUMEXP, dtype, {-INFINITY, -INFINITY}), -INFINITY);
    EXPECT_EQ(reduce_one(TS_OP_LOGSUMEXP, dtype, {1, INFINITY}), INFINITY);
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_LOGSUMEXP, dtype, {1, NAN})));
    EXPECT_EQ(reduce_one(TS_OP_LOGSUMEXP, dtype, {1000, -1000}), 1000);
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_MEAN, dtype, {})));
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_VAR, dtype, {2})));
    EXPECT_EQ(reduce_one(TS_OP_VAR, dtype, {2}, 0), 0);
    EXPECT_TRUE(std::isnan(reduce_one(TS_OP_STD, dtype, {2, 3}, 2.5)));
    EXPECT_EQ(reduce_one(TS_OP_SUM, dtype, {}), 0);
    EXPECT_EQ(reduce_one(TS_OP_PROD, dtype, {}), 1);
    EXPECT_EQ(reduce_one(TS_OP_NORM, dtype, {}), 0);
    EXPECT_FALSE(std::signbit(reduce_one(TS_OP_SUM, dtype, {-0.0, -0.0})));
  }
  EXPECT_EQ(reduce_one(TS_OP_MEAN, TS_DTYPE_F16, std::vector<double>(5000, 100)), 100);
  EXPECT_EQ(reduce_one(TS_OP_SUM, TS_DTYPE_I32, {2147483647, 2147483647}), 4294967294.0);
  EXPECT_EQ(reduce_one(TS_OP_COUNT_NONZERO, TS_DTYPE_BOOL, std::vector<double>(300, 1)), 300);
}

TEST(Reduce, NormNeitherOverflowsNorUnderflows) {
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F64, {3e300, 4e300}), 5e300);
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F64, {3 * 0x1p-1070, 4 * 0x1p-1070}), 5 * 0x1p-1070);
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F64, {0x1p-1074}), 0x1p-1074);
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F64, {INFINITY, 1}), INFINITY);
  EXPECT_TRUE(std::isnan(reduce_one(TS_OP_NORM, TS_DTYPE_F64, {NAN, 1e300})));
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F32, {0x1p126, 0}), 0x1p126);
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_F32, {0x1p-149}), 0x1p-149);
  EXPECT_EQ(reduce_one(TS_OP_NORM, TS_DTYPE_BF16, {3 * 0x1p100, 4 * 0x1p100}), 5 * 0x1p100);
}

TEST(Reduce, VarianceOfAConstantIsZero) {
  for (double c : {1234.0, 0.1, 1e30, -7.3}) {
    for (size_t n : {2, 17, 100, 5000}) {
      EXPECT_EQ(reduce_one(TS_OP_VAR, TS_DTYPE_F32, std::vector<double>(n, c)), 0) << c << " " << n;
    }
  }
}

TEST(Reduce, ExtremesOfEveryBoolByteAndInteger) {
  Tensor x = dense(TS_DTYPE_BOOL, {3}), z = dense(TS_DTYPE_BOOL, {1});
  for (int64_t i = 0; i < 3; ++i) x.set<uint8_t>(i, static_cast<uint8_t>(i * 2));
  compute({TS_OP_MAX, TS_DTYPE_BOOL, {3}, 1}, x, z, false);
  EXPECT_EQ(z.at<uint8_t>(0), 1);
  Tensor i64 = dense(TS_DTYPE_I64, {2}), out = dense(TS_DTYPE_I64, {1});
  i64.set<int64_t>(0, INT64_MIN);
  i64.set<int64_t>(1, INT64_MIN + 1);
  compute({TS_OP_MAX, TS_DTYPE_I64, {2}, 1}, i64, out, false);
  EXPECT_EQ(out.at<int64_t>(0), INT64_MIN + 1);
  compute({TS_OP_MIN, TS_DTYPE_I64, {2}, 1}, i64, out, false);
  EXPECT_EQ(out.at<int64_t>(0), INT64_MIN);
}

TEST(Reduce, TakesImmediates) {
  Tensor x = dense(TS_DTYPE_F32, {5, 70}), z = dense(TS_DTYPE_F32, {5, 1});
  Operand operand = x.operand();
  operand.immediate = true;
  operand.view.data = nullptr;
  const float value = 1.5F;
  memcpy(&operand.bits, &value, sizeof value);
  for (int64_t& stride : operand.view.stride) stride = 0;
  TestLauncher launcher(false);
  run(TS_FAMILY_REDUCE, TS_OP_SUM, {&z}, {operand}, {integer_attribute(2)}, launcher);
  EXPECT_EQ(z.real(4), 105);
}

// The same elements, one row after another at any distance from a multiple of four, and on their own.
TEST(Reduce, RowsMayBeginAnywhere) {
  // TS_CITES(reduce.4)
  Random random(5);
  for (const int32_t dtype : all_dtypes()) {
    for (const int64_t n : {3, 17, 63, 64, 65, 1000, 4093, 4096, 4099, 8191, 8193, 13001}) {
      Tensor x = dense(dtype, {5, n + 5}), row = dense(dtype, {1, n});
      x.fill([&](int64_t) { return static_cast<double>(below(random, 200)) / (is_floating_dtype(dtype) ? 7 : 1); });
      for (const int64_t begin : {0, 1, 2, 3, 5}) {
        Operand window = x.operand();
        window.view.shape[1] = n;
        window.view.data += begin * itemsize(dtype);
        for (const int32_t op : {TS_OP_SUM, TS_OP_MAX, TS_OP_MIN}) {
          const Problem p{op, dtype, {5, n}, 2}, one{op, dtype, {1, n}, 2};
          Tensor z = dense(result_dtype(p), {5, 1}), alone = dense(result_dtype(p), {1, 1});
          TestLauncher launcher(true);
          run(TS_FAMILY_REDUCE, op, {&z}, {window}, {integer_attribute(2), real_attribute(1)}, launcher);
          for (int64_t r = 0; r < 5; ++r) {
            row.fill([&](int64_t i) { return x.real(r * (n + 5) + begin + i); });
            compute(one, row, alone, false);
            ASSERT_EQ(z.real(r), alone.real(0)) << "op " << op << " dtype " << dtype << " n " << n << " from " << begin;
          }
        }
      }
    }
  }
}

TEST(Reduce, PartsOfAVeryLongRowAreJoinedInOneLaunch) {
  const int64_t n = int64_t{4096} * 4096 + 5;
  Tensor one = dense(TS_DTYPE_U8, {1}), z = dense(TS_DTYPE_I64, {1});
  one.set<uint8_t>(0, 3);
  Operand x = one.operand();
  x.view.shape[0] = n, x.view.stride[0] = 0;
  TestLauncher launcher(true);
  run(TS_FAMILY_REDUCE, TS_OP_SUM, {&z}, {x}, {integer_attribute(1)}, launcher);
  EXPECT_EQ(z.at<int64_t>(0), 3 * n);
  EXPECT_EQ(launcher.launches(), (std::vector<std::string>{"reduce_rows/strided", "reduce_lines/partials"}));
}

TEST(Reduce, RefusesBeforeAnyLaunch) {
  const auto refusal = [](const Problem& p, const Shape& result) {
    Tensor x = dense(p.dtype, p.shape), z = dense(result_dtype(p), result);
    TestLauncher launcher(false);
    try {
      run(TS_FAMILY_REDUCE, p.op, {&z}, {x.operand()},
          {integer_attribute(static_cast<int64_t>(p.axes)), real_attribute(1)}, launcher);
    } catch (const Refusal& refused) {
      EXPECT_TRUE(launcher.launches().empty());
      return static_cast<int>(refused.status);
    }
    return static_cast<int>(TS_OK);
  };
  EXPECT_EQ(refusal({TS_OP_MAX, TS_DTYPE_F32, {3, 0}, 2}, {3, 1}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal({TS_OP_MAX, TS_DTYPE_F32, {0, 0}, 2}, {0, 1}), TS_OK); // reduce.6
  EXPECT_EQ(refusal({TS_OP_MEAN, TS_DTYPE_I32, {3}, 1}, {1}), TS_UNSUPPORTED);
  EXPECT_EQ(refusal({TS_OP_SUM, TS_DTYPE_F32, {3}, 2}, {3}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal({TS_OP_SUM, TS_DTYPE_F32, {3}, 1}, {3}), TS_INVALID_ARGUMENT);
  EXPECT_EQ(refusal({TS_OP_SUM, TS_DTYPE_F32, {3}, 1}, {1}), TS_OK);
}

TEST(Reduce, NamesItsRoutes) {
  const auto routes = [](const Shape& shape, uint64_t axes, Layout layout) {
    Random random(3);
    const Problem p{TS_OP_SUM, TS_DTYPE_F32, shape, axes};
    Tensor x(TS_DTYPE_F32, shape, layout, random), z = dense(TS_DTYPE_F32, reduced_shape(p));
    x.fill([](int64_t) { return 1.0; });
    TestLauncher launcher(false);
    run(TS_FAMILY_REDUCE, TS_OP_SUM, {&z}, {x.operand()}, {integer_attribute(static_cast<int64_t>(axes))}, launcher);
    EXPECT_EQ(z.real(0), static_cast<double>(x.size()) / static_cast<double>(z.size()));
    return launcher.launches();
  };
  using Routes = std::vector<std::string>;
  EXPECT_EQ(routes({8, 64}, 2, Layout::kDense), Routes{"reduce_rows/wide"});
  EXPECT_EQ(routes({8, 63}, 2, Layout::kDense), Routes{"reduce_rows/shifted"});
  EXPECT_EQ(routes({3, 8192}, 2, Layout::kDense), Routes{"reduce_lines/wide"});
  EXPECT_EQ(routes({3, 8191}, 2, Layout::kDense), Routes{"reduce_lines/shifted"});
  EXPECT_EQ(routes({8, 64}, 1, Layout::kDense), Routes{"reduce_columns/strided"});
  EXPECT_EQ(routes({20000}, 1, Layout::kDense), (Routes{"reduce_rows/wide", "reduce_rows/partials"}));
  EXPECT_EQ(routes({200, 3}, 1, Layout::kDense), (Routes{"reduce_columns/strided", "reduce_columns/partials"}));
}

} // namespace
} // namespace ts::kernels::test
