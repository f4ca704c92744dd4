// The oracle: what an operation must give, from its row in the spec alone. It knows nothing of kernels, layouts or
// devices, and computes in integers, in MPFR, or in double where that is proven to be exact.
#pragma once

#include "conformance/array.h"
#include "conformance/spec.h"

#include <map>
#include <string>
#include <vector>

namespace ts::judge {

using Attributes = std::map<std::string, ts_attribute>;

inline ts_attribute integer_attribute(int64_t value) { return {TS_ATTRIBUTE_INTEGER, 0, value, 0}; }
inline ts_attribute real_attribute(double value) { return {TS_ATTRIBUTE_REAL, 0, 0, value}; }

/// One operation on logical values.
struct Call {
  const Op* op = nullptr;
  const Instance* instance = nullptr;
  std::vector<Array>
      inputs;            ///< every operand in the row's order, inout ones included; broadcast operands may be smaller
  Attributes attributes; ///< by name; what is missing takes the row's default
  Shape shape;           ///< of the result, for an op without operands only
};

/// How far a result may lie from the expected value.
struct Bounds {
  enum class Kind {
    exact,    ///< equal values; the sign of zero counts
    ulp,      ///< `ulps` units in the last place of the unrounded value, plus absolute[i] where that is not empty
    absolute, ///< absolute[i]; 0 asks for the correctly rounded value, whose sign of zero does not count
  };
  Kind kind = Kind::exact;
  double ulps = 0;
  std::vector<double> absolute;
  /// Unrounded minus rounded value, in ulps of the rounded one; empty where all are 0. Where the rounded value is an
  /// overflowed infinity, in ulps of the largest finite value from 2^(exponent_max + 1).
  std::vector<double> residual;
  /// 1 where the unrounded value is finite but rounds to infinity; empty where none does.
  std::vector<uint8_t> overflowed;
  /// 1 where no value is judged (the row excludes it, or every order of summation may overflow); empty for none.
  std::vector<uint8_t> excluded;
  /// 1 where an absolute bound is held and a zero must still have the expected sign; empty for none.
  std::vector<uint8_t> signed_zero;
  /// Same-dtype movement: NaN payload and sign count.
  bool payload = false;
};

/// The judgement to hold a result against.
struct Expected {
  std::string error;          ///< empty, or "IndexError", "ValueError", "TypeError": then there are no outputs
  std::string reason;         ///< of the error: operand and values
  std::vector<Array> outputs; ///< correctly rounded
  std::vector<Bounds> bounds; ///< one per output
};

/// What the call must give. InputError where the row itself cannot be evaluated (an unknown primitive, a missing
/// attribute): a fault of the spec, never of a backend.
Expected expect(const Call& call);

/// The value of an attribute: given, or the row's default. InputError where it has neither.
ts_attribute attribute_of(const Call& call, const std::string& name);

} // namespace ts::judge
