"""Extended numbers and the arithmetic on them: the values that primitives take and give.

A value is either a Python float, and then it is one of nan, inf, -inf and -0.0, or a finite number: an int or Fraction as
long as it is exact, an mpmath number of the working precision from the first transcendental function on. Positive zero
is an ordinary finite number. NaN has no sign here; it counts as positive.
"""

import math
from fractions import Fraction

from mpmath import mp, mpf

from golden.dtypes import round_half_even

NAN, INF, NEGATIVE_ZERO = math.nan, math.inf, -0.0
KEPT_BITS = 110  # of a difference of two rounded numbers; below this a result is computed again with more bits


class Context:
    """What a primitive may depend on beside its operands: the arithmetic, the dtype, and the suspicion it raises."""

    def __init__(self, mode, dtype):
        self.mode = mode  # native_int, exact or real
        self.dtype = dtype  # of the operands: shift width, nextafter
        self.suspicious = False  # a rounded number lost too many bits: the working precision may not do


def is_special(a):
    return type(a) is float


def is_nan(a):
    return type(a) is float and a != a


def is_inf(a):
    return type(a) is float and math.isinf(a)


def is_negative(a):
    """The sign, that of zero included; NaN is positive."""
    if type(a) is float:
        return a == a and math.copysign(1.0, a) < 0
    return a < 0


def zero(negative):
    return NEGATIVE_ZERO if negative else 0


def infinity(negative):
    return -INF if negative else INF


def to_mpf(a):
    """A finite number at the working precision."""
    if isinstance(a, Fraction):
        return mpf(a.numerator) / a.denominator
    return mpf(a)


def to_float(a):
    """A value that is known to be a double, as one."""
    return a if type(a) is float else float(a)


def is_integer(a):
    """Whether a finite number is an integer."""
    if isinstance(a, mpf):
        return bool(mp.isint(a))
    return Fraction(a).denominator == 1


def is_odd(a):
    """Whether a finite number is an odd integer; beyond 2^2000 every number here is even."""
    if not is_integer(a) or (a and abs(mp.mag(to_mpf(a))) > 2000):
        return False
    return int(a) % 2 == 1


def lift(mode, element):
    """A tensor element as a value of that arithmetic."""
    if type(element) is not float or mode == "native_int":
        return element
    if not math.isfinite(element) or (element == 0 and math.copysign(1.0, element) < 0):
        return element
    return Fraction(element)


def to_fraction(value):
    """A finite number, exactly."""
    if not isinstance(value, mpf):
        return Fraction(value)
    sign_bit, mantissa, power, _ = value._mpf_
    mantissa = -int(mantissa) if sign_bit else int(mantissa)
    return Fraction(mantissa << power) if power >= 0 else Fraction(mantissa, 1 << -power)


# Arithmetic ---------------------------------------------------------------------------------------------------------


def add(ctx, a, b):
    if is_nan(a) or is_nan(b):
        return NAN
    if is_inf(a) or is_inf(b):
        if is_inf(a) and is_inf(b) and a != b:
            return NAN
        return a if is_inf(a) else b
    if a == 0 and b == 0:
        return zero(is_negative(a) and is_negative(b))
    if a == 0 or b == 0:
        return b if a == 0 else a
    a, b = _alike(a, b)
    total = a + b
    if isinstance(total, mpf):
        high = max(mp.mag(a), mp.mag(b))
        if total == 0 or high - mp.mag(total) > mp.prec - KEPT_BITS:
            ctx.suspicious = True
    return total


def _alike(a, b):
    """Both exact, or both at the working precision."""
    if isinstance(a, mpf) or isinstance(b, mpf):
        return to_mpf(a), to_mpf(b)
    return a, b


def watch_one(ctx, a):
    """For functions that are steep near 1 and -1: a rounded operand so near may have lost what decides (log(1 + tiny))."""
    if isinstance(a, mpf):
        distance = abs(a) - 1
        if distance == 0 or -mp.mag(distance) > mp.prec - KEPT_BITS:
            ctx.suspicious = True


def neg(ctx, a):
    if is_special(a):
        return NAN if is_nan(a) else (0 if a == 0 else -a)
    return NEGATIVE_ZERO if a == 0 else -a


def sub(ctx, a, b):
    return add(ctx, a, neg(ctx, b))


def mul(ctx, a, b):
    if is_nan(a) or is_nan(b):
        return NAN
    negative = is_negative(a) != is_negative(b)
    if is_inf(a) or is_inf(b):
        return NAN if a == 0 or b == 0 else infinity(negative)
    if a == 0 or b == 0:
        return zero(negative)
    a, b = _alike(a, b)
    return a * b


def div(ctx, a, b):
    if is_nan(a) or is_nan(b):
        return NAN
    negative = is_negative(a) != is_negative(b)
    if is_inf(a):
        return NAN if is_inf(b) else infinity(negative)
    if is_inf(b):
        return zero(negative)
    if b == 0:
        return NAN if a == 0 else infinity(negative)
    if a == 0:
        return zero(negative)
    a, b = _alike(a, b)
    return a / b if isinstance(a, mpf) else Fraction(a) / Fraction(b)


def fma(ctx, a, b, c):
    return add(ctx, mul(ctx, a, b), c)


def absolute(ctx, a):
    return neg(ctx, a) if is_negative(a) else a


def sign(ctx, a):
    if is_nan(a):
        return NAN
    return 0 if a == 0 else (-1 if is_negative(a) else 1)


def maximum(ctx, a, b):
    if is_nan(a) or is_nan(b):
        return NAN
    if a == b:
        return b if is_negative(a) else a
    return a if a > b else b


def minimum(ctx, a, b):
    if is_nan(a) or is_nan(b):
        return NAN
    if a == b:
        return a if is_negative(a) else b
    return a if a < b else b


def sqrt(ctx, a):
    if is_special(a):
        return a if a == 0 or a == INF else NAN
    if a < 0:
        return NAN
    if ctx.mode == "real":
        return mp.sqrt(to_mpf(a))
    return _exact_sqrt(Fraction(a))


def _exact_sqrt(a):
    """A root with 160 bits and a sticky bit below them: rounding it once to at most 53 bits is rounding the true root."""
    if a == 0:
        return 0
    shift = max(0, 160 - (a.numerator.bit_length() - a.denominator.bit_length()) // 2)
    scaled = a * (1 << (2 * shift))
    root = math.isqrt(scaled.numerator // scaled.denominator)
    if root * root == scaled:
        return Fraction(root, 1 << shift)
    return Fraction(2 * root + 1, 1 << (shift + 1))


def _integer_part(choose):
    def apply(ctx, a):
        if is_special(a):
            return a
        if isinstance(a, mpf):
            if a and mp.mag(a) > 2000:
                return a
            a = to_fraction(a)
        whole = choose(Fraction(a))
        return zero(a < 0) if whole == 0 else whole

    return apply


floor = _integer_part(lambda a: a.numerator // a.denominator)
ceil = _integer_part(lambda a: -(-a.numerator // a.denominator))
trunc = _integer_part(math.trunc)
round_even = _integer_part(round_half_even)


# Division families --------------------------------------------------------------------------------------------------


def floor_divide(ctx, a, b):
    """The floor of the exact quotient: 1 // 0.1 is 9, because the double 0.1 is more than a tenth."""
    quotient = div(ctx, a, b)
    if is_inf(b) and not is_special(a) and a != 0 and is_negative(quotient):
        return -1  # the quotient is a negative number too small to see
    if is_inf(a) and b != 0:
        return NAN  # rules of the family: the remainder of an infinity has no value, nor its quotient
    return floor(ctx, quotient)


def remainder(ctx, a, b):
    """a - floor(a / b) * b: the divisor's sign, zero included."""
    if is_nan(a) or is_nan(b) or is_inf(a) or b == 0:
        return NAN
    if is_inf(b):
        if a == 0:
            return zero(is_negative(b))
        return a if is_negative(a) == is_negative(b) else b
    rest = Fraction(a) - (Fraction(a) / Fraction(b)).__floor__() * Fraction(b)
    return zero(is_negative(b)) if rest == 0 else rest


def fmod(ctx, a, b):
    """a - trunc(a / b) * b: the dividend's sign, zero included."""
    if is_nan(a) or is_nan(b) or is_inf(a) or b == 0:
        return NAN
    if is_inf(b) or a == 0:
        return a
    rest = Fraction(a) - math.trunc(Fraction(a) / Fraction(b)) * Fraction(b)
    return zero(is_negative(a)) if rest == 0 else rest


def copysign(ctx, a, b):
    if is_nan(a):
        return NAN
    return neg(ctx, a) if is_negative(a) != is_negative(b) else a


def nextafter(ctx, a, b):
    result = ctx.dtype.next_after(to_float(a), to_float(b))
    return lift(ctx.mode, result)
