#include "conformance/tensor/rules.h"

#include "conformance/compare.h"
#include "conformance/select/select.h"
#include "conformance/tensor/library.h"
#include "conformance/tensor/storage_rules.h"
#include "runtime/errors.h"
#include "runtime/tensor/factories.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace ts::conformance {

namespace {

constexpr std::string_view kRules[] = {"tensor/promotion/", "tensor/scalar/", "tensor/error/"};

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

const char* promoted(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j)
      if (a == kDtypes[i] && b == kDtypes[j]) return kPromotion[i][j];
  throw ValueError(fmt::format("{} and {} are not dtypes", a, b));
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Dense operands of ones for the first instance of a row.
struct Plain {
  Case c;
  std::vector<Array> arrays;
};

class Rule {
public:
  Rule(const std::string& name, const judge::Spec& spec, Device& door)
      : name_(name), parts_(parts_of(name)), op_(spec.op(parts_.at(2))), door_(door), device_(library_device(door)) {}

  Outcome operator()() {
    outcome_.name = name_;
    outcome_.verdict = Verdict::pass;
    outcome_.elements = 1;
    outcome_.telling = true;
    door_.take_census();
    const FallbackWatch watch(device_);
    try {
      if (parts_[1] == "promotion")
        run_promotion();
      else if (parts_[1] == "scalar")
        run_scalar();
      else
        run_error();
    } catch (const DoorFault& fault) {
      outcome_.verdict = Verdict::fail;
      outcome_.check = fault.check;
      outcome_.message = fault.message;
    }
    outcome_.launches = door_.take_census();
    if (const std::string fallen = watch.names(); !fallen.empty() && outcome_.verdict == Verdict::pass)
      judge_fallback(fallen);
    return std::move(outcome_);
  }

private:
  void run_promotion();
  void run_scalar();
  void run_error();
  void judge_fallback(const std::string& fallen);
  void run_out_dtype(const Plain& plain, const std::vector<Attribute>& attributes);
  void expect_error(const std::string& type, const std::vector<Input>& operands,
                    const std::vector<Attribute>& attributes = {}, const ops::Options& options = {});
  void expect_values(const std::vector<Input>& operands, const judge::Expected& expected);
  judge::Expected expected_of(const judge::Instance& instance, const Array& x, const Array& y) const;
  [[noreturn]] void unknown() const { throw ValueError(fmt::format("there is no case '{}'", name_)); }

  std::string name_;
  std::vector<std::string> parts_;
  const judge::Op& op_;
  Device& door_;
  ts::Device device_;
  Outcome outcome_;
};

// A backend may lack the instance, or the conversion that promotion needs; then the host did it.
void Rule::judge_fallback(const std::string& fallen) {
  outcome_.verdict = Verdict::unsupported;
  outcome_.message = fmt::format("computed on the host: {}", fallen);
  outcome_.telling = false;
}

void Rule::expect_error(const std::string& type, const std::vector<Input>& operands,
                        const std::vector<Attribute>& attributes, const ops::Options& options) {
  const Thrown thrown = caught(device_, [&] { library_call(op_, operands, attributes, options); });
  if (thrown.type != type)
    throw DoorFault{"error", fmt::format("expected {}, got {}: {}", type,
                                         thrown.type.empty() ? "a result" : thrown.type, thrown.message)};
  if (thrown.message.find(op_.name) == std::string::npos)
    throw DoorFault{"error", fmt::format("the message does not name the op: {}", thrown.message)};
  if (!thrown.message.starts_with(fmt::format("[{}]", outcome_.cites.front())))
    throw DoorFault{"error", fmt::format("the message does not begin with [{}], the clause that was broken: {}",
                                         outcome_.cites.front(), thrown.message)};
}

void Rule::expect_values(const std::vector<Input>& operands, const judge::Expected& expected) {
  Array got;
  const Thrown thrown = caught(device_, [&] { got = array_of(library_call(op_, operands, {}, {})[0]); });
  if (!thrown.type.empty())
    throw DoorFault{"error", fmt::format("the library threw {}: {}", thrown.type, thrown.message)};
  const judge::Comparison compared = judge::compare(got, expected);
  outcome_.elements = compared.count;
  if (!compared.pass) throw DoorFault{"values", compared.why};
}

judge::Expected Rule::expected_of(const judge::Instance& instance, const Array& x, const Array& y) const {
  judge::Call call;
  call.op = &op_;
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

void Rule::run_promotion() {
  outcome_.cites = {"numerics.13", "numerics.14", "numerics.12"};
  const size_t split = parts_.at(3).find('_');
  const std::string a = parts_[3].substr(0, split), b = parts_[3].substr(std::min(split, parts_[3].size() - 1) + 1);
  const int32_t dtype = judge::dtype_named(promoted(a, b));
  const int32_t x_dtype = judge::dtype_named(a), y_dtype = judge::dtype_named(b);
  const std::vector<double> x = held(x_dtype, kLeft), y = held(y_dtype, kRight);
  const std::vector<Input> operands = {tensor_of(small(x_dtype, x), device_), tensor_of(small(y_dtype, y), device_)};
  const judge::Instance* instance = op_.instance(std::vector<int32_t>{dtype, dtype});
  if (instance == nullptr) {
    outcome_.cites = {"numerics.38"};
    return expect_error("TypeError", operands);
  }
  expect_values(operands, expected_of(*instance, small(dtype, x), small(dtype, y)));
}

void Rule::run_scalar() {
  if (parts_.size() != 6) unknown();
  const Number* number = nullptr;
  for (const Number& one : numbers())
    if (parts_[4] == one.name) number = &one;
  if (number == nullptr || (parts_[5] != "left" && parts_[5] != "right")) unknown();
  const bool left = parts_[5] == "left";
  const int32_t tensor_dtype = judge::dtype_named(parts_[3]);
  const std::string result_name = class_after(parts_[3], number->least);
  const int32_t dtype = judge::dtype_named(result_name);
  const std::vector<double> values = held(tensor_dtype, left ? kRight : kLeft);
  const Input tensor = tensor_of(small(tensor_dtype, values), device_);
  const std::vector<Input> operands =
      left ? std::vector<Input>{number->value, tensor} : std::vector<Input>{tensor, number->value};
  const judge::Instance* instance = op_.instance(std::vector<int32_t>{dtype, dtype});
  outcome_.cites = {"numerics.15"};
  const bool beyond = number->beyond.count(result_name) != 0;
  if (beyond) outcome_.cites = {is_comparison(op_) ? "numerics.17" : "numerics.16"};
  if (instance == nullptr) {
    outcome_.cites = {"numerics.38"};
    return expect_error("TypeError", operands);
  }
  if (beyond && !is_comparison(op_)) return expect_error("ValueError", operands);
  if (beyond) {
    judge::Expected expected;
    expected.outputs.emplace_back(TS_DTYPE_BOOL, Shape{static_cast<int64_t>(values.size())});
    expected.bounds.emplace_back();
    const double other = number->value.real();
    for (size_t e = 0; e < values.size(); ++e) {
      const bool holds = compares(op_.oracle.text, left ? other : values[e], left ? values[e] : other);
      expected.outputs[0].set_integer(static_cast<int64_t>(e), holds ? 1 : 0);
    }
    return expect_values(operands, expected);
  }
  const std::vector<double> repeated(values.size(), number->value.real());
  const Array others = small(dtype, repeated), mine = small(dtype, values);
  expect_values(operands, left ? expected_of(*instance, others, mine) : expected_of(*instance, mine, others));
}

Plain plain_call(const judge::Op& op) {
  Plain plain;
  plain.c = dense_case(op, op.instances.front(), {2, 2});
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const int32_t dtype = op.instances.front().in[k];
    const std::vector<double> zeros(static_cast<size_t>(judge::count_of(plain.c.shapes[k])), 0.0);
    plain.arrays.push_back(Array::of(dtype, plain.c.shapes[k], zeros));
  }
  return plain;
}

// A dtype that no instance of the row takes for the operand, or 0.
int32_t wrong_dtype(const judge::Op& op, size_t operand) {
  for (const char* name : {"f32", "i64", "bool"}) {
    const int32_t dtype = judge::dtype_named(name);
    bool taken = false;
    for (const judge::Instance& instance : op.instances) taken = taken || instance.in[operand] == dtype;
    if (!taken) return dtype;
  }
  return 0;
}

std::string axis_attribute(const judge::Op& op) {
  for (const judge::AttributeRow& row : op.attributes)
    if (row.kind == "axis" || row.kind == "axes") return row.name;
  return {};
}

// A dtype that a result of another one does not promote to, or 0: the first of the lowest class that is not its own.
int32_t narrower_dtype(int32_t result) {
  for (const char* name : {"bool", "u8", "f16"})
    if (name != std::string(judge::name_of(result)) && promoted(name, judge::name_of(result)) != std::string(name))
      return judge::dtype_named(name);
  return 0;
}

// Into a given tensor of a dtype that cannot take the result: refused, and every byte of the tensor stays.
void Rule::run_out_dtype(const Plain& plain, const std::vector<Attribute>& attributes) {
  outcome_.cites = {"numerics.37"};
  std::vector<Input> operands;
  for (const Array& array : plain.arrays) operands.emplace_back(tensor_of(array, device_));
  const int32_t wrong = narrower_dtype(plain.c.instance->out.front());
  if (wrong == 0) unknown();
  Array before(wrong, result_shape(plain.c, 0));
  for (int64_t e = 0; e < before.count(); ++e) before.set_integer(e, 1);
  const Tensor out = tensor_of(before, device_);
  ops::Options options;
  options.out[0] = &out;
  expect_error("TypeError", operands, attributes, options);
  if (const judge::Comparison same = judge::compare_bits(array_of(out), before, "the tensor before the call", true);
      !same.pass)
    throw DoorFault{"gaps", same.why};
}

void Rule::run_error() {
  const std::string& what = parts_.at(3);
  Plain plain = plain_call(op_);
  std::vector<Attribute> attributes = library_attributes(op_, plain.c.attributes);
  if (what == "axis_past" || what == "axis_before") {
    outcome_.cites = {"layout.25"};
    const judge::AttributeRow& row = *op_.attribute(axis_attribute(op_));
    const int64_t axis = what == "axis_past" ? 2 : -3;
    attributes[static_cast<size_t>(row.slot)] = row.kind == "axes" ? Attribute(Axes(axis)) : Attribute(Scalar(axis));
    const std::vector<Input> operands = [&] {
      std::vector<Input> all;
      for (const Array& array : plain.arrays) all.emplace_back(tensor_of(array, device_));
      return all;
    }();
    return expect_error("IndexError", operands, attributes);
  }
  if (what == "axis_twice") {
    outcome_.cites = {"layout.24"};
    const judge::AttributeRow& row = *op_.attribute(axis_attribute(op_));
    attributes[static_cast<size_t>(row.slot)] = Axes(Dims{1, -1});
    return expect_error("ValueError", {tensor_of(plain.arrays.front(), device_)}, attributes);
  }
  std::vector<Input> operands;
  if (what == "devices") {
    outcome_.cites = {"backend.50"};
    // Another instance of the host's backend is another device, whatever the first one is.
    static const ts::Device elsewhere = ts::Device::of(open_backend("cpu"));
    for (size_t k = 0; k < plain.arrays.size(); ++k)
      operands.emplace_back(tensor_of(plain.arrays[k], k + 1 == plain.arrays.size() ? elsewhere : device_));
    return expect_error("DeviceError", operands, attributes);
  }
  if (what == "out_dtype") return run_out_dtype(plain, attributes);
  if (!what.starts_with("dtype_")) unknown();
  const int at = op_.operand(what.substr(6));
  if (at < 0) unknown();
  const auto wrong = static_cast<size_t>(at);
  const judge::Role role = op_.operands[wrong].role;
  outcome_.cites = {role == judge::Role::index || role == judge::Role::mask ? "numerics.19" : "numerics.38"};
  const int32_t dtype = wrong_dtype(op_, wrong);
  const ops::OpRow& row = ops::row(op_.name);
  for (size_t k = 0; k < plain.arrays.size(); ++k) {
    // All of a group, or promotion would mend it.
    if (row.group[k] == row.group[wrong]) {
      const std::vector<double> zeros(static_cast<size_t>(plain.arrays[k].count()), 0.0);
      plain.arrays[k] = Array::of(dtype, plain.arrays[k].shape, zeros);
    }
    operands.emplace_back(tensor_of(plain.arrays[k], device_));
  }
  expect_error("TypeError", operands, attributes);
}

} // namespace

std::vector<std::string> rule_names(const judge::Spec& spec) {
  std::vector<std::string> names;
  for (const judge::Op& op : spec.ops) {
    if (is_binary(op)) {
      for (const char* a : kDtypes)
        for (const char* b : kDtypes) names.push_back(fmt::format("tensor/promotion/{}/{}_{}", op.name, a, b));
      for (const char* dtype : kDtypes)
        for (const Number& number : numbers())
          for (const char* side : {"left", "right"})
            names.push_back(fmt::format("tensor/scalar/{}/{}/{}/{}", op.name, dtype, number.name, side));
    }
    if (op.family == "fill" || op.family == "convert") continue; // they have no dtype of their own to be wrong
    if (!axis_attribute(op).empty()) {
      names.push_back(fmt::format("tensor/error/{}/axis_past", op.name));
      names.push_back(fmt::format("tensor/error/{}/axis_before", op.name));
      if (op.attribute(axis_attribute(op))->kind == "axes")
        names.push_back(fmt::format("tensor/error/{}/axis_twice", op.name));
    }
    if (op.operands.size() > 1) names.push_back(fmt::format("tensor/error/{}/devices", op.name));
    if (inout_operand(op) < 0 && narrower_dtype(op.instances.front().out.front()) != 0)
      names.push_back(fmt::format("tensor/error/{}/out_dtype", op.name));
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (wrong_dtype(op, k) != 0)
        names.push_back(fmt::format("tensor/error/{}/dtype_{}", op.name, op.operands[k].name));
  }
  for (std::string& name : storage_rule_names(spec)) names.push_back(std::move(name));
  return names;
}

bool is_rule(std::string_view name) {
  if (is_storage_rule(name)) return true;
  for (const std::string_view rule : kRules)
    if (name.starts_with(rule)) return true;
  return false;
}

Outcome run_rule(const std::string& name, const judge::Spec& spec, Device& device) {
  return is_storage_rule(name) ? run_storage_rule(name, spec, device) : Rule(name, spec, device)();
}

} // namespace ts::conformance
