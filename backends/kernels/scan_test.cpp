#include "backends/kernels/family_test.h"
#include "backends/kernels/scan.h"

namespace ts::kernels::test {
namespace {

struct Problem {
  int32_t op;
  int32_t dtype;
  Shape shape;
  int axis;
  bool indexed() const { return op == TS_OP_CUMMAX || op == TS_OP_CUMMIN; }
  int32_t result() const { return indexed() || is_floating_dtype(dtype) ? dtype : TS_DTYPE_I64; }
};

using Bits = std::pair<std::vector<std::byte>, std::vector<std::byte>>;

Bits compute(const Problem& p, const Tensor& x, Tensor& z, Tensor& indices, bool backward,
             std::vector<std::string>* routes = nullptr) {
  TestLauncher launcher(backward);
  z.poison();
  indices.poison();
  std::vector<const Tensor*> outputs{&z};
  if (p.indexed()) outputs.push_back(&indices);
  run(TS_FAMILY_SCAN, p.op, outputs, {x.operand()}, {integer_attribute(p.axis)}, launcher);
  if (routes != nullptr) *routes = launcher.launches();
  return {z.elements(), indices.elements()};
}

struct Lines {
  int64_t count, length, inner;
  explicit Lines(const Problem& p) : length(p.shape[static_cast<size_t>(p.axis)]), inner(1) {
    for (size_t a = static_cast<size_t>(p.axis) + 1; a < p.shape.size(); ++a) inner *= p.shape[a];
    count = length == 0 ? 0 : size_of(p.shape) / length;
  }
  int64_t element(int64_t line, int64_t i) const { return (line / inner * length + i) * inner + line % inner; }
};

void check_extremes(const Problem& p, const Tensor& x, const Tensor& z, const Tensor& indices) {
  const Lines lines(p);
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t best = 0;
    for (int64_t i = 0; i < lines.length; ++i) {
      const double value = x.real(lines.element(line, i)), top = x.real(lines.element(line, best));
      const bool beats = p.op == TS_OP_CUMMAX ? value >= top : value <= top;
      if (std::isnan(value) || (!std::isnan(top) && beats)) best = i;
      const int64_t e = lines.element(line, i);
      ASSERT_EQ(indices.at<int64_t>(e), best)
          << "op " << p.op << " dtype " << p.dtype << " line " << line << " at " << i;
      ASSERT_EQ(memcmp(z.address(e), x.address(lines.element(line, best)), static_cast<size_t>(itemsize(p.dtype))), 0);
    }
  }
}

void check_sums(const Problem& p, const Tensor& x, const Tensor& z) {
  const Lines lines(p);
  const double u = accumulator_roundoff(p.dtype);
  for (int64_t line = 0; line < lines.count; ++line) {
    long double sum = 0, size = 0, product = 1;
    uint64_t wrapped = p.op == TS_OP_CUMSUM ? 0 : 1;
    for (int64_t i = 0; i < lines.length; ++i) {
      const int64_t e = lines.element(line, i);
      const double value = x.real(e);
      sum += value, size += std::fabs(value), product *= value;
      if (!is_floating_dtype(p.dtype)) {
        const auto integer = static_cast<uint64_t>(static_cast<int64_t>(value));
        wrapped = p.op == TS_OP_CUMSUM ? wrapped + integer : wrapped * integer;
        ASSERT_EQ(z.at<int64_t>(e), static_cast<int64_t>(wrapped))
            << "dtype " << p.dtype << " line " << line << " at " << i;
        continue;
      }
      const double right = static_cast<double>(p.op == TS_OP_CUMSUM ? sum : product);
      const double scale = p.op == TS_OP_CUMSUM ? depth(i + 1) * static_cast<double>(size)
                                                : static_cast<double>(i + 1) * std::fabs(right);
      const double got = z.real(e);
      ASSERT_TRUE(got == right || std::fabs(got - right) <= u * scale + roundoff(p.dtype) * std::fabs(right) + 0x1p-149)
          << "op " << p.op << " dtype " << p.dtype << " line " << line << " at " << i << ": " << got << " not "
          << right;
    }
  }
}

void verify(const Problem& p, Random& random, const std::function<double(int64_t)>& value) {
  Tensor x = dense(p.dtype, p.shape), z = dense(p.result(), p.shape), indices = dense(TS_DTYPE_I64, p.shape);
  x.fill(value);
  const Bits bits = compute(p, x, z, indices, false);
  if (p.indexed())
    check_extremes(p, x, z, indices);
  else
    check_sums(p, x, z);
  for (bool backward : {false, true}) {
    Tensor wild(p.dtype, p.shape, Layout::kWild, random), out(p.result(), p.shape, Layout::kWild, random);
    Tensor places(TS_DTYPE_I64, p.shape, Layout::kWild, random);
    wild.set_elements(x.elements());
    ASSERT_EQ(bits, compute(p, wild, out, places, backward)) << "op " << p.op << " dtype " << p.dtype;
    ASSERT_TRUE(out.gaps_intact());
    ASSERT_TRUE(places.gaps_intact());
  }
}

TEST(Scan, MatchesPlainLoopsInEveryLayoutAndOrder) {
  // TS_CITES(execution.3)
  Random random(1);
  for (int32_t dtype : all_dtypes()) {
    for (int32_t op : {TS_OP_CUMSUM, TS_OP_CUMPROD, TS_OP_CUMMAX, TS_OP_CUMMIN}) {
      const auto value = [&](int64_t) {
        if (op == TS_OP_CUMPROD) return below(random, 300) == 0 ? 2.0 : 1.0;
        if (!is_floating_dtype(dtype)) return static_cast<double>(below(random, 9));
        if (op != TS_OP_CUMSUM && below(random, 40) == 0) return static_cast<double>(NAN);
        return static_cast<double>(below(random, 41) - 20) / 4;
      };
      for (int64_t n : {0, 1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 1000, 2048, 2049}) {
        verify({op, dtype, {n}, 0}, random, value);
        verify({op, dtype, {3, n}, 1}, random, value);
        verify({op, dtype, {n, 3}, 0}, random, value);
        verify({op, dtype, {2, n, 3}, 1}, random, value);
        verify({op, dtype, {2, n, 1}, 1}, random, value);
        if (HasFatalFailure()) return;
      }
      verify({op, dtype, {0, 4}, 1}, random, value);
    }
  }
}

TEST(Scan, SeveralLevelsKeepTheBound) {
  Random random(2);
  for (int32_t dtype : {TS_DTYPE_F32, TS_DTYPE_F64, TS_DTYPE_U8}) {
    for (int32_t op : {TS_OP_CUMSUM, TS_OP_CUMMAX}) {
      const auto value = [&](int64_t) { return is_floating_dtype(dtype) ? 0.1 : 1.0; };
      const auto noise = [&](int64_t) { return static_cast<double>(below(random, 200)); };
      for (const auto& f : std::vector<std::function<double(int64_t)>>{value, noise}) {
        verify({op, dtype, {65537}, 0}, random, f);
        verify({op, dtype, {2, 4097}, 1}, random, f);
        verify({op, dtype, {5000, 2}, 0}, random, f);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Scan, LevelsOfALongLine) {
  // 2048 chunks of 2048 and one element more: three levels.
  const int64_t n = kScanChunk * kScanChunk + 1;
  const Problem p{TS_OP_CUMSUM, TS_DTYPE_U8, {n}, 0};
  Tensor x = dense(p.dtype, p.shape), z = dense(TS_DTYPE_I64, p.shape), none = dense(TS_DTYPE_I64, {0});
  for (int64_t i = 0; i < n; ++i) x.set<uint8_t>(i, 1);
  std::vector<std::string> routes;
  compute(p, x, z, none, true, &routes);
  // The totals are a line of two chunks, which one block scans.
  EXPECT_EQ(routes, (std::vector<std::string>{"scan_chunks/totals", "scan_lines/carries", "scan_chunks/elements"}));
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(z.at<int64_t>(i), i + 1);
}

TEST(Scan, MovesValuesUnchanged) {
  Tensor x = dense(TS_DTYPE_F32, {4}), z = dense(TS_DTYPE_F32, {4}), indices = dense(TS_DTYPE_I64, {4});
  const uint32_t payload = 0xffc12345U; // a NaN of its own
  x.set<float>(0, 0.0F);
  x.set<float>(1, -0.0F);
  x.set<uint32_t>(2, payload);
  x.set<float>(3, INFINITY);
  compute({TS_OP_CUMMAX, TS_DTYPE_F32, {4}, 0}, x, z, indices, false);
  EXPECT_TRUE(std::signbit(z.at<float>(1))); // the last of equal zeros
  EXPECT_EQ(z.at<uint32_t>(3), payload);
  EXPECT_EQ(indices.at<int64_t>(3), 2);
  Tensor truth = dense(TS_DTYPE_BOOL, {1}), result = dense(TS_DTYPE_BOOL, {1}), at = dense(TS_DTYPE_I64, {1});
  truth.set<uint8_t>(0, 6);
  compute({TS_OP_CUMMAX, TS_DTYPE_BOOL, {1}, 0}, truth, result, at, false);
  EXPECT_EQ(result.at<uint8_t>(0), 1);
}

TEST(Scan, NanReachesLaterElementsOnly) {
  const int64_t n = 5000;
  for (int64_t place : {0, 70, 2047, 2048, 4999}) {
    Tensor x = dense(TS_DTYPE_F32, {n}), z = dense(TS_DTYPE_F32, {n}), none = dense(TS_DTYPE_I64, {0});
    x.fill([&](int64_t i) { return i == place ? static_cast<double>(NAN) : 1.0; });
    compute({TS_OP_CUMSUM, TS_DTYPE_F32, {n}, 0}, x, z, none, false);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(std::isnan(z.at<float>(i)), i >= place) << i;
  }
}

TEST(Scan, RefusesAForeignAxis) {
  Tensor x = dense(TS_DTYPE_F32, {4}), z = dense(TS_DTYPE_F32, {4}), none = dense(TS_DTYPE_I64, {0});
  EXPECT_THROW(compute({TS_OP_CUMSUM, TS_DTYPE_F32, {4}, 1}, x, z, none, false), Refusal);
  Tensor scalar = dense(TS_DTYPE_F32, {}), result = dense(TS_DTYPE_F32, {});
  EXPECT_THROW(compute({TS_OP_CUMSUM, TS_DTYPE_F32, {}, 0}, scalar, result, none, false), Refusal);
}

} // namespace
} // namespace ts::kernels::test
