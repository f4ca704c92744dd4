// Comparisons of tensors with numbers are exact (spec/numerics.md): u8 == 300 is false everywhere, not true where 44 stands.
// A number between two values of the dtype is replaced by the neighbour that decides the same way.

#include "runtime/mutate.h"
#include "runtime/ops/promotion.h"

#include <cmath>
#include <limits>

namespace ts::ops {

namespace {

// The nearest values of a dtype below and above a number that is none of its values.
struct Neighbours {
  std::optional<Scalar> down, up;
  std::optional<Scalar> equal;
};

Neighbours in_integers(const Scalar& number, DType dtype) {
  const IntegerRange range = integer_range(dtype);
  const auto value = [&](int64_t x) { return dtype == DType::kBool ? Scalar(x != 0) : Scalar(x); };
  int64_t down = number.integer(); // truncates and saturates
  bool exact = true;
  if (number.is_real()) {
    const double real = number.real();
    if (real >= 0x1p63) return {value(range.high), std::nullopt, std::nullopt};
    if (real < -0x1p63) return {std::nullopt, value(range.low), std::nullopt};
    down = static_cast<int64_t>(std::floor(real));
    exact = static_cast<double>(down) == real;
  }
  if (down > range.high) return {value(range.high), std::nullopt, std::nullopt};
  if (down < range.low) return {std::nullopt, value(range.low), std::nullopt};
  if (exact) return {std::nullopt, std::nullopt, value(down)};
  if (down == range.high) return {value(range.high), std::nullopt, std::nullopt};
  return {value(down), value(down + 1), std::nullopt};
}

double next(DType dtype, double x, bool up) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double toward = up ? kInfinity : -kInfinity;
  if (dtype == DType::kF64) return std::nextafter(x, toward);
  if (dtype == DType::kF32) return std::nextafter(static_cast<float>(x), static_cast<float>(toward));
  // 16 bits: magnitudes are ordered as their bits are. x is never zero here.
  const bool grow = (x > 0) == up;
  if (dtype == DType::kF16) {
    Float16 half = Float16::round(x);
    half.bits = static_cast<uint16_t>(half.bits + (grow ? 1 : -1));
    return static_cast<double>(half);
  }
  BrainFloat16 brain = BrainFloat16::round(x);
  brain.bits = static_cast<uint16_t>(brain.bits + (grow ? 1 : -1));
  return static_cast<double>(brain);
}

int compare(double x, int64_t integer) {
  if (x >= 0x1p63) return 1;
  if (x < -0x1p63) return -1;
  const auto whole = static_cast<int64_t>(x); // x was an integer before it was rounded, and still is
  return whole < integer ? -1 : whole > integer ? 1 : 0;
}

// A real number takes the dtype's precision as any operand does; only one beyond the range is compared as it is.
Neighbours in_floats(const Scalar& number, DType dtype) {
  const double rounded = Scalar::decode(dtype, number.encode(dtype)).real();
  if (number.is_real()) {
    if (number.fits(dtype)) return {std::nullopt, std::nullopt, number};
    if (rounded > 0) return {Scalar(next(dtype, rounded, false)), Scalar(rounded), std::nullopt};
    return {Scalar(rounded), Scalar(next(dtype, rounded, true)), std::nullopt};
  }
  const int order = compare(rounded, number.integer());
  if (order == 0) return {std::nullopt, std::nullopt, number};
  if (order > 0) return {Scalar(next(dtype, rounded, false)), Scalar(rounded), std::nullopt};
  return {Scalar(rounded), Scalar(next(dtype, rounded, true)), std::nullopt};
}

bool is_comparison(int32_t op) {
  switch (op) {
    case TS_OP_EQUAL:
    case TS_OP_NOT_EQUAL:
    case TS_OP_LESS:
    case TS_OP_LESS_EQUAL:
    case TS_OP_GREATER:
    case TS_OP_GREATER_EQUAL: return true;
    default: return false;
  }
}

int32_t mirrored(int32_t op) {
  switch (op) {
    case TS_OP_LESS: return TS_OP_GREATER;
    case TS_OP_LESS_EQUAL: return TS_OP_GREATER_EQUAL;
    case TS_OP_GREATER: return TS_OP_LESS;
    case TS_OP_GREATER_EQUAL: return TS_OP_LESS_EQUAL;
    default: return op;
  }
}

// x < s where no value lies between down and up: the same as x < up, and as x <= down.
ExactComparison between(int32_t op, const Neighbours& near) {
  switch (op) {
    case TS_OP_LESS:
    case TS_OP_LESS_EQUAL:
      if (near.up) return {TS_OP_LESS, false, *near.up};
      return {op, true, true};
    case TS_OP_GREATER:
    case TS_OP_GREATER_EQUAL:
      if (near.down) return {TS_OP_GREATER, false, *near.down};
      return {op, true, true};
    default: return {op, true, op == TS_OP_NOT_EQUAL};
  }
}

} // namespace

std::optional<ExactComparison> exact_comparison(const OpRow& row, std::span<const Input> operands) {
  if (!is_comparison(row.id) || operands[0].is_scalar() == operands[1].is_scalar()) return std::nullopt;
  if (TS_MUTATE("PR02", false, true)) return std::nullopt;
  const bool swapped = operands[0].is_scalar();
  const Scalar& number = operands[swapped ? 0 : 1].scalar();
  const DType dtype = operands[swapped ? 1 : 0].tensor().dtype();
  const int32_t op = swapped ? mirrored(row.id) : row.id;
  if (is_floating(dtype)) {
    const Neighbours near = in_floats(number, dtype);
    if (near.equal) return std::nullopt;
    return between(op, near);
  }
  if (!number.is_real() && number.fits(dtype)) return std::nullopt;
  if (number.is_real() && std::isnan(number.real())) return ExactComparison{op, true, op == TS_OP_NOT_EQUAL};
  const Neighbours near = in_integers(number, dtype);
  if (near.equal) return ExactComparison{op, false, *near.equal};
  return between(op, near);
}

} // namespace ts::ops
