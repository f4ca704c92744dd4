"""One module per family: which cases it has, which group of elements each result element comes from, and its evaluator.

A module offers `cases(op, instance)`, which yields cases without outputs, `evaluate(op, instance, case)`, which gives the
outputs by name, and `groups(op, case)`: for each element of output 0 the values bound outside of aggregates and the group
that aggregates run over (or None), from which the tolerance classes derive their bounds.
"""

from golden.errors import SpecError


def family_module(op):
    """The module that evaluates a row."""
    from golden.families import convert, elementwise, fill, gather, matmul, reduce, rows, scan, scatter, sort

    modules = {
        "fill": fill,
        "convert": convert,
        "elementwise": elementwise,
        "reduce": reduce,
        "arg_reduce": reduce,
        "scan": scan,
        "matmul": matmul,
        "gather": gather,
        "scatter": scatter,
        "sort": sort,
        "softmax": rows,
        "normalize": rows,
    }
    if op.family not in modules:
        raise SpecError(f"row {op.name}: family {op.family} has no golden evaluator")
    return modules[op.family]
