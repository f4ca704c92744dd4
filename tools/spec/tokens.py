"""Values as tables and examples write them, resolved for a dtype.

A number is written in decimal, in hexadecimal floating point, or as a sum of such terms, `2^N`, and the dtype's own
`max min tiny sub pi ulp inf`, each with a factor where it helps: `3*sub`. `V+ulp` and `V-ulp` are the neighbours of V, `V-2*ulp` the
next but one. A resolved value is an int (integers, bool), or for floating types a Fraction or one of the
strings "nan", "inf", "-inf", "-0". The text of a resolved value is what golden files use.
"""

import re
from fractions import Fraction

from tools.spec.problems import listing

WORDS = ("nan", "+inf", "-inf", "+0", "-0", "max", "min", "tiny", "sub", "pi", "true", "false")
HELP = listing((*WORDS, "decimal or hexadecimal numbers", "2^N", "sums such as 1+ulp, 1-2*ulp, 3*sub, max-1, 2^53+1"))
# Enough digits of pi for any rounding to 64 bits.
_PI = Fraction(31415926535897932384626433832795028841971693993751058209749445923, 10**64)
_TERM = re.compile(r"([+-]?)(?:(2)\^(-?\d+)|(0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?)"
                   r"|(\d+\.?\d*(?:[eE][+-]?\d+)?\*?)?(max|min|tiny|sub|pi|ulp|inf|nan)?)")


class TokenError(ValueError):
    """The token is no value, or none of its dtype."""


def resolve(token, dtype):
    """The value that a token has in a dtype (a model.Dtype)."""
    if dtype.kind == "bool":
        if token not in ("true", "false"):
            raise TokenError(f"'{token}' is no bool; valid: true, false")
        return int(token == "true")
    if dtype.kind == "int":
        return _integer(token, dtype)
    return _floating(token, dtype)


def text(value, dtype):
    """A resolved value as golden files write it: integers, 0 or 1, shortest decimal, nan, inf, -inf, -0."""
    if isinstance(value, (int, str)):
        return str(value)
    return shortest(value, dtype)


def _terms(token, dtype):
    """Signed terms (sign, kind, payload) of a sum."""
    at, terms = 0, []
    while at < len(token):
        match = _TERM.match(token, at)
        if match is None or match.end() == at or match[0] in "+-" or (terms and not match[1]):
            raise TokenError(f"'{token}' is no value of {dtype.name}; valid: {HELP}")
        sign = -1 if match[1] == "-" else 1
        if match[2]:
            terms.append((sign, "number", Fraction(2) ** int(match[3])))
        elif match[4]:
            terms.append((sign, "number", _hexadecimal(match[4])))
        else:
            count = Fraction(match[5].rstrip("*")) if match[5] else None
            if match[6]:
                terms.append((sign, match[6], count if count is not None else Fraction(1)))
            elif match[5].endswith("*"):
                raise TokenError(f"'{token}' is no value of {dtype.name}; valid: {HELP}")
            else:
                terms.append((sign, "number", count))
        at = match.end()
    if not terms:
        raise TokenError(f"an empty value; valid: {HELP}")
    return terms


def _hexadecimal(word):
    mantissa, _, exponent = word.lower()[2:].partition("p")
    whole, _, fraction = mantissa.partition(".")
    return Fraction(int(whole + fraction, 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(fraction))


def _integer(token, dtype):
    low, high = dtype.range
    total = Fraction(0)
    for sign, kind, payload in _terms(token, dtype):
        if kind not in ("number", "max", "min"):
            raise TokenError(f"'{token}' is no value of {dtype.name}: it has no {kind}; valid: integers, max, min, 2^N and sums")
        total += sign * (payload if kind == "number" else payload * (high if kind == "max" else low))
    if total.denominator != 1 or not low <= total <= high:
        raise TokenError(f"'{token}' is no value of {dtype.name}: it holds the integers from {low} to {high}")
    return int(total)


def _floating(token, dtype):
    terms = _terms(token, dtype)
    if len(terms) == 1 and terms[0][1] in ("nan", "inf"):
        return "nan" if terms[0][1] == "nan" else ("-inf" if terms[0][0] < 0 else "inf")
    total, ulps = Fraction(0), 0
    for sign, kind, payload in terms:
        if kind == "ulp":
            ulps += sign * payload
        elif kind in ("nan", "inf"):
            raise TokenError(f"'{token}' is no value: {kind} stands alone")
        else:
            # `min` is the lowest value, so its sign is part of it.
            unit = {"number": 1, "max": largest(dtype), "min": -largest(dtype), "tiny": smallest_normal(dtype),
                    "sub": smallest(dtype), "pi": _PI}[kind]
            total += sign * payload * unit
    if total == 0 and ulps == 0:
        return "-0" if token.startswith("-") else Fraction(0)
    value = round_to(total, dtype)
    if Fraction(ulps).denominator != 1:
        raise TokenError(f"'{token}' is no value: ulp takes a whole number")
    for _ in range(abs(int(ulps))):
        if isinstance(value, str):
            raise TokenError(f"'{token}' is no value: {value} has no ulp")
        value = step(value, 1 if ulps > 0 else -1, dtype)
    return value


def largest(dtype):
    """The largest finite value of a floating dtype."""
    return (2 - Fraction(2) ** (1 - dtype.precision)) * Fraction(2) ** dtype.emax


def smallest_normal(dtype):
    return Fraction(2) ** (1 - dtype.emax)


def smallest(dtype):
    """The smallest subnormal."""
    return Fraction(2) ** (2 - dtype.emax - dtype.precision)


def ulp_of(magnitude, dtype):
    """Distance between values at and above a positive magnitude."""
    if magnitude < smallest_normal(dtype):
        return smallest(dtype)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    return Fraction(2) ** (exponent + 1 - dtype.precision)


def round_to(value, dtype):
    """Rounds a Fraction once, to nearest with ties to even: a Fraction, "inf", "-inf" or "-0"."""
    if value == 0:
        return Fraction(0)
    unit = ulp_of(abs(value), dtype)
    rounded = round(value / unit) * unit  # round() of a Fraction rounds ties to even
    if abs(rounded) > largest(dtype):
        return "inf" if value > 0 else "-inf"
    if rounded == 0:
        return Fraction(0) if value > 0 else "-0"
    return rounded


def step(value, direction, dtype):
    """The neighbour of a finite value towards +inf (1) or -inf (-1)."""
    magnitude = abs(value)
    if value == 0:
        return smallest(dtype) * direction
    outward = (value > 0) == (direction > 0)
    if outward:
        result = magnitude + ulp_of(magnitude, dtype)
        if result > largest(dtype):
            return "inf" if value > 0 else "-inf"
    else:
        unit = ulp_of(magnitude, dtype)
        if magnitude > smallest_normal(dtype) and magnitude / unit == 2 ** (dtype.precision - 1):
            unit /= 2  # values lie twice as close below a power of two
        result = magnitude - unit
        if result == 0:
            return Fraction(0) if value > 0 else "-0"
    return result if value > 0 else -result


def shortest(value, dtype):
    """The shortest decimal that rounds to a value of the dtype."""
    if value == 0:
        return "0"
    sign, magnitude = ("-" if value < 0 else ""), abs(value)
    exponent = len(str(magnitude.numerator)) - len(str(magnitude.denominator))
    if Fraction(10) ** exponent > magnitude:
        exponent -= 1
    for digits in range(1, 40):
        unit = Fraction(10) ** (exponent + 1 - digits)
        count = round(magnitude / unit)
        if round_to(count * unit, dtype) == magnitude:
            return sign + _decimal(str(count), exponent + 1 - digits)
    raise AssertionError("a value of a dtype has a shortest decimal")


def _decimal(digits, exponent):
    """digits * 10^exponent, with no exponent where the number is short without."""
    stripped = digits.rstrip("0") or "0"
    exponent += len(digits) - len(stripped)
    point = len(stripped) + exponent
    if exponent >= 0 and point <= 16:
        return stripped + "0" * exponent
    if 0 < point <= 16:
        return stripped[:point] + "." + stripped[point:]
    if -4 < point <= 0:
        return "0." + "0" * -point + stripped
    return stripped[0] + ("." + stripped[1:] if len(stripped) > 1 else "") + f"e{point - 1:+03d}"
