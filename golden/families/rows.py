"""Operations in which every element of a row has a result that depends on the whole row: softmax, layer_norm."""

import math
from itertools import product

from golden.families.axes import attributes_of, axes_of, subsets_of
from golden.families.tree import evaluate_groups, output
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices

CUBE = (3, 4, 5)  # every extent distinct
SHAPES = (((33,), (0,)), ((3, 33), (1,)), ((17, 3), (0,)), ((2, 1, 7), (1,)), ((2, 1, 37), (2,)), ((1,), (0,)))
SEVERAL = (((2, 3, 1, 5), (0, 2)), ((2, 3, 5), (1, 2)), ((), ()))  # of rows that take a mask of axes
EMPTY = (((0,), (0,)), ((2, 0), (1,)), ((0, 3), (1,)), ((2, 0), (0,)))
LINE_MAX = 60  # elements of a hard line that is kept: each one is evaluated over all of them


def cases(op, instance):
    """All axes of a small box, odd shapes and empty ones with whole numbers and with samples, then the hard sets."""
    several = op.attributes[0].kind == "axes"
    masks = subsets_of(op, 3)
    for shape, axes in [(CUBE, axes) for axes in masks] + list(SHAPES) + list(SEVERAL if several else ()):
        yield from _both(op, instance, shape, axes)
    for shape, axes in EMPTY:
        yield _case(op, instance, f"empty_{_text(shape)}_axes{_digits(axes)}", shape, axes, [])
    for name in op.hard:
        rows = [row[:LINE_MAX] for row in lines(op.name, name, instance.inputs[0])]
        if not rows:
            continue
        shape = (len(rows), len(rows[0]))
        values = [value for row in rows for value in row]
        yield _case(op, instance, set_name(name), shape, (1,), values)
        turned = [rows[i][j] for j in range(shape[1]) for i in range(shape[0])]
        yield _case(op, instance, f"{set_name(name)}_columns", (shape[1], shape[0]), (0,), turned)


def _text(shape):
    return "x".join(map(str, shape)) or "0d"


def _digits(axes):
    return "".join(map(str, axes)) or "none"


def _both(op, instance, shape, axes):
    """A case of whole numbers and one of samples."""
    dtype, count = instance.inputs[0], math.prod(shape)
    name = f"rows_{_text(shape)}_axes{_digits(axes)}"
    stream = Stream(op.name, name, dtype)
    yield _case(op, instance, f"{name}_whole", shape, axes, small_integers(dtype, count, stream))
    values = domain_values(dtype, op.domain.get(op.operands[0], "all"), count, stream)
    yield _case(op, instance, f"{name}_domain", shape, axes, stream.shuffled(values))


def _case(op, instance, name, shape, axes, values):
    attributes = attributes_of(op, axes)
    operands = {op.operands[0]: Tensor(instance.inputs[0], shape, values)}
    # The others vary along the row alone, as weights do, and have the whole shape.
    for number, operand in enumerate(op.operands[1:], 1):
        dtype = instance.inputs[number]
        stream = Stream(op.name, name, dtype, operand)
        row = tuple(shape[k] if k in axes else 1 for k in range(len(shape)))
        few = Tensor(dtype, row, domain_values(dtype, op.domain.get(operand, "all"), math.prod(row), stream))
        spread = [few.at(tuple(i if k in axes else 0 for k, i in enumerate(at))) for at in indices(shape)]
        operands[operand] = Tensor(dtype, shape, spread)
    return Case(name, instance.inputs, instance.outputs, attributes, operands)


def groups(op, case):
    """For each element of z the values of the operands there and the attributes, and the elements of x in its row."""
    x = case.operands[op.operands[0]]
    axes = axes_of(op, case)
    attributes = {a.name: case.attributes[a.name] for a in op.attributes if a.kind not in ("axes", "axis")}
    rows = {}
    found = []
    for number, at in enumerate(indices(x.shape)):
        key = tuple(-1 if k in axes else i for k, i in enumerate(at))
        if key not in rows:
            ranges = [range(x.shape[k]) if i < 0 else (i,) for k, i in enumerate(key)]
            rows[key] = [{op.operands[0]: x.at(index)} for index in product(*ranges)]
        own = {name: tensor.values[number] for name, tensor in case.operands.items()}
        found.append((own | attributes, rows[key]))
    return found


def evaluate(op, instance, case):
    """z, element by element."""
    values = evaluate_groups(op, instance, groups(op, case))
    return {op.outputs[0]: output(op, instance, case.operands[op.operands[0]].shape, values)}
