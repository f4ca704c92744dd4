// Do two strided views share a byte, and does one view visit a byte twice? Both are one question: has a bounded linear
// equation in integers a solution. Exact, by depth-first search with bounds and common divisors.
#pragma once

#include "backends/kernels/plan.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace ts::kernels {

/// coefficient * x with x in [low, high].
struct LinearTerm {
  int64_t coefficient; ///< positive
  int64_t low;
  int64_t high;
};

/// True where sum(coefficient * x) = target has a solution within the bounds. Gives up, and says true, after a number of
/// steps that only contrived views reach.
class LinearEquation {
public:
  void add(int64_t coefficient, int64_t low, int64_t high) {
    if (coefficient == 0 || (low == 0 && high == 0)) return;
    if (coefficient < 0) {
      coefficient = -coefficient;
      std::swap(low, high);
      low = -low;
      high = -high;
    }
    for (LinearTerm& term : terms_) { // equal coefficients are one variable
      if (term.coefficient != coefficient) continue;
      term.low += low;
      term.high += high;
      return;
    }
    terms_.push_back({coefficient, low, high});
  }

  bool has_solution(int64_t target) {
    std::sort(terms_.begin(), terms_.end(), [](const auto& a, const auto& b) { return a.coefficient > b.coefficient; });
    const size_t n = terms_.size();
    low_.assign(n + 1, 0);
    high_.assign(n + 1, 0);
    divisor_.assign(n + 1, 0);
    for (size_t k = n; k-- > 0;) {
      low_[k] = low_[k + 1] + terms_[k].coefficient * terms_[k].low;
      high_[k] = high_[k + 1] + terms_[k].coefficient * terms_[k].high;
      divisor_[k] = std::gcd(divisor_[k + 1], terms_[k].coefficient);
    }
    steps_ = 0;
    return search(0, target);
  }

private:
  static constexpr int64_t kStepsMax = 1'000'000;

  static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

  bool search(size_t k, int64_t target) {
    if (target < low_[k] || target > high_[k]) return false;
    if (k == terms_.size()) return target == 0;
    if (target % divisor_[k] != 0) return false;
    const LinearTerm& term = terms_[k];
    // The rest of the terms must make up target - coefficient * x.
    const int64_t first = std::max(term.low, -floor_div(-(target - high_[k + 1]), term.coefficient));
    const int64_t last = std::min(term.high, floor_div(target - low_[k + 1], term.coefficient));
    for (int64_t x = first; x <= last; ++x) {
      if (++steps_ > kStepsMax) return true;
      if (search(k + 1, target - term.coefficient * x)) return true;
    }
    return false;
  }

  std::vector<LinearTerm> terms_;
  std::vector<int64_t> low_, high_, divisor_;
  int64_t steps_ = 0;
};

/// A view in bytes of one buffer: element zero at `start`.
struct ByteView {
  int64_t start;
  int itemsize;
  Plan plan; ///< one operand

  static ByteView of(int64_t offset, int rank, const int64_t* shape, const int64_t* stride, int itemsize) {
    ByteView view{offset * itemsize, itemsize, begin_plan(rank, shape)};
    add_operand(view.plan, stride, itemsize);
    merge_axes(view.plan);
    return view;
  }
};

/// True where two different elements of the view share memory.
inline bool overlaps_itself(const ByteView& view) {
  const Plan& plan = view.plan;
  if (plan.count == 0) return false;
  const auto unit = static_cast<int64_t>(view.itemsize);
  for (int first = 0; first < plan.rank; ++first) {
    // Two elements whose indices agree before `first` and differ there, seen as one difference of indices.
    LinearEquation equation;
    const int64_t stride = plan.stride[0][first] / unit;
    if (stride == 0) return true;
    for (int axis = first + 1; axis < plan.rank; ++axis)
      equation.add(plan.stride[0][axis] / unit, -(plan.shape[axis] - 1), plan.shape[axis] - 1);
    equation.add(stride, 0, plan.shape[first] - 2);
    if (equation.has_solution(-stride)) return true;
  }
  return false;
}

/// True where an element of one view shares memory with an element of the other, both of one buffer.
inline bool overlap(const ByteView& a, const ByteView& b) {
  if (a.plan.count == 0 || b.plan.count == 0) return false;
  const Reach reach_a = reach(a.plan, 0), reach_b = reach(b.plan, 0);
  if (a.start + reach_a.high + a.itemsize <= b.start + reach_b.low) return false;
  if (b.start + reach_b.high + b.itemsize <= a.start + reach_a.low) return false;
  // Views are aligned to their itemsize, so equal sizes are compared element by element, others byte by byte.
  const int64_t unit = a.itemsize == b.itemsize ? a.itemsize : 1;
  LinearEquation equation;
  for (int axis = 0; axis < a.plan.rank; ++axis) equation.add(a.plan.stride[0][axis] / unit, 0, a.plan.shape[axis] - 1);
  for (int axis = 0; axis < b.plan.rank; ++axis)
    equation.add(-b.plan.stride[0][axis] / unit, 0, b.plan.shape[axis] - 1);
  if (unit == 1) equation.add(1, -(b.itemsize - 1), a.itemsize - 1);
  return equation.has_solution((b.start - a.start) / unit);
}

} // namespace ts::kernels
