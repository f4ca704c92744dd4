// u is the accumulator's unit roundoff, uo the output's, k = min(n, 256) + ceil(log2 n): a tree of partial sums is that
// deep, a dropped element or a serial sum of many is not within it. To each class uo |y| and the smallest subnormal are
// added.
#include "conformance/oracle/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace ts::judge {
namespace {

constexpr double kFunctionError = 4; // ulps of exp and log

/// Whether partial products in some order may overflow or vanish although the result does not.
bool product_depends_on_order(const Terms& t, const Roundoff& r) {
  if (t.nan || (t.infinite && t.zero)) return false; // NaN in every order
  const bool may_overflow = t.high > r.max, may_vanish = t.low < r.tiny;
  if (t.infinite) return may_vanish;
  if (t.zero) return may_overflow;
  return may_overflow || may_vanish;
}

/// u (sum_j y_j |x_j - m| + E + k + E log S + |y|), y_j = exp(x_j - m) / S
double logsumexp_bound(const Terms& terms, const Roundoff& r, double value) {
  const double largest = terms.values.empty() ? 0 : *std::max_element(terms.values.begin(), terms.values.end());
  double total = 0, weighted = 0;
  for (double term : terms.values) {
    if (!std::isfinite(term)) continue;
    const double weight = std::exp(term - largest);
    total += weight;
    weighted += weight * std::fabs(term - largest);
  }
  if (total == 0) return 0;
  const double logarithm = kFunctionError * std::log(total);
  return r.u * (weighted / total + kFunctionError + terms.depth() + logarithm + std::fabs(value));
}

/// (k + 4) u V + ((k u mean|x|)^2 + s) n / (n - c), s the accumulator's smallest subnormal: a square may vanish in it
double variance_bound(const Terms& t, const Roundoff& r, double variance) {
  const double mean_error = t.depth() * r.u * t.absolute / t.n();
  const double smallest = 2 * r.u * r.tiny;
  return (t.depth() + 4) * r.u * variance + (mean_error * mean_error + smallest) * t.n() / (t.n() - t.correction);
}

double class_bound(Tolerance::Kind kind, const Terms& t, const Roundoff& r, double value) {
  const double size = std::fabs(value);
  switch (kind) {
    case Tolerance::Kind::dot:
    case Tolerance::Kind::serial: return t.n() * r.u * t.absolute;
    case Tolerance::Kind::sum: return t.depth() * r.u * t.absolute;
    case Tolerance::Kind::mean: return t.values.empty() ? 0 : (t.depth() + 1) * r.u * t.absolute / t.n();
    case Tolerance::Kind::prod: return t.n() * r.u * size;
    case Tolerance::Kind::norm: return (t.depth() / 2 + 2) * r.u * size;
    case Tolerance::Kind::logsumexp: return logsumexp_bound(t, r, value);
    case Tolerance::Kind::var: return variance_bound(t, r, size);
    case Tolerance::Kind::std: {
      const double bound = variance_bound(t, r, size * size);
      return size == 0 ? std::sqrt(bound) : std::min(std::sqrt(bound), bound / size);
    }
    default: break;
  }
  throw InputError("a tolerance in ulps, or of a row, is not one of a group");
}

bool is_sum(Tolerance::Kind kind) {
  return kind == Tolerance::Kind::sum || kind == Tolerance::Kind::mean || kind == Tolerance::Kind::dot ||
         kind == Tolerance::Kind::serial;
}

} // namespace

Roundoff roundoff_of(const Instance& instance, size_t output) {
  const Encoding& acc = encoding(instance.acc);
  const Encoding& out = encoding(instance.out[output]);
  Roundoff r{};
  r.u = std::ldexp(1.0, -acc.precision);
  r.uo = std::ldexp(1.0, -out.precision);
  r.smallest = std::ldexp(1.0, out.exponent_min - out.precision + 1);
  r.max = std::ldexp(2.0 - std::ldexp(1.0, 1 - acc.precision), acc.exponent_max);
  r.tiny = std::ldexp(1.0, acc.exponent_min);
  r.integers_below = std::ldexp(1.0, acc.precision);
  return r;
}

void mark(std::vector<uint8_t>& flags, const Bounds& bounds, size_t at) {
  if (flags.empty()) flags.assign(bounds.absolute.size(), 0);
  flags[at] = 1;
}

void Terms::add(double term) {
  values.push_back(term);
  nan = nan || std::isnan(term);
  infinite = infinite || std::isinf(term);
  zero = zero || term == 0;
  all_zero = all_zero && term == 0;
  integral = integral && term == std::floor(term) && std::isfinite(term);
  if (!std::isfinite(term)) return;
  const double size = std::fabs(term);
  absolute += size;
  high *= std::max(size, 1.0);
  if (size != 0) low *= std::min(size, 1.0);
}

void Terms::add_product(double x, double y) {
  const double product = x * y;
  overflowed = overflowed || (std::isinf(product) && std::isfinite(x) && std::isfinite(y));
  const bool vanished = product == 0 && x != 0 && y != 0;
  add(product);
  if (vanished) all_zero = integral = false;
}

double Terms::depth() const { return std::min(n(), 256.0) + (values.empty() ? 0 : std::ceil(std::log2(n()))); }

Tolerance parse_tolerance(const std::string& text) {
  using Kind = Tolerance::Kind;
  static constexpr std::pair<std::string_view, Kind> kClasses[] = {{"exact", Kind::exact},
                                                                   {"sum", Kind::sum},
                                                                   {"prod", Kind::prod},
                                                                   {"mean", Kind::mean},
                                                                   {"var", Kind::var},
                                                                   {"std", Kind::std},
                                                                   {"norm", Kind::norm},
                                                                   {"logsumexp", Kind::logsumexp},
                                                                   {"dot", Kind::dot},
                                                                   {"serial", Kind::serial},
                                                                   {"softmax", Kind::softmax},
                                                                   {"log_softmax", Kind::log_softmax},
                                                                   {"layer_norm", Kind::layer_norm},
                                                                   {"rms_norm", Kind::rms_norm}};
  for (const auto& [name, kind] : kClasses) {
    if (text == name) return {kind, 0, 0};
  }
  if (text.rfind("ulp(", 0) == 0 && text.back() == ')') {
    char* end = nullptr;
    const double ulps = std::strtod(text.c_str() + 4, &end);
    if (end != text.c_str() + 4 && *end == ')' && end[1] == 0 && ulps >= 0) return {Kind::ulp, ulps, 0};
  }
  throw InputError(fmt::format("\"{}\" is not a tolerance: exact, ulp(n) or a class of numerics.md", text));
}

Bounds bounds_of(const Instance& instance, size_t output, int64_t count) {
  Bounds bounds;
  if (!is_floating(instance.out[output])) return bounds;
  const Tolerance tolerance = parse_tolerance(instance.tolerance);
  if (tolerance.kind == Tolerance::Kind::exact) return bounds;
  if (tolerance.kind == Tolerance::Kind::ulp) {
    bounds.kind = Bounds::Kind::ulp;
    bounds.ulps = tolerance.ulps;
  } else {
    bounds.kind = Bounds::Kind::absolute;
    bounds.absolute.assign(static_cast<size_t>(count), 0);
  }
  return bounds;
}

void record(Bounds& bounds, int64_t i, int64_t count, const Rounded& rounded) {
  const auto at = static_cast<size_t>(i);
  if (rounded.residual != 0) {
    if (bounds.residual.empty()) bounds.residual.assign(static_cast<size_t>(count), 0);
    bounds.residual[at] = rounded.residual;
  }
  if (rounded.overflowed) {
    if (bounds.overflowed.empty()) bounds.overflowed.assign(static_cast<size_t>(count), 0);
    bounds.overflowed[at] = 1;
  }
}

void judge_group(Bounds& bounds, int64_t i, const Instance& instance, size_t output, const Terms& t, double value) {
  if (bounds.kind != Bounds::Kind::absolute) return;
  const auto at = static_cast<size_t>(i);
  const Tolerance::Kind kind = parse_tolerance(instance.tolerance).kind;
  const Roundoff r = roundoff_of(instance, output);
  const bool spread = kind == Tolerance::Kind::var || kind == Tolerance::Kind::std;

  bool excluded = kind == Tolerance::Kind::prod && product_depends_on_order(t, r);
  if ((is_sum(kind) || spread) && !t.nan) excluded = t.absolute > r.max || t.overflowed;
  if (spread && std::isfinite(value)) {
    const double variance = kind == Tolerance::Kind::var ? std::fabs(value) : value * value;
    excluded = excluded || variance * (t.n() - t.correction) > r.max;
  }
  if (spread && !t.nan && !t.infinite && std::isinf(value)) excluded = true;
  if (excluded) mark(bounds.excluded, bounds, at);
  if (t.all_zero) mark(bounds.signed_zero, bounds, at);
  // Integers whose every partial result is a value of the accumulator: any order gives the exact value, rounded once. Of a
  // mean the division is left, or a product with the rounded 1 / n. // numerics.30
  const bool sums_exactly = t.integral && is_sum(kind) && t.absolute <= r.integers_below;
  const bool is_mean = kind == Tolerance::Kind::mean;
  const bool exact =
      (sums_exactly && !is_mean) || (t.integral && kind == Tolerance::Kind::prod && t.high <= r.integers_below);
  if (exact || !std::isfinite(value)) return;
  const double of_class = sums_exactly && is_mean ? 2 * r.u * std::fabs(value) : class_bound(kind, t, r, value);
  const double bound = of_class + r.uo * std::fabs(value) + r.smallest;
  bounds.absolute[at] = std::min(bound, std::numeric_limits<double>::max());
}

void judge_unchanged(Bounds& bounds, int64_t i) {
  if (bounds.kind == Bounds::Kind::absolute) mark(bounds.signed_zero, bounds, static_cast<size_t>(i));
}

} // namespace ts::judge
