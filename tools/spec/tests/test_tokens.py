"""Tokens of tables: the values they stand for in a dtype, held against Python's own floats where it has the dtype."""

import math
import random
import struct
import unittest
from fractions import Fraction

from tools.spec import tokens
from tools.spec.model import Dtype
from tools.spec.problems import Place

HERE = Place("here", 1)
F16 = Dtype("f16", 5, 2, "float", "", HERE, 11, 15)
BF16 = Dtype("bf16", 6, 2, "float", "", HERE, 8, 127)
F32 = Dtype("f32", 7, 4, "float", "", HERE, 24, 127)
F64 = Dtype("f64", 8, 8, "float", "", HERE, 53, 1023)
U8 = Dtype("u8", 2, 1, "int", "", HERE)
I64 = Dtype("i64", 4, 8, "int", "", HERE)
BOOL = Dtype("bool", 1, 1, "bool", "", HERE)


def text(token, dtype):
    return tokens.text(tokens.resolve(token, dtype), dtype)


class Tokens(unittest.TestCase):
    def test_words_of_floating_dtypes(self):
        for token, want in (("nan", "nan"), ("+inf", "inf"), ("-inf", "-inf"), ("+0", "0"), ("-0", "-0"), ("-0.0", "-0")):
            for dtype in (F16, BF16, F32, F64):
                self.assertEqual(text(token, dtype), want)
        self.assertEqual(text("max", F16), "65500")
        self.assertEqual(tokens.resolve("max", F16), 65504)
        self.assertEqual(float(tokens.resolve("max", F64)), 1.7976931348623157e308)
        self.assertEqual(tokens.resolve("min", F32), -tokens.resolve("max", F32))
        self.assertEqual(float(tokens.resolve("tiny", F32)), 2.0**-126)
        self.assertEqual(float(tokens.resolve("sub", F64)), 5e-324)
        self.assertEqual(float(tokens.resolve("pi", F64)), math.pi)

    def test_neighbours(self):
        self.assertEqual(tokens.resolve("1+ulp", F32), 1 + Fraction(1, 2**23))
        self.assertEqual(tokens.resolve("1-ulp", F32), 1 - Fraction(1, 2**24))
        self.assertEqual(tokens.resolve("1-2*ulp", F16), 1 - Fraction(1, 2**10))
        self.assertEqual(tokens.resolve("-1-ulp", F16), -1 - Fraction(1, 2**10))
        self.assertEqual(tokens.resolve("max+ulp", F16), "inf")
        self.assertEqual(tokens.resolve("sub-ulp", F32), 0)
        self.assertEqual(tokens.resolve("tiny-sub", F32), tokens.resolve("tiny-ulp", F32))
        for value in (1.0, -1.5, 2.0**-1022, 5e-324, 1e300, -2.0**10):
            self.assertEqual(float(tokens.step(Fraction(value), 1, F64)), math.nextafter(value, math.inf))
            self.assertEqual(float(tokens.step(Fraction(value), -1, F64) if value != 5e-324 else 0),
                             math.nextafter(value, -math.inf))

    def test_sums_multiples_and_notations(self):
        self.assertEqual(text("2^53+1", I64), "9007199254740993")
        self.assertEqual(text("max-1", I64), "9223372036854775806")
        self.assertEqual(text("-2^53-1", I64), "-9007199254740993")
        self.assertEqual(tokens.resolve("3*sub", F16), 3 * tokens.resolve("sub", F16))
        self.assertEqual(tokens.resolve("0.5*tiny", F32), Fraction(1, 2**127))
        self.assertEqual(tokens.resolve("0x1.8p-1", F32), Fraction(3, 4))
        self.assertEqual(tokens.resolve("-1e-3", F64), Fraction(-0.001))

    def test_integers_and_bools(self):
        self.assertEqual(text("max", U8), "255")
        self.assertEqual(text("min", I64), str(-2**63))
        self.assertEqual((text("true", BOOL), text("false", BOOL)), ("1", "0"))

    def test_what_is_no_value(self):
        for token, dtype in (("nan", I64), ("256", U8), ("-1", U8), ("0.5", I64), ("1", BOOL), ("true", F32), ("", F32),
                             ("inf+1", F32), ("1+", F32), ("two", F64), ("1+0.5ulp", F32), ("3*", F32), ("max+1", I64)):
            with self.assertRaises(tokens.TokenError, msg=f"{token} as {dtype.name}"):
                tokens.resolve(token, dtype)

    def test_rounding_and_shortest_decimals_agree_with_python(self):
        source = random.Random(1)
        for _ in range(300):
            bits = source.getrandbits(64)
            value = struct.unpack("<d", struct.pack("<Q", bits))[0]
            if math.isfinite(value) and value != 0:
                self.assertEqual(float(tokens.shortest(Fraction(value), F64)), value)
                self.assertEqual(len(_digits(tokens.shortest(Fraction(value), F64))), len(_digits(repr(value))), value)
            exact = Fraction(source.getrandbits(80), 2 ** source.randrange(0, 160))
            self.assertEqual(float(tokens.round_to(exact, F64)), exact.numerator / exact.denominator)
            if exact and abs(exact) < 60000:
                self.assertEqual(_value(tokens.round_to(exact, F16)), _half(exact))

    def test_ties_go_to_even(self):
        self.assertEqual(tokens.round_to(Fraction(2049), F16), 2048)
        self.assertEqual(tokens.round_to(Fraction(2051), F16), 2052)
        self.assertEqual(tokens.round_to(Fraction(65520), F16), "inf")
        self.assertEqual(tokens.round_to(Fraction(65519), F16), 65504)
        self.assertEqual(tokens.round_to(Fraction(-1, 2**26), F16), "-0")


def _digits(decimal):
    return decimal.lower().split("e")[0].replace("-", "").replace(".", "").strip("0")


def _value(rounded):
    return float(rounded)


def _half(exact):
    """Through Python's own half precision, from a double that rounds as the exact value does (a sticky last bit)."""
    near = exact.numerator / exact.denominator
    if Fraction(near) != exact and struct.unpack("<Q", struct.pack("<d", near))[0] % 2 == 0:
        near = math.nextafter(near, math.inf if exact > near else 0)
    return struct.unpack("<e", struct.pack("<e", near))[0]


if __name__ == "__main__":
    unittest.main()
