"""Scans: each element's group is its prefix along the axis."""

import math
from dataclasses import replace

from golden.dtypes import DTYPES
from golden.families.tree import evaluate_groups, output
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices

SHAPES = (
    ((33,), 0),
    ((96,), 0),
    ((3, 4, 5), 0),
    ((3, 4, 5), 1),
    ((3, 4, 5), 2),
    ((2, 37), 1),
    ((37, 2), 0),
    ((2, 1, 5), 1),
    ((1,), 0),
)
EMPTY = (((0,), 0), ((2, 0), 1), ((0, 3), 1), ((3, 0, 2), 0))
LINE_MAX = 120  # elements of a hard line that a scan keeps: every prefix is evaluated


def cases(op, instance):
    """Odd shapes with whole numbers and with samples, empty ones, then the hard sets along the last axis."""
    dtype = instance.inputs[0]
    for shape, axis in SHAPES:
        count = math.prod(shape)
        name = f"shape_{'x'.join(map(str, shape))}_axis{axis}"
        stream = Stream(op.name, name, dtype)
        yield _case(op, instance, f"{name}_whole", shape, axis, small_integers(dtype, count, stream))
        if DTYPES[dtype].kind != "bool":
            values = domain_values(dtype, op.domain.get(op.operands[0], "all"), count, stream)
            yield _case(op, instance, f"{name}_domain", shape, axis, stream.shuffled(values))
    for shape, axis in EMPTY:
        yield _case(op, instance, f"empty_{'x'.join(map(str, shape))}_axis{axis}", shape, axis, [])
    for name in op.hard:
        rows = [row[:LINE_MAX] for row in lines(op.name, name, dtype)]
        if name == "past_2048":  # the sums pass the last whole number that f16 or bf16 counts by ones
            rows = [[float(2 ** min(DTYPES[dtype].precision, 24) - 8)] + row[:36] for row in rows]
        if rows:
            values = [value for row in rows for value in row]
            yield _case(op, instance, set_name(name), (len(rows), len(rows[0])), 1, values)


def _case(op, instance, name, shape, axis, values):
    x = Tensor(instance.inputs[0], shape, values)
    return Case(name, instance.inputs, instance.outputs, {op.attributes[0].name: axis}, {op.operands[0]: x})


def groups(op, case):
    """For each element of z the elements of its line up to and with it."""
    x = case.operands[op.operands[0]]
    axis = case.attributes[op.attributes[0].name]
    found = []
    for at in indices(x.shape):
        prefix = [at[:axis] + (j,) + at[axis + 1 :] for j in range(at[axis] + 1)]
        found.append(({}, [{op.operands[0]: x.at(index)} for index in prefix]))
    return found


def evaluate(op, instance, case):
    """z; for a row with indices the tree gives these, and z is x moved from there."""
    x = case.operands[op.operands[0]]
    if len(op.outputs) == 1:
        return {op.outputs[0]: output(op, instance, x.shape, evaluate_groups(op, instance, groups(op, case)))}
    found = groups(op, case)
    best = evaluate_groups_as_index(op, instance, found)
    moved = [group[index][op.operands[0]] for index, (_, group) in zip(best, found)]
    return {
        op.outputs[0]: output(op, instance, x.shape, moved),
        op.outputs[1]: Tensor(instance.outputs[1], x.shape, best),
    }


def evaluate_groups_as_index(op, instance, found):
    """The tree's values as elements of the index output."""
    indexed = replace(instance, outputs=instance.outputs[1:], eval="exact")
    return evaluate_groups(op, indexed, found)
