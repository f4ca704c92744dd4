"""Scatter, its combining forms, and index_add: the group of a place is the source elements that name it, in row-major
order. A place that nobody names keeps its element."""

import math

from golden.dtypes import DTYPES
from golden.families.gather import data, index_pattern
from golden.families.tree import as_result, evaluate_groups, is_move, output
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices, position

# Shape of x, axis, shape of index and source.
SCATTERS = (
    ((5,), 0, (7,)),
    ((3, 4, 5), 0, (6, 4, 5)),
    ((3, 4, 5), 1, (3, 2, 5)),
    ((3, 4, 5), 2, (2, 4, 9)),
    ((4, 33), 1, (2, 5)),
    ((2, 1, 3), 1, (2, 4, 3)),
    ((1, 1), 0, (1, 1)),
    ((3, 5), 1, (3, 0)),
    ((3, 0), 1, (3, 0)),
    ((0, 3), 0, (0, 3)),
)
HARD_SHAPE, HARD_AXIS, HARD_INDEX = (4, 7), 1, (3, 9)
PATTERNS = ("duplicates", "all_one_place", "reversed", "boundary", "index_broadcast")


def is_slices(op):
    """Whether the index has rank 1 and names slices."""
    return op.name.startswith("index_")


def cases(op, instance):
    """Odd shapes with random indices, each hard index pattern, each hard line of values sent to few places."""
    for number, (shape, axis, index_shape) in enumerate(SCATTERS):
        for kind in ("whole", "domain"):
            name = f"shape_{'x'.join(map(str, shape))}_axis{axis}_{number}_{kind}"
            stream = Stream(op.name, name, *instance.inputs)
            source = _source_shape(op, shape, axis, index_shape)
            length = index_shape[axis] if is_slices(op) else math.prod(index_shape)
            index = [stream.below(shape[axis]) for _ in range(length)]
            yield _case(op, instance, name, shape, axis, source, index, kind, stream)
    for name in op.hard:
        stream = Stream(op.name, name, *instance.inputs)
        if name in PATTERNS:
            source = _source_shape(op, HARD_SHAPE, HARD_AXIS, HARD_INDEX)
            shape = source[HARD_AXIS:] if is_slices(op) else source
            index = index_pattern(op, name, shape, HARD_SHAPE[HARD_AXIS], stream)
            yield _case(op, instance, name, HARD_SHAPE, HARD_AXIS, source, index, "whole", stream)
        else:
            yield from _hard_values(op, instance, name, stream)


def _source_shape(op, shape, axis, index_shape):
    """Source has the shape of index, or that of x with the index's extent on the axis."""
    if is_slices(op):
        return shape[:axis] + (index_shape[axis],) + shape[axis + 1 :]
    return index_shape


def _hard_values(op, instance, name, stream):
    """Lines of hard values, each sent to three places of its row."""
    rows = lines(op.name, name, instance.inputs[0])
    if not rows:
        return
    length = len(rows[0])
    count = length if is_slices(op) else length * len(rows)
    index = [stream.choose([0, 2, 3]) for _ in range(count)]
    zero = 0.0 if DTYPES[instance.inputs[0]].kind == "float" else 0
    old = [zero, zero + 1, -zero if name == "signed_zeros" else zero + 1, zero + 1, zero + 2][:5] * len(rows)
    if DTYPES[instance.inputs[0]].kind == "bool":
        old = [min(1, value) for value in old]
    x = Tensor(instance.inputs[0], (len(rows), 5), old)
    source = Tensor(instance.inputs[2], (len(rows), length), [value for row in rows for value in row])
    shape = (length,) if is_slices(op) else source.shape
    operands = dict(zip(op.operands, (x, Tensor(instance.inputs[1], shape, index), source)))
    attributes = {op.attributes[0].name: 1}
    yield Case(set_name(name), instance.inputs, instance.outputs, attributes, operands)


def _values(op, instance, operand, count, kind, stream):
    dtype = instance.inputs[operand]
    if is_move(op):
        return data(dtype, count, stream)
    if kind == "whole":
        return small_integers(dtype, count, stream, bound=2 if op.name == "scatter_mul" else 4)
    return stream.shuffled(domain_values(dtype, op.domain.get(op.operands[operand], "all"), count, stream))


def _case(op, instance, name, shape, axis, source_shape, index, kind, stream):
    index_shape = (source_shape[axis],) if is_slices(op) else source_shape
    operands = {
        op.operands[0]: Tensor(instance.inputs[0], shape, _values(op, instance, 0, math.prod(shape), kind, stream)),
        op.operands[1]: Tensor(instance.inputs[1], index_shape, index),
        op.operands[2]: Tensor(
            instance.inputs[2], source_shape, _values(op, instance, 2, math.prod(source_shape), kind, stream)
        ),
    }
    return Case(name, instance.inputs, instance.outputs, {op.attributes[0].name: axis}, operands)


def hits(op, case):
    """For each place of x the source elements that name it, in row-major order."""
    x, index, source = [case.operands[name] for name in op.operands]
    axis = case.attributes[op.attributes[0].name]
    found = [[] for _ in range(x.count)]
    for at in indices(source.shape):
        j = index.values[at[axis]] if is_slices(op) else index.at(at)
        found[position(x.shape, at[:axis] + (j,) + at[axis + 1 :])].append(source.at(at))
    return found


def groups(op, case):
    """The old element and the source elements of each place."""
    x_name, _, source_name = op.operands
    x = case.operands[x_name]
    return [({x_name: old}, [{source_name: value} for value in new]) for old, new in zip(x.values, hits(op, case))]


def evaluate(op, instance, case):
    """z of x's shape."""
    x_name, _, source_name = op.operands
    found = groups(op, case)
    if is_move(op):
        values = [group[-1][source_name] if group else old[x_name] for old, group in found]
    else:
        named = [entry for entry in found if entry[1]]
        results = iter(evaluate_groups(op, instance, named, sum_from_first=True))
        values = [next(results) if group else as_result(instance, old[x_name]) for old, group in found]
    return {op.outputs[0]: output(op, instance, case.operands[x_name].shape, values)}
