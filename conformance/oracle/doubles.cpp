// Primitives on doubles, for expressions in which one operation at most rounds. Why that is exact: a double has 53
// bits, at least 2p + 2 for every narrower dtype with p bits, so + - * / and square root of two values of that dtype,
// rounded to double and then to the dtype, give what one rounding gives (also into the subnormals: a sum there is
// exact, a product of two p-bit numbers is exact in double, and a quotient cannot come that close to a halfway point
// without being it). In f64 the operation itself rounds once, by IEEE 754. Everything else here only moves, compares or
// picks values.
#include "conformance/oracle/machine.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ts::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double maximum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a; // +0 is the larger zero
  return a > b ? a : b;
}

double minimum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double sign(double a) {
  if (a != a) return a;
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

double round_to_dtype(int32_t dtype, double value) {
  if (dtype == TS_DTYPE_F64) return value;
  if (dtype == TS_DTYPE_F32) return static_cast<float>(value);
  return decode(dtype, encode(dtype, value));
}

bool rounds(std::string_view primitive) {
  return primitive == "add" || primitive == "sub" || primitive == "mul" || primitive == "div" || primitive == "sqrt" ||
         primitive == "fma";
}

bool keeps_order(std::string_view primitive) {
  return primitive == "neg" || primitive == "abs" || primitive == "min" || primitive == "max";
}

/// Primitives that are exact in double when their operands are.
bool is_plain(std::string_view primitive) {
  static constexpr std::string_view kPlain[] = {
      "eq",     "ne",    "lt",        "le",        "gt",       "ge",          "and",      "or",    "not",
      "sign",   "floor", "ceil",      "trunc",     "round",    "fmod",        "copysign", "isnan", "isinf",
      "where",  "neg",   "isfinite",  "signbit",   "abs",      "logical_xor", "min",      "max",   "max_of",
      "min_of", "count", "first_max", "first_min", "last_max", "last_min"};
  for (std::string_view known : kPlain) {
    if (known == primitive) return true;
  }
  return false;
}

class Admission {
public:
  Admission(const Op& op, int32_t dtype, const std::vector<int32_t>& inputs)
      : op_(op), dtype_(dtype), inputs_(inputs) {}

  /// `outer` tells whether a rounding here would only be passed on, up to the result.
  bool admits(const Tree& tree, bool outer) {
    if (tree.kind == Tree::Kind::number) return is_value(tree.text);
    if (tree.kind == Tree::Kind::name) {
      const AttributeRow* attribute = op_.attribute(tree.text);
      if (attribute != nullptr)
        return attribute->kind.rfind("of ", 0) == 0; // a real one may not be a value of the dtype
      const int operand = op_.operand(tree.text);
      return operand >= 0 ? is_operand(inputs_[static_cast<size_t>(operand)])
                          : tree.text == "nan" || tree.text == "inf";
    }
    const std::string_view name = tree.text;
    bool pass = outer && (keeps_order(name) || name == "where");
    if (rounds(name)) {
      if (!outer || rounded_) return false;
      rounded_ = true;
      pass = false;
    } else if (!is_plain(name)) {
      return false;
    }
    for (size_t i = 0; i < tree.arguments.size(); ++i) {
      if (!admits(tree.arguments[i], pass && !(name == "where" && i == 0))) return false;
    }
    return true;
  }

private:
  /// A number that is written exactly and is a value of the dtype: a whole number or a short binary fraction.
  bool is_value(const std::string& text) const {
    if (text == "nan" || text == "inf") return true;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != 0 || value * 256 != std::floor(value * 256) || std::fabs(value) > 128) return false;
    const Number exact = [&] {
      Number n(512);
      mpfr_set_str(n.get(), text.c_str(), 10, MPFR_RNDN);
      return n;
    }();
    return mpfr_cmp_d(exact.get(), value) == 0 && (!is_floating(dtype_) || round_to_dtype(dtype_, value) == value);
  }

  /// A rounding operation reads values of the dtype it rounds to; wider integers than its proof knows stay out.
  bool is_operand(int32_t input) const {
    if (input == TS_DTYPE_I64 || input == TS_DTYPE_I32) return false;
    return !is_floating(input) || !is_floating(dtype_) || input == dtype_;
  }

  const Op& op_;
  int32_t dtype_;
  const std::vector<int32_t>& inputs_;
  bool rounded_ = false;
};

} // namespace

double fused_once(int32_t dtype, double a, double b, double c) {
  if (dtype == TS_DTYPE_F64) return std::fma(a, b, c);
  if (dtype == TS_DTYPE_F32) return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
  // The product of two 16-bit values is exact in double. Their sum with a third is rounded to odd, which a second
  // rounding cannot see through: an inexact sum gets an odd last bit on the side of the true value.
  const double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double other = sum - product;
  const double rest = (product - (sum - other)) + (c - other);
  uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  if (rest != 0 && (bits & 1) == 0) sum = std::nextafter(sum, rest > 0 ? kInfinity : -kInfinity);
  return round_to_dtype(dtype, sum);
}

void Doubles::apply(Primitive p, Value& r, const Value* pa, const Value* pb, const Value* pc) {
  const double a = *pa, b = pb != nullptr ? *pb : 0, c = pc != nullptr ? *pc : 0;
  switch (p) {
    case Primitive::add: r = round_to_dtype(dtype, a + b); break;
    case Primitive::sub: r = round_to_dtype(dtype, a - b); break;
    case Primitive::mul: r = round_to_dtype(dtype, a * b); break;
    case Primitive::div: r = round_to_dtype(dtype, a / b); break;
    case Primitive::sqrt: r = round_to_dtype(dtype, std::sqrt(a)); break;
    case Primitive::fma: r = fused_once(dtype, a, b, c); break;
    case Primitive::neg: r = -a; break;
    case Primitive::abs: r = std::fabs(a); break;
    case Primitive::sign: r = sign(a); break;
    case Primitive::floor: r = std::floor(a); break;
    case Primitive::ceil: r = std::ceil(a); break;
    case Primitive::trunc: r = std::trunc(a); break;
    case Primitive::round: r = std::nearbyint(a); break; // the default mode is half to even
    case Primitive::min: r = minimum(a, b); break;
    case Primitive::max: r = maximum(a, b); break;
    case Primitive::fmod: r = std::fmod(a, b); break;
    case Primitive::copysign: r = std::copysign(a, b); break;
    case Primitive::eq: r = a == b; break;
    case Primitive::ne: r = a != b; break;
    case Primitive::lt: r = a < b; break;
    case Primitive::le: r = a <= b; break;
    case Primitive::gt: r = a > b; break;
    case Primitive::ge: r = a >= b; break;
    case Primitive::and_: r = is_true(a) && is_true(b); break;
    case Primitive::or_: r = is_true(a) || is_true(b); break;
    case Primitive::not_: r = is_true(a) ? 0 : 1; break;
    case Primitive::logical_xor: r = is_true(a) != is_true(b); break;
    case Primitive::isnan: r = std::isnan(a); break;
    case Primitive::isinf: r = std::isinf(a); break;
    case Primitive::isfinite: r = std::isfinite(a); break;
    case Primitive::signbit: r = std::signbit(a); break;
    case Primitive::where: r = is_true(a) ? b : c; break;
    default: throw InputError("a primitive of this expression is not exact in double");
  }
}

void Doubles::start(Value& total, Primitive fold) {
  total = fold == Primitive::max_of ? -kInfinity : fold == Primitive::min_of ? kInfinity : 0;
}

void Doubles::accumulate(Primitive fold, Value& total, const Value& term) {
  if (fold == Primitive::max_of) {
    total = maximum(total, term);
  } else if (fold == Primitive::min_of) {
    total = minimum(total, term);
  } else {
    throw InputError("a sum or product is not exact in double");
  }
}

bool is_exact_in_double(const Tree& tree, const Op& op, int32_t dtype, const std::vector<int32_t>& inputs) {
  return Admission(op, dtype, inputs).admits(tree, is_floating(dtype));
}

} // namespace ts::judge
