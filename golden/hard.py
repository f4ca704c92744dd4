"""Hard sets of elementwise rows: names a row may list, each a maker of operand tuples (and of attributes, where the set is
about those). A set that means nothing for a dtype gives none."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.hard_values import (
    cancel,
    divide_by_zero,
    equal_operands,
    halfway,
    integer_edges,
    integer_exponents,
    large_argument,
    min_over_minus_one,
    near,
    near_pole,
    near_zero,
    negative_base,
    overflow,
    past,
    past_range,
    quotient_near_integer,
    shift_counts,
    sign_pairs,
    signed_zero,
    subnormal,
    tails,
    ties_to_even,
    underflow,
)
from golden.sample import Stream, special_values


def set_name(name):
    """A hard set's name as the file format allows it."""
    return name.lower().replace("^", "_").replace("-", "_")


def tuples(op, instance, name, attributes):
    """A list of (attributes, operand tuples) for a named set."""
    if name not in SETS and name not in ATTRIBUTE_SETS:
        known = " ".join(sorted(SETS | ATTRIBUTE_SETS))
        raise SpecError(f"row {op.name}: hard set {name} is unknown; known here are {known}")
    numeric = [DTYPES[dtype] for dtype in instance.inputs if DTYPES[dtype].kind != "bool"]
    if not numeric:
        return []
    stream = Stream(op.name, name, " ".join(instance.inputs))
    dtype = numeric[0]
    if name in ATTRIBUTE_SETS:
        return ATTRIBUTE_SETS[name](op, instance, dtype, attributes, stream)
    rows = []
    for values in SETS[name](dtype, len(numeric), stream):
        values = _spread(dtype, values, len(numeric), stream)
        if values is not None:
            rows.append(_with_bools(instance, values, stream))
    return [(attributes, rows)] if rows else []


def _spread(dtype, values, arity, stream):
    """A tuple brought to the arity of the row: cut, or filled with small numbers; None where the dtype lacks a value."""
    fillers = [1, 2, 3] if dtype.kind == "int" else [1.0, -2.0, 0.5]
    values = list(values)[:arity] + [stream.choose(fillers) for _ in range(arity - len(values))]
    out = []
    for value in values:
        if dtype.kind == "int":
            if isinstance(value, float) and not value.is_integer() or not dtype.lowest <= value <= dtype.highest:
                return None
            out.append(int(value))
        else:
            special = isinstance(value, float) and (not math.isfinite(value) or value == 0)
            out.append(value if special else dtype.round(Fraction(value)))
    return out


def _with_bools(instance, values, stream):
    values = iter(values)
    return tuple(stream.below(2) if DTYPES[name].kind == "bool" else next(values) for name in instance.inputs)


# Attributes -------------------------------------------------------------------------------------------------------------


def _plain(op, instance, dtype, stream):
    """Special values of the operands, bools at random."""
    numeric = sum(DTYPES[name].kind != "bool" for name in instance.inputs)
    values = special_values(dtype.name, "wide" if numeric == 1 else "narrow")
    return [_with_bools(instance, [value] * numeric, stream) for value in values]


def _lo_above_hi(op, instance, dtype, attributes, stream):
    names = [attribute.name for attribute in op.attributes][:2]
    pairs = [(5, 2), (100, 0)] if not dtype.signed and dtype.kind == "int" else [(3, -2), (1, 0)]
    if dtype.kind == "float":
        pairs = [(float(a), float(b)) for a, b in pairs] + [(math.inf, -math.inf), (0.0, -0.0)]
    rows = _plain(op, instance, dtype, stream)
    return [(attributes | dict(zip(names, pair)), rows) for pair in pairs]


def _nan_bound(op, instance, dtype, attributes, stream):
    if dtype.kind != "float":
        return []
    names = [attribute.name for attribute in op.attributes]
    rows = _plain(op, instance, dtype, stream)
    found = [(attributes | {name: math.nan}, rows) for name in names]
    return found + [(attributes | {name: math.nan for name in names}, rows)] if len(names) > 1 else found


def _past_2_53_bounds(op, instance, dtype, attributes, stream):
    numeric = sum(DTYPES[name].kind != "bool" for name in instance.inputs)
    found = past(53)(dtype, 1, stream) if dtype.bits == 64 else []
    rows = [_with_bools(instance, _spread(dtype, row, numeric, stream), stream) for row in found]
    if not rows:
        return []
    names = [attribute.name for attribute in op.attributes]
    if dtype.kind != "int" or not names:
        return [(attributes, rows)]
    base = 1 << 53
    if len(names) == 1:
        return [(attributes, rows), ({names[0]: base + 1}, rows)]
    bounds = ((0, base + 1), (base + 1, base + 3), (-base - 1, -base - 1))
    return [(dict(zip(names, pair)), rows) for pair in bounds]


ATTRIBUTE_SETS = {"lo_above_hi": _lo_above_hi, "nan_bound": _nan_bound, "past_2^53": _past_2_53_bounds}

SETS = {
    "ties_to_even": ties_to_even,
    "halfway": halfway,
    "cancel": cancel,
    "overflow": overflow,
    "underflow": underflow,
    "subnormal": subnormal,
    "subnormal_result": subnormal,
    "signed_zero": signed_zero,
    "signed_zeros": signed_zero,
    "past_2^24": past(24),
    "integer_edges": integer_edges,
    "sign_pairs": sign_pairs,
    "min_over_minus_one": min_over_minus_one,
    "divide_by_zero": divide_by_zero,
    "shift_counts": shift_counts,
    "nan": lambda dtype, arity, stream: [(math.nan, 1.0), (1.0, math.nan)] if dtype.kind == "float" else [],
    "past_range": past_range,
    "large_argument": large_argument,
    "near_one": near(1, -1),
    "near_pole": near_pole,
    "near_zero": near_zero,
    "equal_operands": equal_operands,
    "integer_exponents": integer_exponents,
    "negative_base": negative_base,
    "quotient_near_integer": quotient_near_integer,
    "tails": tails,
}
