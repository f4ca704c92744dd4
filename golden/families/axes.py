"""Axes of a reduction or a row, in the attributes of a case and back."""


def axes_of(op, case):
    """The axes that the first attribute names: a mask of several, or one."""
    attribute = op.attributes[0]
    value = case.attributes[attribute.name]
    return tuple(k for k in range(64) if value >> k & 1) if attribute.kind == "axes" else (value,)


def attributes_of(op, axes, **given):
    """Attributes that name these axes; the others as given, or at their default."""
    attributes = {}
    for attribute in op.attributes:
        if attribute.kind == "axes":
            attributes[attribute.name] = sum(1 << k for k in axes)
        elif attribute.kind == "axis":
            attributes[attribute.name] = axes[-1]
        else:
            attributes[attribute.name] = float(given.get(attribute.name, attribute.default))
    return attributes


def subsets_of(op, rank):
    """Every mask of axes where the op takes one, each axis else."""
    if op.attributes[0].kind == "axes":
        return [tuple(k for k in range(rank) if mask >> k & 1) for mask in range(1 << rank)]
    return [(axis,) for axis in range(rank)]
