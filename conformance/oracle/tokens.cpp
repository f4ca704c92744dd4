// A token is a sum of signed terms: numbers, 2^N, and the dtype's own max, min, tiny, sub, pi and ulp. It is evaluated exactly
// and rounded once; `ulp` then counts neighbours.
#include "conformance/oracle/tokens.h"

#include "conformance/oracle/number.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr long kPrecision = 2304; // any sum of values of f64 is exact

struct Term {
  bool negative = false;
  std::string number; ///< "" for none
  std::string word;   ///< "" for none
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Cuts one token into terms by hand: a sign inside an exponent is no new term.
class TermReader {
public:
  TermReader(std::string_view token, int32_t dtype) : token_(token), dtype_(dtype) {}

  [[noreturn]] void fail() const {
    throw InputError(fmt::format("`{}` is not a value of {}", token_, name_of(dtype_)));
  }

  std::vector<Term> read() {
    std::vector<Term> terms;
    while (at_ < token_.size()) {
      Term term;
      if (token_[at_] == '+' || token_[at_] == '-') {
        term.negative = token_[at_++] == '-';
      } else if (!terms.empty()) {
        fail();
      }
      term.number = number();
      const bool factor = !term.number.empty() && peek() == '*';
      if (factor) ++at_;
      const size_t start = at_;
      while (at_ < token_.size() && token_[at_] >= 'a' && token_[at_] <= 'z') ++at_;
      term.word = token_.substr(start, at_ - start);
      if (term.word.empty() && (factor || term.number.empty())) fail();
      terms.push_back(term);
    }
    if (terms.empty()) fail();
    return terms;
  }

private:
  char peek(size_t ahead = 0) const { return at_ + ahead < token_.size() ? token_[at_ + ahead] : '\0'; }

  /// A decimal or hexadecimal number, or 2^N as 0x1pN; empty where a word stands.
  std::string number() {
    const size_t start = at_;
    if (peek() == '2' && peek(1) == '^') {
      at_ += 2;
      const size_t power = at_;
      if (peek() == '-') ++at_;
      while (is_digit(peek())) ++at_;
      return "0x1p" + std::string(token_.substr(power, at_ - power));
    }
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at_ += 2;
      while (std::isxdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '.') ++at_;
      exponent('p');
    } else if (is_digit(peek())) {
      while (is_digit(peek()) || peek() == '.') ++at_;
      exponent('e');
    }
    return std::string(token_.substr(start, at_ - start));
  }
  void exponent(char letter) {
    if ((peek() | 0x20) != letter) return;
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    at_ += 1 + sign;
    while (is_digit(peek())) ++at_;
  }

  std::string_view token_;
  int32_t dtype_;
  size_t at_ = 0;
};

double largest_of(const Encoding& e) { return std::ldexp(2.0 - std::ldexp(1.0, 1 - e.precision), e.exponent_max); }

/// Sets a unit by its word; false for a word that this dtype does not have.
bool set_word(Number& r, const std::string& word, const Encoding& e) {
  if (e.cls == DtypeClass::integer) {
    const int64_t highest = e.dtype == TS_DTYPE_U8    ? 255
                            : e.dtype == TS_DTYPE_I32 ? std::numeric_limits<int32_t>::max()
                                                      : std::numeric_limits<int64_t>::max();
    if (word == "max") mpfr_set_si(r.get(), highest, MPFR_RNDN);
    if (word == "min") mpfr_set_si(r.get(), e.is_signed ? -highest - 1 : 0, MPFR_RNDN);
    return word == "max" || word == "min";
  }
  if (word == "max") return set_double(r, largest_of(e)), true;
  if (word == "min") return set_double(r, -largest_of(e)), true;
  if (word == "tiny") return set_double(r, std::ldexp(1.0, e.exponent_min)), true;
  if (word == "sub") return set_double(r, std::ldexp(1.0, e.exponent_min - e.precision + 1)), true;
  if (word == "pi") return mpfr_const_pi(r.get(), MPFR_RNDN), true;
  return false;
}

/// The neighbour of a floating element towards +inf or -inf.
uint64_t step(int32_t dtype, uint64_t bits, bool up) {
  const double value = decode(dtype, bits);
  if (value == 0) return encode(dtype, up ? 0.0 : -0.0) + 1;
  return (value > 0) == up ? bits + 1 : bits - 1;
}

double set_integer_token(Array& array, int64_t i, const std::vector<Term>& terms, const TermReader& reader) {
  const Encoding& e = encoding(array.dtype);
  Number total(kPrecision), unit(kPrecision), count(kPrecision);
  mpfr_set_zero(total.get(), 1);
  for (const Term& term : terms) {
    mpfr_set_si(unit.get(), 1, MPFR_RNDN);
    if (!term.word.empty() && !set_word(unit, term.word, e)) reader.fail();
    if (!term.number.empty()) {
      if (mpfr_set_str(count.get(), term.number.c_str(), 0, MPFR_RNDN) != 0) reader.fail();
      mpfr_mul(unit.get(), unit.get(), count.get(), MPFR_RNDN);
    }
    if (term.negative) mpfr_neg(unit.get(), unit.get(), MPFR_RNDN);
    mpfr_add(total.get(), total.get(), unit.get(), MPFR_RNDN);
  }
  if (!mpfr_integer_p(total.get()) || !mpfr_fits_slong_p(total.get(), MPFR_RNDN)) reader.fail();
  const int64_t value = mpfr_get_si(total.get(), MPFR_RNDN);
  array.set_integer(i, value);
  if (array.integer(i) != value) reader.fail();
  return 0;
}

double set_floating_token(Array& array, int64_t i, const std::vector<Term>& terms, const TermReader& reader) {
  const Encoding& e = encoding(array.dtype);
  const Term& first = terms[0];
  if (first.word == "nan" || first.word == "inf") {
    if (terms.size() != 1 || !first.number.empty()) reader.fail();
    const double special = first.word == "nan" ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
    array.set_real(i, first.negative && first.word == "inf" ? -special : special);
    return 0;
  }
  Number total(kPrecision), unit(kPrecision), count(kPrecision);
  mpfr_set_zero(total.get(), 1);
  int64_t steps = 0;
  for (const Term& term : terms) {
    mpfr_set_si(count.get(), 1, MPFR_RNDN);
    if (!term.number.empty() && mpfr_set_str(count.get(), term.number.c_str(), 0, MPFR_RNDN) != 0) reader.fail();
    if (term.negative) mpfr_neg(count.get(), count.get(), MPFR_RNDN);
    if (term.word == "ulp") {
      if (!mpfr_integer_p(count.get())) reader.fail();
      steps += mpfr_get_si(count.get(), MPFR_RNDN);
      continue;
    }
    mpfr_set_si(unit.get(), 1, MPFR_RNDN);
    if (!term.word.empty() && !set_word(unit, term.word, e)) reader.fail();
    mpfr_mul(unit.get(), unit.get(), count.get(), MPFR_RNDN);
    mpfr_add(total.get(), total.get(), unit.get(), MPFR_RNDN);
  }
  if (mpfr_zero_p(total.get()) && steps == 0) mpfr_set_zero(total.get(), first.negative ? -1 : 1);
  Rounded rounded = round_to(array.dtype, total);
  for (int64_t left = std::abs(steps); left > 0; --left)
    rounded = {step(array.dtype, rounded.bits, steps > 0), 0, false};
  array.set_bits(i, rounded.bits);
  return rounded.overflowed ? 0 : rounded.residual;
}

} // namespace

double set_token(Array& array, int64_t i, std::string_view token) {
  TermReader reader(token, array.dtype);
  if (array.dtype == TS_DTYPE_BOOL) {
    if (token != "true" && token != "false" && token != "0" && token != "1") reader.fail();
    array.set_bits(i, token == "true" || token == "1" ? 1 : 0);
    return 0;
  }
  const std::vector<Term> terms = reader.read();
  return is_floating(array.dtype) ? set_floating_token(array, i, terms, reader)
                                  : set_integer_token(array, i, terms, reader);
}

} // namespace ts::judge
