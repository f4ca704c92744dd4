#include "backends/kernels/family_test.h"
#include "backends/kernels/sort.h"

#include <algorithm>
#include <numeric>

namespace ts::kernels::test {
namespace {

struct Problem {
  int32_t op;
  int32_t dtype;
  Shape shape;
  int axis;
  bool reverse;
  int64_t k = -1;

  int64_t length() const { return shape[static_cast<size_t>(axis)]; }
  int64_t kept() const { return op == TS_OP_TOPK ? k : length(); }
  Shape result() const {
    Shape found = shape;
    found[static_cast<size_t>(axis)] = kept();
    return found;
  }
};

using Bits = std::pair<std::vector<std::byte>, std::vector<std::byte>>;

Bits compute(const Problem& p, const Tensor& x, Tensor& values, Tensor& indices, bool backward,
             std::vector<std::string>* routes = nullptr) {
  TestLauncher launcher(backward);
  values.poison();
  indices.poison();
  std::vector<const Tensor*> outputs{&values, &indices};
  if (p.op == TS_OP_ARGSORT) outputs.erase(outputs.begin());
  std::vector<ts_attribute> attributes{integer_attribute(p.axis)};
  if (p.op == TS_OP_TOPK) attributes.push_back(integer_attribute(p.k));
  attributes.push_back(integer_attribute(p.reverse ? 1 : 0));
  run(TS_FAMILY_SORT, p.op, outputs, {x.operand()}, attributes, launcher);
  if (routes != nullptr) *routes = launcher.launches();
  return {values.elements(), indices.elements()};
}

void check(const Problem& p, const Tensor& x, const Tensor& values, const Tensor& indices) {
  int64_t inner = 1;
  for (size_t a = static_cast<size_t>(p.axis) + 1; a < p.shape.size(); ++a) inner *= p.shape[a];
  const int64_t lines = p.length() == 0 ? 0 : x.size() / p.length();
  for (int64_t line = 0; line < lines; ++line) {
    const auto element = [&](int64_t length, int64_t i) { return (line / inner * length + i) * inner + line % inner; };
    std::vector<double> v;
    for (int64_t i = 0; i < p.length(); ++i) v.push_back(x.real(element(p.length(), i)));
    std::vector<int64_t> order(v.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const double left = v[static_cast<size_t>(a)], right = v[static_cast<size_t>(b)];
      if (p.reverse) return std::isnan(left) ? !std::isnan(right) : left > right;
      return std::isnan(right) ? !std::isnan(left) : left < right;
    });
    for (int64_t i = 0; i < p.kept(); ++i) {
      const int64_t e = element(p.kept(), i), from = order[static_cast<size_t>(i)];
      ASSERT_EQ(indices.at<int64_t>(e), from)
          << "dtype " << p.dtype << " line " << line << " place " << i << " of " << p.length();
      if (p.op == TS_OP_ARGSORT) continue;
      ASSERT_EQ(memcmp(values.address(e), x.address(element(p.length(), from)), static_cast<size_t>(itemsize(p.dtype))),
                0);
    }
  }
}

void verify(const Problem& p, Random& random, int64_t distinct) {
  Tensor x = dense(p.dtype, p.shape), values = dense(p.dtype, p.result()), indices = dense(TS_DTYPE_I64, p.result());
  x.fill([&](int64_t) {
    const double value = static_cast<double>(below(random, distinct)) -
                         (p.dtype == TS_DTYPE_U8 ? 0 : std::floor(static_cast<double>(distinct) / 2));
    if (!is_floating_dtype(p.dtype)) return value;
    const int64_t special = below(random, 40);
    return special == 0 ? static_cast<double>(NAN) : special == 1 ? -0.0 : special == 2 ? INFINITY : value;
  });
  const Bits bits = compute(p, x, values, indices, false);
  check(p, x, values, indices);
  for (bool backward : {false, true}) {
    Tensor wild(p.dtype, p.shape, Layout::kWild, random), out(p.dtype, p.result(), Layout::kWild, random);
    Tensor places(TS_DTYPE_I64, p.result(), Layout::kWild, random);
    wild.set_elements(x.elements());
    ASSERT_EQ(bits, compute(p, wild, out, places, backward));
    ASSERT_TRUE(out.gaps_intact());
    ASSERT_TRUE(places.gaps_intact());
  }
}

TEST(Sort, IsStableInEveryLayoutAndOrder) {
  // TS_CITES(execution.3)
  Random random(1);
  for (int32_t dtype : all_dtypes()) {
    for (int32_t op : {TS_OP_SORT, TS_OP_ARGSORT, TS_OP_TOPK}) {
      for (bool reverse : {false, true}) {
        for (int64_t n : {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 1024, 1025, 2049, 4097}) {
          for (int64_t distinct : {3, 250}) {
            const int64_t k = n == 0 ? 0 : below(random, n + 1);
            verify({op, dtype, {n}, 0, reverse, k}, random, distinct);
            if (n < 260) verify({op, dtype, {3, n}, 1, reverse, k}, random, distinct);
            if (n < 260) verify({op, dtype, {n, 5}, 0, reverse, k}, random, distinct);
            if (n < 40 || n == 1025) verify({op, dtype, {2, n, 2}, 1, reverse, k}, random, distinct);
            if (HasFatalFailure()) return;
          }
        }
        verify({op, dtype, {0, 3}, 1, reverse, 2}, random, 3);
      }
    }
  }
}

TEST(Sort, LongLines) {
  Random random(2);
  for (int32_t dtype : {TS_DTYPE_F32, TS_DTYPE_I64}) {
    verify({TS_OP_SORT, dtype, {65537}, 0, false}, random, 200);
    verify({TS_OP_TOPK, dtype, {2, 20000}, 1, true, 300}, random, 1000000);
  }
}

TEST(Sort, OrdersTheWholeRangeOfIntegersAndSubnormals) {
  Tensor x = dense(TS_DTYPE_I64, {4}), values = dense(TS_DTYPE_I64, {4}), indices = dense(TS_DTYPE_I64, {4});
  const int64_t given[] = {INT64_MAX, (int64_t{1} << 53) + 1, INT64_MIN, int64_t{1} << 53};
  for (int64_t i = 0; i < 4; ++i) x.set<int64_t>(i, given[i]);
  compute({TS_OP_SORT, TS_DTYPE_I64, {4}, 0, false}, x, values, indices, false);
  const int64_t sorted[] = {INT64_MIN, int64_t{1} << 53, (int64_t{1} << 53) + 1, INT64_MAX};
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(values.at<int64_t>(i), sorted[i]);
  Tensor f = dense(TS_DTYPE_F32, {4}), g = dense(TS_DTYPE_F32, {4});
  const float reals[] = {0x1p-149F, 0.0F, -0x1p-149F, -0.0F};
  for (int64_t i = 0; i < 4; ++i) f.set<float>(i, reals[i]);
  compute({TS_OP_SORT, TS_DTYPE_F32, {4}, 0, false}, f, g, indices, false);
  const int64_t order[] = {2, 1, 3, 0};
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(indices.at<int64_t>(i), order[i]);
}

TEST(Sort, NamesItsRoutes) {
  // TS_CITES(execution.26)
  Random random(3);
  using Routes = std::vector<std::string>;
  const auto routes = [](int64_t n) {
    const Problem p{TS_OP_SORT, TS_DTYPE_U8, {n}, 0, false};
    Tensor x = dense(TS_DTYPE_U8, {n}), values = dense(TS_DTYPE_U8, {n}), indices = dense(TS_DTYPE_I64, {n});
    Routes found;
    compute(p, x, values, indices, false, &found);
    return found;
  };
  EXPECT_EQ(routes(1024), Routes{"sort_segments/lines"});
  EXPECT_EQ(routes(1025), (Routes{"sort_segments/runs", "sort_merge/lines"}));
  EXPECT_EQ(routes(2049), (Routes{"sort_segments/runs", "sort_merge/runs", "sort_merge/lines"}));
  EXPECT_EQ(routes(4097), (Routes{"sort_segments/runs", "sort_merge/runs", "sort_merge/runs", "sort_merge/lines"}));
}

TEST(Sort, RefusesForeignAxesAndCounts) {
  Tensor x = dense(TS_DTYPE_F32, {4}), values = dense(TS_DTYPE_F32, {4}), indices = dense(TS_DTYPE_I64, {4});
  EXPECT_THROW(compute({TS_OP_SORT, TS_DTYPE_F32, {4}, 1, false}, x, values, indices, false), Refusal);
  EXPECT_THROW(compute({TS_OP_TOPK, TS_DTYPE_F32, {4}, 0, false, 5}, x, values, indices, false), Refusal);
  EXPECT_THROW(compute({TS_OP_TOPK, TS_DTYPE_F32, {4}, 0, false, 3}, x, values, indices, false), Refusal);
}

} // namespace
} // namespace ts::kernels::test
