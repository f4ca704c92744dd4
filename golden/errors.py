"""Errors of the generator. Each names the op, the case and both values where there are two."""


class GoldenError(Exception):
    """Base of everything the generator refuses; the command prints it without a traceback and exits 2."""


class SpecError(GoldenError):
    """A row, table or expression of the spec that the generator cannot follow."""


class EvaluatorError(GoldenError):
    """The evaluator has no value: an unknown primitive, an irrational `exact` result, or endless cancellation."""


class WitnessError(GoldenError):
    """The witness process could not be run at all (a crash on one case is a finding, not this)."""


class DisagreementError(GoldenError):
    """PyTorch, a table or a stored file differs from the evaluator where the row lists no divergence."""


class FormatError(GoldenError):
    """A golden file that breaks the format, with file and line."""
