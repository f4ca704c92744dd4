// An oracle expression as steps over registers: the tree of a row, its names resolved, equal parts shared, groups
// first. The steps say nothing of arithmetic; machine.h runs them in integers, doubles or MPFR.
#pragma once

#include "conformance/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace ts::judge {

/// The closed set of spec/README.md. Folds stand last.
enum class Primitive {
  add,
  sub,
  mul,
  div,
  neg,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  and_,
  or_,
  not_,
  logical_xor,
  abs,
  sign,
  floor,
  ceil,
  trunc,
  round,
  sqrt,
  min,
  max,
  fma,
  exp,
  exp2,
  expm1,
  log,
  log1p,
  log2,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  atan2,
  hypot,
  pow,
  erf,
  erfc,
  logaddexp,
  floor_divide,
  remainder,
  fmod,
  copysign,
  nextafter,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,
  isnan,
  isinf,
  isfinite,
  signbit,
  where,
  sum,
  prod,
  max_of,
  min_of,
  count,
  first_max,
  first_min,
  last_max,
  last_min,
};

struct PrimitiveRow {
  Primitive primitive;
  const char* name;
  int arity;
};

/// The row of a primitive by its name in the spec; null where there is none.
const PrimitiveRow* find_primitive(std::string_view name);
inline bool is_fold(Primitive p) { return p >= Primitive::sum; }

struct Step {
  Primitive primitive;
  int result;
  int a, b, c; ///< registers; -1 where the primitive has fewer
};

/// Steps and the register that holds their value.
struct Code {
  std::vector<Step> steps;
  int result = -1;
};

/// A fold over a group: the body is run for each element, then its value joins the fold.
struct Group {
  Primitive fold;
  Code body;
  int result;
};

/// A value that is known before the first step.
struct Leaf {
  enum class Kind { operand, attribute, number, pi, size };
  Kind kind;
  std::string text; ///< the name or the number as written
  int operand;      ///< position in the row, for an operand
  int result;
};

struct Expression {
  std::vector<Leaf> leaves;
  std::vector<Group> groups; ///< inner before outer
  Code code;                 ///< run once, after the groups
  int registers = 0;

  /// Register of an operand's value, or -1 where the expression does not name it.
  int operand(int position) const;
  /// True where the expression is one fold of its body and nothing else, as a scan's is.
  bool is_one_fold() const { return groups.size() == 1 && code.steps.empty() && code.result == groups[0].result; }
};

/// Resolves a tree of this op; InputError names the op and what it does not know.
Expression compile(const Tree& tree, const Op& op);

} // namespace ts::judge
