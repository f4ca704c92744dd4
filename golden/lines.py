"""Hard groups for the families that reduce, scan, multiply, sort or scatter: a set is a list of lines of equal length,
each line one group. A set that means nothing for a dtype (NaN among integers) gives none."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.sample import Stream, fit

LENGTH = 37  # prime, and no multiple of a vector or of half a block


def lines(op_name, set_name, dtype_name):
    """The lines of a named set as elements of a dtype, [] where the set means nothing for it."""
    if set_name not in LINES:
        raise SpecError(f"row {op_name}: hard set {set_name} is unknown; known here are {' '.join(sorted(LINES))}")
    dtype = DTYPES[dtype_name]
    kinds, make = LINES[set_name]
    if dtype.kind not in kinds:
        return []
    stream = Stream(op_name, set_name, dtype_name)
    return [[_element(dtype, value) for value in line] for line in make(dtype, stream)]


def _element(dtype, value):
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return value if dtype.kind == "float" else int(value)
    return fit(dtype, Fraction(value))


def _filled(stream, low=-4, high=4, count=LENGTH):
    return [stream.integer(low, high) for _ in range(count)]


def _with(line, places):
    """A copy of a line with values put at places."""
    line = list(line)
    for place, value in places.items():
        line[place] = value
    return line


def _constant_tenth(dtype, stream):
    return [[Fraction(1, 10)] * 300, [Fraction(-1, 10)] * 300]


def _cancel(dtype, stream):
    big = Fraction(2) ** min(dtype.precision - 2 if dtype.kind == "float" else 20, 40)
    if dtype.name == "u8":
        big = 100
    half = [big * stream.integer(1, 3) + stream.integer(0, 3) for _ in range(LENGTH // 2)]
    paired = stream.shuffled(half + [-value for value in half] + [1])
    near = stream.shuffled([big, -big] * (LENGTH // 2) + [Fraction(1, 4)])
    return [paired, near]


def _past_2048(dtype, stream):
    return [[1] * 2100]


def _past_65504(dtype, stream):
    return [[1000] * 100, [Fraction(600)] * 50 + [Fraction(700)] * 50]


def _past_2_24(dtype, stream):
    base = 1 << 24
    if dtype.kind == "int" and dtype.bits < 32:
        return []
    return [stream.shuffled([base, base + 1, base + 2, base - 1, -base - 1, -base] + _filled(stream, count=31))]


def _past_2_53(dtype, stream):
    if dtype.bits < 64:
        return []
    base = 1 << 53
    if dtype.kind == "float":
        return [stream.shuffled([base, 1, 1, 1] + _filled(stream, count=33))]
    return [
        stream.shuffled([base, base + 1, base + 2, base - 1, base + 3, 3] + _filled(stream, count=31)),
        stream.shuffled([-base, -base - 1, -base + 1, -base - 2, base + 1, 3] + _filled(stream, count=31)),
        [base + 1] + [base] * 18 + [base + 1] * 18,
    ]


def _wrap(dtype, stream):
    if dtype.kind == "bool":
        return [[1] * LENGTH, [0] * LENGTH, [stream.below(2) for _ in range(LENGTH)]]
    return [
        [dtype.highest] * LENGTH,
        [dtype.lowest] * LENGTH,
        [stream.integer(dtype.lowest, dtype.highest) for _ in range(LENGTH)],
        [stream.choose([2, 3, 5, 7, 11]) for _ in range(LENGTH)],
    ]


def _zero_inside(dtype, stream):
    base = [stream.choose([1, 2, 3]) for _ in range(LENGTH)]
    negative = 0.0 if dtype.kind != "float" else -0.0
    return [_with(base, {5: 0}), _with(base, {LENGTH - 1: negative}), _with(base, {0: 0, 20: negative})]


def _negative_factors(dtype, stream):
    one = [stream.choose([1, -1, Fraction(3, 2), Fraction(-3, 4)]) for _ in range(LENGTH)]
    return [one, _with([-1] * LENGTH, {0: 2}), [-1] * (LENGTH - 1) + [1]]


def _nan_inside(dtype, stream):
    base = _filled(stream)
    nan, inf = math.nan, math.inf
    return [
        _with(base, {0: nan}),
        _with(base, {17: nan}),
        _with(base, {LENGTH - 1: nan}),
        _with(base, {3: nan, 20: nan, 21: nan}),
        _with(base, {2: inf, 30: nan}),
        _with(base, {2: nan, 30: -inf}),
        [nan] * LENGTH,
        _with(base, {4: inf, 9: inf}),
        _with(base, {4: -inf, 9: -inf}),
        _with(base, {4: inf, 9: -inf}),
        base,
    ]


def _signed_zeros(dtype, stream):
    mixed = [stream.choose([0.0, -0.0]) for _ in range(LENGTH)]
    negative = [-0.0] * LENGTH
    below = [stream.choose([-0.0, 0.0, -1]) for _ in range(LENGTH)]
    above = [stream.choose([-0.0, 0.0, 1]) for _ in range(LENGTH)]
    return [mixed, negative, _with(negative, {20: 0.0}), _with([0.0] * LENGTH, {20: -0.0}), below, above]


def _ties(dtype, stream):
    few = [0, 1] if dtype.kind == "bool" else [1, 2, 3]
    top = [stream.choose(few) for _ in range(LENGTH)]
    return [top, [few[-1]] * LENGTH, _with([few[0]] * LENGTH, {9: few[-1], 31: few[-1]}), _with(top, {0: few[0]})]


def _logits_1000(dtype, stream):
    return [
        [stream.choose([1000, -1000, 999, -999]) for _ in range(LENGTH)],
        [1000] * LENGTH,
        [-1000] * LENGTH,
        _with([-1000] * LENGTH, {11: 1000}),
        [1000 - index for index in range(LENGTH)],
    ]


def _far_mean(dtype, stream):
    step = Fraction(2) ** (max(11, dtype.precision - 11) - dtype.precision + 2)
    center = Fraction(2) ** (dtype.precision - 1) * step if dtype.precision < 13 else Fraction(10_000)
    if dtype.precision >= 13:
        return [[center + Fraction(stream.integer(-8, 8), 8) for _ in range(LENGTH)] for _ in range(2)]
    return [[center + step * stream.integer(0, 3) for _ in range(LENGTH)] for _ in range(2)]


def _square(exponent_of):
    def make(dtype, stream):
        power = exponent_of(dtype)
        return [
            [Fraction(stream.integer(1, 7)) * Fraction(2) ** power for _ in range(5)],
            [Fraction(2) ** power] + [Fraction(0)] * 4,
            [Fraction(3) * Fraction(2) ** power, Fraction(4) * Fraction(2) ** power, 0, 0, 0],
        ]

    return make


def _past_range(dtype, stream):
    return [[dtype.highest] * 3 + [1] * (LENGTH - 3)]


def _ramp(step):
    def make(dtype, stream):
        if dtype.kind == "bool":
            return [sorted(stream.below(2) for _ in range(LENGTH))[::step]]
        return [[index for index in range(LENGTH)][::step], [index // 3 for index in range(LENGTH)][::step]]

    return make


ALL, NUMBERS, FLOAT = ("bool", "int", "float"), ("int", "float"), ("float",)

LINES = {
    "constant_tenth": (FLOAT, _constant_tenth),
    "cancel": (NUMBERS, _cancel),
    "past_2048": (FLOAT, _past_2048),
    "past_65504": (FLOAT, _past_65504),
    "past_2^24": (NUMBERS, _past_2_24),
    "past_2^53": (NUMBERS, _past_2_53),
    "wrap": (("bool", "int"), _wrap),
    "zero_inside": (NUMBERS, _zero_inside),
    "negative_factors": (FLOAT, _negative_factors),
    "nan_inside": (FLOAT, _nan_inside),
    "signed_zeros": (FLOAT, _signed_zeros),
    "all_minus_inf": (FLOAT, lambda dtype, stream: [[-math.inf] * LENGTH]),
    "all_plus_inf": (FLOAT, lambda dtype, stream: [[math.inf] * LENGTH]),
    "one_minus_inf": (FLOAT, lambda dtype, stream: [_with(_filled(stream), {place: -math.inf}) for place in (0, 36)]),
    "logits_1000": (FLOAT, _logits_1000),
    "far_mean": (FLOAT, _far_mean),
    "all_zero": (ALL, lambda dtype, stream: [[0] * LENGTH]),
    "no_zero": (ALL, lambda dtype, stream: [[1 + stream.below(3) for _ in range(LENGTH)]]),
    "one_zero": (ALL, lambda dtype, stream: [_with([1] * LENGTH, {place: 0}) for place in (0, 19, 36)]),
    "one_nonzero": (ALL, lambda dtype, stream: [_with([0] * LENGTH, {place: 1}) for place in (0, 19, 36)]),
    "square_overflows": (FLOAT, _square(lambda dtype: dtype.emax - 5)),
    "square_underflows": (FLOAT, _square(lambda dtype: dtype.emin + 1)),
    "ties": (ALL, _ties),
    "past_range": (NUMBERS, _past_range),
    "already_sorted": (ALL, _ramp(1)),
    "reversed": (ALL, _ramp(-1)),
}
