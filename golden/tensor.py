"""Tensors and cases as the golden files hold them: logical values in row-major order, no layout."""

from dataclasses import dataclass, field
from itertools import product
from math import prod


@dataclass
class Tensor:
    """Values of one dtype; a `real` output holds Fractions and special floats instead of elements."""

    dtype: str
    shape: tuple
    values: list
    real: bool = False

    @property
    def rank(self):
        return len(self.shape)

    @property
    def count(self):
        return prod(self.shape)

    def at(self, index):
        """The element at a multi-dimensional index."""
        return self.values[position(self.shape, index)]


@dataclass
class Case:
    """One golden case: a set of values, attributes in slot order, operands in the row's order, outputs."""

    set: str
    in_dtypes: tuple
    out_dtypes: tuple
    attributes: dict  # name -> int or float
    operands: dict  # name -> Tensor
    outputs: dict = field(default_factory=dict)

    @property
    def name(self):
        """The case as messages name it."""
        return f"{self.set} {' '.join(self.in_dtypes)} -> {' '.join(self.out_dtypes)}"


def position(shape, index):
    """The row-major position of an index."""
    at = 0
    for extent, i in zip(shape, index):
        at = at * extent + i
    return at


def indices(shape):
    """Every index of a shape in row-major order."""
    return product(*[range(extent) for extent in shape])
