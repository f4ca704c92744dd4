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
    if name in EXPONENTIAL and expected:
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


def _weights(terms):
    """Maximum, sum of exponentials of the distances from it, and their weighted sum."""
    top = max(terms)
    weights = [Fraction(math.exp(max(-700, float(term - top)))) for term in terms]
    far = sum(abs(term - top) * weight for term, weight in zip(terms, weights))
    return top, sum(weights), far


def _softmax(u, accumulator, terms, expected, values):
    if not math.isfinite(values["x"]):
        return Fraction(0)
    top, total, far = _weights(terms)
    own = abs(Fraction(values["x"]) - top)
    lost = FUNCTION_ULP * Fraction(accumulator.sub)  # where exp vanishes
    return u * abs(expected) * (own + far / total + 2 * FUNCTION_ULP + _steps(len(terms)) + 2) + lost


def _log_softmax(u, accumulator, terms, expected, values):
    if not math.isfinite(values["x"]):
        return Fraction(0)
    top, total, far = _weights(terms)
    own = abs(Fraction(values["x"]) - top)
    logarithm = FUNCTION_ULP * Fraction(math.log(total))
    return u * (own + far / total + FUNCTION_ULP + _steps(len(terms)) + logarithm + abs(expected))


def _lost(terms, accumulator, spread, error):
    """Whether a spread is no larger than what it may be off; integers are not off where it is 0."""
    whole = all(term.denominator == 1 for term in terms) and sum(map(abs, terms)) <= 2**accumulator.precision
    return error >= spread and not (whole and len(set(terms)) == 1)


def _layer_norm(u, accumulator, terms, expected, values):
    n, eps, weight = len(terms), Fraction(values["eps"]), abs(Fraction(values["weight"]))
    mean, size = sum(terms) / n, sum(map(abs, terms)) / n
    squares = sum((term - mean) ** 2 for term in terms)
    if not _fits(accumulator, squares) or not _fits(accumulator, size * n):
        return None
    k, spread = _steps(n), squares / n + eps
    error = (k + 4) * u * squares / n + (k * u * size) ** 2 + Fraction(accumulator.sub)
    if spread == 0 or _lost(terms, accumulator, spread, error):
        return None
    scale, distance = 1 / _root(spread), abs(Fraction(values["x"]) - mean)
    of_scale = distance / 2 * (error / spread + FUNCTION_ULP * u)
    lost = weight * Fraction(accumulator.sub)  # where the scaled distance vanishes
    return weight * scale * (k * u * size + 3 * u * distance + of_scale) + lost + u * (
        weight * distance * scale + abs(Fraction(values["bias"]))
    )


def _rms_norm(u, accumulator, terms, expected, values):
    n, eps = len(terms), Fraction(values["eps"])
    squares = sum(term**2 for term in terms)
    if not _fits(accumulator, squares):
        return None
    spread, vanished = squares / n + eps, Fraction(accumulator.sub)
    if spread == 0 or vanished >= spread:
        return None
    lost = abs(Fraction(values["weight"])) * vanished
    return abs(expected) * ((Fraction(_steps(n), 2) + 6) * u + vanished / spread / 2) + lost


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
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
}
EXPONENTIAL = ("logsumexp", "softmax", "log_softmax")
