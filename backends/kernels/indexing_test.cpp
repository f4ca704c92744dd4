#include "backends/kernels/family_test.h"
#include "backends/kernels/gather.h"
#include "backends/kernels/scatter.h"

namespace ts::kernels::test {
namespace {

/// Row-major coordinates of an element.
Shape place_of(const Shape& shape, int64_t element) {
  Shape place(shape.size());
  for (size_t a = shape.size(); a-- > 0;) {
    place[a] = element % shape[a];
    element /= shape[a];
  }
  return place;
}
int64_t element_of(const Shape& shape, const Shape& place) {
  int64_t element = 0;
  for (size_t a = 0; a < shape.size(); ++a) element = element * shape[a] + place[a];
  return element;
}

struct Problem {
  int32_t op;
  int32_t dtype;
  int32_t index_dtype;
  Shape x;
  Shape index; ///< of index; one axis where along()
  int axis;

  bool along() const { return op == TS_OP_INDEX_SELECT || op == TS_OP_INDEX_ADD; }
  /// The shape that has one element an item: of z for gathers, of source for scatters.
  Shape items() const {
    if (!along()) return index;
    Shape shape = x;
    shape[static_cast<size_t>(axis)] = index[0];
    return shape;
  }
  int64_t index_element(const Shape& place) const {
    return along() ? place[static_cast<size_t>(axis)] : element_of(index, place);
  }
};

IndexFault run_gather(const Problem& p, const Tensor& x, const Tensor& index, Tensor& z, bool backward) {
  TestLauncher launcher(backward);
  z.poison();
  run(TS_FAMILY_GATHER, p.op, {&z}, {x.operand(), index.operand()}, {integer_attribute(p.axis)}, launcher);
  return launcher.found();
}

IndexFault run_scatter(const Problem& p, Tensor& x, const Tensor& index, const Tensor& source, bool backward) {
  TestLauncher launcher(backward);
  run(TS_FAMILY_SCATTER, p.op, {&x}, {index.operand(), source.operand()}, {integer_attribute(p.axis)}, launcher);
  return launcher.found();
}

double combine(int32_t op, int32_t dtype, double a, double b) {
  double value = 0;
  switch (op) {
    case TS_OP_SCATTER: return b;
    case TS_OP_SCATTER_MUL: value = a * b; break;
    case TS_OP_SCATTER_MAX: return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case TS_OP_SCATTER_MIN: return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    default: value = a + b; break;
  }
  if (dtype == TS_DTYPE_BOOL) return value != 0 ? 1 : 0;
  if (dtype == TS_DTYPE_U8) return static_cast<double>(static_cast<uint8_t>(static_cast<int64_t>(value)));
  return value;
}

void verify_gather(const Problem& p, Random& random) {
  const Shape items = p.items();
  for (bool backward : {false, true}) {
    Tensor x(p.dtype, p.x, Layout::kWildBroadcast, random),
        index(p.index_dtype, p.index, Layout::kWildBroadcast, random);
    Tensor z(p.dtype, items, Layout::kWild, random);
    x.fill([&](int64_t) { return static_cast<double>(below(random, 200)); });
    const int64_t extent = p.x[static_cast<size_t>(p.axis)];
    index.fill([&](int64_t) { return static_cast<double>(below(random, extent)); });
    ASSERT_EQ(run_gather(p, x, index, z, backward).element, INT64_MAX);
    for (int64_t i = 0; i < z.size(); ++i) {
      Shape place = place_of(items, i);
      place[static_cast<size_t>(p.axis)] = static_cast<int64_t>(index.real(p.index_element(place)));
      ASSERT_EQ(z.real(i), x.real(element_of(p.x, place))) << "op " << p.op << " dtype " << p.dtype << " element " << i;
    }
    ASSERT_TRUE(z.gaps_intact());
  }
}

void verify_scatter(const Problem& p, Random& random) {
  const Shape items = p.items();
  for (bool backward : {false, true}) {
    Tensor x(p.dtype, p.x, Layout::kWild, random), index(p.index_dtype, p.index, Layout::kWildBroadcast, random);
    Tensor source(p.dtype, items, Layout::kWildBroadcast, random);
    const int64_t span = p.op == TS_OP_SCATTER_MUL ? 3 : p.dtype == TS_DTYPE_U8 ? 200 : 8; // exact in every dtype
    x.fill([&](int64_t) { return static_cast<double>(below(random, span)); });
    source.fill([&](int64_t) { return static_cast<double>(below(random, p.op == TS_OP_SCATTER_MUL ? 2 : span)); });
    const int64_t extent = p.x[static_cast<size_t>(p.axis)];
    index.fill([&](int64_t) { return static_cast<double>(below(random, std::min<int64_t>(extent, 4))); });
    std::vector<double> right;
    for (int64_t i = 0; i < x.size(); ++i) right.push_back(x.real(i));
    for (int64_t i = 0; i < size_of(items); ++i) {
      Shape place = place_of(items, i);
      place[static_cast<size_t>(p.axis)] = static_cast<int64_t>(index.real(p.index_element(place)));
      double& target = right[static_cast<size_t>(element_of(p.x, place))];
      target = combine(p.op, p.dtype, target, source.real(i));
    }
    ASSERT_EQ(run_scatter(p, x, index, source, backward).element, INT64_MAX);
    for (int64_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(x.real(i), right[static_cast<size_t>(i)]) << "op " << p.op << " dtype " << p.dtype << " element " << i;
    ASSERT_TRUE(x.gaps_intact());
  }
}

template <class Verify> void every_shape(const std::vector<int32_t>& ops, Random& random, Verify verify) {
  for (int32_t op : ops) {
    for (int32_t dtype : all_dtypes()) {
      for (int32_t index : {TS_DTYPE_I32, TS_DTYPE_I64}) {
        const bool along = op == TS_OP_INDEX_SELECT || op == TS_OP_INDEX_ADD;
        const auto indices = [&](const Shape& full, int axis) {
          return along ? Shape{full[static_cast<size_t>(axis)]} : full;
        };
        verify(Problem{op, dtype, index, {7}, indices({9}, 0), 0}, random);
        verify(Problem{op, dtype, index, {17, 40}, indices({along ? 17 : 11, 33}, 1), 1}, random);
        verify(Problem{op, dtype, index, {17, 40}, indices({33, along ? 40 : 11}, 0), 0}, random);
        verify(Problem{op, dtype, index, {3, 4, 5}, indices({along ? 3 : 2, 6, along ? 5 : 4}, 1), 1}, random);
        verify(Problem{op, dtype, index, {3, 1, 5}, indices({3, 4, 5}, 1), 1}, random);
        verify(Problem{op, dtype, index, {2, 3, 2, 3, 2, 2}, indices({2, 3, 2, 5, 2, 2}, 3), 3}, random);
        verify(Problem{op, dtype, index, {3, 4}, indices({along ? 3 : 2, 0}, 1), 1}, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Gather, MatchesPlainLoopsInEveryLayoutAndOrder) {
  Random random(1);
  every_shape({TS_OP_GATHER, TS_OP_INDEX_SELECT}, random, verify_gather);
}

TEST(Scatter, MatchesPlainLoopsInEveryLayoutAndOrder) {
  Random random(2);
  every_shape(
      {TS_OP_SCATTER, TS_OP_SCATTER_ADD, TS_OP_SCATTER_MUL, TS_OP_SCATTER_MAX, TS_OP_SCATTER_MIN, TS_OP_INDEX_ADD},
      random, verify_scatter);
}

TEST(Scatter, IsThreeLaunchesAndTheLastOfDuplicatesWins) {
  // TS_CITES(execution.25)
  for (const bool backward : {false, true}) {
    Tensor x = dense(TS_DTYPE_F32, {4}), index = dense(TS_DTYPE_I64, {9}), source = dense(TS_DTYPE_F32, {9});
    index.fill([](int64_t i) { return static_cast<double>(i % 3); });
    source.fill([](int64_t i) { return static_cast<double>(10 + i); });
    x.fill([](int64_t) { return 1.0; });
    TestLauncher launcher(backward);
    run(TS_FAMILY_SCATTER, TS_OP_SCATTER, {&x}, {index.operand(), source.operand()}, {integer_attribute(0)}, launcher);
    EXPECT_EQ(launcher.launches(),
              (std::vector<std::string>{"scatter/reset", "scatter/bid", "scatter/write", "index_fault/report"}));
    EXPECT_EQ(std::vector<double>({x.real(0), x.real(1), x.real(2), x.real(3)}), (std::vector<double>{16, 17, 18, 1}));
  }
}

TEST(Scatter, SpecialValues) {
  const auto update = [](int32_t op, double old, double value) {
    Tensor x = dense(TS_DTYPE_F32, {1}), index = dense(TS_DTYPE_I32, {1}), source = dense(TS_DTYPE_F32, {1});
    x.set_real(0, old);
    index.set_real(0, 0);
    source.set_real(0, value);
    run_scatter({op, TS_DTYPE_F32, TS_DTYPE_I32, {1}, {1}, 0}, x, index, source, false);
    return x.real(0);
  };
  EXPECT_TRUE(std::isnan(update(TS_OP_SCATTER_MAX, NAN, 1)));
  EXPECT_TRUE(std::isnan(update(TS_OP_SCATTER_MIN, 1, NAN)));
  for (const auto& [a, b] : {std::pair{0.0, -0.0}, std::pair{-0.0, 0.0}}) {
    EXPECT_FALSE(std::signbit(update(TS_OP_SCATTER_MAX, a, b)));
    EXPECT_TRUE(std::signbit(update(TS_OP_SCATTER_MIN, a, b)));
  }
  EXPECT_TRUE(std::signbit(update(TS_OP_SCATTER_ADD, -0.0, -0.0)));
}

TEST(Indexing, ReportsTheSmallestFaultAndTouchesNothingOutside) {
  Random random(3);
  for (bool backward : {false, true}) {
    const Problem p{TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_I32, {3, 4}, {3, 5}, 1};
    Tensor x(TS_DTYPE_F32, p.x, Layout::kWild, random), index(TS_DTYPE_I32, p.index, Layout::kWild, random);
    Tensor z(TS_DTYPE_F32, p.index, Layout::kWild, random);
    x.fill([](int64_t) { return 1.0; });
    index.fill([](int64_t i) { return i == 12 ? 99.0 : i == 8 ? -1.0 : i == 9 ? 4.0 : 0.0; });
    const IndexFault fault = run_gather(p, x, index, z, backward);
    EXPECT_EQ(fault.element, 8);
    EXPECT_EQ(fault.value, -1);
    EXPECT_EQ(fault.extent, 4);
    EXPECT_EQ(fault.operand, 1);
    EXPECT_TRUE(z.gaps_intact());
    const Problem add{TS_OP_INDEX_ADD, TS_DTYPE_U8, TS_DTYPE_I64, {3, 4}, {5}, 0};
    Tensor target(TS_DTYPE_U8, add.x, Layout::kWild, random), rows(TS_DTYPE_I64, {5}, Layout::kWild, random);
    Tensor source(TS_DTYPE_U8, {5, 4}, Layout::kWild, random);
    target.fill([](int64_t) { return 1.0; });
    source.fill([](int64_t) { return 1.0; });
    rows.fill([](int64_t i) { return i == 3 ? 3.0 : 0.0; });
    const IndexFault second = run_scatter(add, target, rows, source, backward);
    EXPECT_EQ(second.element, 3);
    EXPECT_EQ(second.value, 3);
    EXPECT_EQ(second.extent, 3);
    EXPECT_EQ(second.operand, 0);
    EXPECT_TRUE(target.gaps_intact());
  }
}

TEST(Indexing, AnIndexIntoNothingIsAFaultAndAnEmptyIndexIsNot) {
  Tensor x = dense(TS_DTYPE_F32, {0}), index = dense(TS_DTYPE_I64, {2}), z = dense(TS_DTYPE_F32, {2});
  index.fill([](int64_t) { return 0.0; });
  const Problem p{TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_I64, {0}, {2}, 0};
  EXPECT_EQ(run_gather(p, x, index, z, false).element, 0);
  Tensor source = dense(TS_DTYPE_F32, {2});
  for (int32_t op : {TS_OP_SCATTER, TS_OP_SCATTER_ADD})
    EXPECT_EQ(run_scatter({op, TS_DTYPE_F32, TS_DTYPE_I64, {0}, {2}, 0}, x, index, source, false).element, 0);
  Tensor none = dense(TS_DTYPE_I64, {0}), empty = dense(TS_DTYPE_F32, {0});
  EXPECT_EQ(run_gather(p, x, none, empty, false).element, INT64_MAX);
}

TEST(Indexing, WritesBoolAsZeroOrOne) {
  Tensor x = dense(TS_DTYPE_BOOL, {2}), index = dense(TS_DTYPE_I64, {2}), z = dense(TS_DTYPE_BOOL, {2});
  x.set<uint8_t>(0, 6);
  x.set<uint8_t>(1, 0);
  index.fill([](int64_t i) { return static_cast<double>(i); });
  run_gather({TS_OP_GATHER, TS_DTYPE_BOOL, TS_DTYPE_I64, {2}, {2}, 0}, x, index, z, false);
  EXPECT_EQ(z.at<uint8_t>(0), 1);
  EXPECT_EQ(z.at<uint8_t>(1), 0);
  run_scatter({TS_OP_SCATTER, TS_DTYPE_BOOL, TS_DTYPE_I64, {2}, {2}, 0}, z, index, x, false);
  EXPECT_EQ(z.at<uint8_t>(0), 1);
}

TEST(Indexing, RefusesShapesThatDisagree) {
  const auto refuses = [](const Problem& p, const Shape& items) {
    Tensor x = dense(p.dtype, p.x), index = dense(p.index_dtype, p.index), z = dense(p.dtype, items);
    EXPECT_THROW(run_gather(p, x, index, z, false), Refusal);
  };
  refuses({TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_I64, {3, 4}, {4, 4}, 1}, {4, 4});
  refuses({TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_I64, {3, 4}, {3, 4}, 1}, {3, 5});
  refuses({TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_I64, {3, 4}, {3, 4}, 2}, {3, 4});
  refuses({TS_OP_GATHER, TS_DTYPE_F32, TS_DTYPE_U8, {3, 4}, {3, 4}, 1}, {3, 4});
  refuses({TS_OP_INDEX_SELECT, TS_DTYPE_F32, TS_DTYPE_I64, {3, 4}, {2}, 1}, {3, 3});
}

} // namespace
} // namespace ts::kernels::test
