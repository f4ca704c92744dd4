"""Filling: a few shapes, every special value of the dtype, and doubles that must be rounded once."""

import math

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.families.convert import convert_value
from golden.families.tree import output
from golden.sample import special_values
from golden.tensor import Case

SHAPES = ((), (1,), (33,), (2, 3, 5), (0, 3))


def cases(op, instance):
    """Every value once; shapes in turn. The shape is that of the output, which `shape_of` remembers by set name."""
    dtype = DTYPES[instance.outputs[0]]
    for number, value in enumerate(values_of(op, dtype)):
        name = op.attributes[0].name
        yield Case(f"value_{number}", (), instance.outputs, {name: value}, {})


def values_of(op, dtype):
    """Special values, then the row's hard ones."""
    values = special_values(dtype.name, "wide" if dtype.kind == "float" else "medium")
    for name in op.hard:
        if name == "halfway" and dtype.kind == "float":
            step = dtype.ulp / 2
            values += [1 + step, 1 + 3 * step, 1 + step * (1 + 2.0**-20), dtype.sub / 2, dtype.sub * 1.5, 0.1]
            values += [float(dtype.highest) * (1 + 2.0 ** -(dtype.precision + 1))] if dtype.bits < 64 else []
        elif name == "past_2^53" and dtype.bits == 64 and dtype.kind == "int":
            values += [(1 << 53) + 1, -(1 << 53) - 1, (1 << 62) + 1]
        elif name not in ("halfway", "past_2^53"):
            raise SpecError(f"row {op.name}: fill does not know the hard set {name}")
    return list({repr(value): value for value in values}.values())


def shape_of(case):
    """The output's shape."""
    return SHAPES[int(case.set.rpartition("_")[2]) % len(SHAPES)]


def groups(op, case):
    """One entry per element, the value bound by its name."""
    count = math.prod(shape_of(case))
    return [(dict(case.attributes), None)] * count


def evaluate(op, instance, case):
    """z of the case's shape, every element the value rounded once."""
    value = convert_value(next(iter(case.attributes.values())), DTYPES[instance.outputs[0]])
    shape = shape_of(case)
    return {op.outputs[0]: output(op, instance, shape, [value] * math.prod(shape))}
