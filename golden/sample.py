"""Where operand values come from: special values first, then samples of the row's domain. Hard sets are in hard.py
(tuples of operands) and lines.py (groups). Everything random comes from our own Philox, named by op, set and operand."""

import math
import re
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.philox import Stream

__all__ = ["Stream", "special_values", "domain_values", "parse_domain", "fit", "small_integers"]


def special_values(dtype_name, size):
    """The special values of a dtype; `size` is "wide" for one operand, "medium" for two, "narrow" for three."""
    dtype = DTYPES[dtype_name]
    if dtype.kind == "bool":
        return [0, 1]
    if dtype.kind == "int":
        return _special_integers(dtype, size)
    narrow = [0.0, -0.0, 1.0, -math.inf, math.inf, math.nan, -dtype.highest]
    medium = narrow + [-1.0, 0.5, -2.0, 3.0, dtype.highest, dtype.tiny, -dtype.sub, dtype.sub, 1 + dtype.ulp]
    if size == "narrow":
        return narrow
    if size == "medium":
        return medium
    below_one = dtype.from_bits(dtype.to_bits(1.0) - 1)
    wide = medium + [
        below_one,
        -below_one,
        -1 - dtype.ulp,
        -dtype.tiny,
        dtype.tiny - dtype.sub,
        dtype.sub - dtype.tiny,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        2.0,
        10.0,
        -10.0,
        0.25,
        -3.0,
        dtype.round(Fraction(math.pi)),
        dtype.round(Fraction(-math.pi / 2)),
        dtype.round(Fraction(1, 10)),
        math.ldexp(1.0, dtype.precision),
        -math.ldexp(1.0, dtype.precision),
        math.ldexp(1.0, dtype.precision - 1) - 0.5 if dtype.precision < 53 else math.ldexp(1.0, 52) - 0.5,
        dtype.round(Fraction(dtype.highest) / 2),
        100.0,
        -100.0,
        -dtype.round(Fraction(11)),
        -13.0,
    ]
    return wide


def _special_integers(dtype, size):
    low, high = dtype.lowest, dtype.highest
    if not dtype.signed:
        narrow = [0, 1, 2, 127, 128, 255]
        return narrow if size == "narrow" else narrow + [3, 7, 8, 9, 16, 64, 100, 200, 254]
    narrow = [0, 1, -1, 2, low, high]
    medium = narrow + [-2, 3, 7, low + 1, high - 1, dtype.bits, dtype.bits - 1, (1 << 24) + 1, -(1 << 24) - 1]
    if dtype.bits == 64:
        medium += [(1 << 53) + 1, 1 << 32]
    if size == "narrow":
        return narrow
    if size == "medium":
        return medium
    wide = medium + [-7, 10, -10, 100, -100, (1 << 24), 46340, 46341, 65535, 65536]
    if dtype.bits == 64:
        wide += [1 << 53, -(1 << 53) - 1, (1 << 31) - 1, -(1 << 31), 3037000499, 3037000500, (1 << 62) + 1]
    return wide


def parse_domain(text):
    """None for `all`, else the two ends of an interval as Fractions (an end may be left infinite)."""
    text = str(text or "all").strip()
    if text == "all":
        return None
    match = re.fullmatch(r"[\[(]\s*([^,\s]+)\s*,\s*([^,\s]+)\s*[\])]", text)
    if not match:
        raise SpecError(f"domain {text!r} is neither `all` nor an interval [a, b]")
    return tuple(_end(end) for end in match.groups())


def _end(text):
    if text.lstrip("+-") == "inf":
        return -math.inf if text.startswith("-") else math.inf
    text = text.replace("pi", repr(math.pi)) if text.lstrip("+-") == "pi" else text
    if "^" in text:
        base, power = text.split("^")
        sign = -1 if base.startswith("-") else 1
        return sign * Fraction(base.lstrip("+-")) ** int(power)
    return Fraction(text)


def fit(dtype, value):
    """A finite number as an element of a dtype: rounded, or truncated and saturated."""
    if dtype.kind == "bool":
        return 1 if value else 0
    if dtype.kind == "int":
        return dtype.saturate(math.trunc(value))
    rounded = dtype.round(Fraction(value))
    return math.copysign(dtype.highest, rounded) if math.isinf(rounded) else rounded


def domain_values(dtype_name, domain, count, stream):
    """Samples of a domain in thirds: log-uniform over everything, log-uniform around 1, uniform."""
    dtype = DTYPES[dtype_name]
    ends = parse_domain(domain)
    return [_sample(dtype, ends, index % 3, stream) for index in range(count)]


def _sample(dtype, ends, way, stream):
    if dtype.kind == "bool":
        return stream.below(2)
    if ends is None:
        ends = (-math.inf, math.inf)
    low, high = _limit(dtype, ends[0]), _limit(dtype, ends[1])
    bounded = not (math.isinf(ends[0]) or math.isinf(ends[1]))
    if way == 2 or (bounded and way == 1):
        if not bounded:
            low, high = max(low, Fraction(-10)), min(high, Fraction(10))
            if low > high:
                low, high = (high, high + 10) if high > 0 else (low, low + 10)
        return fit(dtype, low + (high - low) * Fraction(stream.unit()))
    return _log_uniform(dtype, low, high, way == 1, stream)


def _limit(dtype, end):
    if math.isinf(end):
        return Fraction(dtype.highest if end > 0 else dtype.lowest)
    return min(max(Fraction(end), Fraction(dtype.lowest)), Fraction(dtype.highest))


def _log_uniform(dtype, low, high, near_one, stream):
    """A random sign, exponent and fraction, tried until it lies in [low, high]."""
    for _ in range(200):
        if dtype.kind == "int":
            bits = stream.below(dtype.bits)
            value = Fraction(stream.below(1 << bits) if bits else 0)
        else:
            top = min(16, dtype.emax) if near_one else dtype.emax
            bottom = max(-16, dtype.emin) if near_one else dtype.emin - dtype.precision + 1
            value = Fraction(1 + stream.unit()) * Fraction(2) ** stream.integer(bottom, top)
        if dtype.signed and stream.below(2):
            value = -value
        if low <= value <= high:
            return fit(dtype, value)
    return fit(dtype, low + (high - low) * Fraction(stream.unit()))


def small_integers(dtype_name, count, stream, bound=4):
    """Whole numbers so small that every sum and product of a case is exact in every dtype: compared by bits."""
    dtype = DTYPES[dtype_name]
    if dtype.kind == "bool":
        return [stream.below(2) for _ in range(count)]
    low = -bound if dtype.signed else 0
    values = [stream.integer(low, bound) for _ in range(count)]
    return [float(value) for value in values] if dtype.kind == "float" else values
