"""Stable sorts: NaN last, first when descending; zeros of both signs tie; elements are moved unchanged."""

import math

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices

SHAPES = (
    ((33,), 0),
    ((2, 96), 1),
    ((3, 4, 5), 0),
    ((3, 4, 5), 1),
    ((3, 4, 5), 2),
    ((2, 37), 1),
    ((37, 2), 0),
    ((2, 1, 5), 1),
    ((1,), 0),
)
EMPTY = (((0,), 0), ((2, 0), 1), ((0, 3), 1))


def cases(op, instance):
    """Odd shapes with many ties and with samples, empty ones, then the hard lines; each in both directions."""
    dtype = instance.inputs[0]
    for number, (shape, axis) in enumerate(SHAPES):
        count = math.prod(shape)
        name = f"shape_{'x'.join(map(str, shape))}_axis{axis}"
        stream = Stream(op.name, name, dtype)
        for direction in (0, 1):
            more = dict(shape=shape, axis=axis, direction=direction, number=number)
            yield _case(op, instance, f"{name}_ties{direction}", small_integers(dtype, count, stream, 2), **more)
            if DTYPES[dtype].kind != "bool":
                values = stream.shuffled(domain_values(dtype, op.domain.get(op.operands[0], "all"), count, stream))
                yield _case(op, instance, f"{name}_domain{direction}", values, **more)
    for shape, axis in EMPTY:
        name = f"empty_{'x'.join(map(str, shape))}_axis{axis}"
        yield _case(op, instance, name, [], shape=shape, axis=axis, direction=0, number=0)
    for name in op.hard:
        rows = lines(op.name, name, dtype)
        values = [value for row in rows for value in row]
        for direction in (0, 1) if rows else ():
            more = dict(shape=(len(rows), len(rows[0])), axis=1, direction=direction, number=2)
            yield _case(op, instance, f"{set_name(name)}_{direction}", values, **more)


def _case(op, instance, name, values, shape, axis, direction, number):
    """k, where the row has it, is 0, all, or something between, in turn."""
    extent = shape[axis]
    attributes = {}
    for attribute in op.attributes:
        if attribute.kind == "axis":
            attributes[attribute.name] = axis
        elif attribute.kind == "bool":
            attributes[attribute.name] = direction
        elif attribute.name == "k":
            attributes[attribute.name] = (min(2, extent), extent, (extent + 1) // 2, 0)[number % 4]
        else:
            raise SpecError(f"row {op.name}: a sort does not know attribute {attribute.name}")
    x = Tensor(instance.inputs[0], shape, values)
    return Case(name, instance.inputs, instance.outputs, attributes, {op.operands[0]: x})


def sorted_positions(line, descending):
    """The positions of a line's elements in stable order."""

    def key(i):
        value = line[i]
        nan = isinstance(value, float) and math.isnan(value)
        if descending:
            return (0 if nan else 1, 0 if nan else -value)
        return (1 if nan else 0, 0 if nan else value)

    return sorted(range(len(line)), key=key)


def groups(op, case):
    """Nothing is summed: no group."""
    return None


def evaluate(op, instance, case):
    """values, indices or both; k cuts each line."""
    x = case.operands[op.operands[0]]
    axis = next(case.attributes[a.name] for a in op.attributes if a.kind == "axis")
    descending = next(case.attributes[a.name] for a in op.attributes if a.kind == "bool")
    extent = case.attributes.get("k", x.shape[axis])
    shape = x.shape[:axis] + (extent,) + x.shape[axis + 1 :]
    orders = {}
    for at in indices(x.shape[:axis] + (1,) + x.shape[axis + 1 :]):
        line = [x.at(at[:axis] + (j,) + at[axis + 1 :]) for j in range(x.shape[axis])]
        orders[at[:axis] + at[axis + 1 :]] = (line, sorted_positions(line, descending))
    moved, places = [], []
    for at in indices(shape):
        line, order = orders[at[:axis] + at[axis + 1 :]]
        places.append(order[at[axis]])
        moved.append(line[order[at[axis]]])
    by_name = {"values": moved, "indices": places}
    return {
        name: Tensor(dtype, shape, by_name["indices" if name == "indices" else "values"])
        for name, dtype in zip(op.outputs, instance.outputs)
    }
