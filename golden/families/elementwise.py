"""Elementwise rows: one-dimensional cases of operand tuples: special values in all combinations, samples of the domain, and
the hard sets."""

from fractions import Fraction
from itertools import product

from golden import hard
from golden.dtypes import DTYPES
from golden.errors import EvaluatorError, SpecError
from golden.evaluator import Scope, evaluate_tree
from golden.extended import Context, lift
from golden.families.tree import evaluate_groups, operand_dtype, output
from golden.sample import Stream, domain_values, fit, parse_domain, special_values
from golden.tensor import Case, Tensor

DOMAIN_COUNT = 96
TUPLES_MAX = 512  # of a case; the harness reuses tuples for big tensors


def cases(op, instance):
    """Sets special (all combinations), domain, and one per name in `hard`; numbered where attributes vary."""
    combinations = attribute_combinations(op, instance)
    for number, attributes in enumerate(combinations):
        suffix = f"_{number}" if len(combinations) > 1 else ""
        yield from _case(op, instance, "special" + suffix, attributes, special_tuples(instance))
        if number == 0 or len(combinations) <= 4:
            yield from _case(op, instance, "domain" + suffix, attributes, domain_tuples(op, instance))
    for name in op.hard:
        for number, (attributes, tuples) in enumerate(hard.tuples(op, instance, name, combinations[0])):
            suffix = f"_{number}" if number else ""
            yield from _case(op, instance, hard.set_name(name) + suffix, attributes, tuples)


def special_tuples(instance):
    """The Cartesian product of special values; the more numeric operands, the fewer values of each."""
    numeric = [name for name in instance.inputs if DTYPES[name].kind != "bool"]
    size = ["wide", "wide", "medium", "narrow"][min(len(numeric), 3)]
    return list(product(*[special_values(name, size) for name in instance.inputs]))


def domain_tuples(op, instance):
    """Samples of each operand's domain."""
    columns = []
    for operand, dtype in zip(op.operands, instance.inputs):
        stream = Stream(op.name, "domain", " ".join(instance.inputs), operand)
        values = domain_values(dtype, op.domain.get(operand, "all"), DOMAIN_COUNT, stream)
        columns.append(stream.shuffled(values) if operand != op.operands[0] else values)
    return list(zip(*columns))


def attribute_combinations(op, instance):
    """Values of the attributes to try: the default or a point inside, then the ends and the special ones."""
    if not op.attributes:
        return [{}]
    choices = [_attribute_values(op, instance, attribute) for attribute in op.attributes]
    longest = max(len(choice) for choice in choices)
    rows = [tuple(choice[min(number, len(choice) - 1)] for choice in choices) for number in range(longest)]
    if len(choices) == 2:
        rows += [pair for pair in product(choices[0][:3], choices[1][:3]) if pair not in rows]
    return [dict(zip([attribute.name for attribute in op.attributes], row)) for row in rows]


def _attribute_values(op, instance, attribute):
    domain = attribute.domain or op.domain.get(attribute.name, "all")
    if attribute.kind == "bool":
        return [0, 1]
    if attribute.kind not in ("of", "real", "int"):
        raise SpecError(f"row {op.name}: attribute {attribute.name} of kind {attribute.kind} in an elementwise row")
    dtype = DTYPES[_attribute_dtype(op, instance, attribute)]
    ends = parse_domain(domain)
    values = [] if attribute.default is None else [_as(dtype, attribute.default)]
    if ends is None:
        values += special_values(dtype.name, "medium" if attribute.kind == "of" else "narrow")
    else:
        low, high = ends
        values += [_as(dtype, value) for value in (low + (high - low) / 4, low, high, low + (high - low) * 5 / 8)]
    return list({repr(value): value for value in values}.values())


def _as(dtype, value):
    return fit(dtype, Fraction(str(value)) if not isinstance(value, Fraction) else value)


def _attribute_dtype(op, instance, attribute):
    if attribute.kind == "real":
        return "f64"
    if attribute.kind == "int":
        return "i64"
    if attribute.of in op.operands:
        return instance.inputs[op.operands.index(attribute.of)]
    return instance.outputs[op.outputs.index(attribute.of)]


def _case(op, instance, set_name, attributes, tuples):
    """A case of those tuples that the row does not exclude, in pieces of TUPLES_MAX."""
    tuples = [values for values in tuples if not excluded(op, instance, attributes, values)]
    for piece in range(0, len(tuples), TUPLES_MAX):
        part = tuples[piece : piece + TUPLES_MAX]
        columns = list(zip(*part))
        operands = {
            name: Tensor(dtype, (len(part),), list(column))
            for name, dtype, column in zip(op.operands, instance.inputs, columns)
        }
        name = f"{set_name}_part{piece // TUPLES_MAX}" if len(tuples) > TUPLES_MAX else set_name
        yield Case(name, instance.inputs, instance.outputs, dict(attributes), operands)


def excluded(op, instance, attributes, values):
    """Whether the row says that no value is judged for these operands."""
    for entry in op.exclude:
        bound = dict(zip(op.operands, values)) | attributes
        context = Context("native_int" if instance.eval == "native_int" else "exact", DTYPES[operand_dtype(instance)])
        scope = Scope(context, {name: lift(context.mode, value) for name, value in bound.items()})
        try:
            if evaluate_tree(entry["when"], scope):
                return True
        except EvaluatorError as error:
            raise SpecError(f"row {op.name}: exclude condition: {error}") from error
    return False


def groups(op, case):
    """Each element's operands and attributes; no group."""
    columns = [tensor.values for tensor in case.operands.values()]
    return [(dict(zip(case.operands, values)) | case.attributes, None) for values in zip(*columns)]


def evaluate(op, instance, case):
    """z of the operands' shape."""
    shape = next(iter(case.operands.values())).shape
    return {op.outputs[0]: output(op, instance, shape, evaluate_groups(op, instance, groups(op, case)))}
