"""Rounding, bits and text of every dtype against exhaustive tables and against the machine's own conversions."""

import math
import struct
import unittest
from fractions import Fraction

from golden.dtypes import DTYPES, exponent
from golden.philox import Stream, philox4x32
from golden.write import number_text, shortest_decimal

SMALL = ("f16", "bf16")
FLOATS = ("f16", "bf16", "f32", "f64")


class Rounding(unittest.TestCase):
    def test_every_value_of_the_small_dtypes_rounds_to_itself(self):
        for name in SMALL:
            dtype = DTYPES[name]
            for bits in range(1 << 16):
                value = dtype.from_bits(bits)
                if math.isfinite(value) and value:
                    self.assertEqual(dtype.round(Fraction(value)), value)
                    self.assertEqual(dtype.to_bits(value), bits)

    def test_midpoints_of_the_small_dtypes_round_to_even(self):
        for name in SMALL:
            dtype = DTYPES[name]
            infinity = dtype.to_bits(math.inf)
            for bits in range(0, infinity, 1 if name == "f16" else 5):
                low = Fraction(dtype.from_bits(bits))
                at_end = bits + 1 == infinity
                high = Fraction(2) ** (dtype.emax + 1) if at_end else Fraction(dtype.from_bits(bits + 1))
                middle, nudge = (low + high) / 2, (high - low) / 1024
                above = math.inf if at_end else float(high)
                self.assertEqual(dtype.round(middle), float(low) if bits % 2 == 0 else above)
                self.assertEqual(dtype.round(middle - nudge), float(low))
                self.assertEqual(dtype.round(middle + nudge), above)

    def test_f32_rounds_as_the_machine_does(self):
        stream = Stream("test", "f32")
        for _ in range(3000):
            value = struct.unpack("<d", struct.pack("<Q", stream.bits64() >> 2 | 3 << 60))[0]
            value = math.ldexp(1 + stream.unit(), stream.integer(-152, 128)) if stream.below(4) else value
            try:
                want = struct.unpack("<f", struct.pack("<f", value))[0]
            except OverflowError:
                want = math.copysign(math.inf, value)
            self.assertEqual(DTYPES["f32"].round(Fraction(value)), want)

    def test_a_fraction_is_rounded_once(self):
        f16 = DTYPES["f16"]
        just_above_half = 1 + Fraction(1, 2**11) + Fraction(1, 2**80)  # through f64 this would be the tie itself
        self.assertEqual(f16.round(just_above_half), 1 + 2.0**-10)

    def test_ends_of_the_range(self):
        for name in FLOATS:
            dtype = DTYPES[name]
            half = dtype.quantum(Fraction(dtype.highest)) / 2
            self.assertEqual(dtype.round(Fraction(dtype.highest) + half), math.inf)
            self.assertEqual(dtype.round(-Fraction(dtype.highest) - half), -math.inf)
            self.assertEqual(dtype.round(Fraction(dtype.highest) + half * Fraction(99, 100)), dtype.highest)
            self.assertEqual(str(dtype.round(-Fraction(dtype.sub) / 2)), "-0.0")
            self.assertEqual(dtype.round(Fraction(dtype.sub) * Fraction(51, 100)), dtype.sub)

    def test_known_landmarks(self):
        self.assertEqual(DTYPES["f16"].highest, 65504.0)
        self.assertEqual(DTYPES["f32"].highest, 3.4028234663852886e38)
        self.assertEqual(DTYPES["f64"].sub, 5e-324)
        self.assertEqual(DTYPES["bf16"].ulp, 2.0**-7)
        self.assertEqual((DTYPES["i64"].lowest, DTYPES["u8"].highest, DTYPES["bool"].highest), (-(2**63), 255, 1))
        self.assertEqual(exponent(Fraction(7, 8)), -1)

    def test_integers_wrap(self):
        self.assertEqual(DTYPES["i32"].wrap(2**31), -(2**31))
        self.assertEqual(DTYPES["u8"].wrap(-1), 255)
        self.assertEqual(DTYPES["bool"].wrap(2), 1)

    def test_neighbours(self):
        for name in FLOATS:
            dtype = DTYPES[name]
            self.assertEqual(dtype.next_after(1.0, 2.0), 1 + dtype.ulp)
            self.assertEqual(dtype.next_after(0.0, -1.0), -dtype.sub)
            self.assertEqual(dtype.next_after(dtype.highest, math.inf), math.inf)
            self.assertEqual(str(dtype.next_after(0.0, -0.0)), "-0.0")
        self.assertEqual(DTYPES["f64"].next_after(-3.5, 9.0), math.nextafter(-3.5, 9.0))


class Text(unittest.TestCase):
    def test_a_double_is_written_as_python_writes_it(self):
        stream = Stream("test", "text")
        for _ in range(3000):
            value = struct.unpack("<d", struct.pack("<Q", stream.bits64()))[0]
            if math.isfinite(value) and value:
                self.assertEqual(shortest_decimal(value, DTYPES["f64"]), repr(value).removesuffix(".0"))

    def test_every_value_of_the_small_dtypes_reads_back(self):
        for name in SMALL:
            dtype = DTYPES[name]
            for bits in range(0, 1 << 16, 17):
                value = dtype.from_bits(bits)
                if math.isfinite(value):
                    self.assertEqual(dtype.round(Fraction(number_text(value, dtype))), abs(value) and value)

    def test_shortest_means_shortest(self):
        self.assertEqual(number_text(3.4028234663852886e38, DTYPES["f32"]), "3.4028235e+38")
        self.assertEqual(number_text(DTYPES["bf16"].round(Fraction(1, 10)), DTYPES["bf16"]), "0.1")
        texts = [number_text(value, DTYPES["f32"]) for value in (-0.0, math.inf, math.nan, 3.0)]
        self.assertEqual(texts, ["-0", "inf", "nan", "3"])


class Philox(unittest.TestCase):
    def test_published_vectors(self):
        ones = 0xFFFFFFFF
        self.assertEqual(philox4x32((0, 0, 0, 0), (0, 0)), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8))
        self.assertEqual(philox4x32((ones,) * 4, (ones,) * 2), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD))
        digits = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
        self.assertEqual(
            philox4x32(digits, (0xA4093822, 0x299F31D0)), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)
        )

    def test_a_stream_depends_on_its_names_alone(self):
        first = [Stream("add", "domain", "x").bits64() for _ in range(2)]
        self.assertEqual(first[0], first[1])
        self.assertNotEqual(first[0], Stream("add", "domain", "y").bits64())


if __name__ == "__main__":
    unittest.main()
