// Tolerance classes (numerics.md, rules of derivation beside each): how far a result may lie from the exact value, per
// element, from the values and their absolute values. Every bound scales with the terms, so a large element cannot hide
// a wrong small one elsewhere.
#pragma once

#include "conformance/oracle/number.h"
#include "conformance/oracle/oracle.h"

#include <string>
#include <vector>

namespace ts::judge {

/// A row's tolerance as read.
struct Tolerance {
  enum class Kind {
    exact,
    ulp,
    sum,
    prod,
    mean,
    var,
    std,
    norm,
    logsumexp,
    dot,
    serial,
    softmax, // from here on of a row, see row_bounds.h
    log_softmax,
    layer_norm,
    rms_norm,
  };
  Kind kind = Kind::exact;
  double ulps = 0;      ///< of kind ulp
  double condition = 0; ///< of kind ulp: extra ulps per unit of the row's condition number; 0 for none
};
/// InputError names what it cannot read.
Tolerance parse_tolerance(const std::string& text);

/// What bounds are made of.
struct Roundoff {
  double u, uo;          ///< unit roundoff of accumulator and output
  double smallest;       ///< subnormal of the output
  double max, tiny;      ///< of the accumulator: largest finite, smallest normal
  double integers_below; ///< every integer up to it is a value of the accumulator
};
Roundoff roundoff_of(const Instance& instance, size_t output);

/// Bounds of an output, not yet filled, by the instance's tolerance and the output's dtype.
Bounds bounds_of(const Instance& instance, size_t output, int64_t count);

/// Notes what rounding element i took away.
void record(Bounds& bounds, int64_t i, int64_t count, const Rounded& rounded);

/// The terms of one result (the elements of a group, or the products of a dot product) and what they come to.
class Terms {
public:
  void add(double term);
  /// A product of finite factors; notes where it left the range of double.
  void add_product(double x, double y);

  std::vector<double> values; ///< exact, or rounded to double
  double correction = 0;      ///< of var and std

  double n() const { return static_cast<double>(values.size()); }
  /// min(n, 256) + ceil(log2 n)
  double depth() const;

  double absolute = 0; ///< sum of the finite |terms|
  double high = 1;     ///< product of max(|term|, 1) over finite terms
  double low = 1;      ///< product of min(|term|, 1) over finite terms that are not 0
  bool nan = false, infinite = false, zero = false, all_zero = true, integral = true, overflowed = false;
};

/// Writes bound, exclusion and sign-of-zero of element i, whose exact value is `value`, into bounds.
void judge_group(Bounds& bounds, int64_t i, const Instance& instance, size_t output, const Terms& terms, double value);

/// Sets the flag of an element, of flags that are empty where none is set.
void mark(std::vector<uint8_t>& flags, const Bounds& bounds, size_t at);

/// Element i keeps the value it had, its sign of zero included.
void judge_unchanged(Bounds& bounds, int64_t i);

} // namespace ts::judge
