// The formulas stand in numerics.md; u is the accumulator's unit roundoff, k the depth of its tree, s its smallest subnormal.
#include "conformance/oracle/row_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr double kFunctionError = 4; // ulps of exp, of log, and of a reciprocal root

bool is_exponential(Tolerance::Kind kind) {
  return kind == Tolerance::Kind::softmax || kind == Tolerance::Kind::log_softmax;
}

double smallest_of(const Roundoff& r) { return 2 * r.u * r.tiny; }

} // namespace

RowBounds::RowBounds(const Instance& instance, const Terms& row, double eps)
    : row_(row), kind_(parse_tolerance(instance.tolerance).kind), roundoff_(roundoff_of(instance, 0)), eps_(eps) {
  if (row.values.empty() || row.nan) return;
  if (is_exponential(kind_)) {
    largest_ = *std::max_element(row.values.begin(), row.values.end());
    for (const double x : row.values) {
      if (!std::isfinite(x)) continue;
      const double weight = std::exp(x - largest_);
      total_ += weight;
      if (weight > 0) weighted_ += weight * (largest_ - x);
    }
    weighted_ /= std::max(total_, 1.0);
    return;
  }
  const bool centred = kind_ == Tolerance::Kind::layer_norm;
  if (centred) {
    for (const double x : row.values) mean_ += x / row.n();
    double rest = 0;
    for (const double x : row.values) rest += x - mean_;
    mean_ += rest / row.n();
  }
  double squares = 0;
  for (const double x : row.values) squares += (x - mean_) * (x - mean_);
  spread_ = squares / row.n();
  const double mean_error = centred ? row.depth() * roundoff_.u * row.absolute / row.n() : 0;
  spread_bound_ = (row.depth() + 4) * roundoff_.u * spread_ + mean_error * mean_error + smallest_of(roundoff_);
}

/// u y (|x - m| + W + 2 E + k + 2) + E s, or u (|x - m| + W + E + k + E log S + |y|), W the mean distance from m
double RowBounds::exponential(const RowElement& element, double value) const {
  if (std::isinf(element.x)) return 0;
  const double distances = (largest_ - element.x) + weighted_, size = std::fabs(value);
  if (kind_ == Tolerance::Kind::softmax)
    return roundoff_.u * size * (distances + 2 * kFunctionError + row_.depth() + 2) +
           kFunctionError * smallest_of(roundoff_);
  return roundoff_.u * (distances + kFunctionError + row_.depth() + kFunctionError * std::log(total_) + size);
}

/// |w| (r (k u mean|x| + 3 u d + d (B / (V + eps) + E u) / 2) + s) + u (|w d r| + |b|), d = |x - mean|, r = 1 / sqrt(V + eps)
double RowBounds::layer_norm(const RowElement& element) const {
  const double u = roundoff_.u, distance = std::fabs(element.x - mean_), weight = std::fabs(element.weight);
  const double root = 1 / std::sqrt(spread_ + eps_);
  const double of_mean = row_.depth() * u * row_.absolute / row_.n();
  const double of_spread = distance / 2 * (spread_bound_ / (spread_ + eps_) + kFunctionError * u);
  return weight * (root * (of_mean + 3 * u * distance + of_spread) + smallest_of(roundoff_)) +
         u * (weight * distance * root + std::fabs(element.bias));
}

/// |y| ((k / 2 + 6) u + s / (2 (Q + eps))) + |w| s, Q the mean of squares
double RowBounds::rms_norm(const RowElement& element, double value) const {
  const double vanished = smallest_of(roundoff_) / (spread_ + eps_) / 2;
  return std::fabs(value) * ((row_.depth() / 2 + 6) * roundoff_.u + vanished) +
         std::fabs(element.weight) * smallest_of(roundoff_);
}

// Where squares or sums may overflow, or the spread is lost in its own error, the order of operations decides.
bool RowBounds::excluded() const {
  if (is_exponential(kind_) || row_.nan || row_.infinite) return false;
  const double squares = spread_ * row_.n();
  const bool overflows = row_.absolute > roundoff_.max || !(squares <= roundoff_.max);
  const double lost = kind_ == Tolerance::Kind::layer_norm ? spread_bound_ : smallest_of(roundoff_);
  // Nothing is lost where every element is an integer: then a spread of 0 is 0.
  const bool exact = row_.integral && spread_ == 0 && row_.absolute <= roundoff_.integers_below;
  return overflows || (!exact && lost >= spread_ + eps_);
}

void RowBounds::judge(Bounds& bounds, int64_t i, const RowElement& element, double value) const {
  if (bounds.kind != Bounds::Kind::absolute) return;
  const auto at = static_cast<size_t>(i);
  if (excluded()) mark(bounds.excluded, bounds, at);
  if (row_.all_zero) mark(bounds.signed_zero, bounds, at);
  if (!std::isfinite(value)) return;
  const double of_class = is_exponential(kind_)                  ? exponential(element, value)
                          : kind_ == Tolerance::Kind::layer_norm ? layer_norm(element)
                                                                 : rms_norm(element, value);
  const double bound = of_class + roundoff_.uo * std::fabs(value) + roundoff_.smallest;
  bounds.absolute[at] = std::isfinite(bound) ? bound : std::numeric_limits<double>::max();
}

} // namespace ts::judge
