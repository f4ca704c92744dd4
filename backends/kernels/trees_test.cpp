// The trees of spec/execution.md written a second time, in its words, and held against the kernels bit by bit. The numbers
// have full mantissas and far exponents, so that any other order of additions shows.
#include "backends/kernels/family_test.h"
#include "backends/kernels/written_trees.h"

namespace ts::kernels::test {
namespace {

// execution.11: one chunk of a row, in `lanes` lanes.
template <class T> T chunk_of(const Values<T>& v, size_t lanes) {
  Values<T> lane;
  for (size_t g = 0; g < lanes; ++g) lane.push_back(run_of(run_at(v, 0, g, lanes)));
  return joined(lane);
}

template <class T> T row_tree(const Values<T>& v) {
  constexpr size_t kChunk = 4096;
  if (v.size() <= kChunk) {
    size_t lanes = 1;
    while (16 * lanes < v.size()) lanes *= 2;
    return chunk_of(v, lanes);
  }
  Values<T> chunks;
  for (size_t at = 0; at < v.size(); at += kChunk) {
    const size_t end = std::min(v.size(), at + kChunk);
    chunks.push_back(
        chunk_of(Values<T>(v.begin() + static_cast<int64_t>(at), v.begin() + static_cast<int64_t>(end)), 256));
  }
  return row_tree(chunks);
}

// execution.12
template <class T> T column_tree(const Values<T>& v) {
  Values<T> runs;
  for (size_t at = 0; at < std::max<size_t>(v.size(), 1); at += 64) {
    T sum = 0;
    for (size_t part = at; part < at + 64; part += 16) {
      Values<T> run;
      for (size_t i = part; i < std::min(part + 16, v.size()); ++i) run.push_back(v[i]);
      sum += run_of(run);
    }
    runs.push_back(sum);
  }
  return runs.size() == 1 ? runs[0] : column_tree(runs);
}

// execution.35: (n, m, r, q).
template <class T> struct Spread {
  T n = 0, m = 0, r = 0, q = 0;
  Spread() = default;
  Spread(int) {} // nothing
  Spread(T count, T mean, T residual, T squares) : n(count), m(mean), r(residual), q(squares) {}
  Spread& operator+=(const Spread& b) { return *this = *this + b; }
  friend Spread operator+(const Spread& a, const Spread& b) {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const T mean = std::fma(b.n / (a.n + b.n), b.m - a.m, a.m), da = a.m - mean, db = b.m - mean;
    return {a.n + b.n, mean, std::fma(a.n, da, a.r) + std::fma(b.n, db, b.r),
            std::fma(da, std::fma(a.n, da, a.r + a.r), a.q) + std::fma(db, std::fma(b.n, db, b.r + b.r), b.q)};
  }
};

template <class T> T paired(const Values<T>& v) {
  T lane[4];
  for (size_t j = 0; j < 4; ++j) lane[j] = (v[j] + v[j + 4]) + (v[j + 8] + v[j + 12]);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

template <class T> Values<T> distances(Values<T> v, T m) {
  for (T& x : v) x -= m;
  return v;
}

template <class T> Spread<T> spread_of(const Values<T>& v) {
  if (v.empty()) return {};
  const T n = static_cast<T>(v.size());
  const auto square = [](T sum, T d) { return std::fma(d, d, sum); };
  if (v.size() == 16) {
    const T m = paired(v) / 16;
    return {n, m, paired(distances(v, m)), run_of(distances(v, m), square)};
  }
  const T first = run_of(v) / n, m = first + run_of(distances(v, first)) / n;
  return {n, m, run_of(distances(v, m)), run_of(distances(v, m), square)};
}

template <class T> Spread<T> chunk_spread(const Values<T>& v, size_t lanes) {
  Values<Spread<T>> lane;
  for (size_t g = 0; g < lanes; ++g) lane.push_back(spread_of(run_at(v, 0, g, lanes)));
  return joined(lane);
}

template <class T> Spread<T> row_spread(const Values<T>& v) {
  size_t lanes = 1;
  while (16 * lanes < v.size() && lanes < 256) lanes *= 2;
  if (v.size() <= 4096) return chunk_spread(v, lanes);
  Values<Spread<T>> chunks;
  for (size_t at = 0; at < v.size(); at += 4096)
    chunks.push_back(chunk_spread(Values<T>(v.begin() + static_cast<int64_t>(at),
                                            v.begin() + static_cast<int64_t>(std::min(v.size(), at + 4096))),
                                  256));
  return row_tree(chunks);
}

template <class T> Spread<T> column_spread(const Values<T>& v) {
  Values<Spread<T>> runs;
  for (size_t at = 0; at < v.size(); at += 64) {
    Spread<T> run;
    for (size_t part = at; part < std::min(at + 64, v.size()); part += 16)
      run += spread_of(Values<T>(v.begin() + static_cast<int64_t>(part),
                                 v.begin() + static_cast<int64_t>(std::min(part + 16, v.size()))));
    runs.push_back(run);
  }
  return runs.size() == 1 ? runs[0] : column_tree(runs);
}

// execution.22, with the collective of execution.9; the carries as execution.24 says.
template <class T> Values<T> block_scan(const Values<T>& v) {
  constexpr size_t kChunk = 2048, kThreads = 256, kOwn = 8, kWarp = 32;
  Values<T> own(v.size()), before, totals;
  for (size_t chunk = 0; chunk < v.size(); chunk += kChunk) {
    Values<T> thread(kThreads);
    for (size_t i = chunk; i < std::min(chunk + kChunk, v.size()); ++i) {
      T& sum = thread[(i - chunk) / kOwn];
      sum = i % kOwn == 0 ? v[i] : sum + v[i];
      own[i] = sum;
    }
    T warps = 0;
    for (size_t warp = 0; warp < kThreads; warp += kWarp) {
      Values<T> lane(thread.begin() + static_cast<int64_t>(warp), thread.begin() + static_cast<int64_t>(warp + kWarp));
      for (size_t w = 1; w <= 16; w *= 2)
        for (size_t l = kWarp - 1; l >= w; --l) lane[l] = lane[l - w] + lane[l];
      for (size_t l = 0; l < kWarp; ++l) before.push_back(l == 0 ? warps : warps + lane[l - 1]);
      warps += lane[kWarp - 1];
    }
    totals.push_back(warps);
  }
  const Values<T> carries = totals.size() > 1 ? block_scan(totals) : Values<T>();
  Values<T> z(v.size());
  for (size_t i = 0; i < v.size(); ++i) {
    const T inside = before[i / kOwn];
    z[i] = (i < kChunk ? inside : carries[i / kChunk - 1] + inside) + own[i];
  }
  return z;
}

// execution.23 and execution.24
template <class T> Values<T> run_scan(const Values<T>& v) {
  constexpr size_t kRun = 64;
  Values<T> z(v.size()), totals;
  for (size_t at = 0; at < v.size(); at += kRun) {
    T sum = 0;
    for (size_t i = at; i < std::min(at + kRun, v.size()); ++i) z[i] = sum += v[i];
    totals.push_back(sum);
  }
  if (totals.size() < 2) return z;
  const Values<T> carries = run_scan(totals);
  for (size_t i = kRun; i < v.size(); ++i) z[i] = carries[i / kRun - 1] + z[i];
  return z;
}

// Of either sign, mantissas full, sizes some 2^20 apart.
void fill_rough(Tensor& x, Random& random) {
  x.fill([&](int64_t) {
    const double size = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(below(random, 21)) - 63);
    return random() % 2 == 0 ? size : -size;
  });
}

// The elements of each group in row-major order of the chosen axes, groups in row-major order of the others.
template <class T> std::vector<Values<T>> groups_of(const Tensor& x, const Shape& shape, uint64_t axes) {
  int64_t count = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if ((axes >> axis & 1) == 0) count *= shape[axis];
  std::vector<Values<T>> groups(static_cast<size_t>(count));
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t rest = i, group = 0, pitch = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      if ((axes >> axis & 1) == 0) {
        group += rest % shape[axis] * pitch;
        pitch *= shape[axis];
      }
      rest /= shape[axis];
    }
    groups[static_cast<size_t>(group)].push_back(x.at<T>(i));
  }
  return groups;
}

bool last_long_axis_is(const Shape& shape, uint64_t axes) {
  for (size_t axis = shape.size(); axis-- > 0;)
    if (shape[axis] > 1) return (axes >> axis & 1) != 0;
  return true;
}

Shape reduced_shape(Shape shape, uint64_t axes) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if ((axes >> axis & 1) != 0) shape[axis] = 1;
  return shape;
}

template <class T> void check_sum(int32_t dtype, const Shape& shape, uint64_t axes, Random& random) {
  Tensor x(dtype, shape, Layout::kWild, random), z = dense(dtype, reduced_shape(shape, axes));
  fill_rough(x, random);
  TestLauncher launcher(true);
  run(TS_FAMILY_REDUCE, TS_OP_SUM, {&z}, {x.operand()}, {integer_attribute(static_cast<int64_t>(axes))}, launcher);
  const auto groups = groups_of<T>(x, shape, axes);
  const bool rows = last_long_axis_is(shape, axes);
  for (size_t g = 0; g < groups.size(); ++g)
    ASSERT_EQ(z.at<T>(static_cast<int64_t>(g)), rows ? row_tree(groups[g]) : column_tree(groups[g]))
        << "dtype " << dtype << " axes " << axes << " group " << g << " of " << groups[g].size();
}

// Lengths around every size at which a tree changes.
const std::vector<int64_t> kLengths = {1,   2,   3,   5,   15,  16,   17,   31,   33,   47,   63,   64,   65,   128,
                                       255, 256, 257, 512, 513, 1000, 2047, 2048, 2049, 4095, 4096, 4097, 8193, 20000};

TEST(Trees, ARowIsSummedInChunksLanesAndRuns) {
  // TS_CITES(execution.10, execution.11, reduce.5)
  Random random(1);
  for (const int64_t n : kLengths) {
    check_sum<float>(TS_DTYPE_F32, {n}, 1, random);
    check_sum<float>(TS_DTYPE_F32, {3, n}, 2, random);
    check_sum<double>(TS_DTYPE_F64, {2, n}, 2, random);
  }
  check_sum<float>(TS_DTYPE_F32, {512, 4 * 4096 + 5}, 2, random); // so many rows that a block takes one of five chunks
}

TEST(Trees, AColumnIsSummedInRunsOfSixtyFour) {
  // TS_CITES(execution.10, execution.12, reduce.5)
  Random random(2);
  for (const int64_t n : kLengths) {
    check_sum<float>(TS_DTYPE_F32, {n, 3}, 1, random);
    check_sum<double>(TS_DTYPE_F64, {2, n, 5}, 2, random);
  }
}

template <class T> void check_var(int32_t dtype, const Shape& shape, uint64_t axes, Random& random) {
  Tensor x(dtype, shape, Layout::kWild, random), z = dense(dtype, reduced_shape(shape, axes));
  fill_rough(x, random);
  TestLauncher launcher(true);
  run(TS_FAMILY_REDUCE, TS_OP_VAR, {&z}, {x.operand()},
      {integer_attribute(static_cast<int64_t>(axes)), real_attribute(0)}, launcher);
  const auto groups = groups_of<T>(x, shape, axes);
  const bool rows = last_long_axis_is(shape, axes);
  for (size_t g = 0; g < groups.size(); ++g) {
    const Spread<T> all = rows ? row_spread(groups[g]) : column_spread(groups[g]);
    const double n = static_cast<double>(groups[g].size()), r = static_cast<double>(all.r);
    const double squares = std::max(static_cast<double>(all.q) - r * r / n, 0.0);
    ASSERT_EQ(z.at<T>(static_cast<int64_t>(g)), static_cast<T>(squares / n))
        << "dtype " << dtype << " axes " << axes << " group " << g << " of " << groups[g].size();
  }
}

TEST(Trees, AVarianceCombinesMomentsInTheTreesOfSums) {
  // TS_CITES(execution.35)
  Random random(5);
  for (const int64_t n : kLengths) {
    check_var<float>(TS_DTYPE_F32, {3, n}, 2, random);
    check_var<double>(TS_DTYPE_F64, {2, n}, 2, random);
    check_var<float>(TS_DTYPE_F32, {n, 3}, 1, random);
  }
}

TEST(Trees, AxesOfExtentOneDoNotCountAndGroupsAreInRowMajorOrder) {
  // TS_CITES(execution.13)
  Random random(3);
  for (const Shape& shape : {Shape{70, 1}, Shape{1, 70, 1, 1}, Shape{7, 1, 300, 1}, Shape{40, 3, 1, 50}})
    for (uint64_t axes = 0; axes < uint64_t{1} << shape.size(); ++axes)
      check_sum<float>(TS_DTYPE_F32, shape, axes, random);
  for (const uint64_t axes : {0b011011U, 0b101101U, 0b110110U, 0b010101U})
    check_sum<float>(TS_DTYPE_F32, {2, 3, 4, 5, 3, 2}, axes, random);
}

template <class T> void check_scan(int32_t dtype, const Shape& shape, int axis, Random& random) {
  Tensor x(dtype, shape, Layout::kWild, random), z = dense(dtype, shape);
  fill_rough(x, random);
  TestLauncher launcher(true);
  run(TS_FAMILY_SCAN, TS_OP_CUMSUM, {&z}, {x.operand()}, {integer_attribute(axis)}, launcher);
  const uint64_t axes = uint64_t{1} << axis;
  const auto lines = groups_of<T>(x, shape, axes), found = groups_of<T>(z, shape, axes);
  const bool blocks = last_long_axis_is(shape, axes) && shape[static_cast<size_t>(axis)] > 64;
  for (size_t line = 0; line < lines.size(); ++line)
    ASSERT_EQ(found[line], blocks ? block_scan(lines[line]) : run_scan(lines[line]))
        << "dtype " << dtype << " axis " << axis << " line " << line << " of " << lines[line].size();
}

TEST(Trees, ALineIsScannedInBlocksOrRuns) {
  // TS_CITES(execution.9, execution.22, execution.23, execution.24, scan.4)
  Random random(4);
  for (const int64_t n : kLengths) {
    check_scan<float>(TS_DTYPE_F32, {n}, 0, random);
    check_scan<double>(TS_DTYPE_F64, {3, n, 1}, 1, random);
    check_scan<float>(TS_DTYPE_F32, {n, 3}, 0, random);
    check_scan<double>(TS_DTYPE_F64, {2, n, 2}, 1, random);
  }
}

} // namespace
} // namespace ts::kernels::test
