// Golden files: what is well formed is read, everything else is refused with file and line.
#include "conformance/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ts::judge {
namespace {

const std::string kGood = R"(touchstone golden 1
op add row 3f2a9c0d11e4b7a6
case special f32 f32 -> f32
x f32 (4)
  inf -inf -0 3.4028235e+38
y f32 (4)
  -inf -inf -0 3.4028235e+38
z f32 (4) exact
  nan -inf -0 inf
end
case rows i32 -> i64
attribute axes int 2
x i32 (2,3)
  1 2 3
  4 5 6
z i64 (2,1) exact
  6
  15
end
case deep f16 -> f16
attribute slope real 0.1
x f16 ()
  1
z f16 () real
  1.000122070312500000000001
end
case nothing u8 -> bool
x u8 (0,3)
z bool (0) exact
end
end of file, 4 cases
)";

std::string refusal(const std::string& text) {
  try {
    parse_golden(text, "golden/ops/add.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Golden, ReadsCasesAttributesAndValues) {
  // TS_CITES(golden.3, golden.4)
  const GoldenFile file = parse_golden(kGood, "add.txt");
  EXPECT_EQ(file.op, "add");
  EXPECT_EQ(file.row_hash, "3f2a9c0d11e4b7a6");
  ASSERT_EQ(file.cases.size(), 4U);
  EXPECT_EQ(file.cases[0].key(), "special f32 f32 -> f32");
  EXPECT_EQ(file.cases[0].line, 3);
  EXPECT_EQ(file.cases[0].inputs[0].bits(2), 0x80000000U);
  EXPECT_TRUE(std::isnan(file.cases[0].outputs[0].value.real(0)));
  EXPECT_EQ(file.cases[1].attributes.at("axes").integer, 2);
  EXPECT_EQ(file.cases[1].outputs[0].value, Array::of_integers(TS_DTYPE_I64, {2, 1}, {6, 15}));
  EXPECT_EQ(file.cases[2].attributes.at("slope").real, 0.1);
}

TEST(Golden, ARealValueIsRoundedOnce) {
  // TS_CITES(golden.5)
  // Between 1 and 1 + 2^-10, an eighth of an ulp up; and what is left over is kept.
  const GoldenOutput z = parse_golden(kGood, "add.txt").cases[2].outputs[0];
  EXPECT_FALSE(z.exact);
  EXPECT_EQ(z.value.bits(0), 0x3c00U);
  ASSERT_EQ(z.residual.size(), 1U);
  EXPECT_NEAR(z.residual[0], 0.125, 1e-12);
  // Just above the halfway point by less than a double sees.
  const GoldenFile file = parse_golden(replaced("1.000122070312500000000001", "1.000488281250000000000001"), "add.txt");
  EXPECT_EQ(file.cases[2].outputs[0].value.bits(0), 0x3c01U);
}

TEST(Golden, RefusesEveryTruncation) {
  for (size_t length = 0; length < kGood.size(); ++length) {
    const std::string message = refusal(kGood.substr(0, length));
    ASSERT_EQ(message.find("golden/ops/add.txt:"), 0U) << length << ": " << message;
  }
}

TEST(Golden, RefusesEditsWithTheirLine) {
  const struct {
    const char *from, *to, *where;
  } edits[] = {
      {"golden 1", "golden 2", ":1: "},
      {"op add row", "op add rox", ":2: "},
      {"case special f32", "case Special f32", ":3: "},
      {"f32 f32 -> f32", "f32 f99 -> f32", ":3: `f99`"},
      {"f32 f32 -> f32", "f32 f32 f32", ":3: no `->`"},
      {"x f32 (4)", "x f64 (4)", ":4: x is f64"},
      {"x f32 (4)", "x f32 (5)", ":5: x of line 4 has 4 values"},
      {"x f32 (4)", "x f32 (3)", ":5: x has more than the 3"},
      {"x f32 (4)", "x f32 (4", ":4: "},
      {"x f32 (4)", "x f32 (-4)", ":4: "},
      {"x f32 (4)", "x f32 (4,)", ":4: "},
      {"x f32 (4)", "x f32 (99999999999)", ":4: the file ends before"},
      {"x f32 (4)", "x f32 (9999999999,9999999999)", ":4: too many"},
      {"  inf -inf -0 3.4028235e+38", "  inf -inf -0 3.5e+38", ":5: 3.5e+38 is past the range"},
      {"  inf -inf -0 3.4028235e+38", "  inf -inf -0 0x1p3", ":5: `0x1p3`"},
      {"  inf -inf -0 3.4028235e+38", "  Inf -inf -0 1", ":5: `Inf`"},
      {"  inf -inf -0 3.4028235e+38", "  inf -inf -0 1e", ":5: `1e`"},
      {"  1.000122070312500000000001", "  1.0.0", ":25: `1.0.0`"},
      {"z f32 (4) exact", "z f32 (4) about", ":8: "},
      {"z f32 (4) exact", "z f32 (4)", ":8: "},
      {"attribute axes int 2", "attribute axes int two", ":12: `two`"},
      {"attribute axes int 2", "attribute axes text 2", ":12: `text`"},
      {"  4 5 6", "  4 5 6000000000", ":15: 6000000000 is not a value of i32"},
      {"  6\n  15\nend", "  6\n  15\n", ":19: "},
      {"case nothing u8 -> bool", "case special f32 f32 -> f32", ""},
      {"z i64 (2,1) exact", "z i64 (2,1) real", ":16: a real value of i64"},
      {"end of file, 4 cases", "end of file, 5 cases", ":31: expected `end of file, 4 cases`"},
  };
  for (const auto& edit : edits) {
    const std::string message = refusal(replaced(edit.from, edit.to));
    EXPECT_NE(message, "") << edit.from << " -> " << edit.to;
    EXPECT_NE(message.find(edit.where), std::string::npos) << edit.to << ": " << message;
  }
  EXPECT_NE(refusal(kGood + "more\n").find("text after"), std::string::npos);
  const std::string twice = replaced("case rows i32 -> i64\nattribute axes int 2\n", "case one i8 -> i64\n");
  EXPECT_NE(refusal(twice), "");
}

TEST(Golden, RefusesACaseThatStandsTwice) {
  // TS_CITES(golden.2)
  std::string text = kGood;
  const std::string block = "case nothing u8 -> bool\nx u8 (0,3)\nz bool (0) exact\nend\n";
  text.insert(text.find(block), block);
  text.replace(text.find("4 cases"), 7, "5 cases");
  EXPECT_NE(refusal(text).find("stands twice [golden.2]"), std::string::npos);
}

TEST(Golden, SurvivesAnyBytes) {
  std::mt19937 engine(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text = kGood;
    for (int edit = 0; edit < 1 + round % 4; ++edit) {
      const size_t at = engine() % text.size();
      switch (engine() % 3) {
        case 0: text[at] = static_cast<char>(engine() % 128); break;
        case 1: text.erase(at, engine() % 9); break;
        default: text.insert(at, text.substr(engine() % text.size(), engine() % 9));
      }
    }
    refusal(text); // refused or read, and nothing else
  }
}

TEST(Golden, Sha256IsTheStandardOne) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

} // namespace
} // namespace ts::judge
