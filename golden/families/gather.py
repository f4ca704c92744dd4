"""Gather and index_select: values are moved, so the evaluator only follows the index."""

import math

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.families.tree import output
from golden.sample import Stream, special_values
from golden.tensor import Case, Tensor, indices

# Shape of x, axis, shape of index (gather) or its length (index_select: the extent there).
GATHERS = (
    ((5,), 0, (7,)),
    ((3, 4, 5), 0, (6, 4, 5)),
    ((3, 4, 5), 1, (3, 2, 5)),
    ((3, 4, 5), 2, (3, 4, 33)),
    ((4, 33), 1, (2, 5)),
    ((33, 2), 0, (5, 1)),
    ((2, 1, 3), 1, (2, 4, 3)),
    ((1, 1), 0, (1, 1)),
    ((3, 5), 1, (3, 0)),
    ((3, 0), 1, (3, 0)),
    ((0, 3), 0, (0, 3)),
)
HARD_SHAPE, HARD_AXIS, HARD_INDEX = (4, 7), 1, (3, 9)


def cases(op, instance):
    """Odd shapes with random indices, then each hard index pattern."""
    for number, (shape, axis, index_shape) in enumerate(GATHERS):
        name = f"shape_{'x'.join(map(str, shape))}_axis{axis}_{number}"
        stream = Stream(op.name, name, *instance.inputs)
        shape_of_index = index_shape if is_gather(op) else (index_shape[axis],)
        index = [stream.below(shape[axis]) for _ in range(math.prod(shape_of_index))]
        yield _case(op, instance, name, shape, axis, shape_of_index, index, stream)
    for name in op.hard:
        stream = Stream(op.name, name, *instance.inputs)
        shape = HARD_INDEX if is_gather(op) else HARD_INDEX[HARD_AXIS:]
        index = index_pattern(op, name, shape, HARD_SHAPE[HARD_AXIS], stream)
        yield _case(op, instance, name, HARD_SHAPE, HARD_AXIS, shape, index, stream)


def is_gather(op):
    """Whether the index has the rank of x; else it has rank 1 and picks slices."""
    return op.name == "gather"


def index_pattern(op, name, shape, extent, stream):
    """Indices of a named pattern along the last axis of shape."""
    length, count = shape[-1], math.prod(shape)
    patterns = {
        "duplicates": lambda i: stream.choose([1, 2]),
        "all_one_place": lambda i: 2,
        "reversed": lambda i: extent - 1 - i % length % extent,
        "boundary": lambda i: stream.choose([0, extent - 1]),
        "index_broadcast": lambda i: (i // length * 2 + 1) % extent,  # the same along the axis: stride 0 there
    }
    if name not in patterns:
        raise SpecError(f"row {op.name}: hard set {name} is unknown; known here are {' '.join(sorted(patterns))}")
    return [patterns[name](i) for i in range(count)]


def data(dtype_name, count, stream):
    """Values that tell elements apart: special ones first, the rest distinct where the dtype has so many."""
    dtype = DTYPES[dtype_name]
    special = special_values(dtype_name, "medium")
    values = special[: count // 3]
    if dtype.kind == "bool":
        return [stream.below(2) for _ in range(count)]
    ramp = [float(i) if dtype.kind == "float" else i for i in range(count - len(values))]
    if dtype.name == "u8":
        ramp = [value % 256 for value in ramp]
    if dtype.name == "bf16":
        ramp = [value % 256 + 0.0 for value in ramp]
    return stream.shuffled(values + ramp)


def _case(op, instance, name, shape, axis, index_shape, index, stream):
    operands = {
        op.operands[0]: Tensor(instance.inputs[0], shape, data(instance.inputs[0], math.prod(shape), stream)),
        op.operands[1]: Tensor(instance.inputs[1], index_shape, index),
    }
    return Case(name, instance.inputs, instance.outputs, {op.attributes[0].name: axis}, operands)


def source_index(op, case, at):
    """Which element of x an element of z is."""
    axis = case.attributes[op.attributes[0].name]
    index = case.operands[op.operands[1]]
    j = index.at(at) if is_gather(op) else index.values[at[axis]]
    return at[:axis] + (j,) + at[axis + 1 :]


def output_shape(op, case):
    """That of index, or x with the index's extent on the axis."""
    x, index = case.operands[op.operands[0]], case.operands[op.operands[1]]
    axis = case.attributes[op.attributes[0].name]
    return index.shape if is_gather(op) else x.shape[:axis] + index.shape + x.shape[axis + 1 :]


def groups(op, case):
    """The one element that each element of z is."""
    x = case.operands[op.operands[0]]
    return [({op.operands[0]: x.at(source_index(op, case, at))}, None) for at in indices(output_shape(op, case))]


def evaluate(op, instance, case):
    """z: elements of x, unchanged."""
    values = [values[op.operands[0]] for values, _ in groups(op, case)]
    return {op.outputs[0]: output(op, instance, output_shape(op, case), values)}
