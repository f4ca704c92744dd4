#include "conformance/tensor/promotion_rules.h"

#include "conformance/case.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <array>
#include <set>

namespace ts::conformance {

namespace {

// spec/numerics.md, "Promotion", written down a second time: rows and columns in the order of dtypes.
constexpr std::array<const char*, 8> kDtypes = {"bool", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"};
constexpr const char* kPromotion[8][8] = {{"bool", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"},
                                          {"u8", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"},
                                          {"i32", "i32", "i32", "i64", "f16", "bf16", "f32", "f64"},
                                          {"i64", "i64", "i64", "i64", "f16", "bf16", "f32", "f64"},
                                          {"f16", "f16", "f16", "f16", "f16", "f32", "f32", "f64"},
                                          {"bf16", "bf16", "bf16", "bf16", "f32", "bf16", "f32", "f64"},
                                          {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64"},
                                          {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64"}};
/// A number without a dtype, and the dtypes that cannot hold it.
struct Number {
  const char* name;
  Scalar value;
  const char* least;            ///< what a tensor of an earlier class becomes: bool, i64 or f32
  std::set<std::string> beyond; ///< [numerics.16]
};

const std::vector<Number>& numbers() {
  static const std::vector<Number> all = {
      {"true", Scalar(true), "bool", {}},
      {"3", Scalar(3), "i64", {}},
      {"neg1", Scalar(-1), "i64", {"u8"}},
      {"300", Scalar(300), "i64", {"u8"}},
      {"2p40", Scalar(int64_t{1} << 40), "i64", {"u8", "i32", "f16"}},
      {"2_5", Scalar(2.5), "f32", {}},
      {"1e6", Scalar(1e6), "f32", {"f16"}},
      {"1e300", Scalar(1e300), "f32", {"f16", "bf16", "f32"}},
  };
  return all;
}
// Elementwise ops of two operands that take one dtype.
bool is_binary(const judge::Op& op) {
  if (op.family != "elementwise" || op.operands.size() != 2 || !op.attributes.empty()) return false;
  for (const judge::Instance& instance : op.instances)
    if (instance.in[0] != instance.in[1]) return false;
  return true;
}

bool is_comparison(const judge::Op& op) {
  static const std::set<std::string> kComparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
  const judge::Tree& tree = op.oracle;
  return tree.kind == judge::Tree::Kind::call && kComparisons.count(tree.text) != 0 && tree.arguments.size() == 2 &&
         tree.arguments[0].names("x") && tree.arguments[1].names("y");
}

bool compares(const std::string& how, double x, double y) {
  if (how == "eq") return x == y;
  if (how == "ne") return x != y;
  if (how == "lt") return x < y;
  if (how == "le") return x <= y;
  return how == "gt" ? x > y : x >= y;
}

const char* class_after(const std::string& dtype, const std::string& least) {
  const int32_t have = judge::dtype_named(dtype), want = judge::dtype_named(least);
  const bool later = judge::encoding(want).cls > judge::encoding(have).cls;
  return judge::name_of(later ? want : have);
}
judge::Expected expected_of(const judge::Op& op, const judge::Instance& instance, const Array& x, const Array& y) {
  judge::Call call;
  call.op = &op;
  call.instance = &instance;
  call.inputs = {x, y};
  return judge::expect(call);
}

const std::vector<double> kLeft = {1, 0, 3, 2}, kRight = {1, 1, 2, 3};

std::vector<double> held(int32_t dtype, std::vector<double> values) {
  if (judge::encoding(dtype).cls == judge::DtypeClass::boolean)
    for (double& value : values) value = value != 0 ? 1 : 0;
  return values;
}

Array small(int32_t dtype, const std::vector<double>& values) {
  return Array::of(dtype, {static_cast<int64_t>(values.size())}, values);
}

} // namespace

const char* promoted(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j)
      if (a == kDtypes[i] && b == kDtypes[j]) return kPromotion[i][j];
  throw ValueError(fmt::format("{} and {} are not dtypes", a, b));
}
void judge_promotion(Rule& rule) {
  rule.cite({"numerics.13", "numerics.14", "numerics.12"});
  const size_t split = rule.parts().at(3).find('_');
  const std::string a = rule.parts()[3].substr(0, split),
                    b = rule.parts()[3].substr(std::min(split, rule.parts()[3].size() - 1) + 1);
  const int32_t dtype = judge::dtype_named(promoted(a, b));
  const int32_t x_dtype = judge::dtype_named(a), y_dtype = judge::dtype_named(b);
  const std::vector<double> x = held(x_dtype, kLeft), y = held(y_dtype, kRight);
  const std::vector<Input> operands = {tensor_of(small(x_dtype, x), rule.device()),
                                       tensor_of(small(y_dtype, y), rule.device())};
  const judge::Instance* instance = rule.op().instance(std::vector<int32_t>{dtype, dtype});
  if (instance == nullptr) {
    rule.cite({"numerics.38"});
    return rule.expect_error("TypeError", operands);
  }
  rule.expect_values(operands, expected_of(rule.op(), *instance, small(dtype, x), small(dtype, y)));
}

void judge_number(Rule& rule) {
  if (rule.parts().size() != 6) rule.unknown();
  const Number* number = nullptr;
  for (const Number& one : numbers())
    if (rule.parts()[4] == one.name) number = &one;
  if (number == nullptr || (rule.parts()[5] != "left" && rule.parts()[5] != "right")) rule.unknown();
  const bool left = rule.parts()[5] == "left";
  const int32_t tensor_dtype = judge::dtype_named(rule.parts()[3]);
  const std::string result_name = class_after(rule.parts()[3], number->least);
  const int32_t dtype = judge::dtype_named(result_name);
  const std::vector<double> values = held(tensor_dtype, left ? kRight : kLeft);
  const Input tensor = tensor_of(small(tensor_dtype, values), rule.device());
  const std::vector<Input> operands =
      left ? std::vector<Input>{number->value, tensor} : std::vector<Input>{tensor, number->value};
  const judge::Instance* instance = rule.op().instance(std::vector<int32_t>{dtype, dtype});
  rule.cite({"numerics.15"});
  const bool beyond = number->beyond.count(result_name) != 0;
  if (beyond) rule.cite({is_comparison(rule.op()) ? "numerics.17" : "numerics.16"});
  if (instance == nullptr) {
    rule.cite({"numerics.38"});
    return rule.expect_error("TypeError", operands);
  }
  if (beyond && !is_comparison(rule.op())) return rule.expect_error("ValueError", operands);
  if (beyond) {
    judge::Expected expected;
    expected.outputs.emplace_back(TS_DTYPE_BOOL, Shape{static_cast<int64_t>(values.size())});
    expected.bounds.emplace_back();
    const double other = number->value.real();
    for (size_t e = 0; e < values.size(); ++e) {
      const bool holds = compares(rule.op().oracle.text, left ? other : values[e], left ? values[e] : other);
      expected.outputs[0].set_integer(static_cast<int64_t>(e), holds ? 1 : 0);
    }
    return rule.expect_values(operands, expected);
  }
  const std::vector<double> repeated(values.size(), number->value.real());
  const Array others = small(dtype, repeated), mine = small(dtype, values);
  rule.expect_values(operands, left ? expected_of(rule.op(), *instance, others, mine)
                                    : expected_of(rule.op(), *instance, mine, others));
}

std::vector<std::string> promotion_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  for (const judge::Op& op : spec.ops) {
    if (!is_binary(op)) continue;
    for (const char* a : kDtypes)
      for (const char* b : kDtypes) names.push_back(fmt::format("tensor/promotion/{}/{}_{}", op.name, a, b));
  }
  return names;
}

std::vector<std::string> number_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  for (const judge::Op& op : spec.ops) {
    if (!is_binary(op)) continue;
    for (const char* dtype : kDtypes)
      for (const Number& number : numbers())
        for (const char* side : {"left", "right"})
          names.push_back(fmt::format("tensor/scalar/{}/{}/{}/{}", op.name, dtype, number.name, side));
  }
  return names;
}

} // namespace ts::conformance
