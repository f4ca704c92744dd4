// Tolerance classes of results that depend on a whole row, element by element (numerics.md): softmax and the norms.
#pragma once

#include "conformance/oracle/bounds.h"

namespace ts::judge {

/// The operands at one element of a row.
struct RowElement {
  double x = 0, weight = 1, bias = 0;
};

/// What the elements of a row come to, computed once for all of them.
class RowBounds {
public:
  RowBounds(const Instance& instance, const Terms& row, double eps);

  /// Writes bound, exclusion and sign-of-zero of element i, whose exact value is `value`, into bounds.
  void judge(Bounds& bounds, int64_t i, const RowElement& element, double value) const;

private:
  double exponential(const RowElement& element, double value) const;
  double layer_norm(const RowElement& element) const;
  double rms_norm(const RowElement& element, double value) const;
  bool excluded() const;

  const Terms& row_;
  Tolerance::Kind kind_;
  Roundoff roundoff_;
  double eps_;
  double largest_ = 0, total_ = 0, weighted_ = 0; ///< maximum, sum of exponentials, mean distance from the maximum
  double mean_ = 0, spread_ = 0;                  ///< spread: the variance, or the mean of squares
  double spread_bound_ = 0;                       ///< how far that may be off
};

} // namespace ts::judge
