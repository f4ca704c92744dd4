// Rounding by scaling: the last place of the dtype becomes 1, and the number is rounded to an integer.
#include "conformance/oracle/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

/// Exponent of the last place that the dtype has at this number, which is not zero, infinite or NaN.
long last_place_of(const Encoding& e, mpfr_srcptr value) {
  const long exponent = std::max<long>(mpfr_get_exp(value) - 1, e.exponent_min);
  return exponent - (e.precision - 1);
}

double finite(double value) { return std::clamp(value, -1e300, 1e300); }

uint64_t special_bits(const Encoding& e, mpfr_srcptr value) {
  double special = 0;
  if (mpfr_nan_p(value)) return encode(e.dtype, std::numeric_limits<double>::quiet_NaN());
  if (mpfr_inf_p(value)) special = std::numeric_limits<double>::infinity();
  return encode(e.dtype, std::copysign(special, mpfr_signbit(value) ? -1.0 : 1.0));
}

} // namespace

void set_double(Number& to, double value) {
  mpfr_set_d(to.get(), value, MPFR_RNDN);
  if (std::isnan(value)) mpfr_setsign(to.get(), to.get(), std::signbit(value) ? 1 : 0, MPFR_RNDN);
}

void set_element(Number& to, const Array& from, int64_t i) {
  if (is_floating(from.dtype)) return set_double(to, from.real(i));
  mpfr_set_si(to.get(), from.integer(i), MPFR_RNDN);
}

Rounded round_to(int32_t dtype, const Number& number) {
  const Encoding& e = encoding(dtype);
  mpfr_srcptr value = number.get();
  if (!mpfr_regular_p(value)) return {special_bits(e, value), 0, false};

  const int fraction_bits = e.precision - 1;
  const uint64_t sign = mpfr_signbit(value) ? 1ULL << (8 * e.bytes - 1) : 0;
  const uint64_t infinity = static_cast<uint64_t>(2 * e.exponent_max + 1) << fraction_bits;
  const long last_place = last_place_of(e, value);

  thread_local Number scaled(64), whole(64), rest(64);
  if (scaled.precision() < number.precision()) mpfr_set_prec(scaled.get(), number.precision());
  mpfr_abs(scaled.get(), value, MPFR_RNDN);
  mpfr_mul_2si(scaled.get(), scaled.get(), -last_place, MPFR_RNDN);
  if (last_place + fraction_bits > e.exponent_max) { // 2^(exponent_max + 1) or more
    mpfr_mul_2si(scaled.get(), scaled.get(), last_place - (e.exponent_max - fraction_bits), MPFR_RNDN);
    mpfr_sub_d(rest.get(), scaled.get(), std::ldexp(1.0, e.precision), MPFR_RNDN);
    const double residual = finite(mpfr_get_d(rest.get(), MPFR_RNDN));
    return {sign | infinity, sign != 0 ? -residual : residual, true};
  }
  mpfr_roundeven(whole.get(), scaled.get());
  mpfr_sub(rest.get(), scaled.get(), whole.get(), MPFR_RNDN);
  const uint64_t significand = mpfr_get_ui(whole.get(), MPFR_RNDN);
  double residual = mpfr_get_d(rest.get(), MPFR_RNDN);

  const uint64_t base = static_cast<uint64_t>(last_place + fraction_bits - e.exponent_min) << fraction_bits;
  const uint64_t bits = base + significand;
  const bool overflowed = bits >= infinity;
  if (significand >> e.precision != 0 && !overflowed) residual /= 2; // carried: the rounded value has a larger ulp
  return {sign | bits, sign != 0 ? -residual : residual, overflowed};
}

bool rounds_safely(int32_t dtype, const Number& number, long error_bits) {
  if (!is_floating(dtype) || !mpfr_regular_p(number.get())) return true;
  const Encoding& e = encoding(dtype);
  const long digits = mpfr_get_exp(number.get()) - last_place_of(e, number.get()); // that the dtype keeps here
  if (digits < 1) return digits < -1 || error_bits > 60; // far below half of the smallest subnormal, or just there
  return mpfr_can_round(number.get(), error_bits, MPFR_RNDN, MPFR_RNDN, digits) != 0;
}

Rounded store(Array& to, int64_t i, const Number& value) {
  if (is_floating(to.dtype)) {
    const Rounded rounded = round_to(to.dtype, value);
    to.set_bits(i, rounded.bits);
    return rounded;
  }
  if (to.dtype == TS_DTYPE_BOOL) {
    to.set_bits(i, mpfr_zero_p(value.get()) ? 0 : 1);
    return {};
  }
  const int64_t highest = to.dtype == TS_DTYPE_U8    ? 255
                          : to.dtype == TS_DTYPE_I32 ? std::numeric_limits<int32_t>::max()
                                                     : std::numeric_limits<int64_t>::max();
  const int64_t lowest = to.dtype == TS_DTYPE_U8 ? 0 : -highest - 1;
  int64_t result = 0;
  if (!mpfr_nan_p(value.get())) {
    result = mpfr_cmp_si(value.get(), highest) >= 0  ? highest
             : mpfr_cmp_si(value.get(), lowest) <= 0 ? lowest
                                                     : mpfr_get_si(value.get(), MPFR_RNDZ);
  }
  to.set_integer(i, result);
  return {};
}

} // namespace ts::judge
