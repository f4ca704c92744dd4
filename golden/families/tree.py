"""What the families that evaluate an oracle tree per result element share."""

from golden.dtypes import DTYPES
from golden.evaluator import evaluate
from golden.tensor import Tensor


def operand_dtype(instance):
    """The dtype that shift widths and neighbours mean: that of the first operand that is not bool."""
    for name in instance.inputs:
        if DTYPES[name].kind != "bool":
            return name
    return instance.inputs[0] if instance.inputs else instance.outputs[0]


def key_of(values):
    """A key that tells -0 from +0 and finds NaN again."""
    return tuple(repr(value) for value in values)


def evaluate_groups(op, instance, groups):
    """The tree's value for each (values, group) pair, computed once per distinct pair."""
    memo = {}
    results = []
    dtype = operand_dtype(instance)
    for values, group in groups:
        key = key_of(values.values())
        if group is not None:
            key = (key, tuple(key_of(element.values()) for element in group))
        if key not in memo:
            memo[key] = evaluate(op.oracle, instance.eval, dtype, instance.outputs[0], values, group)
        results.append(memo[key])
    return results


def output(op, instance, shape, values, number=0):
    """An output tensor; output 0 of a `real` row holds numbers that are not rounded."""
    return Tensor(instance.outputs[number], tuple(shape), values, real=instance.eval == "real" and number == 0)
