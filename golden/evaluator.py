"""The judge: an oracle tree evaluated on exact numbers and rounded at most once.

`native_int` computes with whole numbers and wraps the result, `exact` computes with fractions and rounds once to the
result's dtype, `real` gives a number of at least 25 right digits that nobody has rounded.
"""

import math
from fractions import Fraction

from mpmath import mp, mpf

from golden.dtypes import DTYPES, exponent, round_half_even
from golden.errors import EvaluatorError
from golden.extended import Context, is_nan, is_special, lift, to_fraction, to_mpf
from golden.primitives import EXTENDED, NATIVE

# Bits. A result counts when the two precisions of a rung agree and no primitive was suspicious; the last rung, which holds
# every product of two doubles beside another, decides.
RUNGS = ((256, 400), (2300, 2600), (5000, 9000))
AGREEMENT_BITS = 90  # a little more than 25 decimal digits
REAL_EXPONENT_MAX = 2000  # a `real` value beyond 2^2000 is written inf, below 2^-2000 zero: no dtype comes near

AGGREGATES = {
    "sum",
    "prod",
    "max_of",
    "min_of",
    "count",
    "first_max",
    "first_min",
    "last_max",
    "last_min",
}


class Scope:
    """Names bound to values for one evaluation, and the group that the aggregates run over."""

    def __init__(self, context, values, group=None, memo=None, sum_from_first=False):
        self.context = context
        self.sum_from_first = sum_from_first  # a sum continues an element that is there already: -0 + -0 stays -0
        self.values = values
        self.group = group  # list of dicts: the names bound for each element of the group
        self.memo = {} if memo is None else memo
        self.table = NATIVE if context.mode == "native_int" else EXTENDED

    def element(self, values):
        """The scope inside an aggregate, at one element of the group."""
        return Scope(self.context, self.values | values, self.group, self.memo, self.sum_from_first)


def names_in(tree):
    """The operands and attributes that a tree mentions."""
    if tree[0] == "name":
        return {tree[1]}
    return set().union(*[names_in(child) for child in tree[2:]]) if tree[0] == "call" else set()


def evaluate_tree(tree, scope):
    """The value of a tree in a scope; `where`, `and` and `or` look only at what they need."""
    kind = tree[0]
    if kind == "name":
        return _name(tree[1], scope)
    if kind == "number":
        return _number(tree[1], scope.context.mode)
    name, arguments = tree[1], tree[2:]
    if name == "where":
        return evaluate_tree(arguments[1] if evaluate_tree(arguments[0], scope) else arguments[2], scope)
    if name == "and":
        return all(evaluate_tree(argument, scope) for argument in arguments)
    if name == "or":
        return any(evaluate_tree(argument, scope) for argument in arguments)
    if name in AGGREGATES:
        key = id(tree)
        if key not in scope.memo:
            scope.memo[key] = _aggregate(name, arguments, scope)
        return scope.memo[key]
    if name not in scope.table:
        raise EvaluatorError(f"primitive {name} has no meaning in {scope.context.mode} arithmetic")
    return scope.table[name](scope.context, *[evaluate_tree(argument, scope) for argument in arguments])


def _name(name, scope):
    if name in scope.values:
        return scope.values[name]
    if name == "n" and scope.group is not None:
        return lift(scope.context.mode, len(scope.group))
    if name in ("pi", "nan", "inf"):
        return _number(name, scope.context.mode)
    raise EvaluatorError(f"the oracle names {name}, which is neither operand nor attribute nor number")


def _number(text, mode):
    if text == "pi":
        if mode != "real":
            raise EvaluatorError("pi has no exact value; the row's eval must be real")
        return +mp.pi
    if text in ("nan", "inf"):
        return float(text)
    value = Fraction(text)
    if mode == "native_int":
        if value.denominator != 1:
            raise EvaluatorError(f"number {text} in integer arithmetic")
        return int(value)
    return value


def _aggregate(name, arguments, scope):
    if scope.group is None:
        raise EvaluatorError(f"{name} outside of a reduction group")
    if len(arguments) != 1:
        raise EvaluatorError(f"{name} takes one expression, not {len(arguments)}")
    items = [evaluate_tree(arguments[0], scope.element(values)) for values in scope.group]
    return AGGREGATE_FUNCTIONS[name](scope, items)


def _sum(scope, items):
    add = scope.table["add"]
    total = lift(scope.context.mode, 0)  # so that a sum of nothing, and of nothing but -0, is +0
    if scope.sum_from_first and items:
        total, items = items[0], items[1:]
    for item in items:
        total = add(scope.context, total, item)
    return total


def _prod(scope, items):
    multiply = scope.table["mul"]
    total = lift(scope.context.mode, 1)
    for item in items:
        total = multiply(scope.context, total, item)
    return total


def _fold(name, of_nothing):
    def function(scope, items):
        if not items:
            return of_nothing
        total = items[0]
        for item in items[1:]:
            total = scope.table[name](scope.context, total, item)
        return total

    return function


def _count(scope, items):
    return sum(1 for item in items if item)


def _extreme(better, last):
    """The index of the best: NaN beats everything, zeros of both signs tie, first or last of equals."""

    def function(scope, items):
        if not items:
            raise EvaluatorError("the index of the best of an empty group has no value")
        best = 0
        for index, item in enumerate(items):
            if index == 0 or (is_nan(items[best]) and not is_nan(item)):
                continue
            if is_nan(item) and not is_nan(items[best]):
                best = index
            elif is_nan(item) or item == items[best]:
                best = index if last else best
            elif better(item, items[best]):
                best = index
        return best

    return function


AGGREGATE_FUNCTIONS = {
    "sum": _sum,
    "prod": _prod,
    "max_of": _fold("max", -math.inf),
    "min_of": _fold("min", math.inf),
    "count": _count,
    "first_max": _extreme(lambda a, b: a > b, last=False),
    "first_min": _extreme(lambda a, b: a < b, last=False),
    "last_max": _extreme(lambda a, b: a > b, last=True),
    "last_min": _extreme(lambda a, b: a < b, last=True),
}


# One element ----------------------------------------------------------------------------------------------------------


def evaluate(tree, mode, operand_dtype, result_dtype, values, group=None, sum_from_first=False):
    """The result for elements bound by name: an element of the result's dtype, or a Fraction where it is `real`.

    `values` maps names to tensor elements or attributes; `group`, for aggregates, is a list of such maps.
    """
    result = DTYPES[result_dtype]
    if mode == "real":
        return _evaluate_real(tree, DTYPES[operand_dtype], values, group, sum_from_first)
    context = Context(mode, DTYPES[operand_dtype])
    return finish(_run(tree, context, values, group, sum_from_first), result)


def _run(tree, context, values, group, sum_from_first):
    lifted = {name: lift(context.mode, value) for name, value in values.items()}
    if group is not None:
        group = [{name: lift(context.mode, value) for name, value in element.items()} for element in group]
    return evaluate_tree(tree, Scope(context, lifted, group, sum_from_first=sum_from_first))


def finish(value, dtype):
    """An exact value brought to a dtype: truth for bool, wrap for integers, one rounding for floats."""
    if dtype.kind == "bool":
        return 1 if value else 0
    if dtype.kind == "int":
        if is_special(value) and value != 0 or Fraction(value).denominator != 1:
            raise EvaluatorError(f"{value} is not an integer, but the result is {dtype.name}")
        return dtype.wrap(int(value))
    return value if is_special(value) else dtype.round(Fraction(value))


def _evaluate_real(tree, dtype, values, group, sum_from_first=False):
    for rung, precisions in enumerate(RUNGS):
        results = []
        suspicious = False
        for precision in precisions:
            with mp.workprec(precision):
                context = Context("real", dtype)
                results.append(_run(tree, context, values, group, sum_from_first))
                suspicious |= context.suspicious
            if not isinstance(results[-1], mpf) and not suspicious:
                return _settle(results[-1])  # exact, or special: more bits change nothing
        if _agree(*results) and (not suspicious or rung == len(RUNGS) - 1):
            return _settle(results[-1])
    raise EvaluatorError(f"cancellation: {precisions} bits give {results[0]} and {results[1]} for {values} {group or ''}")


def _agree(a, b):
    if is_special(a) or is_special(b):
        return is_special(a) and is_special(b) and str(a) == str(b)
    if a == 0 or b == 0:
        return a == b
    with mp.workprec(RUNGS[-1][-1]):
        a, b = to_mpf(a), to_mpf(b)
        return a == b or mp.mag(a - b) < mp.mag(b) - AGREEMENT_BITS


def _settle(value):
    """A real result as special float or Fraction, its exponent brought within what a reader can hold."""
    if is_special(value):
        return value
    if value == 0:
        return Fraction(0)
    size = mp.mag(value) if isinstance(value, mpf) else exponent(value)
    if size > REAL_EXPONENT_MAX:
        return -math.inf if value < 0 else math.inf
    if size < -REAL_EXPONENT_MAX:
        return -0.0 if value < 0 else Fraction(0)
    return to_fraction(value)


def decimal25(value):
    """A nonzero Fraction in 25 significant digits, rounded half to even: d.ddd...e+XX without trailing zeros."""
    size = abs(value)
    power = math.floor(exponent(size) * math.log10(2))
    while size >= Fraction(10) ** (power + 1):
        power += 1
    while size < Fraction(10) ** power:
        power -= 1
    scaled = size / Fraction(10) ** (power - 24)
    digits = round_half_even(scaled)
    if digits == 10**25:
        digits, power = 10**24, power + 1
    text = str(digits)
    mantissa = (text[0] + "." + text[1:]).rstrip("0").rstrip(".")
    sign = "-" if value < 0 else ""
    return f"{sign}{mantissa}" if power == 0 else f"{sign}{mantissa}e{power:+03d}"
