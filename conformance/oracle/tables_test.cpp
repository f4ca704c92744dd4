// The spec's own tables: the oracle must say what they say, in every instance they bind. And the tokens they are written in.
#include "conformance/compare.h"
#include "conformance/oracle/tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

double token(int32_t dtype, const char* text) {
  Array a(dtype, {1});
  set_token(a, 0, text);
  return a.real(0);
}

TEST(Tokens, AreValuesOfTheDtype) {
  EXPECT_EQ(token(TS_DTYPE_F32, "max"), std::numeric_limits<float>::max());
  EXPECT_EQ(token(TS_DTYPE_F64, "min"), std::numeric_limits<double>::lowest());
  EXPECT_EQ(token(TS_DTYPE_F16, "tiny"), 0x1p-14);
  EXPECT_EQ(token(TS_DTYPE_BF16, "sub"), 0x1p-133);
  EXPECT_EQ(token(TS_DTYPE_F32, "-max"), -std::numeric_limits<float>::max());
  EXPECT_EQ(token(TS_DTYPE_F32, "1+ulp"), 1 + 0x1p-23);
  EXPECT_EQ(token(TS_DTYPE_F32, "1-ulp"), 1 - 0x1p-24);
  EXPECT_EQ(token(TS_DTYPE_F32, "1-2*ulp"), 1 - 0x1p-23);
  EXPECT_EQ(token(TS_DTYPE_F32, "-3*sub"), -0x3p-149);
  EXPECT_EQ(token(TS_DTYPE_F32, "max+ulp"), HUGE_VAL);
  EXPECT_EQ(token(TS_DTYPE_F16, "2^-24"), 0x1p-24);
  EXPECT_EQ(token(TS_DTYPE_F64, "0x1.8p3"), 12);
  EXPECT_EQ(token(TS_DTYPE_F64, "pi"), M_PI);
  EXPECT_EQ(token(TS_DTYPE_F64, "1e-3"), 1e-3);
  EXPECT_EQ(token(TS_DTYPE_F64, "-inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(token(TS_DTYPE_F64, "nan")));
  EXPECT_TRUE(std::signbit(token(TS_DTYPE_F64, "-0")));
  EXPECT_EQ(token(TS_DTYPE_I32, "min"), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(token(TS_DTYPE_U8, "max"), 255);
  EXPECT_EQ(token(TS_DTYPE_BOOL, "true"), 1);
  Array wide(TS_DTYPE_I64, {2});
  set_token(wide, 0, "2^53+1");
  set_token(wide, 1, "max-1");
  EXPECT_EQ(wide.integer(0), 9007199254740993);
  EXPECT_EQ(wide.integer(1), std::numeric_limits<int64_t>::max() - 1);
}

TEST(Tokens, WhatIsNoValueIsRefused) {
  for (const char* bad : {"", "one", "1+", "1.5x", "inf+1", "1 2", "--1", "3*", "*3", "2*2*ulp"})
    EXPECT_THROW(token(TS_DTYPE_F32, bad), InputError) << bad;
  for (const char* bad : {"0.5", "256", "-1", "nan", "ulp"}) EXPECT_THROW(token(TS_DTYPE_U8, bad), InputError) << bad;
  EXPECT_THROW(token(TS_DTYPE_BOOL, "2"), InputError);
}

TEST(Tokens, ListsHaveOneShape) {
  EXPECT_EQ(parse_list("[[1 2] [3 4]]", TS_DTYPE_I32), Array::of_integers(TS_DTYPE_I32, {2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(parse_list("[7*3 1..3]", TS_DTYPE_I32), Array::of_integers(TS_DTYPE_I32, {6}, {7, 7, 7, 1, 2, 3}));
  EXPECT_EQ(parse_list("[[1 2]*2 [3*2]]", TS_DTYPE_I32), Array::of_integers(TS_DTYPE_I32, {3, 2}, {1, 2, 1, 2, 3, 3}));
  EXPECT_EQ(parse_list("[2*sub*2]", TS_DTYPE_F64), Array::of(TS_DTYPE_F64, {2}, {0x2p-1074, 0x2p-1074}));
  EXPECT_EQ(parse_list("[[] []]", TS_DTYPE_F32).shape, (Shape{2, 0}));
  EXPECT_EQ(parse_list("[]", TS_DTYPE_F32).shape, (Shape{0}));
  EXPECT_EQ(parse_list("5", TS_DTYPE_F32).shape, Shape{});
  for (const char* bad : {"[1 2", "[[1] [2 3]]", "[1 [2]]", "[1]]", "[[1] 2]", "[[1]*0]", "[[1]*x]"})
    EXPECT_THROW(parse_list(bad, TS_DTYPE_F32), InputError) << bad;
  EXPECT_EQ(parse_shape("(2,3)"), (Shape{2, 3}));
  EXPECT_EQ(parse_shape("()"), Shape{});
}

TEST(SpecTables, AreWhatTheOracleSays) {
  int64_t cases = 0;
  for (const Table& table : spec().tables) {
    std::vector<TableCase> rows;
    try {
      rows = table_cases(spec(), table);
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    for (const TableCase& row : rows) {
      ++cases;
      const Expected oracle = expect(row.call);
      EXPECT_EQ(oracle.error, row.expected.error) << row.text << ": " << oracle.reason;
      if (!oracle.error.empty() || !row.expected.error.empty()) continue;
      for (size_t output = 0; output < oracle.outputs.size(); ++output) {
        const Comparison c = compare(oracle.outputs[output], row.expected, output);
        EXPECT_TRUE(c.pass) << table.file << ":" << table.line << ": " << row.text << ": " << c.why;
        EXPECT_LE(c.worst_ulp, 1.0) << table.file << ":" << table.line << ": " << row.text << ": " << c.worst_ulp_at;
      }
    }
  }
  RecordProperty("cases", std::to_string(cases));
  EXPECT_GT(cases, 0);
}

TEST(Spec, EveryInstanceHasAnOracleThatCompilesAndATolerance) {
  for (const Op& op : spec().ops) {
    EXPECT_GT(op.instances.size(), 0U) << op.name;
    EXPECT_NE(op.hash, "") << op.name;
  }
}

TEST(Spec, FaultsNameTheirPlace) {
  const auto message = [](const char* text) {
    try {
      parse_spec(text, "spec.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("{").find("spec.json: not JSON"), std::string::npos);
  EXPECT_NE(message("{}").find("spec.json: key \"ops\" is missing"), std::string::npos);
  EXPECT_NE(message(R"({"ops": [{"name": 5}]})").find("spec.json/ops/0/name: expected a string"), std::string::npos);
  EXPECT_NE(message(R"({"dtypes": [{"name": "f8", "id": 1}], "ops": []})").find("spec.json/dtypes/0/name: \"f8\""),
            std::string::npos);
  EXPECT_NE(
      message(R"({"ops": [{"name": "a", "id": 1, "family": "x", "oracle": ["name", "x"]}]})").find("not a family"),
      std::string::npos);
}

} // namespace
} // namespace ts::judge
