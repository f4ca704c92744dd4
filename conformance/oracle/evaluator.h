// One expression of one call, evaluated at elements: picks the arithmetic, sets the leaves, and repeats with more bits
// where a result could round either way.
#pragma once

#include "conformance/oracle/machine.h"
#include "conformance/oracle/oracle.h"

#include <functional>
#include <memory>

namespace ts::judge {

/// Which element of operand `operand` takes part as element j of the group; j is -1 outside groups, and the answer -1
/// where the operand has no such element.
using Position = std::function<int64_t(int64_t j, int operand)>;

class Evaluator {
public:
  /// `tree` over the operands and attributes of the call, giving `out_dtype`.
  Evaluator(const Call& call, const Tree& tree, int32_t out_dtype);

  /// Sums start from -0, so that the sum of nothing leaves what it is added to.
  void start_sums_at_negative_zero() { negative_zero_sum_ = true; }

  /// Writes the value over a group of `size` elements (0 for an expression without groups) to element `at` of `out`.
  Rounded evaluate(int64_t size, const Position& position, Array& out, int64_t at);
  /// An expression that is one fold: writes its value over every prefix of the `size` elements to out[at(j)].
  void prefixes(int64_t size, const Position& position, const std::function<int64_t(int64_t)>& at, Array& out,
                std::vector<Rounded>& rounded);

  /// An expression in which every element of a group has a value: folds are taken once, the rest at element j goes to
  /// out[at(j)].
  void members(int64_t size, const Position& position, const std::function<int64_t(int64_t)>& at, Array& out,
               std::vector<Rounded>& rounded);

  /// Whether the expression at this element is true; for exclusions.
  bool is_true(const Position& position);

  /// Whether elements are computed in MPFR, and so are worth remembering.
  bool is_slow() const { return arithmetic_ == Arithmetic::reals; }

private:
  enum class Arithmetic { integers, doubles, reals };

  void load_constants(Machine<Integers>& machine, int64_t size) const;
  void load_constants(Machine<Doubles>& machine, int64_t size) const;
  void load_constants(Machine<Reals>& machine, int64_t size) const;
  template <class M> void prepare(M& machine, int64_t size) const;
  template <class M> void load(M& machine, const Position& position, int64_t j) const;
  template <class M> void run(M& machine, int64_t size, const Position& position) const;
  Machine<Reals>& reals(size_t level);

  const Call& call_;
  Expression expression_;
  Arithmetic arithmetic_ = Arithmetic::reals;
  int32_t working_dtype_ = 0;
  bool negative_zero_sum_ = false;
  std::unique_ptr<Machine<Integers>> integers_;
  std::unique_ptr<Machine<Doubles>> doubles_;
  std::vector<std::unique_ptr<Machine<Reals>>> reals_;
};

} // namespace ts::judge
