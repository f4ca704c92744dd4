"""Conversion of every dtype to every dtype, each rule written out."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.families import elementwise
from golden.families.tree import output

cases = elementwise.cases
groups = elementwise.groups


def convert_value(value, target):
    """One element brought to a dtype (convert.1 to convert.8)."""
    if target.kind == "bool":
        return 1 if value != 0 else 0
    if target.kind == "int":
        if not isinstance(value, float):
            return target.wrap(value)
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return target.highest if value > 0 else target.lowest
        return target.saturate(math.trunc(value))
    if isinstance(value, float):
        return target.round_float(value)
    return target.round(Fraction(value))


def evaluate(op, instance, case):
    """z of x's shape."""
    x = case.operands[op.operands[0]]
    target = DTYPES[instance.outputs[0]]
    return {op.outputs[0]: output(op, instance, x.shape, [convert_value(value, target) for value in x.values])}
