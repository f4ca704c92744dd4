// Names to registers. A part that stands twice is computed once: `max_of(x)` in three places is one group.
#include "conformance/oracle/expression.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace ts::judge {
namespace {

using P = Primitive;

constexpr std::array kPrimitives = {
    PrimitiveRow{P::add, "add", 2},
    PrimitiveRow{P::sub, "sub", 2},
    PrimitiveRow{P::mul, "mul", 2},
    PrimitiveRow{P::div, "div", 2},
    PrimitiveRow{P::neg, "neg", 1},
    PrimitiveRow{P::eq, "eq", 2},
    PrimitiveRow{P::ne, "ne", 2},
    PrimitiveRow{P::lt, "lt", 2},
    PrimitiveRow{P::le, "le", 2},
    PrimitiveRow{P::gt, "gt", 2},
    PrimitiveRow{P::ge, "ge", 2},
    PrimitiveRow{P::and_, "and", 2},
    PrimitiveRow{P::or_, "or", 2},
    PrimitiveRow{P::not_, "not", 1},
    PrimitiveRow{P::logical_xor, "logical_xor", 2},
    PrimitiveRow{P::abs, "abs", 1},
    PrimitiveRow{P::sign, "sign", 1},
    PrimitiveRow{P::floor, "floor", 1},
    PrimitiveRow{P::ceil, "ceil", 1},
    PrimitiveRow{P::trunc, "trunc", 1},
    PrimitiveRow{P::round, "round", 1},
    PrimitiveRow{P::sqrt, "sqrt", 1},
    PrimitiveRow{P::min, "min", 2},
    PrimitiveRow{P::max, "max", 2},
    PrimitiveRow{P::fma, "fma", 3},
    PrimitiveRow{P::exp, "exp", 1},
    PrimitiveRow{P::exp2, "exp2", 1},
    PrimitiveRow{P::expm1, "expm1", 1},
    PrimitiveRow{P::log, "log", 1},
    PrimitiveRow{P::log1p, "log1p", 1},
    PrimitiveRow{P::log2, "log2", 1},
    PrimitiveRow{P::log10, "log10", 1},
    PrimitiveRow{P::sin, "sin", 1},
    PrimitiveRow{P::cos, "cos", 1},
    PrimitiveRow{P::tan, "tan", 1},
    PrimitiveRow{P::asin, "asin", 1},
    PrimitiveRow{P::acos, "acos", 1},
    PrimitiveRow{P::atan, "atan", 1},
    PrimitiveRow{P::sinh, "sinh", 1},
    PrimitiveRow{P::cosh, "cosh", 1},
    PrimitiveRow{P::tanh, "tanh", 1},
    PrimitiveRow{P::asinh, "asinh", 1},
    PrimitiveRow{P::acosh, "acosh", 1},
    PrimitiveRow{P::atanh, "atanh", 1},
    PrimitiveRow{P::atan2, "atan2", 2},
    PrimitiveRow{P::hypot, "hypot", 2},
    PrimitiveRow{P::pow, "pow", 2},
    PrimitiveRow{P::erf, "erf", 1},
    PrimitiveRow{P::erfc, "erfc", 1},
    PrimitiveRow{P::logaddexp, "logaddexp", 2},
    PrimitiveRow{P::floor_divide, "floor_divide", 2},
    PrimitiveRow{P::remainder, "remainder", 2},
    PrimitiveRow{P::fmod, "fmod", 2},
    PrimitiveRow{P::copysign, "copysign", 2},
    PrimitiveRow{P::nextafter, "nextafter", 2},
    PrimitiveRow{P::bit_and, "bit_and", 2},
    PrimitiveRow{P::bit_or, "bit_or", 2},
    PrimitiveRow{P::bit_xor, "bit_xor", 2},
    PrimitiveRow{P::bit_not, "bit_not", 1},
    PrimitiveRow{P::shift_left, "shift_left", 2},
    PrimitiveRow{P::shift_right, "shift_right", 2},
    PrimitiveRow{P::isnan, "isnan", 1},
    PrimitiveRow{P::isinf, "isinf", 1},
    PrimitiveRow{P::isfinite, "isfinite", 1},
    PrimitiveRow{P::signbit, "signbit", 1},
    PrimitiveRow{P::where, "where", 3},
    PrimitiveRow{P::sum, "sum", 1},
    PrimitiveRow{P::prod, "prod", 1},
    PrimitiveRow{P::max_of, "max_of", 1},
    PrimitiveRow{P::min_of, "min_of", 1},
    PrimitiveRow{P::count, "count", 1},
    PrimitiveRow{P::first_max, "first_max", 1},
    PrimitiveRow{P::first_min, "first_min", 1},
    PrimitiveRow{P::last_max, "last_max", 1},
    PrimitiveRow{P::last_min, "last_min", 1},
};

std::string key_of(const Tree& tree) {
  std::string key = tree.text;
  if (tree.kind != Tree::Kind::call) return key;
  for (const Tree& argument : tree.arguments) key += "(" + key_of(argument) + ")";
  return key;
}

class Compiler {
public:
  Compiler(const Op& op, Expression& out) : op_(op), out_(out) {}

  /// The register of the tree's value; steps that compute it go into `code`, once per code.
  int place(const Tree& tree, Code& code, std::map<std::string, int>& done) {
    if (tree.kind != Tree::Kind::call) return leaf(tree);
    const PrimitiveRow* row = find_primitive(tree.text);
    if (row == nullptr) fail(fmt::format("\"{}\" is not a primitive", tree.text));
    if (static_cast<int>(tree.arguments.size()) != row->arity) {
      fail(fmt::format("{} takes {} arguments, not {}", row->name, row->arity, tree.arguments.size()));
    }
    if (is_fold(row->primitive)) return group(tree, *row);
    const std::string key = key_of(tree);
    if (const auto found = done.find(key); found != done.end()) return found->second;
    Step step{row->primitive, -1, -1, -1, -1};
    int* const arguments[] = {&step.a, &step.b, &step.c};
    for (size_t i = 0; i < tree.arguments.size(); ++i) *arguments[i] = place(tree.arguments[i], code, done);
    step.result = out_.registers++;
    code.steps.push_back(step);
    done.emplace(key, step.result);
    return step.result;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: oracle of {}: {}", op_.file, op_.line, op_.name, what));
  }

  int leaf(const Tree& tree) {
    for (const Leaf& known : out_.leaves) {
      if (known.text == tree.text) return known.result;
    }
    Leaf leaf{Leaf::Kind::number, tree.text, -1, out_.registers};
    if (tree.kind == Tree::Kind::name) {
      leaf.operand = op_.operand(tree.text);
      if (leaf.operand >= 0) {
        leaf.kind = Leaf::Kind::operand;
      } else if (op_.attribute(tree.text) != nullptr) {
        leaf.kind = Leaf::Kind::attribute;
      } else if (tree.text == "pi") {
        leaf.kind = Leaf::Kind::pi;
      } else if (tree.text == "n") {
        leaf.kind = Leaf::Kind::size;
      } else if (tree.text != "nan" && tree.text != "inf") {
        fail(fmt::format("\"{}\" is neither an operand nor an attribute", tree.text));
      }
    }
    ++out_.registers;
    out_.leaves.push_back(leaf);
    return leaf.result;
  }

  int group(const Tree& tree, const PrimitiveRow& row) {
    const std::string key = key_of(tree);
    if (const auto found = groups_.find(key); found != groups_.end()) return found->second;
    Group group{row.primitive, {}, -1};
    std::map<std::string, int> done;
    group.body.result = place(tree.arguments[0], group.body, done); // inner groups enter the list before this one
    group.result = out_.registers++;
    out_.groups.push_back(group);
    groups_.emplace(key, group.result);
    return group.result;
  }

  const Op& op_;
  Expression& out_;
  std::map<std::string, int> groups_;
};

} // namespace

const PrimitiveRow* find_primitive(std::string_view name) {
  for (const PrimitiveRow& row : kPrimitives) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

int Expression::operand(int position) const {
  for (const Leaf& leaf : leaves) {
    if (leaf.kind == Leaf::Kind::operand && leaf.operand == position) return leaf.result;
  }
  return -1;
}

Expression compile(const Tree& tree, const Op& op) {
  Expression result;
  Compiler compiler(op, result);
  std::map<std::string, int> done;
  result.code.result = compiler.place(tree, result.code, done);
  return result;
}

} // namespace ts::judge
