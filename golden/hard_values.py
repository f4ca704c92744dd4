"""Makers of hard operand tuples for elementwise rows: `maker(dtype, arity, stream)` gives tuples of numbers, shorter than the
arity where the rest does not matter, [] where the set means nothing for the dtype."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.sample import special_values

COUNT = 24  # random members of a set


def _odd(dtype, stream):
    """A random whole number with all bits of the significand in use, odd."""
    bits = dtype.precision if dtype.kind == "float" else dtype.bits // 2
    return (1 << (bits - 1)) | stream.below(1 << (bits - 1)) | 1


def _both_signs(rows):
    return rows + [tuple(-value for value in row) for row in rows]


# Rounding -------------------------------------------------------------------------------------------------------------


def ties_to_even(dtype, arity, stream):
    """Sums and products exactly half way between two neighbours, and just beside."""
    if dtype.kind != "float":
        return []
    rows = []
    for _ in range(COUNT // 2):
        odd = _odd(dtype, stream)
        rows += [(odd, Fraction(1, 2)), (odd, Fraction(-1, 2)), (odd - 1, Fraction(1, 2)), (odd - 1, Fraction(-1, 2))]
    low = dtype.precision // 2
    for _ in range(COUNT):
        a = (1 << low) + stream.below(1 << low) | 1
        b = (1 << (dtype.precision - low)) - 1 - 2 * stream.below(1 << (low // 2))
        rows.append((a, b))
    if arity == 3:
        tiny = Fraction(2) ** -20
        rows += [(_odd(dtype, stream), 1, Fraction(1, 2) + sign * tiny) for sign in (-1, 0, 1) for _ in range(6)]
    return _both_signs(rows)


def halfway(dtype, arity, stream):
    """Numbers half way between whole ones, doubles half way between neighbours of the narrower dtypes."""
    if dtype.kind == "int":
        return past(24)(dtype, arity, stream) + past(53)(dtype, arity, stream) + _odd_integers(dtype, stream)
    rows = [(Fraction(2 * k + 1, 2),) for k in range(-6, 7)]
    rows += [(sign * (Fraction(2) ** (dtype.precision - 2) + Fraction(k, 2)),) for k in range(4) for sign in (-1, 1)]
    for narrow in ("f16", "bf16", "f32"):
        target = DTYPES[narrow]
        if target.precision >= dtype.precision:
            continue
        for _ in range(8):
            k = _odd(target, stream)
            scale = Fraction(2) ** stream.integer(-12, 3)
            step = Fraction(1, 2) * scale
            nudge = scale * Fraction(2) ** (target.precision - dtype.precision + 1)
            rows += [(k * scale + step,), (k * scale - step,), (k * scale + step + nudge,), (k * scale + step - nudge,)]
        quantum = Fraction(target.sub)
        rows += [(quantum * m / 4,) for m in range(1, 12)] if quantum / 4 >= Fraction(dtype.sub) else []
        limit = Fraction(target.highest)
        half = target.quantum(limit) / 2
        rows += [(limit + half * m / 2,) for m in range(1, 4) if limit + half < Fraction(dtype.highest)]
    return _both_signs(rows)


def _odd_integers(dtype, stream):
    """Integers half way between neighbours of the floating dtypes."""
    rows = []
    for precision in (8, 11, 24, 53):
        for extra in (1, 3):
            base = 1 << (precision + extra - 1)
            half = 1 << (extra - 1)
            for k in range(4):
                value = base + (2 * k + 1) * half
                rows += [(value,), (-value,), (value + 1,), (value - 1,)]
    return [row for row in rows if dtype.lowest <= row[0] <= dtype.highest]


def cancel(dtype, arity, stream):
    rows = []
    for _ in range(COUNT):
        if dtype.kind == "int":
            a = stream.integer(dtype.lowest, dtype.highest)
            rows += [(a, a), (a, dtype.wrap(-a))]
            continue
        a = dtype.round(Fraction(_odd(dtype, stream)) * Fraction(2) ** stream.integer(-8, 3))
        near = dtype.next_after(a, math.inf)
        rows += [(a, a), (a, -a), (a, near), (a, -near)]
        if arity == 3:
            b = dtype.round(Fraction(_odd(dtype, stream), 1 << dtype.precision))
            rows.append((a, b, -dtype.round(Fraction(a) * Fraction(b))))
    return rows


def overflow(dtype, arity, stream):
    if dtype.kind == "int":
        top, low = dtype.highest, dtype.lowest
        rows = [(top, 1), (top, top), (top, 2), (low, low), (1, top), (top // 2 + 1, 2), (top // 2, 2)]
        return rows + ([(low, -1), (low, 1), (low + 1, -1)] if dtype.signed else [])
    top = Fraction(dtype.highest)
    half = dtype.quantum(top) / 2
    root = Fraction(2) ** ((dtype.emax + 1) // 2)
    rows = [(top, top), (top, half), (top, half / 2), (top, half * Fraction(3, 4))]
    rows += [(top, 2), (top, 1), (top, Fraction(1, 2))]
    rows += [(root, root), (root, root / 2), (top / 2, 2), (top, Fraction(dtype.tiny)), (Fraction(dtype.tiny), top)]
    rows += [(dtype.round(Fraction(dtype.emax) * Fraction(math.log(2)) + Fraction(step, 4)),) for step in range(-3, 6)]
    rows += [(dtype.emax + step,) for step in (-1, 0, 1, 2)]
    return _both_signs(rows)


def subnormal(dtype, arity, stream):
    if dtype.kind != "float":
        return []
    sub, tiny = Fraction(dtype.sub), Fraction(dtype.tiny)
    rows = [(sub, sub), (sub, -sub), (tiny, sub), (tiny, -sub), (sub, Fraction(1, 2)), (3 * sub, Fraction(1, 2))]
    rows += [(5 * sub, Fraction(1, 2)), (sub, Fraction(3, 2)), (tiny, Fraction(1, 2)), (tiny + sub, Fraction(1, 2))]
    rows += [(tiny, tiny), (tiny, 2), (sub, 2), (sub, Fraction(1, 4)), (tiny, 4), (3 * tiny / 2, -tiny), (tiny - sub, sub)]
    for _ in range(COUNT):
        a = sub * (1 + stream.below(min(1 << (dtype.precision - 1), 1 << 30)))
        rows.append((a, stream.choose([Fraction(1, 2), Fraction(3, 4), Fraction(5, 8), sub, -sub, tiny, Fraction(3)])))
    return _both_signs(rows)


def underflow(dtype, arity, stream):
    if dtype.kind != "float":
        return []
    edge = (dtype.emin - dtype.precision + 1) * Fraction(math.log(2))
    rows = [(edge + Fraction(step, 2),) for step in range(-4, 5)] + [(dtype.emin * Fraction(math.log(2)),)]
    rows += [(dtype.emin - dtype.precision + step,) for step in range(-2, 4)] + [(dtype.emin,)]
    tiny = Fraction(dtype.tiny)
    root = Fraction(2) ** (dtype.emin // 2)
    return rows + [(tiny, tiny), (root, root), (root, -root), (root, root / 2), (tiny, Fraction(1, 2)), (tiny, -3)]


def signed_zero(dtype, arity, stream):
    if dtype.kind != "float":
        return []
    values = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, dtype.sub, -dtype.sub]
    return [(a, b, c) for a in values for b in values for c in ((0.0, -0.0) if arity == 3 else (0.0,))]


# Integers -------------------------------------------------------------------------------------------------------------


def past(power):
    def make(dtype, arity, stream):
        base = 1 << power
        if dtype.highest < base:
            return []
        near = [base - 1, base, base + 1, base + 2, base + 3]
        rows = [(a, b) for a in near for b in (near if arity > 1 else [1])]
        return rows + [(-a, b) for a, b in rows] if dtype.kind == "float" or dtype.signed else rows

    return make


def integer_edges(dtype, arity, stream):
    if dtype.kind != "int":
        return []
    edges = [dtype.lowest, dtype.lowest + 1, -1, 0, 1, dtype.highest - 1, dtype.highest, dtype.highest // 2 + 1]
    return [(a, b) for a in edges for b in (edges if arity > 1 else [1])]


def sign_pairs(dtype, arity, stream):
    values = [7, 3, 2, 1, 5, 8]
    rows = [(s * a, t * b) for a in values for b in values for s in (1, -1) for t in (1, -1)]
    return rows


def min_over_minus_one(dtype, arity, stream):
    if dtype.kind != "int" or not dtype.signed:
        return []
    return [(dtype.lowest, -1), (dtype.lowest + 1, -1), (dtype.lowest, 1), (dtype.lowest, dtype.lowest), (-1, dtype.lowest)]


def divide_by_zero(dtype, arity, stream):
    zeros = [0] if dtype.kind == "int" else [0.0, -0.0]
    return [(a, zero) for a in special_values(dtype.name, "medium") for zero in zeros]


def shift_counts(dtype, arity, stream):
    if dtype.kind != "int":
        return []
    counts = [0, 1, dtype.bits - 1, dtype.bits, dtype.bits + 1, 2 * dtype.bits, 63, 64, 65, dtype.highest]
    counts += [-1, -dtype.bits, dtype.lowest]
    values = [1, -1, 3, dtype.highest, dtype.lowest, 0, 5, -6]
    return [(a, b) for a in values for b in counts]


# Regions of functions --------------------------------------------------------------------------------------------------


def near(*centers):
    """Both neighbours of each centre, and points that approach it."""

    def make(dtype, arity, stream):
        if dtype.kind != "float":
            return [(center,) for center in centers]
        rows = []
        for center in centers:
            at = dtype.round(Fraction(center))
            rows += [(at,), (dtype.next_after(at, math.inf),), (dtype.next_after(at, -math.inf),)]
            for power in range(1, dtype.precision + 2, 3):
                rows += [(Fraction(at) + sign * Fraction(2) ** -power,) for sign in (1, -1)]
        return rows

    return make


def near_zero(dtype, arity, stream):
    if dtype.kind != "float":
        return [(0,), (1,), (-1,)]
    rows = []
    for power in range(0, -dtype.emin + dtype.precision - 1, 1 if dtype.bits == 16 and dtype.emax < 20 else 9):
        rows += [(Fraction(2) ** -power,), (Fraction(stream.integer(9, 15), 8) * Fraction(2) ** -power,)]
    return _both_signs(rows)


def large_argument(dtype, arity, stream):
    """Where argument reduction decides: multiples of pi/2 rounded to the dtype, and big random numbers."""
    if dtype.kind != "float":
        return [(dtype.highest,), (dtype.lowest,)]
    pi = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
    rows = []
    for k in (1, 2, 3, 4, 7, 11, 22, 100, 355, 1000, 10_001, 1_000_003):
        if k * pi < Fraction(dtype.highest):
            rows.append((dtype.round(k * pi / 2),))
    for _ in range(COUNT):
        power = stream.integer(4, dtype.emax - 1)
        rows.append((Fraction(1 + stream.unit()) * Fraction(2) ** power, Fraction(1 + stream.unit()) * Fraction(2) ** power))
    return _both_signs(rows)


def near_pole(dtype, arity, stream):
    return near(1, -1, 0)(dtype, arity, stream) + large_argument(dtype, arity, stream)[:12]


def tails(dtype, arity, stream):
    """The far ends of functions that saturate: where the result nears its limit, underflows, or starts to do so."""
    if dtype.kind != "float":
        return []
    rows = [(Fraction(k, 4),) for k in range(2, 60)] + [(k,) for k in range(15, 120, 3)]
    rows += [(k,) for k in (150, 300, 700, 709, 710, 744, 745, 746, 800, 1000)]
    return _both_signs(rows)


def equal_operands(dtype, arity, stream):
    return [(a, a, a) for a in special_values(dtype.name, "wide")]


def integer_exponents(dtype, arity, stream):
    if dtype.kind == "int":
        bases = [0, 1, 2, 3, 7, -1, -2, -3, dtype.highest, dtype.lowest]
        powers = [0, 1, 2, 3, 5, 31, 32, 63, 64, 100, -1, -2, -3, dtype.highest, dtype.lowest]
    else:
        bases = [0.0, -0.0, 1.5, -1.5, -1.0, 2.0, -2.0, math.inf, -math.inf, 10.0]
        powers = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.5, 10.0, 11.0, math.inf, -math.inf, -0.0, 1e4]
    return [(a, b) for a in bases for b in powers]


def negative_base(dtype, arity, stream):
    rows = [(-a, b) for a in (0.5, 1, 2, 3, 1.25) for b in (-3, -2, -1, 1, 2, 3, 4, 5, 0.5, -0.5, 1.5)]
    return [(Fraction(a), Fraction(b)) for a, b in rows]


def quotient_near_integer(dtype, arity, stream):
    """Quotients a rounding error away from a whole number: 1 // 0.1 is 9."""
    if dtype.kind != "float":
        return [(a * b + c, b) for a in (3, -3, 10) for b in (7, -7) for c in (-1, 0, 1)]
    rows = [(1, dtype.round(Fraction(1, 10))), (-1, dtype.round(Fraction(1, 10))), (6, dtype.round(Fraction(1, 10)))]
    for _ in range(COUNT):
        b = dtype.round(Fraction(stream.integer(1, 99), stream.choose([10, 100, 7])))
        a = dtype.round(Fraction(b) * stream.integer(2, 60))
        rows += [(a, b), (dtype.next_after(a, math.inf), b), (dtype.next_after(a, -math.inf), b), (-a, b), (a, -b)]
    return rows

def past_range(dtype, arity, stream):
    """Both sides of every integer dtype's ends, and of the narrower floats' ends."""
    rows = []
    for target in DTYPES.values():
        ends = [Fraction(target.lowest), Fraction(target.highest)]
        for end in ends:
            step = Fraction(1, 2) if target.kind != "float" else target.quantum(end) / 2
            for nudge in (-2, -1, 0, 1, 2, 3):
                value = end + nudge * step
                if dtype.kind == "int":
                    value = Fraction(math.floor(value))
                if Fraction(dtype.lowest) <= value <= Fraction(dtype.highest):
                    rows.append((value,))
    for power in (8, 31, 63) if dtype.kind == "float" else ():
        if power < dtype.emax:
            end = dtype.round(Fraction(2) ** power)
            rows += [(dtype.next_after(end, math.inf),), (dtype.next_after(end, -math.inf),)]
    return list(dict.fromkeys(rows))
