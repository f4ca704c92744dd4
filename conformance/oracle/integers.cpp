// Primitives on whole numbers as machines have them: sums and products wrap, division by zero gives 0 (numerics.md).
#include "conformance/oracle/machine.h"

#include <limits>

namespace ts::judge {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

int64_t remainder_towards_zero(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b; // MIN % -1 would trap
}

int64_t floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap(0 - bits(a));
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t remainder(int64_t a, int64_t b) {
  const int64_t rest = remainder_towards_zero(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0; // 1 / a^n, truncated; 0^-n is 0
  uint64_t result = 1, square = bits(a);
  for (uint64_t n = bits(b); n != 0; n >>= 1) {
    if ((n & 1) != 0) result *= square;
    square *= square;
  }
  return wrap(result);
}

int64_t sign(int64_t a) { return (a > 0) - (a < 0); }

} // namespace

void Integers::apply(Primitive p, Value& r, const Value* pa, const Value* pb, const Value* pc) {
  const int64_t a = *pa, b = pb != nullptr ? *pb : 0, c = pc != nullptr ? *pc : 0;
  const auto in_width = [this](int64_t count) { return count >= 0 && count < 8 * bytes_of(dtype); };
  switch (p) {
    case Primitive::add: r = wrap(bits(a) + bits(b)); break;
    case Primitive::sub: r = wrap(bits(a) - bits(b)); break;
    case Primitive::mul: r = wrap(bits(a) * bits(b)); break;
    case Primitive::div: r = b == 0 ? 0 : b == -1 ? wrap(0 - bits(a)) : a / b; break;
    case Primitive::fma: r = wrap(bits(a) * bits(b) + bits(c)); break;
    case Primitive::neg: r = wrap(0 - bits(a)); break;
    case Primitive::abs: r = a < 0 ? wrap(0 - bits(a)) : a; break;
    case Primitive::sign: r = sign(a); break;
    case Primitive::floor:
    case Primitive::ceil:
    case Primitive::trunc:
    case Primitive::round: r = a; break;
    case Primitive::min: r = a < b ? a : b; break;
    case Primitive::max: r = a > b ? a : b; break;
    case Primitive::floor_divide: r = floor_divide(a, b); break;
    case Primitive::remainder: r = remainder(a, b); break;
    case Primitive::fmod: r = remainder_towards_zero(a, b); break;
    case Primitive::pow: r = power(a, b); break;
    case Primitive::eq: r = a == b; break;
    case Primitive::ne: r = a != b; break;
    case Primitive::lt: r = a < b; break;
    case Primitive::le: r = a <= b; break;
    case Primitive::gt: r = a > b; break;
    case Primitive::ge: r = a >= b; break;
    case Primitive::and_: r = a != 0 && b != 0; break;
    case Primitive::or_: r = a != 0 || b != 0; break;
    case Primitive::not_: r = a == 0; break;
    case Primitive::logical_xor: r = (a != 0) != (b != 0); break;
    case Primitive::bit_and: r = a & b; break;
    case Primitive::bit_or: r = a | b; break;
    case Primitive::bit_xor: r = a ^ b; break;
    case Primitive::bit_not: r = dtype == TS_DTYPE_BOOL ? (a == 0 ? 1 : 0) : ~a; break;
    case Primitive::shift_left: r = in_width(b) ? wrap(bits(a) << b) : 0; break;
    case Primitive::shift_right: r = in_width(b) ? a >> b : (a < 0 ? -1 : 0); break;
    case Primitive::isnan:
    case Primitive::isinf: r = 0; break;
    case Primitive::isfinite: r = 1; break;
    case Primitive::signbit: r = a < 0; break;
    case Primitive::where: r = a != 0 ? b : c; break;
    default: throw InputError("a primitive of this expression has no meaning on integers");
  }
}

void Integers::start(Value& total, Primitive fold) {
  switch (fold) {
    case Primitive::prod: total = 1; break;
    case Primitive::max_of: total = kLowest; break;
    case Primitive::min_of: total = std::numeric_limits<int64_t>::max(); break;
    default: total = 0;
  }
}

void Integers::accumulate(Primitive fold, Value& total, const Value& term) {
  switch (fold) {
    case Primitive::sum: total = wrap(bits(total) + bits(term)); break;
    case Primitive::prod: total = wrap(bits(total) * bits(term)); break;
    case Primitive::max_of: total = term > total ? term : total; break;
    case Primitive::min_of: total = term < total ? term : total; break;
    default: break;
  }
}

} // namespace ts::judge
