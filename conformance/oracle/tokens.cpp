// A token is a sum of signed terms: numbers, 2^N, and the dtype's own max, min, tiny, sub, pi and ulp. It is evaluated exactly
// and rounded once; `ulp` then counts neighbours.
#include "conformance/oracle/tokens.h"

#include "conformance/oracle/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace ts::judge {
namespace {

constexpr long kPrecision = 2304; // any sum of values of f64 is exact
constexpr int64_t kElementsMax = 1 << 24;

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
      if (!term.number.empty() && peek() == '*') ++at_;
      const size_t start = at_;
      while (at_ < token_.size() && token_[at_] >= 'a' && token_[at_] <= 'z') ++at_;
      term.word = token_.substr(start, at_ - start);
      if (term.number.empty() && term.word.empty()) fail();
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

/// Reads nested lists: every list of one depth has the same shape.
class ListReader {
public:
  ListReader(std::string_view cell, int32_t dtype) : cell_(cell), dtype_(dtype) {}

  Shape read() {
    Shape shape;
    if (cell_.empty() || cell_[0] != '[') {
      tokens.emplace_back(cell_);
      return shape;
    }
    shape = list();
    skip();
    if (at_ != cell_.size()) fail();
    return shape;
  }

  std::vector<std::string> tokens;

private:
  [[noreturn]] void fail() const { throw InputError(fmt::format("`{}` is not a list of {}", cell_, name_of(dtype_))); }
  void skip() {
    while (at_ < cell_.size() && cell_[at_] == ' ') ++at_;
  }

  Shape list() {
    ++at_;
    int64_t count = 0;
    Shape inner;
    bool nested = false;
    for (skip(); at_ < cell_.size() && cell_[at_] != ']'; skip()) {
      if (cell_[at_] == '[') {
        const Shape shape = list();
        if (count > 0 && shape != inner) fail();
        inner = shape;
        nested = true;
        ++count;
      } else {
        if (nested) fail();
        count += item();
      }
    }
    if (at_ == cell_.size()) fail();
    ++at_;
    Shape result{count};
    if (nested) result.insert(result.end(), inner.begin(), inner.end());
    return result;
  }

  /// One token, V*N or A..B; the number of elements it stands for.
  int64_t item() {
    const size_t end = std::min(cell_.find_first_of(" ]", at_), cell_.size());
    const std::string token(cell_.substr(at_, end - at_));
    at_ = end;
    if (const size_t star = token.find('*'); star != std::string::npos) {
      const int64_t times = integer(std::string_view(token).substr(star + 1));
      if (times < 0 || times > kElementsMax) fail();
      tokens.insert(tokens.end(), static_cast<size_t>(times), token.substr(0, star));
      return times;
    }
    if (const size_t dots = token.find(".."); dots != std::string::npos) {
      const int64_t from = integer(std::string_view(token).substr(0, dots));
      const int64_t to = integer(std::string_view(token).substr(dots + 2));
      if (to < from || to - from >= kElementsMax) fail();
      for (int64_t value = from; value <= to; ++value) tokens.push_back(std::to_string(value));
      return to - from + 1;
    }
    tokens.push_back(token);
    return 1;
  }

  int64_t integer(std::string_view text) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail();
    return value;
  }

  std::string_view cell_;
  int32_t dtype_;
  size_t at_ = 0;
};

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

Array parse_list(std::string_view cell, int32_t dtype, std::vector<double>* residual) {
  ListReader reader(cell, dtype);
  const Shape shape = reader.read();
  Array array(dtype, shape);
  if (array.count() != static_cast<int64_t>(reader.tokens.size())) {
    throw InputError(fmt::format("`{}` is not a list of one shape", cell));
  }
  for (size_t i = 0; i < reader.tokens.size(); ++i) {
    if (i > 0 && reader.tokens[i] == reader.tokens[i - 1]) { // V*N
      array.set_bits(static_cast<int64_t>(i), array.bits(static_cast<int64_t>(i) - 1));
      if (residual != nullptr && !residual->empty()) (*residual)[i] = (*residual)[i - 1];
      continue;
    }
    const double rest = set_token(array, static_cast<int64_t>(i), reader.tokens[i]);
    if (residual == nullptr || rest == 0) continue;
    residual->resize(reader.tokens.size());
    (*residual)[i] = rest;
  }
  return array;
}

Shape parse_shape(std::string_view cell) {
  Shape shape;
  const auto fail = [&] { throw InputError(fmt::format("`{}` is not a shape", cell)); };
  if (cell.size() < 2 || cell.front() != '(' || cell.back() != ')') fail();
  std::string_view inside = cell.substr(1, cell.size() - 2);
  while (!inside.empty()) {
    while (!inside.empty() && (inside[0] == ' ' || inside[0] == ',')) inside.remove_prefix(1);
    if (inside.empty()) break;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), value);
    if (error != std::errc() || value < 0) fail();
    inside.remove_prefix(static_cast<size_t>(end - inside.data()));
    shape.push_back(value);
  }
  return shape;
}

} // namespace ts::judge
