"""The eight dtypes: rounding to nearest even, integer wrap, bit patterns, and the landmarks of each.

A tensor element is a Python float for a floating dtype (every f16, bf16 and f32 value is a double too), an int for an
integer dtype, and the int 0 or 1 for bool.
"""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Dtype:
    """One dtype; `precision` counts significand bits with the hidden one, `emin` is the exponent of the smallest normal."""

    name: str
    kind: str  # "bool", "int" or "float"
    bits: int
    signed: bool = True
    precision: int = 0
    emin: int = 0
    emax: int = 0

    @property
    def lowest(self):
        """The smallest value: the lowest integer, or the most negative finite float."""
        if self.kind == "float":
            return -self.highest
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def highest(self):
        """The largest finite value (1 for bool)."""
        if self.kind == "bool":
            return 1
        if self.kind == "float":
            return float(Fraction(2) ** (self.emax + 1) - Fraction(2) ** (self.emax + 1 - self.precision))
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    @property
    def tiny(self):
        """The smallest positive normal number."""
        return math.ldexp(1.0, self.emin)

    @property
    def sub(self):
        """The smallest positive subnormal number."""
        return math.ldexp(1.0, self.emin - self.precision + 1)

    @property
    def ulp(self):
        """The distance from 1 to the next number."""
        return math.ldexp(1.0, 1 - self.precision)

    def wrap(self, value):
        """An integer modulo 2^bits; for bool whether it is not zero."""
        if self.kind == "bool":
            return 1 if value else 0
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def saturate(self, value):
        """An integer moved to the nearest that the dtype has."""
        return min(max(value, self.lowest), self.highest)

    def quantum(self, value):
        """The spacing, as a Fraction, of this dtype's numbers at a finite exact value (the subnormal one near 0)."""
        if value == 0:
            return Fraction(2) ** (self.emin - self.precision + 1)
        return Fraction(2) ** (max(exponent(value), self.emin) - self.precision + 1)

    def round(self, value):
        """A finite Fraction or int rounded once, to nearest with ties to even; beyond the range an infinity."""
        if value == 0:
            return 0.0
        numerator, denominator = abs(value.numerator), value.denominator
        power = max(_exponent(numerator, denominator), self.emin) - self.precision + 1  # of one step
        if power > 0:
            denominator <<= power
        else:
            numerator <<= -power
        steps, rest = divmod(numerator, denominator)
        if 2 * rest > denominator or (2 * rest == denominator and steps & 1):
            steps += 1
        past = steps.bit_length() + power > self.emax + 1
        rounded = math.inf if past else math.ldexp(steps, power)
        return -rounded if value < 0 else rounded

    def round_float(self, value):
        """A double rounded once to this dtype; special values pass through."""
        if math.isnan(value) or math.isinf(value) or value == 0:
            return value
        return self.round(Fraction(value))

    def to_bits(self, value):
        """The bit pattern of an element of this dtype; NaN is the canonical quiet one."""
        if self.kind != "float":
            return value & ((1 << self.bits) - 1)
        if self.name == "bf16":
            return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
        pattern = {16: "<H", 32: "<I", 64: "<Q"}[self.bits]
        return struct.unpack(pattern, struct.pack({16: "<e", 32: "<f", 64: "<d"}[self.bits], value))[0]

    def from_bits(self, bits):
        """The element with that bit pattern."""
        if self.kind == "bool":
            return bits & 1
        if self.kind == "int":
            return self.wrap(bits)
        if self.name == "bf16":
            return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        pattern = {16: "<H", 32: "<I", 64: "<Q"}[self.bits]
        return struct.unpack({16: "<e", 32: "<f", 64: "<d"}[self.bits], struct.pack(pattern, bits))[0]

    def next_after(self, value, towards):
        """The neighbour of value in this dtype's own bits; equal operands give the second."""
        if math.isnan(value) or math.isnan(towards):
            return math.nan
        if value == towards:
            return towards
        if value == 0:
            return math.copysign(self.sub, towards)
        away = (towards > value) == (value > 0)
        return self.from_bits(self.to_bits(value) + (1 if away else -1))


DTYPES = {
    dtype.name: dtype
    for dtype in (
        Dtype("bool", "bool", 8, signed=False),
        Dtype("u8", "int", 8, signed=False),
        Dtype("i32", "int", 32),
        Dtype("i64", "int", 64),
        Dtype("f16", "float", 16, precision=11, emin=-14, emax=15),
        Dtype("bf16", "float", 16, precision=8, emin=-126, emax=127),
        Dtype("f32", "float", 32, precision=24, emin=-126, emax=127),
        Dtype("f64", "float", 64, precision=53, emin=-1022, emax=1023),
    )
}


def exponent(value):
    """floor(log2(|value|)) of a nonzero Fraction or int, exactly."""
    return _exponent(abs(value.numerator), value.denominator)


def _exponent(numerator, denominator):
    guess = numerator.bit_length() - denominator.bit_length()
    reaches = numerator >= denominator << guess if guess >= 0 else numerator << -guess >= denominator
    return guess if reaches else guess - 1


def round_half_even(value):
    """A Fraction rounded to the nearest integer, ties to even."""
    floor, rest = divmod(value.numerator, value.denominator)
    twice = 2 * rest
    if twice > value.denominator or (twice == value.denominator and floor & 1):
        return floor + 1
    return floor
