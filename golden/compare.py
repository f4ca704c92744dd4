"""The evaluator's values held against the witness's, element by element, within the row's own tolerance."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.evaluator import decimal25
from golden.families import family_module
from golden.tolerance import bound

EXAMPLES_MAX = 6  # disagreements kept per op and dtypes


@dataclass
class Tally:
    """What the witness said about one op."""

    witnessed: int = 0
    agreed: int = 0
    diverged: int = 0
    not_judged: int = 0
    refused: dict = field(default_factory=dict)  # reason -> cases
    crashed: list = field(default_factory=list)  # case names
    examples: dict = field(default_factory=dict)  # dtypes -> list of texts

    def to_json(self):
        """Everything, as witness.json keeps it."""
        return dict(vars(self))

    @staticmethod
    def from_json(data):
        """The tally that to_json wrote."""
        return Tally(**data)

    def add(self, other):
        """The sum of two tallies of one op."""
        self.witnessed += other.witnessed
        self.agreed += other.agreed
        self.diverged += other.diverged
        self.not_judged += other.not_judged
        self.crashed += other.crashed
        for reason, count in other.refused.items():
            self.refused[reason] = self.refused.get(reason, 0) + count
        for dtypes, texts in other.examples.items():
            self.examples[dtypes] = (self.examples.get(dtypes, []) + texts)[:EXAMPLES_MAX]


def compare(op, instance, case, reply):
    """The tally of one case."""
    tally = Tally()
    if "crashed" in reply:
        tally.crashed.append(f"{case.name}: {reply['crashed']}")
        return tally
    if "refused" in reply:
        tally.refused[f"{' '.join(instance.inputs)}: {reply['refused']}"] = 1
        return tally
    outputs = list(case.outputs.items())
    if len(reply["outputs"]) != len(outputs):
        _note(tally, instance, case, f"{len(reply['outputs'])} outputs where the row has {len(outputs)}")
        return tally
    groups = None
    if any(tensor.real for _, tensor in outputs) or instance.tolerance != "exact":
        groups = family_module(op).groups(op, case)
    for (name, expected), (shape, dtype, values) in zip(outputs, reply["outputs"]):
        if math.prod(shape) != expected.count:
            _note(tally, instance, case, f"{name} has shape {shape} where {expected.shape} is right")
            continue
        for at, (want, got) in enumerate(zip(expected.values, values)):
            verdict = judge(op, instance, expected, want, got, groups[at] if groups else None)
            tally.witnessed += 1
            if verdict is None:
                tally.not_judged += 1
            elif verdict:
                tally.agreed += 1
            else:
                _note(tally, instance, case, _element_text(case, groups, name, at, want, got))
    return tally


def _note(tally, instance, case, text):
    tally.diverged += 1
    texts = tally.examples.setdefault(" ".join(instance.inputs + ("->",) + instance.outputs), [])
    if len(texts) < EXAMPLES_MAX:
        texts.append(f"{case.set}: {text}")


def _element_text(case, groups, name, at, want, got):
    operands = case.operands.values()
    if operands and all(tensor.shape == next(iter(operands)).shape for tensor in operands) and case.outputs:
        if next(iter(case.outputs.values())).shape == next(iter(operands)).shape:
            bound_text = " ".join(f"{key}={tensor.values[at]!r}" for key, tensor in case.operands.items())
            bound_text += "".join(f" {key}={value!r}" for key, value in case.attributes.items())
            return f"{bound_text}: {name} is {_show(want)}, PyTorch {got!r}"
    attributes = " ".join(f"{key}={value}" for key, value in case.attributes.items())
    return f"{attributes} element {at}: {name} is {_show(want)}, PyTorch {got!r}"


def _show(value):
    return decimal25(value) if isinstance(value, Fraction) and value else repr(value)


def judge(op, instance, tensor, want, got, group):
    """True where got may stand for want, False where not, None where the element is not judged."""
    dtype = DTYPES[tensor.dtype]
    if dtype.kind != "float":
        return want == got
    if not tensor.real:
        if instance.tolerance == "exact" or not math.isfinite(want):
            return same_float(want, got)
        return near(op, instance, dtype, Fraction(want), want, got, group)
    if isinstance(want, float) and not (want == 0):
        return same_float(want, got) or (None if _order_decides(op, instance, group) else False)
    return near(op, instance, dtype, Fraction(want), want, got, group)


def _order_decides(op, instance, group):
    """Whether a special result depends on the order of the operations, so that no value is judged."""
    if group is None or group[1] is None:
        return False
    return bound(op, instance, Fraction(0), *group) is None


def same_float(want, got):
    """The same number, sign of zero included, or both NaN."""
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    return want == got and math.copysign(1, want) == math.copysign(1, got)


def near(op, instance, dtype, expected, want, got, group):
    """Whether got lies within the row's bound of a finite expected value; zeros and infinities by their rounding."""
    values, terms = group if group else ({}, None)
    allowed = bound(op, instance, expected, values, terms)
    if allowed is None:
        return None
    if math.isnan(got):
        return False
    grouped = terms is not None
    if expected == 0 and got == 0:
        sign = want if isinstance(want, float) else 0.0
        return math.copysign(1, got) == math.copysign(1, sign) or (grouped and not _all_zero(values, terms))
    if got == 0 and not grouped and dtype.round(expected) == 0 and (math.copysign(1, got) > 0) != (expected > 0):
        return False
    limit = Fraction(2) ** (dtype.emax + 1)
    exact = Fraction(got) if math.isfinite(got) else (limit if got > 0 else -limit)
    clipped = max(-limit, min(limit, expected))
    return abs(exact - clipped) <= allowed


def _all_zero(values, terms):
    return all(value == 0 for element in terms for value in element.values())
