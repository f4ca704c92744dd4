// The check of committed goldens: it passes what the oracle says, and names file, line and element of what it does not.
#include "conformance/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ts::judge {
namespace {

namespace fs = std::filesystem;

const char* const kSpec = R"json({
  "dtypes": [], "families": [{"name": "elementwise", "id": 2}],
  "ops": [{"name": "add", "id": 17, "family": "elementwise", "file": "spec/ops/elementwise.md", "line": 5,
    "operands": [{"name": "x"}, {"name": "y"}], "outputs": [{"name": "z"}],
    "instances": [{"in": ["f32", "f32"], "out": ["f32"], "eval": "exact", "tolerance": "exact"}],
    "oracle": ["call", "add", ["name", "x"], ["name", "y"]], "hash": "0123456789abcdef"},
   {"name": "exp", "id": 18, "family": "elementwise", "file": "spec/ops/elementwise.md", "line": 9,
    "operands": [{"name": "x"}], "outputs": [{"name": "z"}],
    "instances": [{"in": ["f64"], "out": ["f64"], "eval": "real", "tolerance": "ulp(1)"}],
    "oracle": ["call", "exp", ["name", "x"]], "hash": "fedcba9876543210"}]})json";

std::string add_text(const std::string& values) {
  return "touchstone golden 1\nop add row 0123456789abcdef\ncase plain f32 f32 -> f32\nx f32 (2)\n  1 2\ny f32 (2)\n"
         "  0.5 -2\nz f32 (2) exact\n  " +
         values + "\nend\nend of file, 1 cases\n";
}

std::string exp_text(const std::string& value) {
  return "touchstone golden 1\nop exp row fedcba9876543210\ncase plain f64 -> f64\nx f64 (1)\n  1\nz f64 (1) real\n  " +
         value + "\nend\nend of file, 1 cases\n";
}

const char* const kE = "2.718281828459045235360287";

class GoldenCheck : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / fmt::format("touchstone_{}_{}", static_cast<const void*>(this),
                                                    testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_ / "golden/ops");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) { std::ofstream(root_ / "golden" / file) << text; }
  void write_all(const std::string& add, const std::string& exp) {
    write("ops/add.txt", add);
    write("ops/exp.txt", exp);
    write("manifest.json", fmt::format(R"({{"format": 1, "files": [
            {{"file": "ops/add.txt", "op": "add", "sha256": "{}", "row_hash": "0123456789abcdef", "cases": 1}},
            {{"file": "ops/exp.txt", "op": "exp", "sha256": "{}", "row_hash": "fedcba9876543210", "cases": 1}}]}})",
                                       sha256_hex(add), sha256_hex(exp)));
  }
  std::string problems() {
    std::string all;
    for (const std::string& problem : check_goldens(root_.string(), parse_spec(kSpec, "spec.json")).problems) {
      all += problem + "\n";
    }
    return all;
  }

  fs::path root_;
};

TEST_F(GoldenCheck, PassesWhatTheOracleSays) {
  // TS_CITES(golden.8)
  write_all(add_text("1.5 0"), exp_text(kE));
  EXPECT_EQ(problems(), "");
  const GoldenReport report = check_goldens(root_.string(), parse_spec(kSpec, "spec.json"));
  EXPECT_EQ(report.files, 2);
  EXPECT_EQ(report.values, 3);
}

TEST_F(GoldenCheck, NamesAPlantedWrongValue) {
  write_all(add_text("1.5 -0"), exp_text(kE));
  EXPECT_NE(problems().find("add.txt:3: case plain f32 f32 -> f32: z element (1): stored -0, oracle 0"),
            std::string::npos)
      << problems();
}

TEST_F(GoldenCheck, SeesTheLastStoredDigitOfARealValue) {
  write_all(add_text("1.5 0"), exp_text("2.718281828459045235360290"));
  EXPECT_NE(problems().find("exp.txt:3: case plain f64 -> f64: z element (0): stored 2.718281828459045235360290"),
            std::string::npos)
      << problems();
}

TEST_F(GoldenCheck, AFarOverflowIsWrittenAsInfinityAndStillCountsAsRounding) {
  std::string text = exp_text("inf");
  text.replace(text.find("\n  1\n"), 5, "\n  1e6\n");
  write_all(add_text("1.5 0"), text);
  EXPECT_EQ(problems(), "");
  const Spec spec = parse_spec(kSpec, "spec.json");
  const Expected expected = expected_of(parse_golden(text, "exp.txt").cases[0], spec.op("exp"));
  EXPECT_EQ(expected.bounds[0].overflowed, (std::vector<uint8_t>{1}));
  text.replace(text.find("1e6"), 3, "709.7827128933841"); // an ulp past the range: its digits can be written
  write_all(add_text("1.5 0"), text);
  EXPECT_NE(problems(), "");
}

TEST_F(GoldenCheck, RefusesAnEditedFile) {
  // TS_CITES(golden.6)
  write_all(add_text("1.5 0"), exp_text(kE));
  write("ops/add.txt", add_text("1.5 1"));
  EXPECT_NE(problems().find("SHA-256"), std::string::npos);
  write("ops/add.txt", add_text("1.5 0").substr(0, 60));
  EXPECT_NE(problems().find("add.txt:"), std::string::npos);
}

TEST_F(GoldenCheck, RefusesFilesThatSpecOrManifestDoNotKnow) {
  write_all(add_text("1.5 0"), exp_text(kE));
  write("ops/sub.txt", "");
  EXPECT_NE(problems().find("sub.txt: the manifest does not name it"), std::string::npos);
  std::string changed = kSpec;
  changed.replace(changed.find("0123456789abcdef"), 4, "9999");
  const GoldenReport report = check_goldens(root_.string(), parse_spec(changed, "spec.json"));
  ASSERT_EQ(report.problems.size(), 2U);
  EXPECT_NE(report.problems[0].find("9999456789abcdef [golden.6]"), std::string::npos) << report.problems[0];
  fs::remove(root_ / "golden/manifest.json");
  EXPECT_NE(problems().find("manifest.json: cannot be read"), std::string::npos);
}

TEST_F(GoldenCheck, ExpectedTakesValuesFromTheFileAndBoundsFromTheOracle) {
  write_all(add_text("1.5 0"), exp_text(kE));
  const Spec spec = parse_spec(kSpec, "spec.json");
  const Manifest manifest = load_manifest(root_.string());
  const GoldenFile file = load_golden(manifest, *manifest.find("exp"), spec);
  const Expected expected = expected_of(file.cases[0], spec.op("exp"));
  EXPECT_EQ(expected.outputs[0].real(0), 2.718281828459045);
  EXPECT_EQ(expected.bounds[0].ulps, 1);
  EXPECT_EQ(expected.bounds[0].residual.size(), 1U);
}

} // namespace
} // namespace ts::judge
