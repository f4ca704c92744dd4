"""Reductions over a mask of axes, and positions of the best along one axis."""

import math
from itertools import product

from golden.dtypes import DTYPES
from golden.families.axes import attributes_of, axes_of, subsets_of
from golden.families.tree import evaluate_groups, output
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices

CUBE = (3, 4, 5)  # every extent distinct; all masks of axes
SHAPES = (
    ((33,), (0,)),
    ((7, 33), (1,)),
    ((33, 2), (0,)),
    ((2, 96), (1,)),
    ((2, 1, 37), (1, 2)),
    ((2, 3, 1, 5), (0, 2)),
    ((3, 2, 2, 5), (1, 3)),
)
EMPTY = (((0, 3), (0,)), ((2, 0), (1,)), ((2, 0, 3), (0, 1, 2)))
EMPTY_RESULT = (((0, 3), (1,)), ((3, 0), (0,)), ((2, 0, 3), (0,)))


def output_shape(op, case):
    """Extent 1 on every reduced axis."""
    axes = axes_of(op, case)
    shape = case.operands[op.operands[0]].shape
    return tuple(1 if k in axes else extent for k, extent in enumerate(shape))


def cases(op, instance):
    """All masks of a small box with whole numbers and with samples, odd shapes, empty groups, then the hard sets."""
    several = op.attributes[0].kind == "axes"
    subsets = subsets_of(op, 3)
    for axes in subsets:
        yield from _both(op, instance, "box", CUBE, axes)
    for shape, axes in SHAPES:
        yield from _both(op, instance, "line", shape, axes if several else axes[-1:])
    if several:
        yield from _both(op, instance, "scalar", (), ())
    if op.empty != "error":
        for shape, axes in EMPTY if several else ():
            yield _case(op, instance, f"empty_{_text(shape)}", shape, axes, [])
    for shape, axes in EMPTY_RESULT:
        yield _case(op, instance, f"no_result_{_text(shape)}", shape, axes, [])
    yield from _hard(op, instance)


def _text(shape):
    return "x".join(map(str, shape)) or "0d"


def _both(op, instance, set_name_, shape, axes):
    """A case of exact whole numbers, compared by bits, and one of samples."""
    count = math.prod(shape)
    dtype = instance.inputs[0]
    name = f"{set_name_}_{_text(shape)}_axes{''.join(map(str, axes)) or 'none'}"
    stream = Stream(op.name, name, dtype)
    yield _case(op, instance, f"{name}_whole", shape, axes, small_integers(dtype, count, stream))
    if DTYPES[dtype].kind != "bool":
        values = domain_values(dtype, op.domain.get(op.operands[0], "all"), count, stream)
        yield _case(op, instance, f"{name}_domain", shape, axes, stream.shuffled(values))


def _hard(op, instance):
    """Each hard set along the last axis; `short_group` is about n and the correction instead of values."""
    for name in op.hard:
        if name == "short_group":
            for length, correction in ((1, 1.0), (1, 0.0), (2, 2.0), (2, 1.5), (3, 2.0), (5, 0.5)):
                stream = Stream(op.name, name, instance.inputs[0], length)
                values = domain_values(instance.inputs[0], "[-10, 10]", 3 * length, stream)
                label = f"short_group_{length}_correction{str(correction).replace('.', '_')}"
                yield _case(op, instance, label, (3, length), (1,), values, correction=correction)
            continue
        rows = lines(op.name, name, instance.inputs[0])
        if rows:
            values = [value for row in rows for value in row]
            yield _case(op, instance, set_name(name), (len(rows), len(rows[0])), (1,), values)
            if len(rows) > 1 and len(values) < 500:
                turned = [rows[i][j] for j in range(len(rows[0])) for i in range(len(rows))]
                yield _case(op, instance, f"{set_name(name)}_columns", (len(rows[0]), len(rows)), (0,), turned)


def _case(op, instance, name, shape, axes, values, **more):
    attributes = attributes_of(op, axes, **more)
    x = Tensor(instance.inputs[0], shape, values)
    return Case(name, instance.inputs, instance.outputs, attributes, {op.operands[0]: x})


def groups(op, case):
    """For each element of z in row-major order, the elements of x along the reduced axes, in row-major order."""
    x = case.operands[op.operands[0]]
    axes = axes_of(op, case)
    found = []
    others = {a.name: case.attributes[a.name] for a in op.attributes if a.kind not in ("axes", "axis")}
    for at in indices(output_shape(op, case)):
        ranges = [range(extent) if k in axes else (at[k],) for k, extent in enumerate(x.shape)]
        group = [{op.operands[0]: x.at(index)} for index in product(*ranges)]
        found.append((others, group))
    return found


def evaluate(op, instance, case):
    """z: one tree value per group."""
    values = evaluate_groups(op, instance, groups(op, case))
    return {op.outputs[0]: output(op, instance, output_shape(op, case), values)}
