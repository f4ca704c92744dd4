// The tiers above the door: what they select, and that they notice a wrong backend, a wrong library and a wrong spec.
#include "conformance/examples/examples.h"
#include "conformance/runner/bench.h"
#include "conformance/select/select.h"
#include "conformance/tensor/rules.h"
#include "conformance/tensor/tensor_select.h"
#include "runtime/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace ts::conformance {
namespace {

const std::vector<std::string>& all_names() {
  static const std::vector<std::string> names = select_cases(judge::spec(), "").names;
  return names;
}

std::vector<std::string> names_with(const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string& name : all_names())
    if (name.starts_with(prefix)) names.push_back(name);
  return names;
}

std::map<std::string, int> checks_of(const std::string& backend, const std::string& prefix,
                                     std::vector<std::string> layers = {}) {
  Settings settings;
  settings.backends = {backend};
  settings.layers = std::move(layers);
  Bench bench(settings);
  std::map<std::string, int> checks;
  for (const std::string& name : names_with(prefix)) {
    const Outcome outcome = bench.run(0, name);
    if (outcome.verdict == Verdict::pass)
      ++checks["pass"];
    else
      ++checks[outcome.verdict == Verdict::fail ? outcome.check : std::string(name_of(outcome.verdict))];
  }
  return checks;
}

TEST(Tiers, ATierIsAPartOfAllAndNamesAreDistinct) {
  std::set<std::string> seen(all_names().begin(), all_names().end());
  EXPECT_EQ(seen.size(), all_names().size());
  size_t parts = 0;
  for (const std::string& tier : tier_names()) parts += select_cases(judge::spec(), tier).names.size();
  EXPECT_EQ(parts, all_names().size());
  EXPECT_THROW(select_cases(judge::spec(), "tensors"), ValueError);
}

TEST(Tiers, TheTensorTierHasTwentyCasesOfEveryOp) {
  std::map<std::string, int> per_op;
  int cases = 0;
  for (const std::string& name : names_with("tensor/")) {
    if (is_rule(name)) continue;
    const std::string kernel = kernel_name(name);
    const size_t begin = kernel.find('/') + 1;
    ++per_op[kernel.substr(begin, kernel.find('/', begin) - begin)];
    ++cases;
  }
  EXPECT_GE(cases, 3000);
  for (const judge::Op& op : judge::spec().ops) EXPECT_GE(per_op[op.name], 20) << op.name;
}

TEST(Tiers, EveryExampleIsACase) { EXPECT_EQ(names_with("example/").size(), judge::spec().examples.size()); }

constexpr const char* kAdd = "tensor/elementwise/add/f32/";

TEST(TensorTier, AnHonestBackendPasses) {
  const auto checks = checks_of(std::string(TS_PLANTED) + ":none", kAdd);
  EXPECT_GT(checks.at("pass"), 2);
  EXPECT_EQ(checks.size(), 1U);
}

TEST(TensorTier, EachFaultByItsCheck) {
  const std::vector<std::pair<const char*, const char*>> faults = {{"writes_zero", "values"},
                                                                   {"forgets_last", "values"},
                                                                   {"changes_input", "gaps"},
                                                                   {"computes_elsewhere", "census"}};
  for (const auto& [fault, check] : faults)
    EXPECT_GT(checks_of(std::string(TS_PLANTED) + ":" + fault, kAdd)[check], 0) << fault;
}

std::shared_ptr<Backend> cpu() { return open_backend("cpu"); }

TEST(TensorTier, ABackendThatMisreadsRepeatedAxesIsCaught) {
  const auto right = checks_of("cpu", "tensor/elementwise/add/");
  EXPECT_EQ(right.size(), 1U) << "something fails without a mutant";
  auto wrong = checks_of("cpu", "tensor/elementwise/add/", {"mutant:BC06"});
  EXPECT_GT(wrong["values"], 0);
}

// Takes one expectation of a statement away from the truth; false where it has none.
bool falsify(nlohmann::json& statement) {
  const auto kind = statement.at("kind").get<std::string>();
  const auto change = [](nlohmann::json& number) {
    if (number.is_array() && number.empty()) return number.push_back(1), true;
    nlohmann::json& one = number.is_array() ? number[0] : number;
    one = one.get<int64_t>() + 1;
    return true;
  };
  const auto change_text = [](nlohmann::json& texts) {
    if (texts.empty()) return false;
    texts[0] = texts[0] == "1" ? "0" : "1";
    return true;
  };
  if (kind == "has") {
    for (const char* key : {"strides", "shape", "offset"})
      if (statement.contains(key)) return change(statement[key]);
    return change_text(statement["storage"]);
  }
  if (kind == "is") return statement["holds"] = !statement["holds"].get<bool>(), true;
  if (kind == "values") return change_text(statement["values"]);
  if (kind == "call") return change_text(statement["results"].back()["values"]);
  if (kind == "raises")
    return statement["error"] = statement["error"] == "TypeError" ? "IndexError" : "TypeError", true;
  if (kind == "reads") return change(statement["positions"]);
  if (kind == "plan") return change(statement.contains("dims") ? statement["dims"] : statement["count"]);
  if (kind == "element") return change(*statement["bytes"].begin());
  if (kind == "planner") return change(*statement["has"].begin());
  return false;
}

TEST(Examples, HoldOnCpuAndEveryFalsifiedStatementFails) {
  judge::Spec spec = judge::spec();
  const std::vector<std::string> names = example_names(spec);
  Device device(cpu());
  int falsified = 0;
  for (size_t k = 0; k < names.size(); ++k) {
    const Outcome right = run_example(names[k], spec, device);
    EXPECT_EQ(right.verdict, Verdict::pass) << names[k] << ": " << right.message;
    const auto statements = spec.examples[k].statements;
    for (size_t s = 0; s < statements->size(); ++s) {
      nlohmann::json wrong = *statements;
      if (!falsify(wrong[s])) continue;
      ++falsified;
      spec.examples[k].statements = std::make_shared<const nlohmann::json>(wrong);
      EXPECT_EQ(run_example(names[k], spec, device).verdict, Verdict::fail) << names[k] << " " << wrong[s].dump();
    }
    spec.examples[k].statements = statements;
  }
  EXPECT_GT(falsified, 200);
}

TEST(Rules, HoldOnCpuAndUnknownNamesAreRefused) {
  Device device(cpu());
  std::set<std::string> seen;
  for (const std::string& name : names_with("tensor/error/")) {
    const Outcome outcome = run_rule(name, judge::spec(), device);
    EXPECT_EQ(outcome.verdict, Verdict::pass) << name << ": " << outcome.message;
    seen.insert(name.substr(name.rfind('/') + 1));
  }
  EXPECT_THAT(seen, testing::IsSupersetOf({"axis_past", "axis_before", "devices", "dtype_mask", "dtype_index"}));
  EXPECT_THROW(run_rule("tensor/error/add/weather", judge::spec(), device), ValueError);
  EXPECT_THROW(run_rule("tensor/scalar/add/u8/7/left", judge::spec(), device), ValueError);
}

} // namespace
} // namespace ts::conformance
