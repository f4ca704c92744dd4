// An MPFR number that owns its digits, and its rounding to a dtype. Everything here rounds to nearest, ties to even.
#pragma once

#include "conformance/array.h"

#include <mpfr.h>

#include <string>

namespace ts::judge {

/// A binary floating number of chosen precision.
class Number {
public:
  explicit Number(long precision = 128) { mpfr_init2(value_, precision); }
  Number(const Number& other) : Number(other.precision()) { *this = other; }
  Number& operator=(const Number& other) {
    if (this != &other) {
      if (precision() != other.precision()) mpfr_set_prec(value_, other.precision());
      mpfr_set(value_, other.value_, MPFR_RNDN);
      inexact = other.inexact;
    }
    return *this;
  }
  ~Number() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  long precision() const { return mpfr_get_prec(value_); }

  bool inexact = false; ///< an operation on the way to this value rounded

private:
  mpfr_t value_;
};

/// Sets to an element's exact value; the precision of `to` is at least 64 bits. NaN keeps its sign.
void set_element(Number& to, const Array& from, int64_t i);
/// Sets to a double's exact value. NaN keeps its sign.
void set_double(Number& to, double value);

/// A number in a floating dtype, with what rounding took away.
struct Rounded {
  uint64_t bits = 0;
  double residual = 0; ///< as Bounds::residual
  bool overflowed = false;
};

/// Rounds once to a floating dtype, subnormals and overflow included.
Rounded round_to(int32_t dtype, const Number& value);
/// Whether every number within 2^-error_bits of value, relatively, rounds to the same element.
bool rounds_safely(int32_t dtype, const Number& value, long error_bits);

/// Writes a number to an element of any dtype: floating ones round once, integers truncate and saturate, bool is "not
/// zero".
Rounded store(Array& to, int64_t i, const Number& value);

} // namespace ts::judge
