// One element at a time: class of value, then distance from the unrounded value in ulps of the expected one. Overflow
// counts as the value one ulp past the largest finite one, where an infinity comes from rounding and not from the
// mathematics.
#include "conformance/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-9; // of our own arithmetic in doubles

struct Verdict {
  bool pass = false;
  double ulps = 0;  ///< from the unrounded value; infinity where the class of value differs
  double ratio = 0; ///< of the error to its bound; 0 where there is none
  std::string note; ///< why a pair fails that no distance describes
};

template <class T> T value_or(const std::vector<T>& values, int64_t i, T otherwise) {
  return values.empty() ? otherwise : values[static_cast<size_t>(i)];
}

/// Distance of a got value from the unrounded expected one, in ulps of the rounded one.
struct Distance {
  double ulps;
  int last_place; ///< exponent of that ulp
};

Distance distance_of(const Encoding& e, double got, double want, double residual, bool overflowed) {
  const int fraction_bits = e.precision - 1;
  int last_place = e.exponent_min - fraction_bits;
  if (overflowed) {
    last_place = e.exponent_max - fraction_bits;
  } else if (want != 0) {
    last_place = std::max(std::ilogb(want), static_cast<int>(e.exponent_min)) - fraction_bits;
  }
  const auto scaled = [&](double value) {
    if (std::isinf(value)) return std::copysign(std::ldexp(1.0, e.exponent_max + 1 - last_place), value);
    return std::ldexp(value, -last_place);
  };
  double distance = std::fabs(scaled(got) - scaled(want) - residual);
  // Below a power of two an ulp is half as long, and that is where the unrounded value lies.
  const bool power = !overflowed && std::fabs(scaled(want)) == std::ldexp(1.0, fraction_bits) &&
                     last_place > e.exponent_min - fraction_bits;
  if (power && residual * want < 0) {
    distance *= 2;
    --last_place;
  }
  return {distance, last_place};
}

Verdict judge_exact(const Array& got, const Array& want, const Bounds& bounds, int64_t i) {
  if (got.bits(i) == want.bits(i)) return {true, 0, 0, ""};
  if (!is_floating(got.dtype)) return {false, kInfinity, 0, ""};
  const double g = got.real(i), w = want.real(i);
  if (std::isnan(g) && std::isnan(w))
    return {!bounds.payload, bounds.payload ? kInfinity : 0, 0, "NaN payload differs"};
  if (g == 0 && w == 0) return {false, kInfinity, 0, "sign of zero differs"};
  if (!std::isfinite(g) || !std::isfinite(w)) return {false, kInfinity, 0, ""};
  const double residual = value_or(bounds.residual, i, 0.0);
  return {false, distance_of(encoding(got.dtype), g, w, residual, false).ulps, 0, ""};
}

/// Finite or overflowed expected values, and got values that are not NaN.
Verdict judge_distance(const Array& got, const Array& want, const Bounds& bounds, int64_t i) {
  const double g = got.real(i), w = want.real(i);
  const bool overflowed = value_or<uint8_t>(bounds.overflowed, i, 0) != 0;
  const double residual = value_or(bounds.residual, i, 0.0);
  if (overflowed && g == w) return {true, 0, 0, ""};
  const bool true_zero = w == 0 && residual == 0;
  const bool sign_counts = bounds.kind == Bounds::Kind::ulp || value_or<uint8_t>(bounds.signed_zero, i, 0) != 0;
  if (true_zero && g == 0 && std::signbit(g) != std::signbit(w)) {
    return {!sign_counts, sign_counts ? kInfinity : 0, 0, "sign of zero differs"};
  }
  const Distance distance = distance_of(encoding(got.dtype), g, w, residual, overflowed);
  if (!std::isfinite(distance.ulps)) return {false, kInfinity, 0, ""};
  const double absolute = value_or(bounds.absolute, i, 0.0);
  if (bounds.kind == Bounds::Kind::ulp) {
    if (g == w) return {true, distance.ulps, 0, ""};
    // The absolute part is held against what the ulps leave over: near zero it would be more ulps than a double holds.
    const double beyond = std::ldexp(distance.ulps - bounds.ulps, distance.last_place);
    const bool pass = distance.ulps <= bounds.ulps + kSlack || (absolute > 0 && beyond <= absolute * (1 + kSlack));
    const double allowed = bounds.ulps + std::ldexp(absolute, -distance.last_place);
    return {pass && std::isfinite(absolute), distance.ulps, allowed > 0 ? distance.ulps / allowed : 0, ""};
  }
  if (!std::isfinite(absolute)) return {false, distance.ulps, 0, "the bound is not finite"};
  if (absolute == 0) return {g == w, distance.ulps, 0, g == w ? "" : "the value is exact in any order of summation"};
  const double error = std::ldexp(distance.ulps, distance.last_place);
  const double ratio = error / absolute;
  return {std::isfinite(ratio) && ratio <= 1 + kSlack, distance.ulps, ratio, ""};
}

Verdict judge(const Array& got, const Array& want, const Bounds& bounds, int64_t i) {
  if (bounds.kind == Bounds::Kind::exact || !is_floating(want.dtype)) return judge_exact(got, want, bounds, i);
  const double g = got.real(i), w = want.real(i);
  if (std::isnan(g) || std::isnan(w)) {
    const bool both = std::isnan(g) && std::isnan(w);
    return {both, both ? 0 : kInfinity, 0, ""};
  }
  const bool overflowed = value_or<uint8_t>(bounds.overflowed, i, 0) != 0;
  if (std::isinf(w) && !overflowed) return {g == w, g == w ? 0 : kInfinity, 0, ""};
  return judge_distance(got, want, bounds, i);
}

std::string element_text(const Array& array, int64_t i) { return fmt::format("{} ({})", array.text(i), array.hex(i)); }

void describe(Comparison& c, const Array& got, const Array& want, const Bounds& bounds, int64_t i, const Verdict& v) {
  c.first = i;
  c.first_coordinates = coordinates(got.shape, i);
  c.got = element_text(got, i);
  c.want = element_text(want, i);
  c.ulp_distance = v.ulps;
  c.why = fmt::format("element {}: got {}, expected {}", text_of(c.first_coordinates), c.got, c.want);
  if (std::isfinite(v.ulps) && is_floating(got.dtype))
    c.why += fmt::format(", {:.4g} ulp from the exact value", v.ulps);
  if (bounds.kind == Bounds::Kind::ulp) c.why += fmt::format(", allowed {:g}", bounds.ulps);
  if (bounds.kind == Bounds::Kind::absolute && v.ratio > 0) {
    c.why += fmt::format(", {:.4g} times the bound {:.4g}", v.ratio, bounds.absolute[static_cast<size_t>(i)]);
  }
  if (!v.note.empty()) c.why += ": " + v.note;
}

/// Whether the expected values could tell a right backend from one that writes a constant.
void find_trivial(Comparison& c, const Array& want, const Bounds& bounds) {
  bool all_nan = is_floating(want.dtype), all_zero = true, constant = true;
  int64_t first = -1;
  for (int64_t i = 0; i < c.count; ++i) {
    if (value_or<uint8_t>(bounds.excluded, i, 0) != 0) continue;
    if (first < 0) first = i;
    constant = constant && want.bits(i) == want.bits(first);
    all_nan = all_nan && std::isnan(want.real(i));
    all_zero = all_zero && want.real(i) == 0;
  }
  const int64_t judged = c.count - c.excluded;
  c.trivial_why = c.count == 0             ? "empty"
                  : judged == 0            ? "all excluded"
                  : all_nan                ? "all NaN"
                  : all_zero               ? "all zero"
                  : constant && judged > 1 ? "constant"
                                           : "";
  c.trivial = !c.trivial_why.empty();
}

bool same_form(Comparison& c, const Array& got, const Array& want) {
  if (got.dtype != want.dtype) {
    c.why = fmt::format("dtype {}, expected {}", name_of(got.dtype), name_of(want.dtype));
  } else if (got.shape != want.shape) {
    c.why = fmt::format("shape {}, expected {}", text_of(got.shape), text_of(want.shape));
  } else if (got.bytes.size() != want.bytes.size()) {
    c.why = fmt::format("{} bytes, expected {}", got.bytes.size(), want.bytes.size());
  }
  return c.why.empty();
}

} // namespace

Comparison compare(const Array& got, const Array& want, const Bounds& bounds) {
  Comparison c;
  if (!same_form(c, got, want)) return c;
  c.count = want.count();
  const bool same = bounds.kind == Bounds::Kind::exact && bounds.excluded.empty() && got.bytes == want.bytes;
  for (int64_t i = 0; i < c.count && !same; ++i) {
    if (value_or<uint8_t>(bounds.excluded, i, 0) != 0) {
      ++c.excluded;
      continue;
    }
    const Verdict v = judge(got, want, bounds, i);
    if (!v.pass) {
      if (c.different == 0) describe(c, got, want, bounds, i, v);
      ++c.different;
    }
    if (std::isfinite(v.ulps) && v.ulps > c.worst_ulp) {
      c.worst_ulp = v.ulps;
      c.worst_ulp_at = i;
    }
    if (std::isfinite(v.ratio) && v.ratio > c.worst_ratio) {
      c.worst_ratio = v.ratio;
      c.worst_ratio_at = i;
    }
  }
  find_trivial(c, want, bounds);
  c.pass = c.different == 0;
  if (c.different > 1) c.why += fmt::format(" ({} of {} elements differ)", c.different, c.count - c.excluded);
  return c;
}

Comparison compare(const Array& got, const Expected& expected, size_t output) {
  if (output >= expected.outputs.size()) {
    Comparison c;
    c.why = expected.error.empty() ? fmt::format("there is no output {}", output)
                                   : fmt::format("a result where {} is due: {}", expected.error, expected.reason);
    return c;
  }
  return compare(got, expected.outputs[output], expected.bounds[output]);
}

Comparison compare_bits(const Array& got, const Array& want, const std::string& want_name, bool payload) {
  Bounds bounds;
  bounds.payload = payload;
  Comparison c = compare(got, want, bounds);
  if (!c.pass) c.why = fmt::format("differs from {}: {}", want_name, c.why);
  return c;
}

} // namespace ts::judge
