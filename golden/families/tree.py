"""What the families that evaluate an oracle tree per result element share."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.evaluator import evaluate
from golden.tensor import Tensor


def operand_dtype(instance):
    """The dtype that shift widths and neighbours mean: that of the first operand that is not bool."""
    for name in instance.inputs:
        if DTYPES[name].kind != "bool":
            return name
    return instance.inputs[0] if instance.inputs else instance.outputs[0]


def is_move(op):
    """Whether the row only moves elements."""
    return op.oracle_text == "move"


def key_of(values):
    """A key that tells -0 from +0 and finds NaN again."""
    return tuple(repr(value) for value in values)


def evaluate_groups(op, instance, groups, sum_from_first=False):
    """The tree's value for each (values, group) pair, computed once per distinct pair."""
    memo = {}
    results = []
    dtype = operand_dtype(instance)
    for values, group in groups:
        key = key_of(values.values())
        if group is not None:
            key = (key, tuple(key_of(element.values()) for element in group))
        if key not in memo:
            memo[key] = evaluate(op.oracle, instance.eval, dtype, instance.outputs[0], values, group, sum_from_first)
        results.append(memo[key])
    return results


def as_result(instance, element):
    """An element that an operation left alone, as a value of output 0."""
    if instance.eval != "real" or not math.isfinite(element) or (element == 0 and math.copysign(1.0, element) < 0):
        return element
    return Fraction(element)


def output(op, instance, shape, values, number=0):
    """An output tensor; output 0 of a `real` row holds numbers that are not rounded."""
    return Tensor(instance.outputs[number], tuple(shape), values, real=instance.eval == "real" and number == 0)
