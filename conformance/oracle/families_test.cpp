// Families on small cases worked out by hand.
#include "conformance/compare.h"
#include "conformance/oracle/test_op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

using test::attribute;
using test::call;
using test::call_of;
using test::name;
using test::row;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

Array f32(Shape shape, const std::vector<double>& values) { return Array::of(TS_DTYPE_F32, std::move(shape), values); }
Array i64(Shape shape, const std::vector<int64_t>& values) {
  return Array::of_integers(TS_DTYPE_I64, std::move(shape), values);
}

TEST(Oracle, BroadcastsOperandsOfAnElementwiseOp) {
  const Op op = row("elementwise", {TS_DTYPE_F32, TS_DTYPE_F32}, {TS_DTYPE_F32}, call("add", {name("x"), name("y")}),
                    Eval::exact);
  const Expected e = expect(call_of(op, {f32({2, 3}, {0, 1, 2, 3, 4, 5}), f32({3}, {10, 20, 30})}));
  EXPECT_EQ(e.outputs[0], f32({2, 3}, {10, 21, 32, 13, 24, 35}));
  EXPECT_EQ(expect(call_of(op, {f32({2}, {0, 1}), f32({3}, {1, 2, 3})})).error, "ValueError");
}

TEST(Oracle, TakesMoreBitsWhereAResultCouldRoundEitherWay) {
  // 1 + 2^-53 is halfway between two doubles; 2^-1000 decides, far beyond the first working precision.
  const Tree tree = call("add", {call("add", {name("x"), name("y")}), name("w")});
  const Op op = row("elementwise", {TS_DTYPE_F64, TS_DTYPE_F64, TS_DTYPE_F64}, {TS_DTYPE_F64}, tree, Eval::exact);
  const auto sum = [&](double w) {
    const auto f64 = [](double value) { return Array::of(TS_DTYPE_F64, {}, {value}); };
    return expect(call_of(op, {f64(1), f64(0x1p-53), f64(w)})).outputs[0].real(0);
  };
  EXPECT_EQ(sum(0x1p-1000), 1 + 0x1p-52);
  EXPECT_EQ(sum(-0x1p-1000), 1);
  EXPECT_EQ(sum(0), 1);
}

TEST(Oracle, AnAttributeOfAnOperandIsAValueOfItsDtype) {
  Op op = row("elementwise", {TS_DTYPE_F16}, {TS_DTYPE_F16}, call("mul", {name("x"), name("slope")}), Eval::exact);
  op.attributes = {attribute("slope", "of x")};
  const Array x = Array::of(TS_DTYPE_F16, {}, {3});
  const Attributes slope = {{"slope", real_attribute(0.1)}};
  const double tenth = decode(TS_DTYPE_F16, encode(TS_DTYPE_F16, 0.1));
  EXPECT_EQ(expect(call_of(op, {x}, slope)).outputs[0].bits(0), encode(TS_DTYPE_F16, 3 * tenth));
  EXPECT_NE(encode(TS_DTYPE_F16, 3 * tenth), encode(TS_DTYPE_F16, 3 * 0.1));
  op.attributes = {attribute("slope", "real")}; // the double itself
  EXPECT_EQ(expect(call_of(op, {x}, slope)).outputs[0].bits(0), encode(TS_DTYPE_F16, 3 * 0.1));
}

TEST(Oracle, ConvertFollowsItsClauses) {
  const auto convert = [](const Array& x, int32_t to) {
    const Op op = row("convert", {x.dtype}, {to}, name("x"), Eval::exact);
    return expect(call_of(op, {x})).outputs[0];
  };
  EXPECT_EQ(convert(f32({5}, {-2.9, 1e30, -1e30, kNaN, 0.9}), TS_DTYPE_I32),
            Array::of_integers(TS_DTYPE_I32, {5}, {-2, 2147483647, -2147483648LL, 0, 0}));
  EXPECT_EQ(convert(f32({3}, {-1, 300, kInf}), TS_DTYPE_U8), Array::of_integers(TS_DTYPE_U8, {3}, {0, 255, 255}));
  EXPECT_EQ(convert(i64({2}, {300, -1}), TS_DTYPE_U8), Array::of_integers(TS_DTYPE_U8, {2}, {44, 255}));
  EXPECT_EQ(convert(f32({4}, {kNaN, -0.0, 1e-45, 0}), TS_DTYPE_BOOL),
            Array::of_integers(TS_DTYPE_BOOL, {4}, {1, 0, 1, 0}));
  // 2^60 + 2^51 + 1 lies above the halfway point of bf16 by one, which a double on the way would drop.
  const Array wide = i64({1}, {(int64_t{1} << 60) + (int64_t{1} << 52) + 1});
  EXPECT_EQ(convert(wide, TS_DTYPE_BF16).real(0), 0x1.02p60);
  Array payload = f32({1}, {1});
  payload.set_bits(0, 0xffc12345);
  EXPECT_EQ(convert(payload, TS_DTYPE_F32).bits(0), 0xffc12345U);
}

Op sum_op(int32_t dtype, const std::string& tolerance = "sum") {
  Op op = row("reduce", {dtype}, {is_floating(dtype) ? dtype : TS_DTYPE_I64}, call("sum", {name("x")}),
              is_floating(dtype) ? Eval::real : Eval::native_int, is_floating(dtype) ? tolerance : "exact");
  op.attributes = {attribute("axes", "axes")};
  op.empty = "identity";
  return op;
}

TEST(Oracle, SumsGroupsOfAnyAxes) {
  const Op op = sum_op(TS_DTYPE_F32);
  const Array x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(expect(call_of(op, {x}, {{"axes", integer_attribute(1)}})).outputs[0], f32({1, 3}, {5, 7, 9}));
  EXPECT_EQ(expect(call_of(op, {x}, {{"axes", integer_attribute(2)}})).outputs[0], f32({2, 1}, {6, 15}));
  EXPECT_EQ(expect(call_of(op, {x}, {{"axes", integer_attribute(3)}})).outputs[0], f32({1, 1}, {21}));
  EXPECT_EQ(expect(call_of(op, {x}, {{"axes", integer_attribute(0)}})).outputs[0], x);
  EXPECT_EQ(expect(call_of(op, {x}, {{"axes", integer_attribute(4)}})).error, "ValueError");
  EXPECT_EQ(expect(call_of(op, {f32({2, 0}, {})}, {{"axes", integer_attribute(2)}})).outputs[0], f32({2, 1}, {0, 0}));
  EXPECT_EQ(expect(call_of(op, {f32({2, 0}, {})}, {{"axes", integer_attribute(1)}})).outputs[0], f32({1, 0}, {}));
}

TEST(Oracle, SumsAreExactThroughCancellation) {
  const Op op = sum_op(TS_DTYPE_F64);
  const Array x = Array::of(TS_DTYPE_F64, {4}, {1e308, 1, -1e308, 0x1p-1074});
  const Expected e = expect(call_of(op, {x}, {{"axes", integer_attribute(1)}}));
  EXPECT_EQ(e.outputs[0].real(0), 1);
  EXPECT_EQ(
      expect(call_of(op, {Array::of(TS_DTYPE_F64, {3}, {1e308, 0x1p-1074, -1e308})}, {{"axes", integer_attribute(1)}}))
          .outputs[0]
          .real(0),
      0x1p-1074);
  EXPECT_FALSE(
      std::signbit(expect(call_of(op, {Array::of(TS_DTYPE_F64, {2}, {-0.0, -0.0})}, {{"axes", integer_attribute(1)}}))
                       .outputs[0]
                       .real(0)));
}

TEST(Oracle, ALostElementIsOutsideTheBound) {
  const Op op = sum_op(TS_DTYPE_F32);
  const Array x = Array::of(TS_DTYPE_F32, {50000}, std::vector<double>(50000, 0.1));
  const Expected e = expect(call_of(op, {x}, {{"axes", integer_attribute(1)}}));
  Array got = e.outputs[0];
  EXPECT_TRUE(compare(got, e).pass);
  got.set_real(0, got.real(0) - 0.1);
  EXPECT_FALSE(compare(got, e).pass);
}

TEST(Oracle, VarianceOfAFarMeanIsExact) {
  const Tree distance = call("sub", {name("x"), call("div", {call("sum", {name("x")}), name("n")})});
  const Tree var =
      call("div", {call("sum", {call("mul", {distance, distance})}), call("sub", {name("n"), name("correction")})});
  Op op = row("reduce", {TS_DTYPE_F32}, {TS_DTYPE_F32}, var, Eval::real, "var");
  op.attributes = {attribute("axes", "axes"), attribute("correction", "real")};
  const Expected e = expect(call_of(op, {f32({4}, {9999, 10001, 9999, 10001})},
                                    {{"axes", integer_attribute(1)}, {"correction", real_attribute(0)}}));
  EXPECT_EQ(e.outputs[0].real(0), 1);
  const Expected third =
      expect(call_of(op, {f32({3}, {1, 2, 4})}, {{"axes", integer_attribute(1)}, {"correction", real_attribute(1)}}));
  EXPECT_FLOAT_EQ(static_cast<float>(third.outputs[0].real(0)), 7.0F / 3);
}

TEST(Oracle, ArgmaxNamesTheFirstOfEqualsAndTheFirstNaN) {
  const auto position = [](const char* fold, const std::vector<double>& values) {
    Op op = row("arg_reduce", {TS_DTYPE_F32}, {TS_DTYPE_I64}, call(fold, {name("x")}), Eval::exact);
    op.attributes = {attribute("axis", "axis")};
    op.empty = "error";
    const Expected e =
        expect(call_of(op, {f32({static_cast<int64_t>(values.size())}, values)}, {{"axis", integer_attribute(0)}}));
    return e.error.empty() ? e.outputs[0].integer(0) : -1;
  };
  EXPECT_EQ(position("first_max", {1, 3, 3}), 1);
  EXPECT_EQ(position("first_max", {1, kNaN, 9, kNaN}), 1);
  EXPECT_EQ(position("first_max", {-0.0, 0.0}), 0);
  EXPECT_EQ(position("first_min", {2, -kInf, kNaN}), 2);
  EXPECT_EQ(position("first_max", {-kInf, -kInf}), 0);
  EXPECT_EQ(position("first_max", {}), -1);
}

TEST(Oracle, CummaxNamesTheLastOfTiesAndMovesItsValue) {
  Op op = row("scan", {TS_DTYPE_F32}, {TS_DTYPE_F32, TS_DTYPE_I64}, call("last_max", {name("x")}), Eval::exact);
  op.attributes = {attribute("axis", "axis")};
  const Expected e = expect(
      call_of(op, {f32({2, 5}, {1, -0.0, 1, kNaN, 2, -0.0, 0.0, -0.0, kNaN, kNaN})}, {{"axis", integer_attribute(1)}}));
  EXPECT_EQ(e.outputs[1], i64({2, 5}, {0, 0, 2, 3, 3, 0, 1, 2, 3, 4}));
  EXPECT_TRUE(compare_bits(f32({2, 5}, {1, 1, 1, kNaN, kNaN, -0.0, 0.0, -0.0, kNaN, kNaN}), e.outputs[0], "z").pass);
}

TEST(Oracle, ScansRunAlongTheirAxis) {
  Op op = row("scan", {TS_DTYPE_F32}, {TS_DTYPE_F32}, call("sum", {name("x")}), Eval::real, "sum");
  op.attributes = {attribute("axis", "axis")};
  const Array x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(expect(call_of(op, {x}, {{"axis", integer_attribute(0)}})).outputs[0], f32({2, 3}, {1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(expect(call_of(op, {x}, {{"axis", integer_attribute(1)}})).outputs[0], f32({2, 3}, {1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(expect(call_of(op, {f32({2, 0}, {})}, {{"axis", integer_attribute(1)}})).outputs[0], f32({2, 0}, {}));
}

TEST(Oracle, MatmulOfIntegersAndRealsAgreesWithTheHand) {
  const Tree dot = call("sum", {call("mul", {name("x"), name("y")})});
  const Op op = row("matmul", {TS_DTYPE_F32, TS_DTYPE_F32}, {TS_DTYPE_F32}, dot, Eval::real, "dot");
  EXPECT_EQ(expect(call_of(op, {f32({2, 2}, {1, 2, 3, 4}), f32({2, 2}, {5, 6, 7, 8})})).outputs[0],
            f32({2, 2}, {19, 22, 43, 50}));
  const Expected batch = expect(call_of(op, {f32({2, 1, 2}, {1, 2, 3, 4}), f32({1, 2, 1}, {0.5, 0.25})}));
  EXPECT_EQ(batch.outputs[0], f32({2, 1, 1}, {1, 2.5}));
  EXPECT_GT(batch.bounds[0].absolute[0], 0);
  EXPECT_EQ(expect(call_of(op, {f32({1, 0}, {}), f32({0, 2}, {})})).outputs[0], f32({1, 2}, {0, 0}));
  EXPECT_EQ(expect(call_of(op, {f32({1, 2}, {1, 2}), f32({3, 1}, {1, 2, 3})})).error, "ValueError");
  EXPECT_TRUE(std::isnan(expect(call_of(op, {f32({1, 2}, {0, 1}), f32({2, 1}, {kInf, 1})})).outputs[0].real(0)));
  const Op wrap = row("matmul", {TS_DTYPE_U8, TS_DTYPE_U8}, {TS_DTYPE_U8}, dot, Eval::native_int);
  EXPECT_EQ(expect(call_of(wrap, {Array::of_integers(TS_DTYPE_U8, {1, 2}, {16, 3}),
                                  Array::of_integers(TS_DTYPE_U8, {2, 1}, {16, 5})}))
                .outputs[0]
                .integer(0),
            15);
}

TEST(Oracle, GatherPicksAndRefuses) {
  Op op = row("gather", {TS_DTYPE_F32, TS_DTYPE_I64}, {TS_DTYPE_F32}, name("move"), Eval::exact);
  op.attributes = {attribute("axis", "axis")};
  const Array x = f32({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto run = [&](const Array& index, int64_t axis) {
    return expect(call_of(op, {x, index}, {{"axis", integer_attribute(axis)}}));
  };
  EXPECT_EQ(run(i64({2, 2}, {2, 0, 1, 1}), 1).outputs[0], f32({2, 2}, {2, 0, 4, 4}));
  EXPECT_EQ(run(i64({3, 2}, {1, 0, 0, 0, 1, 1}), 0).outputs[0], f32({3, 2}, {3, 1, 0, 1, 3, 4}));
  EXPECT_EQ(run(i64({1, 1}, {3}), 1).error, "IndexError");
  EXPECT_NE(run(i64({1, 2}, {0, -1}), 1).reason.find("element 1"), std::string::npos);
  EXPECT_EQ(run(i64({3, 1}, {0, 0, 0}), 1).error, "ValueError");
}

TEST(Oracle, ScatterKeepsTheLastAndAddsAll) {
  const auto run = [](const Tree& tree, Eval eval, const std::string& tolerance, const Array& x, const Array& index,
                      const Array& source) {
    Op op = row("scatter", {x.dtype, TS_DTYPE_I64, x.dtype}, {x.dtype}, tree, eval, tolerance);
    op.attributes = {attribute("axis", "axis")};
    return expect(call_of(op, {x, index, source}, {{"axis", integer_attribute(0)}}));
  };
  const Array x = f32({3}, {10, 20, 30});
  EXPECT_EQ(run(name("move"), Eval::exact, "exact", x, i64({3}, {1, 1, 1}), f32({3}, {1, 2, 3})).outputs[0],
            f32({3}, {10, 3, 30}));
  const Tree add = call("add", {name("x"), call("sum", {name("w")})});
  EXPECT_EQ(run(add, Eval::real, "serial", x, i64({3}, {1, 1, 0}), f32({3}, {1, 2, 3})).outputs[0],
            f32({3}, {13, 23, 30}));
  const Expected zeros = run(add, Eval::real, "serial", f32({2}, {-0.0, -0.0}), i64({1}, {0}), f32({1}, {-0.0}));
  EXPECT_EQ(zeros.outputs[0].bits(0), 0x80000000U);
  EXPECT_EQ(zeros.outputs[0].bits(1), 0x80000000U);
  EXPECT_EQ(run(add, Eval::real, "serial", x, i64({1}, {3}), f32({1}, {1})).error, "IndexError");
}

TEST(Oracle, AnElementThatNoIndexNamesKeepsItsByte) {
  Op op = row("scatter", {TS_DTYPE_BOOL, TS_DTYPE_I64, TS_DTYPE_BOOL}, {TS_DTYPE_BOOL}, name("move"), Eval::exact);
  op.attributes = {attribute("axis", "axis")};
  Array x(TS_DTYPE_BOOL, {2}), source(TS_DTYPE_BOOL, {1});
  x.set_bits(0, 2);
  source.set_bits(0, 7);
  const Expected e = expect(call_of(op, {x, i64({1}, {1}), source}, {{"axis", integer_attribute(0)}}));
  EXPECT_EQ(e.outputs[0].bits(0), 2U);
  EXPECT_EQ(e.outputs[0].bits(1), 1U);
}

TEST(Oracle, SortIsStableWithNaNLast) {
  Op op = row("sort", {TS_DTYPE_F32}, {TS_DTYPE_F32, TS_DTYPE_I64}, name("sort"), Eval::exact);
  op.attributes = {attribute("axis", "axis"), attribute("descending", "bool")};
  const Array x = f32({6}, {kNaN, 2, -0.0, 2, 0.0, -kInf});
  const auto indices = [&](int64_t descending) {
    return expect(call_of(op, {x}, {{"axis", integer_attribute(0)}, {"descending", integer_attribute(descending)}}))
        .outputs[1];
  };
  EXPECT_EQ(indices(0), i64({6}, {5, 2, 4, 1, 3, 0}));
  EXPECT_EQ(indices(1), i64({6}, {0, 1, 3, 2, 4, 5}));
}

TEST(Oracle, ExcludedElementsAreMarked) {
  Op op = row("elementwise", {TS_DTYPE_F32, TS_DTYPE_F32}, {TS_DTYPE_F32}, call("copysign", {name("x"), name("y")}),
              Eval::exact);
  op.exclude = {{call("isnan", {name("y")}), "the sign of NaN"}};
  const Expected e = expect(call_of(op, {f32({3}, {1, 2, 3}), f32({3}, {-1, kNaN, 1})}));
  EXPECT_EQ(e.bounds[0].excluded, (std::vector<uint8_t>{0, 1, 0}));
}

Tree softmax_tree() {
  const Tree power = call("exp", {call("sub", {name("x"), call("max_of", {name("x")})})});
  return call("div", {power, call("sum", {power})});
}

TEST(Oracle, EveryElementOfARowHasAValueOfItsOwn) {
  Op op = row("softmax", {TS_DTYPE_F32}, {TS_DTYPE_F32}, softmax_tree(), Eval::real, "softmax");
  op.attributes = {attribute("axis", "axis")};
  const Array x = f32({2, 2}, {0, 1000, 0, 1000});
  const Expected rows = expect(call_of(op, {x}, {{"axis", integer_attribute(1)}}));
  EXPECT_EQ(rows.outputs[0], f32({2, 2}, {0, 1, 0, 1}));
  const Expected columns = expect(call_of(op, {x}, {{"axis", integer_attribute(0)}}));
  EXPECT_EQ(columns.outputs[0], f32({2, 2}, {0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(expect(call_of(op, {x}, {{"axis", integer_attribute(2)}})).error, "ValueError");
  const Expected nothing = expect(call_of(op, {f32({2, 0}, {})}, {{"axis", integer_attribute(1)}}));
  EXPECT_EQ(nothing.outputs[0].count(), 0);
}

TEST(Oracle, ARowOfNaNLeavesTheOthersAlone) {
  Op op = row("softmax", {TS_DTYPE_F32}, {TS_DTYPE_F32}, softmax_tree(), Eval::real, "softmax");
  op.attributes = {attribute("axis", "axis")};
  const Expected e = expect(call_of(op, {f32({2, 2}, {kNaN, 1, 2, 2})}, {{"axis", integer_attribute(1)}}));
  EXPECT_TRUE(std::isnan(e.outputs[0].real(0)) && std::isnan(e.outputs[0].real(1)));
  EXPECT_EQ(e.outputs[0].real(2), 0.5);
}

TEST(Oracle, OperandsBesideARowBroadcastToIt) {
  const Tree tree =
      call("add", {call("mul", {call("sub", {name("x"), call("max_of", {name("x")})}), name("y")}), name("w")});
  Op op = row("normalize", {TS_DTYPE_F32, TS_DTYPE_F32, TS_DTYPE_F32}, {TS_DTYPE_F32}, tree, Eval::real, "layer_norm");
  op.attributes = {attribute("axes", "axes")};
  const Array x = f32({2, 2}, {1, 3, 5, 4}), y = f32({2}, {10, 100}), w = f32({2, 1}, {1, 2});
  const Expected e = expect(call_of(op, {x, y, w}, {{"axes", integer_attribute(2)}}));
  EXPECT_EQ(e.outputs[0], f32({2, 2}, {-19, 1, 2, -98}));
  EXPECT_EQ(expect(call_of(op, {y, x, w}, {{"axes", integer_attribute(1)}})).error, "ValueError");
}

} // namespace
} // namespace ts::judge
