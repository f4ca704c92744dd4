"""Rows that the library can compose of other rows: the steps of an oracle expression, each of them an operation.

A step is (operation, arguments); an argument is (kind, value): `operand` and `attribute` by number, `size` for n, `number`, and `step`.
Which operation a primitive is says its row: the one whose oracle is that primitive of its operands and nothing else.
"""

from tools.spec import vocabulary
from tools.spec.problems import SpecError

_FAMILIES = ("elementwise", "reduce")


def primitive_ops(spec):
    """{primitive: op} of the rows whose oracle is one primitive of their operands in order."""
    found = {}
    for op in spec.ops.values():
        if op.family not in _FAMILIES or len(op.outputs) != 1 or not isinstance(op.oracle, list):
            continue
        if any(attribute.kind != "axes" for attribute in op.attributes):
            continue
        operands = [["name", operand.name] for operand in op.operands]
        if op.oracle[0] == "call" and op.oracle[2:] == operands:
            found.setdefault(op.oracle[1], op)
    return found


def steps(op, spec):
    """The steps of a row; SpecError names the primitive that no operation is."""
    known, made, numbers = primitive_ops(spec), [], {}

    def place(tree):
        kind = tree[0]
        if kind == "number":
            return ("number", tree[1])
        if kind == "name":
            return _leaf(op, tree[1])
        key = repr(tree)
        if key not in numbers:
            primitive = known.get(tree[1])
            if primitive is None:
                raise SpecError(op.key_places.get("composed", op.place),
                                f"row {op.name} cannot be composed: no operation is the primitive {tree[1]} alone")
            arguments = [place(argument) for argument in tree[2:]]
            if all(kind in ("number", "size", "attribute") for kind, _ in arguments):
                raise SpecError(op.place, f"row {op.name} cannot be composed: a step of numbers alone")
            if tree[1] in vocabulary.PRIMITIVES_GROUP and primitive.family != "reduce":
                raise SpecError(op.place, f"row {op.name} cannot be composed: {primitive.name} is no reduction")
            made.append((primitive, arguments))
            numbers[key] = len(made) - 1
        return ("step", numbers[key])

    if place(op.oracle)[0] != "step":
        raise SpecError(op.place, f"row {op.name} cannot be composed: its oracle is no call")
    return made


def _leaf(op, name):
    for number, operand in enumerate(op.operands):
        if operand.name == name:
            return ("operand", number)
    for attribute in op.attributes:
        if attribute.name == name:
            return ("attribute", attribute.slot)
    if name == "n":
        return ("size", 0)
    raise SpecError(op.place, f"row {op.name} cannot be composed: {name} is no operand, attribute or n")
