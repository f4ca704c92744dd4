"""Matrix products: the group of z[.., m, n] is the line of K pairs."""

import math

from golden.dtypes import DTYPES
from golden.families.tree import evaluate_groups, output
from golden.hard import set_name
from golden.lines import lines
from golden.sample import Stream, domain_values, small_integers
from golden.tensor import Case, Tensor, indices

# Batch extents, M, K, N: all extents distinct, primes, one past a tile, vectors, empty ones.
SHAPES = (
    ((), 5, 3, 9),
    ((), 1, 1, 1),
    ((), 2, 33, 3),
    ((), 17, 2, 3),
    ((), 3, 5, 17),
    ((), 1, 37, 5),
    ((), 5, 37, 1),
    ((2,), 3, 4, 5),
    ((3, 2), 2, 5, 3),
    ((1, 2), 4, 3, 2),
)
EMPTY = (((), 3, 0, 2), ((), 0, 3, 2), ((), 2, 3, 0), ((0,), 2, 3, 4), ((2,), 3, 0, 2))


def cases(op, instance):
    """Small products of whole numbers and of samples, empty ones (K = 0 gives zeros), hard lines along K."""
    for batch, m, k, n in SHAPES:
        name = "shape_" + "x".join(map(str, batch + (m, k, n)))
        for kind in ("whole", "domain"):
            x, y = [_payload(op, instance, name, kind, operand, batch, m, k, n) for operand in (0, 1)]
            yield _case(op, instance, f"{name}_{kind}", batch, m, k, n, x, y)
    for batch, m, k, n in EMPTY:
        name = "empty_" + "x".join(map(str, batch + (m, k, n)))
        x, y = [_payload(op, instance, name, "whole", operand, batch, m, k, n) for operand in (0, 1)]
        yield _case(op, instance, name, batch, m, k, n, x, y)
    for name in op.hard:
        rows = [row[:100] for row in lines(op.name, name, instance.inputs[0])]
        if rows:
            k = len(rows[0])
            columns = _columns(instance.inputs[1], name, k)
            x = [value for row in rows for value in row]
            y = [column[j] for j in range(k) for column in columns]
            yield _case(op, instance, set_name(name), (), len(rows), k, len(columns), x, y)


def _columns(dtype_name, name, k):
    """What hard lines are multiplied by: ones, alternating signs, one zero."""
    one = 1.0 if DTYPES[dtype_name].kind == "float" else 1
    zero = 0 * one
    columns = [[one] * k, [one if j % 2 else (one + one) for j in range(k)], [one] * 2 + [zero] * (k - 2)]
    return columns[:1] if name == "past_65504" else columns


def _payload(op, instance, name, kind, operand, batch, m, k, n):
    dtype = instance.inputs[operand]
    count = math.prod(batch) * (m * k if operand == 0 else k * n)
    stream = Stream(op.name, name, kind, dtype, op.operands[operand])
    if kind == "whole":
        return small_integers(dtype, count, stream)
    return stream.shuffled(domain_values(dtype, op.domain.get(op.operands[operand], "all"), count, stream))


def _case(op, instance, name, batch, m, k, n, x, y):
    operands = {
        op.operands[0]: Tensor(instance.inputs[0], batch + (m, k), x),
        op.operands[1]: Tensor(instance.inputs[1], batch + (k, n), y),
    }
    return Case(name, instance.inputs, instance.outputs, {}, operands)


def output_shape(op, case):
    """Batch, M, N."""
    x, y = case.operands.values()
    return x.shape[:-1] + y.shape[-1:]


def groups(op, case):
    """For each element of z the pairs along K."""
    (x_name, x), (y_name, y) = case.operands.items()
    found = []
    for at in indices(output_shape(op, case)):
        batch, m, n = at[:-2], at[-2], at[-1]
        pairs = [{x_name: x.at(batch + (m, k)), y_name: y.at(batch + (k, n))} for k in range(x.shape[-1])]
        found.append(({}, pairs))
    return found


def evaluate(op, instance, case):
    """z: one tree value per line of pairs."""
    values = evaluate_groups(op, instance, groups(op, case))
    return {op.outputs[0]: output(op, instance, output_shape(op, case), values)}
