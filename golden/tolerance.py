"""The tolerance classes of numerics.md as bounds on |got - expected| per element, exactly, in Fractions.

A bound of None means that the element is not judged: its terms overflow the accumulator, or partial products may leave
its range, so that the order of the operations decides.
"""

import math
import re
from fractions import Fraction

from mpmath import mp, mpf

from golden.dtypes import DTYPES
from golden.errors import SpecError
from golden.evaluator import evaluate

FUNCTION_ULP = 4  # of exp and log inside composed operations


def bound(op, instance, expected, values, group):
    """The largest accepted distance from a finite expected value, or None."""
    name = instance.tolerance
    dtype = DTYPES[instance.outputs[0]]
    match = re.fullmatch(r"ulp\((\d+(?:\.\d+)?)\)", name)
    accumulator = DTYPES[instance.accumulator or instance.outputs[0]]
    if match:
        slack = _condition(op, instance, expected, values) * Fraction(2) ** -accumulator.precision
        return Fraction(match.group(1)) * dtype.quantum(expected) + slack
    if name not in CLASSES:
        raise SpecError(f"row {op.name}: tolerance {name} is unknown; known are exact, ulp(n), {', '.join(sorted(CLASSES))}")
    terms = _terms(op, instance, values, group)
    if name == "logsumexp" and expected:
        terms = [term for term in terms if term != -math.inf]  # its weight is 0
    if any(not math.isfinite(term) for term in terms):
        return Fraction(0)
    stepper = dtype if name == "serial" else accumulator
    unit = Fraction(2) ** -stepper.precision
    extra = CLASSES[name](unit, stepper, [Fraction(term) for term in terms], expected, values)
    if extra is None:
        return None
    return extra + Fraction(2) ** -dtype.precision * abs(expected) + Fraction(dtype.sub)


def _condition(op, instance, expected, values):
    """The value of the row's `condition` expression: how often a roundoff of the accumulator may enter, absolutely."""
    if not op.condition:
        return Fraction(0)
    bound_names = values | {op.outputs[0]: float(expected) if abs(expected) < Fraction(10) ** 300 else math.inf}
    got = evaluate(op.condition, "real", instance.inputs[0], instance.outputs[0], bound_names)
    return Fraction(0) if isinstance(got, float) and not math.isfinite(got) else abs(Fraction(got))


def _terms(op, instance, values, group):
    """What is added or multiplied: elements, products of pairs, or the old element and the sources."""
    if op.family == "matmul":
        return [_exact_product(*pair.values()) for pair in group]
    terms = [next(iter(element.values())) for element in group or []]
    if op.family == "scatter":
        terms.insert(0, values[op.operands[0]])
    return terms


def _exact_product(a, b):
    return Fraction(a) * Fraction(b) if math.isfinite(a) and math.isfinite(b) else a * b


def _steps(n):
    """k of the tree: partial sums of at most 256 elements, then a tree over them."""
    return min(n, 256) + max(0, math.ceil(math.log2(n))) if n else 0


def _fits(accumulator, size):
    return size <= Fraction(accumulator.highest)


def _sum(u, accumulator, terms, expected, values):
    size = sum(map(abs, terms))
    return _steps(len(terms)) * u * size if _fits(accumulator, size) else None


def _dot(u, accumulator, terms, expected, values):
    size = sum(map(abs, terms))
    return len(terms) * u * size if _fits(accumulator, size) else None


def _serial(u, accumulator, terms, expected, values):
    size = sum(map(abs, terms))
    return (len(terms) + 1) * u * size if _fits(accumulator, size) else None


def _mean(u, accumulator, terms, expected, values):
    size = sum(map(abs, terms))
    if not _fits(accumulator, size):
        return None
    return (_steps(len(terms)) + 1) * u * size / len(terms) if terms else Fraction(0)


def _prod(u, accumulator, terms, expected, values):
    high = low = Fraction(1)
    for term in terms:
        high *= max(abs(term), 1)
        low *= min(abs(term), 1) if term else 1
    if not _fits(accumulator, high) or low < Fraction(accumulator.tiny):
        return None
    return len(terms) * u * abs(expected)


def _variance_bound(u, accumulator, terms, values):
    n, correction = len(terms), Fraction(values["correction"])
    if n <= correction:
        return Fraction(0), Fraction(0)
    mean = sum(terms) / n
    deviation = sum((term - mean) ** 2 for term in terms)
    if not _fits(accumulator, deviation) or not _fits(accumulator, sum(map(abs, terms))):
        return None, None
    variance = deviation / (n - correction)
    k = _steps(n)
    size = sum(map(abs, terms)) / n
    return (k + 4) * u * variance + (k * u * size) ** 2 * n / (n - correction), variance


def _var(u, accumulator, terms, expected, values):
    return _variance_bound(u, accumulator, terms, values)[0]


def _std(u, accumulator, terms, expected, values):
    total, variance = _variance_bound(u, accumulator, terms, values)
    if total is None:
        return None
    root = _root(total)
    return min(root, total / _root(variance)) if variance else root


def _root(value):
    if value == 0:
        return Fraction(0)
    with mp.workprec(80):
        root = mp.sqrt(mpf(value.numerator) / value.denominator)
        sign, mantissa, power, _ = root._mpf_
    return Fraction(int(mantissa)) * Fraction(2) ** power


def _norm(u, accumulator, terms, expected, values):
    return (Fraction(_steps(len(terms)), 2) + 2) * u * abs(expected)


def _logsumexp(u, accumulator, terms, expected, values):
    if not terms:
        return Fraction(0)
    top = max(terms)
    far = sum(abs(term - top) * Fraction(math.exp(max(-700, float(term - top)))) for term in terms)
    total = sum(math.exp(max(-700, float(term - top))) for term in terms)
    k = _steps(len(terms))
    weighted = far / Fraction(total)
    return u * (weighted + FUNCTION_ULP + k + FUNCTION_ULP * Fraction(math.log(total)) + abs(expected))


CLASSES = {
    "sum": _sum,
    "dot": _dot,
    "serial": _serial,
    "mean": _mean,
    "prod": _prod,
    "var": _var,
    "std": _std,
    "norm": _norm,
    "logsumexp": _logsumexp,
}
