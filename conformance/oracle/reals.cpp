// Primitives in MPFR. Special values follow IEEE 754 as MPFR does, and numerics.md where that decides more. Each
// operation notes whether it rounded, and differences note when they cancelled what rounding had left.
#include "conformance/oracle/machine.h"

#include <climits>

#include <algorithm>
#include <cmath>

namespace ts::judge {
namespace {

constexpr long kKeptBits = 110; // of a difference of rounded values; with fewer it is computed again with more

void set_truth(mpfr_ptr r, bool truth) { mpfr_set_si(r, truth ? 1 : 0, MPFR_RNDN); }
bool truth(mpfr_srcptr a) { return mpfr_zero_p(a) == 0; } // NaN is true

/// NaN wins; +0 is larger than -0.
void extremum(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, bool largest) {
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) return mpfr_set_nan(r);
  const bool pick_a = mpfr_equal_p(a, b) ? (mpfr_signbit(a) == 0) == largest : (mpfr_greater_p(a, b) != 0) == largest;
  mpfr_set(r, pick_a ? a : b, MPFR_RNDN);
}

void set_sign(mpfr_ptr r, mpfr_srcptr a) {
  if (mpfr_nan_p(a)) return mpfr_set_nan(r);
  mpfr_set_si(r, mpfr_sgn(a), MPFR_RNDN);
}

/// The neighbour of a towards b among the values of a dtype; equal operands give b.
void neighbour(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, int32_t dtype) {
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) return mpfr_set_nan(r);
  if (mpfr_equal_p(a, b)) {
    mpfr_set(r, b, MPFR_RNDN);
    return;
  }
  uint64_t bits = encode(dtype, mpfr_get_d(a, MPFR_RNDN));
  if (mpfr_zero_p(a)) {
    bits = encode(dtype, std::copysign(0.0, mpfr_signbit(b) ? -1.0 : 1.0)) + 1;
  } else {
    bits += (mpfr_greater_p(b, a) != 0) == (mpfr_signbit(a) == 0) ? 1 : -1;
  }
  mpfr_set_d(r, decode(dtype, bits), MPFR_RNDN);
}

} // namespace

void Reals::note_difference(mpfr_srcptr r, mpfr_srcptr a, mpfr_srcptr b) {
  if (!suspect_ || !mpfr_regular_p(a) || !mpfr_regular_p(b)) return;
  const long largest = std::max(mpfr_get_exp(a), mpfr_get_exp(b));
  if (mpfr_zero_p(r) || (mpfr_regular_p(r) && largest - mpfr_get_exp(r) > precision - kKeptBits)) cancelled = true;
}

/// The logarithm of a rounded number close to 1 has only the bits that the number has beyond 1.
void Reals::note_logarithm(mpfr_srcptr a) {
  if (!suspect_ || !mpfr_regular_p(a) || mpfr_get_exp(a) < 0 || mpfr_get_exp(a) > 1) return;
  thread_local Number distance(64);
  mpfr_sub_ui(distance.get(), a, 1, MPFR_RNDN);
  if (mpfr_zero_p(distance.get()) || -mpfr_get_exp(distance.get()) > precision - kKeptBits) cancelled = true;
}

/// log(e^a + e^b), through its limits at the infinities. Where the sum cancels it is taken again with twice the bits.
void Reals::add_logarithms(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) return mpfr_set_nan(r);
  mpfr_srcptr high = mpfr_greater_p(a, b) ? a : b;
  mpfr_srcptr low = high == a ? b : a;
  if (mpfr_inf_p(high) || mpfr_inf_p(low)) {
    mpfr_set(r, high, MPFR_RNDN);
    return;
  }
  for (long bits : {precision + 64, 2 * precision + 64}) {
    Number rest(bits);
    mpfr_sub(rest.get(), low, high, MPFR_RNDN);
    mpfr_exp(rest.get(), rest.get(), MPFR_RNDN);
    mpfr_log1p(rest.get(), rest.get(), MPFR_RNDN);
    mpfr_add(r, high, rest.get(), MPFR_RNDN);
    if (!mpfr_regular_p(high) || (mpfr_regular_p(r) && mpfr_get_exp(high) - mpfr_get_exp(r) < 48)) break;
  }
  note(1);
  note_difference(r, a, b);
}

bool Reals::apply_division(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
  switch (p) {
    case Primitive::floor_divide: {
      if (mpfr_nan_p(a) || mpfr_nan_p(b) || (mpfr_inf_p(a) && !mpfr_zero_p(b))) {
        mpfr_set_nan(r);
      } else if (mpfr_inf_p(b) && mpfr_regular_p(a) && (mpfr_signbit(a) != 0) != (mpfr_signbit(b) != 0)) {
        mpfr_set_si(r, -1, MPFR_RNDN); // the quotient is a negative number too small to see
      } else if (!mpfr_regular_p(a) || !mpfr_regular_p(b)) {
        mpfr_div(r, a, b, MPFR_RNDN);
      } else {
        // Every integer up to the quotient is representable, so rounding down cannot pass one.
        const long bits = std::max<long>(64, mpfr_get_exp(a) - mpfr_get_exp(b) + 4);
        Number quotient(bits);
        mpfr_div(quotient.get(), a, b, MPFR_RNDD);
        mpfr_floor(quotient.get(), quotient.get());
        note(mpfr_set(r, quotient.get(), MPFR_RNDN));
      }
      return true;
    }
    case Primitive::fmod: note(mpfr_fmod(r, a, b, MPFR_RNDN)); return true;
    case Primitive::remainder: {
      if (mpfr_nan_p(a) || mpfr_nan_p(b) || mpfr_inf_p(a) || mpfr_zero_p(b)) {
        mpfr_set_nan(r);
        return true;
      }
      note(mpfr_fmod(r, a, b, MPFR_RNDN));
      if (mpfr_zero_p(r)) {
        mpfr_setsign(r, r, mpfr_signbit(b), MPFR_RNDN);
      } else if ((mpfr_signbit(r) != 0) != (mpfr_signbit(b) != 0)) {
        note(mpfr_add(r, r, b, MPFR_RNDN));
      }
      return true;
    }
    default: return false;
  }
}

bool Reals::apply_arithmetic(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c) {
  const auto whole = [this](int ternary) { note(ternary == 1 || ternary == -1); }; // 2: not an integer before
  switch (p) {
    case Primitive::add: {
      const int ternary = mpfr_add(r, a, b, MPFR_RNDN);
      note_difference(r, a, b);
      note(ternary);
      return true;
    }
    case Primitive::sub: {
      const int ternary = mpfr_sub(r, a, b, MPFR_RNDN);
      note_difference(r, a, b);
      note(ternary);
      return true;
    }
    case Primitive::mul: note(mpfr_mul(r, a, b, MPFR_RNDN)); return true;
    case Primitive::div: note(mpfr_div(r, a, b, MPFR_RNDN)); return true;
    case Primitive::fma: note(mpfr_fma(r, a, b, c, MPFR_RNDN)); return true;
    case Primitive::sqrt: note(mpfr_sqrt(r, a, MPFR_RNDN)); return true;
    case Primitive::neg: mpfr_neg(r, a, MPFR_RNDN); return true;
    case Primitive::abs: mpfr_abs(r, a, MPFR_RNDN); return true;
    case Primitive::sign: set_sign(r, a); return true;
    case Primitive::floor: whole(mpfr_floor(r, a)); return true;
    case Primitive::ceil: whole(mpfr_ceil(r, a)); return true;
    case Primitive::trunc: whole(mpfr_trunc(r, a)); return true;
    case Primitive::round: whole(mpfr_roundeven(r, a)); return true;
    case Primitive::min: extremum(r, a, b, false); return true;
    case Primitive::max: extremum(r, a, b, true); return true;
    case Primitive::copysign: mpfr_copysign(r, a, b, MPFR_RNDN); return true;
    case Primitive::nextafter: neighbour(r, a, b, dtype); return true;
    case Primitive::where: mpfr_set(r, truth(a) ? b : c, MPFR_RNDN); return true;
    case Primitive::eq: set_truth(r, mpfr_equal_p(a, b)); return true;
    case Primitive::ne: set_truth(r, !mpfr_equal_p(a, b)); return true;
    case Primitive::lt: set_truth(r, mpfr_less_p(a, b)); return true;
    case Primitive::le: set_truth(r, mpfr_lessequal_p(a, b)); return true;
    case Primitive::gt: set_truth(r, mpfr_greater_p(a, b)); return true;
    case Primitive::ge: set_truth(r, mpfr_greaterequal_p(a, b)); return true;
    case Primitive::and_: set_truth(r, truth(a) && truth(b)); return true;
    case Primitive::or_: set_truth(r, truth(a) || truth(b)); return true;
    case Primitive::not_: set_truth(r, !truth(a)); return true;
    case Primitive::logical_xor: set_truth(r, truth(a) != truth(b)); return true;
    case Primitive::isnan: set_truth(r, mpfr_nan_p(a)); return true;
    case Primitive::isinf: set_truth(r, mpfr_inf_p(a)); return true;
    case Primitive::isfinite: set_truth(r, mpfr_number_p(a)); return true;
    case Primitive::signbit: set_truth(r, mpfr_signbit(a)); return true;
    default: return false;
  }
}

bool Reals::apply_function(Primitive p, mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
  switch (p) {
    case Primitive::exp: note(mpfr_exp(r, a, MPFR_RNDN)); return true;
    case Primitive::exp2: note(mpfr_exp2(r, a, MPFR_RNDN)); return true;
    case Primitive::expm1: note(mpfr_expm1(r, a, MPFR_RNDN)); return true;
    case Primitive::log:
      note_logarithm(a);
      note(mpfr_log(r, a, MPFR_RNDN));
      return true;
    case Primitive::log2:
      note_logarithm(a);
      note(mpfr_log2(r, a, MPFR_RNDN));
      return true;
    case Primitive::log10:
      note_logarithm(a);
      note(mpfr_log10(r, a, MPFR_RNDN));
      return true;
    case Primitive::log1p: note(mpfr_log1p(r, a, MPFR_RNDN)); return true;
    case Primitive::sin: note(mpfr_sin(r, a, MPFR_RNDN)); return true;
    case Primitive::cos: note(mpfr_cos(r, a, MPFR_RNDN)); return true;
    case Primitive::tan: note(mpfr_tan(r, a, MPFR_RNDN)); return true;
    case Primitive::asin: note(mpfr_asin(r, a, MPFR_RNDN)); return true;
    case Primitive::acos: note(mpfr_acos(r, a, MPFR_RNDN)); return true;
    case Primitive::atan: note(mpfr_atan(r, a, MPFR_RNDN)); return true;
    case Primitive::sinh: note(mpfr_sinh(r, a, MPFR_RNDN)); return true;
    case Primitive::cosh: note(mpfr_cosh(r, a, MPFR_RNDN)); return true;
    case Primitive::tanh: note(mpfr_tanh(r, a, MPFR_RNDN)); return true;
    case Primitive::asinh: note(mpfr_asinh(r, a, MPFR_RNDN)); return true;
    case Primitive::acosh: note(mpfr_acosh(r, a, MPFR_RNDN)); return true;
    case Primitive::atanh: note(mpfr_atanh(r, a, MPFR_RNDN)); return true;
    case Primitive::erf: note(mpfr_erf(r, a, MPFR_RNDN)); return true;
    case Primitive::erfc: note(mpfr_erfc(r, a, MPFR_RNDN)); return true;
    case Primitive::atan2: note(mpfr_atan2(r, a, b, MPFR_RNDN)); return true;
    case Primitive::hypot: note(mpfr_hypot(r, a, b, MPFR_RNDN)); return true;
    case Primitive::pow: note(mpfr_pow(r, a, b, MPFR_RNDN)); return true;
    case Primitive::logaddexp: add_logarithms(r, a, b); return true;
    default: return false;
  }
}

void Reals::apply(Primitive p, Value& to, const Value* pa, const Value* pb, const Value* pc) {
  mpfr_ptr r = to.get();
  // What a primitive lacks it does not look at.
  mpfr_srcptr a = pa->get(), b = pb != nullptr ? pb->get() : a, c = pc != nullptr ? pc->get() : a;
  rounded_ = false;
  suspect_ = pa->inexact || (pb != nullptr && pb->inexact) || (pc != nullptr && pc->inexact);
  if (p == Primitive::where && pb != nullptr && pc != nullptr)
    suspect_ = (truth(a) ? pb : pc)->inexact; // the other one does not take part
  if (!apply_arithmetic(p, r, a, b, c) && !apply_function(p, r, a, b) && !apply_division(p, r, a, b)) {
    throw InputError("a primitive of this expression has no meaning on real numbers");
  }
  to.inexact = rounded_ || suspect_;
}

void Reals::start(Value& total, Primitive fold) {
  if (total.precision() != 2 * precision) mpfr_set_prec(total.get(), 2 * precision);
  largest_ = LONG_MIN;
  total.inexact = false;
  switch (fold) {
    case Primitive::prod: mpfr_set_si(total.get(), 1, MPFR_RNDN); break;
    case Primitive::max_of: mpfr_set_inf(total.get(), -1); break;
    case Primitive::min_of: mpfr_set_inf(total.get(), 1); break;
    default: mpfr_set_zero(total.get(), negative_zero_sum ? -1 : 1);
  }
}

void Reals::accumulate(Primitive fold, Value& total, const Value& term) {
  mpfr_ptr t = total.get();
  switch (fold) {
    case Primitive::sum:
      total.inexact = mpfr_add(t, t, term.get(), MPFR_RNDN) != 0 || total.inexact || term.inexact;
      for (mpfr_srcptr part : {static_cast<mpfr_srcptr>(t), term.get()}) {
        if (mpfr_regular_p(part)) largest_ = std::max<long>(largest_, mpfr_get_exp(part));
      }
      break;
    case Primitive::prod:
      total.inexact = mpfr_mul(t, t, term.get(), MPFR_RNDN) != 0 || total.inexact || term.inexact;
      break;
    case Primitive::max_of:
    case Primitive::min_of:
      extremum(t, t, term.get(), fold == Primitive::max_of);
      total.inexact = total.inexact || term.inexact;
      break;
    default: break;
  }
}

void Reals::finish(Primitive fold, Value& r, const Value& total) {
  r.inexact = mpfr_set(r.get(), total.get(), MPFR_RNDN) != 0 || total.inexact;
  if (fold != Primitive::sum || !total.inexact || largest_ == LONG_MIN) return;
  const bool vanished = mpfr_zero_p(total.get()) != 0;
  if (vanished || (mpfr_regular_p(total.get()) && largest_ - mpfr_get_exp(total.get()) > precision - kKeptBits)) {
    cancelled = true;
  }
}

} // namespace ts::judge
