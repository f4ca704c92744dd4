// Runs an expression in one of three arithmetics: wrapping integers, doubles where those are proven exact, MPFR. The
// primitives of each stand in a file of their own and are written independently of each other.
#pragma once

#include "conformance/oracle/expression.h"
#include "conformance/oracle/number.h"

#include <cstdint>
#include <vector>

namespace ts::judge {

/// Whole numbers modulo 2^64; the caller wraps to the dtype at the end.
struct Integers {
  using Value = int64_t;
  int32_t dtype; ///< of the first operand: the width of shifts, what `not` means for bits

  Value make() const { return 0; }
  void apply(Primitive p, Value& r, const Value* a, const Value* b, const Value* c);
  void start(Value& total, Primitive fold);
  void accumulate(Primitive fold, Value& total, const Value& term);
  void finish(Primitive, Value& r, const Value& total) { r = total; }
  void set(Value& r, int64_t value) { r = value; }
  bool less(const Value& a, const Value& b) const { return a < b; }
  bool is_nan(const Value&) const { return false; }
  bool is_true(const Value& a) const { return a != 0; }
};

/// Doubles. Only for expressions that is_exact_in_double() admits: at most one operation rounds, and it rounds once.
struct Doubles {
  using Value = double;
  int32_t dtype; ///< that the one rounding operation rounds to

  Value make() const { return 0; }
  void apply(Primitive p, Value& r, const Value* a, const Value* b, const Value* c);
  void start(Value& total, Primitive fold);
  void accumulate(Primitive fold, Value& total, const Value& term);
  void finish(Primitive, Value& r, const Value& total) { r = total; }
  void set(Value& r, int64_t value) { r = static_cast<double>(value); }
  bool less(const Value& a, const Value& b) const { return a < b; }
  bool is_nan(const Value& a) const { return a != a; }
  bool is_true(const Value& a) const { return a != 0; } // NaN is true
};

/// MPFR at a working precision, with what it noticed on the way.
struct Reals {
  using Value = Number;
  Reals(int32_t dtype_, long precision_) : dtype(dtype_), precision(precision_) {}

  int32_t dtype; ///< that nextafter walks in
  long precision;
  bool negative_zero_sum = false; ///< sums start from -0: the group of a scatter begins with the old element
  bool cancelled = false;         ///< a difference of rounded values kept too few bits to trust

  Value make() const { return Number(precision); }
  void apply(Primitive p, Value& r, const Value* a, const Value* b, const Value* c);
  /// A total has more bits than a term, and remembers how large it once was.
  void start(Value& total, Primitive fold);
  void accumulate(Primitive fold, Value& total, const Value& term);
  void finish(Primitive fold, Value& r, const Value& total);
  void set(Value& r, int64_t value) { mpfr_set_si(r.get(), value, MPFR_RNDN); }
  bool less(const Value& a, const Value& b) const { return mpfr_less_p(a.get(), b.get()) != 0; }
  bool is_nan(const Value& a) const { return mpfr_nan_p(a.get()) != 0; }
  bool is_true(const Value& a) const { return mpfr_zero_p(a.get()) == 0; }

private:
  void note(int ternary) { rounded_ = rounded_ || ternary != 0; }
  void note_difference(mpfr_srcptr r, mpfr_srcptr a, mpfr_srcptr b);
  void note_logarithm(mpfr_srcptr a);
  void add_logarithms(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b);
  bool apply_arithmetic(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c);
  bool apply_function(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b);
  bool apply_division(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b);
  bool rounded_ = false; // the running operation rounded
  bool suspect_ = false; // an operand of it is inexact
  long largest_ = 0;     // exponent of the largest partial sum of the running fold
};

/// True where running the expression in doubles and rounding once to `dtype` gives the correctly rounded exact value.
/// `inputs` are the dtypes of the row's operands.
bool is_exact_in_double(const Tree& tree, const Op& op, int32_t dtype, const std::vector<int32_t>& inputs);

/// The fused multiply-add of 16-bit formats and f32, rounded once; exposed for its test.
double fused_once(int32_t dtype, double a, double b, double c);

template <class A> class Machine {
public:
  using Value = typename A::Value;

  Machine(const Expression& expression, A arithmetic_)
      : arithmetic(std::move(arithmetic_)), expression_(&expression),
        registers_(static_cast<size_t>(expression.registers), arithmetic.make()), total_(arithmetic.make()),
        best_(arithmetic.make()) {}

  A arithmetic;
  int64_t constants_for = -1; ///< the group size for which numbers, attributes and n are in their registers

  Value& at(int index) { return registers_[static_cast<size_t>(index)]; }
  Value& result() { return at(expression_->code.result); }

  void run(const Code& code) {
    for (const Step& s : code.steps) {
      arithmetic.apply(s.primitive, at(s.result), s.a < 0 ? nullptr : &at(s.a), s.b < 0 ? nullptr : &at(s.b),
                       s.c < 0 ? nullptr : &at(s.c));
    }
  }

  /// The value of an expression without groups: leaves are set, result() holds it.
  void run() { run(expression_->code); }

  /// Begins a fold; step() joins the body's value to it; settle() writes its result register.
  void start(const Group& group) {
    position_ = counted_ = 0;
    index_ = -1;
    arithmetic.start(total_, group.fold);
  }
  void step(const Group& group) {
    run(group.body);
    const Value& term = at(group.body.result);
    switch (group.fold) {
      case Primitive::first_max:
      case Primitive::first_min:
      case Primitive::last_max:
      case Primitive::last_min:
        if (wins(group.fold, term)) {
          best_ = term;
          index_ = position_;
        }
        break;
      case Primitive::count: counted_ += arithmetic.is_true(term) ? 1 : 0; break;
      default: arithmetic.accumulate(group.fold, total_, term);
    }
    ++position_;
  }
  void settle(const Group& group) {
    switch (group.fold) {
      case Primitive::first_max:
      case Primitive::first_min:
      case Primitive::last_max:
      case Primitive::last_min: arithmetic.set(at(group.result), index_); break;
      case Primitive::count: arithmetic.set(at(group.result), counted_); break;
      default: arithmetic.finish(group.fold, at(group.result), total_);
    }
  }

  /// Groups and code over `size` elements; load(i) sets the operands' registers to those of element i, after() sets
  /// what the code outside the groups names.
  template <class Load, class After> void run_groups(int64_t size, Load load, After after) {
    run_folds(size, load);
    after();
    run(expression_->code);
  }

  /// The groups alone.
  template <class Load> void run_folds(int64_t size, Load load) {
    for (const Group& group : expression_->groups) {
      start(group);
      for (int64_t i = 0; i < size; ++i) {
        load(i);
        step(group);
      }
      settle(group);
    }
  }

private:
  /// NaN beats every number; ties and NaNs go to the first or the last as the fold says; both zeros are equal.
  bool wins(Primitive fold, const Value& term) const {
    const bool last = fold == Primitive::last_max || fold == Primitive::last_min;
    if (index_ < 0) return true;
    if (arithmetic.is_nan(best_)) return last && arithmetic.is_nan(term);
    if (arithmetic.is_nan(term)) return true;
    const bool largest = fold == Primitive::first_max || fold == Primitive::last_max;
    const bool better = largest ? arithmetic.less(best_, term) : arithmetic.less(term, best_);
    const bool worse = largest ? arithmetic.less(term, best_) : arithmetic.less(best_, term);
    return better || (last && !worse);
  }

  const Expression* expression_;
  std::vector<Value> registers_;
  Value total_, best_;
  int64_t index_ = -1, position_ = 0, counted_ = 0;
};

} // namespace ts::judge
