"""The primitives of oracle expressions by name, in one place: the functions of one and two numbers here, arithmetic from
extended.py, and the three tables that the evaluator looks into."""

from fractions import Fraction

from mpmath import mp

from golden.errors import EvaluatorError
from golden.extended import (
    INF,
    NAN,
    absolute,
    add,
    ceil,
    copysign,
    div,
    floor,
    floor_divide,
    fma,
    fmod,
    infinity,
    is_inf,
    is_integer,
    is_nan,
    is_negative,
    is_odd,
    is_special,
    maximum,
    minimum,
    mul,
    neg,
    nextafter,
    remainder,
    round_even,
    sign,
    sqrt,
    sub,
    to_mpf,
    trunc,
    watch_one,
    zero,
)

# Transcendental functions -------------------------------------------------------------------------------------------


def _real(name, function, at_inf, at_negative_inf, odd=False, domain=None, steep=False):
    """A function of one number: its values at the infinities, whether it keeps -0, where it is defined, and whether it is
    steep near 1 or -1."""

    def apply(ctx, a):
        if is_nan(a):
            return NAN
        if is_inf(a):
            return at_inf if a > 0 else at_negative_inf
        if odd and a == 0:
            return a
        if ctx.mode != "real":
            raise EvaluatorError(f"{name} has no exact value; the row's eval must be real")
        if steep:
            watch_one(ctx, a)
        a = to_mpf(0 if is_special(a) else a)
        if domain is not None and not domain(a):
            return NAN
        return function(ctx, a)

    return apply


def _log(base):
    def function(ctx, a):
        if a == 0:
            return -INF
        if base is None:
            return mp.log(a)
        return mp.log(a, 2) if base == 2 else mp.log10(a)

    return function


def _log1p(ctx, a):
    if a == -1:
        return -INF
    with mp.extraprec(max(0, -mp.mag(a)) if mp.mag(a) > -4 * mp.prec else 0):
        return mp.log1p(a)


def _expm1(ctx, a):
    small = -mp.mag(a)
    if small > mp.prec:
        return a + a * a / 2
    with mp.extraprec(max(0, small) + 10):
        return mp.exp(a) - 1


def _exp2(ctx, a):
    return mp.power(2, a)


def _erfc(ctx, a):
    if a > 2**40:
        return mp.ldexp(1, -(2**62))  # far below every dtype's smallest number
    return mp.erfc(a)


def _atanh(ctx, a):
    return infinity(a < 0) if abs(a) == 1 else mp.atanh(a)


def _wrap(function):
    return lambda ctx, a: function(a)


def half_pi(negative=False):
    return -mp.pi / 2 if negative else mp.pi / 2


def _arctangent(ctx, a):
    if is_inf(a):
        return half_pi(a < 0)
    return _ATAN(ctx, a)


exp = _real("exp", _wrap(mp.exp), INF, 0)
exp2 = _real("exp2", _exp2, INF, 0)
expm1 = _real("expm1", _expm1, INF, -1, odd=True)
log = _real("log", _log(None), INF, NAN, domain=lambda a: a >= 0, steep=True)
log2 = _real("log2", _log(2), INF, NAN, domain=lambda a: a >= 0, steep=True)
log10 = _real("log10", _log(10), INF, NAN, domain=lambda a: a >= 0, steep=True)
log1p = _real("log1p", _log1p, INF, NAN, odd=True, domain=lambda a: a >= -1, steep=True)
sin = _real("sin", _wrap(mp.sin), NAN, NAN, odd=True)
cos = _real("cos", _wrap(mp.cos), NAN, NAN)
tan = _real("tan", _wrap(mp.tan), NAN, NAN, odd=True)
asin = _real("asin", _wrap(mp.asin), NAN, NAN, odd=True, domain=lambda a: abs(a) <= 1, steep=True)
acos = _real("acos", _wrap(mp.acos), NAN, NAN, domain=lambda a: abs(a) <= 1, steep=True)
_ATAN = _real("atan", _wrap(mp.atan), NAN, NAN, odd=True)
sinh = _real("sinh", _wrap(mp.sinh), INF, -INF, odd=True)
cosh = _real("cosh", _wrap(mp.cosh), INF, INF)
tanh = _real("tanh", _wrap(mp.tanh), 1, -1, odd=True)
asinh = _real("asinh", _wrap(mp.asinh), INF, -INF, odd=True)
acosh = _real("acosh", _wrap(mp.acosh), INF, NAN, domain=lambda a: a >= 1, steep=True)
atanh = _real("atanh", _atanh, NAN, NAN, odd=True, domain=lambda a: abs(a) <= 1, steep=True)
erf = _real("erf", _wrap(mp.erf), 1, -1, odd=True)
erfc = _real("erfc", _erfc, 0, 2)


def atan2(ctx, y, x):
    if is_nan(y) or is_nan(x):
        return NAN
    below = is_negative(y)
    if is_inf(y):
        if is_inf(x):
            angle = mp.pi / 4 if x > 0 else 3 * mp.pi / 4
        else:
            angle = half_pi()
    elif y == 0 or is_inf(x):
        if not is_negative(x):
            return zero(below)
        angle = +mp.pi
    elif x == 0:
        angle = half_pi()
    else:
        return mp.atan2(to_mpf(y), to_mpf(x))
    return -angle if below else angle


def hypot(ctx, a, b):
    if is_inf(a) or is_inf(b):
        return INF
    if is_nan(a) or is_nan(b):
        return NAN
    return sqrt(ctx, add(ctx, mul(ctx, a, a), mul(ctx, b, b)))


def logaddexp(ctx, a, b):
    """log(exp(a) + exp(b)) through its limits at the infinities."""
    if is_nan(a) or is_nan(b):
        return NAN
    if is_inf(a) or is_inf(b):
        return maximum(ctx, a, b)
    high, low = (a, b) if a >= b else (b, a)
    return add(ctx, high, log1p(ctx, exp(ctx, sub(ctx, low, high))))


def power(ctx, a, b):
    """IEEE 754 pow: x^0 and 1^y are 1, NaN or not."""
    if b == 0 or (not is_special(a) and a == 1):
        return 1
    if is_nan(a) or is_nan(b):
        return NAN
    if is_inf(b):
        size = absolute(ctx, a)
        if size == 1:
            return 1
        return INF if (size > 1) == (b > 0) else 0
    odd = is_odd(b)
    if a == 0 or is_inf(a):
        negative = is_negative(a) and odd
        return infinity(negative) if is_inf(a) == (b > 0) else zero(negative)
    if a < 0 and not is_integer(b):
        return NAN
    if ctx.mode == "real":
        watch_one(ctx, a)
        size = mp.power(abs(to_mpf(a)), to_mpf(b))
        return -size if a < 0 and odd else size
    if not is_integer(b) or abs(b) > 64:
        raise EvaluatorError(f"{a}^{b} has no exact value of reasonable size; the row's eval must be real")
    return Fraction(a) ** int(b)


# Predicates, logic and bits -----------------------------------------------------------------------------------------


def bit_not(ctx, a):
    return not a if ctx.dtype.kind == "bool" else ~a


def shift_left(ctx, a, count):
    """0 where the count is negative or not below the width."""
    return a << count if 0 <= count < ctx.dtype.bits else 0


def shift_right(ctx, a, count):
    """Arithmetic; all sign bits where the count is negative or not below the width."""
    if 0 <= count < ctx.dtype.bits:
        return a >> count
    return -1 if a < 0 else 0


COMMON = {
    "eq": lambda ctx, a, b: a == b,
    "ne": lambda ctx, a, b: a != b,
    "lt": lambda ctx, a, b: a < b,
    "le": lambda ctx, a, b: a <= b,
    "gt": lambda ctx, a, b: a > b,
    "ge": lambda ctx, a, b: a >= b,
    "not": lambda ctx, a: not a,
    "logical_xor": lambda ctx, a, b: bool(a) != bool(b),
    "isnan": lambda ctx, a: is_nan(a),
    "isinf": lambda ctx, a: is_inf(a),
    "isfinite": lambda ctx, a: not (is_nan(a) or is_inf(a)),
    "signbit": lambda ctx, a: is_negative(a),
    "bit_and": lambda ctx, a, b: a & b,
    "bit_or": lambda ctx, a, b: a | b,
    "bit_xor": lambda ctx, a, b: a ^ b,
    "bit_not": bit_not,
    "shift_left": shift_left,
    "shift_right": shift_right,
}

EXTENDED = COMMON | {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "neg": neg,
    "fma": fma,
    "abs": absolute,
    "sign": sign,
    "floor": floor,
    "ceil": ceil,
    "trunc": trunc,
    "round": round_even,
    "sqrt": sqrt,
    "min": minimum,
    "max": maximum,
    "floor_divide": floor_divide,
    "remainder": remainder,
    "fmod": fmod,
    "copysign": copysign,
    "nextafter": nextafter,
    "exp": exp,
    "exp2": exp2,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "log2": log2,
    "log10": log10,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": _arctangent,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "atan2": atan2,
    "hypot": hypot,
    "pow": power,
    "erf": erf,
    "erfc": erfc,
    "logaddexp": logaddexp,
}


# Integers as machines have them: whole numbers, wrapped once at the end; division by zero gives 0 ---------------------


def native_fmod(ctx, a, b):
    rest = abs(a) % abs(b) if b else 0
    return -rest if a < 0 else rest


def native_power(ctx, a, b):
    """Modulo 2^64, which every integer dtype divides; a negative exponent truncates 1 / a^n, and 0^-n is 0."""
    if b >= 0:
        return pow(a, b, 1 << 64)
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


NATIVE = COMMON | {
    "add": lambda ctx, a, b: a + b,
    "sub": lambda ctx, a, b: a - b,
    "mul": lambda ctx, a, b: a * b,
    "neg": lambda ctx, a: -a,
    "fma": lambda ctx, a, b, c: a * b + c,
    "abs": lambda ctx, a: abs(a),
    "sign": lambda ctx, a: (a > 0) - (a < 0),
    "floor": lambda ctx, a: a,
    "ceil": lambda ctx, a: a,
    "trunc": lambda ctx, a: a,
    "round": lambda ctx, a: a,
    "min": lambda ctx, a, b: min(a, b),
    "max": lambda ctx, a, b: max(a, b),
    "floor_divide": lambda ctx, a, b: a // b if b else 0,
    "remainder": lambda ctx, a, b: a % b if b else 0,
    "fmod": native_fmod,
    "pow": native_power,
}
