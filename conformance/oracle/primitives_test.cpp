// Primitives at special values, against tables written by hand, and the arithmetic in doubles against MPFR.
#include "conformance/compare.h"
#include "conformance/oracle/machine.h"
#include "conformance/oracle/test_op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ts::judge {
namespace {

using test::call;
using test::name;
using test::num;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Line {
  const char* primitive;
  std::vector<double> arguments;
  double want;
};

Array evaluate(const Tree& tree, int32_t dtype, Eval eval, const std::vector<Array>& inputs, int32_t out = 0) {
  const Op op =
      test::row("elementwise", std::vector<int32_t>(inputs.size(), dtype), {out == 0 ? dtype : out}, tree, eval);
  return expect(test::call_of(op, inputs)).outputs.at(0);
}

Tree tree_of(const char* primitive, size_t arity) {
  static const std::vector<std::string> kNames = {"x", "y", "w"};
  std::vector<Tree> arguments;
  for (size_t i = 0; i < arity; ++i) arguments.push_back(name(kNames.at(i)));
  return call(primitive, arguments);
}

void check(const std::vector<Line>& lines, Eval eval) {
  for (const Line& line : lines) {
    std::vector<Array> inputs;
    for (double argument : line.arguments) inputs.push_back(Array::of(TS_DTYPE_F64, {}, {argument}));
    const Array got = evaluate(tree_of(line.primitive, inputs.size()), TS_DTYPE_F64, eval, inputs);
    const Comparison c = compare_bits(got, Array::of(TS_DTYPE_F64, {}, {line.want}), "the table");
    std::string shown = line.primitive;
    for (double argument : line.arguments) shown += " " + std::to_string(argument);
    EXPECT_TRUE(c.pass) << shown << ": " << c.why;
  }
}

const std::vector<Line> kExactLines = {
    {"add", {-0.0, -0.0}, -0.0},
    {"add", {-0.0, 0.0}, 0.0},
    {"add", {kInf, -kInf}, kNaN},
    {"sub", {1, 1}, 0.0},
    {"mul", {-0.0, 5}, -0.0},
    {"mul", {0, kInf}, kNaN},
    {"div", {1, -0.0}, -kInf},
    {"div", {0, 0}, kNaN},
    {"div", {kInf, kInf}, kNaN},
    {"neg", {0.0}, -0.0},
    {"abs", {-0.0}, 0.0},
    {"abs", {-kInf}, kInf},
    {"sign", {-0.0}, 0.0},
    {"sign", {kNaN}, kNaN},
    {"sign", {-7}, -1},
    {"floor", {-0.5}, -1},
    {"ceil", {-0.5}, -0.0},
    {"trunc", {-0.9}, -0.0},
    {"round", {0.5}, 0},
    {"round", {1.5}, 2},
    {"round", {2.5}, 2},
    {"round", {-0.5}, -0.0},
    {"sqrt", {-0.0}, -0.0},
    {"sqrt", {-1}, kNaN},
    {"sqrt", {kInf}, kInf},
    {"min", {0.0, -0.0}, -0.0},
    {"min", {-0.0, 0.0}, -0.0},
    {"max", {-0.0, 0.0}, 0.0},
    {"max", {0.0, -0.0}, 0.0},
    {"max", {kNaN, 1}, kNaN},
    {"min", {1, kNaN}, kNaN},
    {"fma", {0x1p-1074, 0x1p-1074, -0.0}, 0.0},
    {"fma", {kInf, 0, kNaN}, kNaN},
    {"floor_divide", {1, 0.1}, 9},
    {"floor_divide", {kInf, 1}, kNaN},
    {"floor_divide", {1, -kInf}, -1},
    {"floor_divide", {-1, kInf}, -1},
    {"floor_divide", {1, kInf}, 0},
    {"floor_divide", {0.0, -3}, -0.0},
    {"floor_divide", {1, 0}, kInf},
    {"floor_divide", {0, 0}, kNaN},
    {"floor_divide", {-7, 2}, -4},
    {"remainder", {-1, 3}, 2},
    {"remainder", {3, -3}, -0.0},
    {"remainder", {-3, 3}, 0.0},
    {"remainder", {1, -kInf}, -kInf},
    {"remainder", {-1, -kInf}, -1},
    {"remainder", {0.0, -kInf}, -0.0},
    {"remainder", {kInf, 1}, kNaN},
    {"remainder", {-0x1p-60, 1}, 1},
    {"fmod", {-1, 3}, -1},
    {"fmod", {-3, 3}, -0.0},
    {"fmod", {1, -kInf}, 1},
    {"fmod", {1, 0}, kNaN},
    {"copysign", {3, -0.0}, -3},
    {"nextafter", {0.0, -1}, -0x1p-1074},
    {"nextafter", {0.0, -0.0}, -0.0},
    {"nextafter", {1, 2}, 1 + 0x1p-52},
    {"nextafter", {1, 0}, 1 - 0x1p-53},
    {"nextafter", {std::numeric_limits<double>::max(), kInf}, kInf},
    {"nextafter", {-0x1p-1074, 1}, -0.0},
    {"nextafter", {1, kNaN}, kNaN},
    {"eq", {-0.0, 0.0}, 1},
    {"ne", {kNaN, kNaN}, 1},
    {"le", {kNaN, 1}, 0},
    {"and", {kNaN, 1}, 1},
    {"not", {kNaN}, 0},
    {"logical_xor", {2, 3}, 0},
    {"isnan", {kNaN}, 1},
    {"isinf", {-kInf}, 1},
    {"isfinite", {kNaN}, 0},
    {"signbit", {-0.0}, 1},
    {"where", {kNaN, 1, 2}, 1},
    {"where", {-0.0, 1, 2}, 2},
};

TEST(Primitives, ExactOnesGiveTheTable) { check(kExactLines, Eval::exact); }
TEST(Primitives, ExactOnesGiveTheTableInMpfrToo) { check(kExactLines, Eval::real); }

TEST(Primitives, RealOnesGiveTheTable) {
  check(
      {
          {"exp", {-kInf}, 0},
          {"exp", {-0.0}, 1},
          {"exp", {1000}, kInf},
          {"exp2", {-1074}, 0x1p-1074},
          {"expm1", {-0.0}, -0.0},
          {"expm1", {-kInf}, -1},
          {"log", {0}, -kInf},
          {"log", {-0.0}, -kInf},
          {"log", {-1}, kNaN},
          {"log", {1}, 0.0},
          {"log1p", {-1}, -kInf},
          {"log1p", {-0.0}, -0.0},
          {"log2", {8}, 3},
          {"log10", {1000}, 3},
          {"sin", {-0.0}, -0.0},
          {"sin", {kInf}, kNaN},
          {"cos", {0}, 1},
          {"tan", {-0.0}, -0.0},
          {"asin", {2}, kNaN},
          {"acos", {1}, 0.0},
          {"atan", {kInf}, M_PI_2},
          {"sinh", {-kInf}, -kInf},
          {"cosh", {-kInf}, kInf},
          {"tanh", {-kInf}, -1},
          {"tanh", {50}, 1},
          {"asinh", {-0.0}, -0.0},
          {"acosh", {1}, 0.0},
          {"acosh", {0.5}, kNaN},
          {"atanh", {1}, kInf},
          {"atanh", {-2}, kNaN},
          {"atan2", {-0.0, -1}, -M_PI},
          {"atan2", {0.0, 0.0}, 0.0},
          {"atan2", {kInf, -kInf}, 3 * M_PI_4},
          {"hypot", {kInf, kNaN}, kInf},
          {"hypot", {3, 4}, 5},
          {"hypot", {0x3p600, 0x4p600}, 0x5p600},
          {"pow", {kNaN, 0}, 1},
          {"pow", {1, kNaN}, 1},
          {"pow", {-0.0, -3}, -kInf},
          {"pow", {-8, 1.0 / 3}, kNaN},
          {"pow", {-2, 3}, -8},
          {"erf", {-kInf}, -1},
          {"erf", {-0.0}, -0.0},
          {"erfc", {kInf}, 0},
          {"erfc", {-kInf}, 2},
          {"logaddexp", {-kInf, -kInf}, -kInf},
          {"logaddexp", {kInf, -kInf}, kInf},
          {"logaddexp", {kNaN, kInf}, kNaN},
          {"logaddexp", {0, 0}, M_LN2},
          {"logaddexp", {1000, -1000}, 1000},
      },
      Eval::real);
}

TEST(Primitives, LogaddexpKeepsItsDigitsWhereItNearlyVanishes) {
  // log(2 e^a) with a just below -log 2: the terms cancel to the last bit that a double holds.
  const double a = -M_LN2;
  const Array x = Array::of(TS_DTYPE_F64, {}, {a});
  const double got = evaluate(tree_of("logaddexp", 2), TS_DTYPE_F64, Eval::real, {x, x}).real(0);
  EXPECT_DOUBLE_EQ(got, 2.3190468138462995584177710792423e-17); // log 2 minus its double
}

TEST(Primitives, IntegersWrapAndNeverTrap) {
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  struct IntegerLine {
    const char* primitive;
    std::vector<int64_t> arguments;
    int64_t want;
  };
  const std::vector<IntegerLine> lines = {
      {"add", {std::numeric_limits<int64_t>::max(), 1}, lowest},
      {"neg", {lowest}, lowest},
      {"abs", {lowest}, lowest},
      {"floor_divide", {lowest, -1}, lowest},
      {"remainder", {lowest, -1}, 0},
      {"fmod", {lowest, -1}, 0},
      {"floor_divide", {7, 0}, 0},
      {"remainder", {7, 0}, 0},
      {"fmod", {-7, 0}, 0},
      {"floor_divide", {-7, 2}, -4},
      {"remainder", {-7, 2}, 1},
      {"remainder", {7, -2}, -1},
      {"fmod", {-7, 2}, -1},
      {"pow", {2, 63}, lowest},
      {"pow", {0, -1}, 0},
      {"pow", {-1, -3}, -1},
      {"pow", {1, -5}, 1},
      {"pow", {2, -1}, 0},
      {"pow", {0, 0}, 1},
      {"shift_left", {1, 64}, 0},
      {"shift_left", {1, -1}, 0},
      {"shift_right", {-5, 64}, -1},
      {"shift_right", {5, -1}, 0},
      {"shift_right", {-8, 1}, -4},
      {"bit_not", {0}, -1},
      {"bit_xor", {5, -1}, -6},
      {"sign", {lowest}, -1},
  };
  for (const IntegerLine& line : lines) {
    std::vector<Array> inputs;
    for (int64_t argument : line.arguments) inputs.push_back(Array::of_integers(TS_DTYPE_I64, {}, {argument}));
    EXPECT_EQ(evaluate(tree_of(line.primitive, inputs.size()), TS_DTYPE_I64, Eval::native_int, inputs).integer(0),
              line.want)
        << line.primitive << " " << line.arguments[0];
  }
  const Array byte = Array::of_integers(TS_DTYPE_U8, {3}, {1, 200, 0});
  EXPECT_EQ(evaluate(tree_of("neg", 1), TS_DTYPE_U8, Eval::native_int, {byte}),
            Array::of_integers(TS_DTYPE_U8, {3}, {255, 56, 0}));
  EXPECT_EQ(evaluate(tree_of("shift_left", 2), TS_DTYPE_U8, Eval::native_int,
                     {byte, Array::of_integers(TS_DTYPE_U8, {}, {7})}),
            Array::of_integers(TS_DTYPE_U8, {3}, {128, 0, 0}));
  const Array truth = Array::of_integers(TS_DTYPE_BOOL, {2}, {1, 0});
  EXPECT_EQ(
      evaluate(tree_of("add", 2), TS_DTYPE_BOOL, Eval::native_int, {truth, Array::of_integers(TS_DTYPE_BOOL, {}, {1})}),
      Array::of_integers(TS_DTYPE_BOOL, {2}, {1, 1}));
  EXPECT_EQ(evaluate(tree_of("bit_not", 1), TS_DTYPE_BOOL, Eval::native_int, {truth}),
            Array::of_integers(TS_DTYPE_BOOL, {2}, {0, 1}));
}

/// Random bit patterns, with every class of value among them.
Array random_values(int32_t dtype, int64_t count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  Array a(dtype, {count});
  const uint64_t mask = bytes_of(dtype) == 8 ? ~0ULL : (1ULL << (8 * bytes_of(dtype))) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t pick = engine();
    if (pick % 4 == 0) { // near 1, where sums and quotients meet halfway points
      a.set_real(i, std::ldexp(static_cast<double>(pick >> 40), -20));
    } else if (pick % 4 == 1) { // subnormal or tiny
      a.set_bits(i, (pick >> 8) & ((1ULL << (encoding(dtype).precision)) - 1));
    } else {
      a.set_bits(i, engine() & mask);
    }
  }
  return a;
}

class InDouble : public testing::TestWithParam<int32_t> {};

TEST_P(InDouble, OneRoundingAgreesWithMpfr) {
  const int64_t count = 4000;
  const int32_t dtype = GetParam();
  const std::vector<Array> inputs = {random_values(dtype, count, 1), random_values(dtype, count, 2),
                                     random_values(dtype, count, 3)};
  for (const char* primitive : {"add", "sub", "mul", "div", "sqrt", "fma", "fmod", "floor", "round", "max", "min"}) {
    const Tree tree = tree_of(primitive, static_cast<size_t>(find_primitive(primitive)->arity));
    const std::vector<Array> used(inputs.begin(), inputs.begin() + static_cast<long>(tree.arguments.size()));
    const Op op = test::row("elementwise", std::vector<int32_t>(used.size(), dtype), {dtype}, tree, Eval::exact);
    ASSERT_TRUE(is_exact_in_double(tree, op, dtype, op.instances[0].in)) << primitive;
    const Comparison c =
        compare_bits(evaluate(tree, dtype, Eval::exact, used), evaluate(tree, dtype, Eval::real, used), "MPFR");
    EXPECT_TRUE(c.pass) << primitive << " " << name_of(dtype) << ": " << c.why;
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, InDouble, testing::Values(TS_DTYPE_F16, TS_DTYPE_BF16, TS_DTYPE_F32, TS_DTYPE_F64),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

TEST(InDouble, RefusesWhatRoundsTwice) {
  const Op op = test::row("elementwise", {TS_DTYPE_F32, TS_DTYPE_F32}, {TS_DTYPE_F32}, name("x"), Eval::exact);
  const std::vector<int32_t> in = op.instances[0].in;
  const Tree product = call("mul", {name("x"), name("y")});
  EXPECT_TRUE(is_exact_in_double(call("neg", {product}), op, TS_DTYPE_F32, in));
  EXPECT_TRUE(
      is_exact_in_double(call("where", {call("gt", {name("x"), num("0")}), name("x"), product}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(call("add", {product, name("x")}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(call("floor", {product}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(call("gt", {product, num("0")}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(call("mul", {num("0.1"), name("x")}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(call("exp", {name("x")}), op, TS_DTYPE_F32, in));
  EXPECT_FALSE(is_exact_in_double(product, op, TS_DTYPE_F32, {TS_DTYPE_I32, TS_DTYPE_F32})); // 31 bits
}

TEST(Expressions, UnknownNamesAndArgumentsAreNamed) {
  const auto message = [](const Tree& tree) {
    try {
      evaluate(tree, TS_DTYPE_F32, Eval::exact, {Array::of(TS_DTYPE_F32, {}, {1})});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(call("frobnicate", {name("x")})).find("frobnicate"), std::string::npos);
  EXPECT_NE(message(call("exp", {name("q")})).find("\"q\" is neither"), std::string::npos);
  EXPECT_NE(message(call("fma", {name("x")})).find("takes 3 arguments"), std::string::npos);
}

} // namespace
} // namespace ts::judge
