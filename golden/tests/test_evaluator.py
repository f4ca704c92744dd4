"""Every primitive against values worked out by hand, and the three arithmetics on composed trees."""

import math
import unittest
from fractions import Fraction

from mpmath import mp

from golden.dtypes import DTYPES
from golden.errors import EvaluatorError
from golden.evaluator import AGGREGATES, decimal25, evaluate
from golden.primitives import EXTENDED, NATIVE

NAN, INF = math.nan, math.inf


def call(name, *arguments):
    return ["call", name, *arguments]


def name(text):
    return ["name", text]


def number(text):
    return ["number", text]


def apply(primitive, *operands, mode="exact", dtype="f64", result=None):
    """A primitive on tensor elements; a real result rounded to its dtype."""
    names = "abc"[: len(operands)]
    tree = call(primitive, *[name(letter) for letter in names])
    value = evaluate(tree, mode, dtype, result or dtype, dict(zip(names, operands)))
    return DTYPES[dtype].round(value) if isinstance(value, Fraction) else value


EXACT = [
    ("add", (0.1, 0.2), 0.30000000000000004),
    ("add", (INF, -INF), NAN),
    ("add", (-0.0, -0.0), -0.0),
    ("add", (1.0, -1.0), 0.0),
    ("add", (-0.0, 0.0), 0.0),
    ("sub", (0.0, 0.0), 0.0),
    ("sub", (-0.0, 0.0), -0.0),
    ("mul", (-0.0, 3.0), -0.0),
    ("mul", (INF, 0.0), NAN),
    ("mul", (1e308, 10.0), INF),
    ("mul", (-5e-324, 0.5), -0.0),
    ("div", (1.0, -0.0), -INF),
    ("div", (0.0, 0.0), NAN),
    ("div", (1.0, 3.0), 1.0 / 3.0),
    ("div", (-1.0, INF), -0.0),
    ("neg", (0.0,), -0.0),
    ("neg", (NAN,), NAN),
    ("fma", (1 + 2.0**-52, 1 - 2.0**-53, -1.0), 2.0**-53 - 2.0**-105),
    ("fma", (INF, 0.0, NAN), NAN),
    ("abs", (-0.0,), 0.0),
    ("abs", (-INF,), INF),
    ("sign", (NAN,), NAN),
    ("sign", (-0.0,), 0.0),
    ("sign", (-3.0,), -1.0),
    ("floor", (-0.5,), -1.0),
    ("floor", (-0.0,), -0.0),
    ("ceil", (-0.5,), -0.0),
    ("trunc", (-1.5,), -1.0),
    ("trunc", (INF,), INF),
    ("round", (2.5,), 2.0),
    ("round", (3.5,), 4.0),
    ("round", (-0.5,), -0.0),
    ("sqrt", (2.0,), 1.4142135623730951),
    ("sqrt", (-0.0,), -0.0),
    ("sqrt", (-1.0,), NAN),
    ("sqrt", (5e-324,), 2.2227587494850775e-162),
    ("min", (0.0, -0.0), -0.0),
    ("min", (1.0, NAN), NAN),
    ("max", (-0.0, 0.0), 0.0),
    ("max", (-INF, -1.0), -1.0),
    ("floor_divide", (1.0, 0.1), 9.0),
    ("floor_divide", (INF, 1.0), NAN),
    ("floor_divide", (1.0, -INF), -1.0),
    ("floor_divide", (1.0, INF), 0.0),
    ("floor_divide", (-7.0, 2.0), -4.0),
    ("floor_divide", (1.0, 0.0), INF),
    ("remainder", (-7.0, 2.0), 1.0),
    ("remainder", (6.0, -3.0), -0.0),
    ("remainder", (-6.0, 3.0), 0.0),
    ("remainder", (-1.0, INF), INF),
    ("remainder", (5.0, INF), 5.0),
    ("remainder", (1.0, 0.0), NAN),
    ("fmod", (-7.0, 2.0), -1.0),
    ("fmod", (-6.0, 3.0), -0.0),
    ("fmod", (-1.0, INF), -1.0),
    ("fmod", (INF, 1.0), NAN),
    ("copysign", (3.0, -0.0), -3.0),
    ("copysign", (-3.0, NAN), 3.0),
    ("copysign", (NAN, -1.0), NAN),
    ("nextafter", (1.0, 2.0), 1 + 2.0**-52),
    ("nextafter", (0.0, -0.0), -0.0),
]

REAL = [
    ("exp", (1.0,), math.e),
    ("exp", (-INF,), 0.0),
    ("exp", (710.0,), INF),
    ("exp2", (10.0,), 1024.0),
    ("expm1", (1e-300,), 1e-300),
    ("expm1", (-0.0,), -0.0),
    ("expm1", (-INF,), -1.0),
    ("log", (0.0,), -INF),
    ("log", (-0.0,), -INF),
    ("log", (-1.0,), NAN),
    ("log", (1.0,), 0.0),
    ("log1p", (-1.0,), -INF),
    ("log1p", (1e-300,), 1e-300),
    ("log2", (8.0,), 3.0),
    ("log10", (1000.0,), 3.0),
    ("sin", (-0.0,), -0.0),
    ("sin", (1e22,), -0.8522008497671888),
    ("sin", (INF,), NAN),
    ("cos", (0.0,), 1.0),
    ("cos", (1e22,), 0.523214785395138945497594),
    ("tan", (math.pi / 2,), 1.633123935319537e16),
    ("asin", (1.0,), 1.5707963267948966),
    ("asin", (1.5,), NAN),
    ("acos", (-1.0,), math.pi),
    ("acos", (1.0,), 0.0),
    ("atan", (-INF,), -1.5707963267948966),
    ("atan", (1.0,), 0.7853981633974483),
    ("sinh", (-INF,), -INF),
    ("sinh", (1.0,), 1.1752011936438014),
    ("cosh", (-INF,), INF),
    ("cosh", (0.0,), 1.0),
    ("tanh", (-INF,), -1.0),
    ("tanh", (30.0,), 1.0),
    ("asinh", (-0.0,), -0.0),
    ("asinh", (1e308,), 709.889355822726),
    ("acosh", (0.5,), NAN),
    ("acosh", (1.0,), 0.0),
    ("atanh", (-1.0,), -INF),
    ("atanh", (2.0,), NAN),
    ("atan2", (0.0, -0.0), math.pi),
    ("atan2", (-0.0, 0.0), -0.0),
    ("atan2", (-1.0, INF), -0.0),
    ("atan2", (INF, -INF), 2.356194490192345),
    ("atan2", (1.0, 0.0), 1.5707963267948966),
    ("hypot", (INF, NAN), INF),
    ("hypot", (3.0, 4.0), 5.0),
    ("hypot", (1e308, 1e308), 1.4142135623730951e308),
    ("pow", (NAN, 0.0), 1.0),
    ("pow", (1.0, NAN), 1.0),
    ("pow", (-0.0, -3.0), -INF),
    ("pow", (-0.0, -2.0), INF),
    ("pow", (-2.0, 3.0), -8.0),
    ("pow", (-2.0, 0.5), NAN),
    ("pow", (-1.0, INF), 1.0),
    ("pow", (0.5, INF), 0.0),
    ("pow", (-INF, 3.0), -INF),
    ("pow", (-INF, -3.0), -0.0),
    ("erf", (-INF,), -1.0),
    ("erf", (1.0,), 0.8427007929497149),
    ("erfc", (INF,), 0.0),
    ("erfc", (-INF,), 2.0),
    ("erfc", (26.0,), 5.663192408856143e-296),
    ("erfc", (1e300,), 0.0),
    ("logaddexp", (-INF, -INF), -INF),
    ("logaddexp", (INF, -INF), INF),
    ("logaddexp", (-INF, 2.0), 2.0),
    ("logaddexp", (0.0, 0.0), 0.6931471805599453),
    ("logaddexp", (0.0, -1000.0), 0.0),
    ("sqrt", (2.0,), 1.4142135623730951),
    ("abs", (-2.0,), 2.0),
]

PREDICATES = [
    ("eq", (0.0, -0.0), 1),
    ("eq", (NAN, NAN), 0),
    ("ne", (NAN, NAN), 1),
    ("lt", (-INF, 0.0), 1),
    ("le", (NAN, 0.0), 0),
    ("gt", (INF, 1e308), 1),
    ("ge", (-0.0, 0.0), 1),
    ("not", (NAN,), 0),
    ("isnan", (NAN,), 1),
    ("isinf", (-INF,), 1),
    ("isfinite", (5e-324,), 1),
    ("signbit", (-0.0,), 1),
    ("signbit", (NAN,), 0),
    ("logical_xor", (NAN, 0.0), 1),
]

LOW32 = -(2**31)
INTEGERS = [
    ("add", "i32", (2**31 - 1, 1), LOW32),
    ("sub", "u8", (0, 1), 255),
    ("mul", "i64", (2**62, 4), 0),
    ("neg", "i32", (LOW32,), LOW32),
    ("neg", "u8", (1,), 255),
    ("fma", "u8", (16, 16, 3), 3),
    ("abs", "i32", (LOW32,), LOW32),
    ("sign", "i32", (-9,), -1),
    ("floor", "i32", (-9,), -9),
    ("ceil", "i32", (-9,), -9),
    ("trunc", "i32", (-9,), -9),
    ("round", "i32", (-9,), -9),
    ("min", "i64", (2**53, 2**53 + 1), 2**53),
    ("max", "i64", (2**53, 2**53 + 1), 2**53 + 1),
    ("floor_divide", "i32", (-7, 2), -4),
    ("floor_divide", "i32", (LOW32, -1), LOW32),
    ("floor_divide", "i32", (5, 0), 0),
    ("remainder", "i32", (-7, 2), 1),
    ("remainder", "i32", (LOW32, -1), 0),
    ("remainder", "i32", (5, 0), 0),
    ("fmod", "i32", (-7, 2), -1),
    ("fmod", "i32", (7, -2), 1),
    ("fmod", "i32", (7, 0), 0),
    ("pow", "i32", (3, 4), 81),
    ("pow", "i32", (0, -1), 0),
    ("pow", "i32", (-1, -3), -1),
    ("pow", "i32", (2, -1), 0),
    ("pow", "i64", (3, 2**62), pow(3, 2**62, 2**64)),
    ("shift_left", "i32", (1, 31), LOW32),
    ("shift_left", "i32", (1, 32), 0),
    ("shift_left", "i32", (1, -1), 0),
    ("shift_right", "i32", (-8, 1), -4),
    ("shift_right", "i32", (-8, 99), -1),
    ("shift_right", "i32", (8, -1), 0),
    ("bit_and", "u8", (12, 10), 8),
    ("bit_or", "u8", (12, 10), 14),
    ("bit_xor", "u8", (12, 10), 6),
    ("bit_not", "u8", (0,), 255),
    ("bit_not", "bool", (1,), 0),
    ("add", "bool", (1, 1), 1),
    ("mul", "bool", (1, 0), 0),
    ("logical_xor", "i32", (5, 7), 0),
]


class Primitives(unittest.TestCase):
    def check(self, table, mode):
        for primitive, operands, want in table:
            with self.subTest(primitive=primitive, operands=operands, mode=mode):
                got = apply(primitive, *operands, mode=mode)
                self.assertEqual(repr(float(got)), repr(float(want)))

    def test_exact_values(self):
        self.check(EXACT, "exact")

    def test_real_values(self):
        self.check(REAL, "real")

    def test_predicates(self):
        for primitive, operands, want in PREDICATES:
            with self.subTest(primitive=primitive, operands=operands):
                self.assertEqual(apply(primitive, *operands, result="bool"), want)

    def test_integers(self):
        for primitive, dtype, operands, want in INTEGERS:
            with self.subTest(primitive=primitive, operands=operands, dtype=dtype):
                self.assertEqual(apply(primitive, *operands, mode="native_int", dtype=dtype), want)

    def test_no_primitive_is_left_out(self):
        floats = {row[0] for row in EXACT + REAL + PREDICATES}
        self.assertEqual(set(EXTENDED) - floats - {row[0] for row in INTEGERS}, set())
        common = {"eq", "ne", "lt", "le", "gt", "ge", "not", "isnan", "isinf", "isfinite", "signbit"}
        self.assertEqual(set(NATIVE) - {row[0] for row in INTEGERS} - common, set())


class Trees(unittest.TestCase):
    def test_where_and_or_look_only_at_what_they_need(self):
        bad = call("no_such_primitive", name("x"))
        tree = call("where", call("or", call("isnan", name("x")), call("and", number("0"), bad)), bad, name("x"))
        self.assertEqual(evaluate(tree, "exact", "f32", "f32", {"x": 2.0}), 2.0)

    def test_an_exact_tree_rounds_once(self):
        square_less_one = call("sub", call("mul", name("x"), name("x")), number("1"))
        x = 1 + 3 * 2.0**-23
        got = evaluate(square_less_one, "exact", "f32", "f32", {"x": x})
        self.assertEqual(got, DTYPES["f32"].round(Fraction(x) ** 2 - 1))
        self.assertNotEqual(got, DTYPES["f32"].round(Fraction(x) ** 2) - 1)

    def test_cancellation_is_computed_again_with_more_bits(self):
        tree = call("sub", call("sqrt", call("add", number("1"), call("mul", name("x"), name("x")))), number("1"))
        got = evaluate(tree, "real", "f64", "f64", {"x": 1e-200})
        self.assertAlmostEqual(float(got / Fraction(1e-200) ** 2), 0.5, places=20)

    def test_an_operand_lost_in_a_sum_is_found_by_the_logarithm(self):
        tree = call("log", call("add", number("1"), call("exp", name("x"))))
        got = evaluate(tree, "real", "f64", "f64", {"x": -700.0})
        with mp.workprec(200):
            self.assertEqual(decimal25(got)[:20], mp.nstr(mp.exp(-700), 25)[:20])

    def test_endless_cancellation_is_an_error(self):
        tree = call("sub", call("exp", name("x")), call("pow", call("exp", number("1")), name("x")))
        try:
            got = evaluate(tree, "real", "f64", "f64", {"x": 3.0})
        except EvaluatorError as error:
            self.assertIn("cancellation", str(error))
        else:
            self.assertEqual(got, 0)

    def test_unknown_names_and_primitives_are_errors(self):
        for tree in (name("q"), call("frobnicate", name("x")), call("sum", name("x"))):
            with self.assertRaises(EvaluatorError):
                evaluate(tree, "exact", "f32", "f32", {"x": 1.0})
        with self.assertRaises(EvaluatorError):
            evaluate(call("exp", name("x")), "exact", "f32", "f32", {"x": 1.0})

    def test_25_digits(self):
        self.assertEqual(decimal25(Fraction(1, 3)), "3.333333333333333333333333e-01")
        self.assertEqual(decimal25(Fraction(-2)), "-2")
        self.assertEqual(decimal25(Fraction(10**40 - 1)), "1e+40")
        self.assertEqual(decimal25(Fraction(1, 2) ** 3), "1.25e-01")


class Aggregates(unittest.TestCase):
    def run_group(self, tree, values, mode="exact", dtype="f32", result=None, first=False):
        group = [{"x": value} for value in values]
        return evaluate(tree, mode, dtype, result or dtype, {}, group, first)

    def test_each(self):
        x = name("x")
        rows = [
            ("sum", [1.0, 2.0, 4.0], 7.0),
            ("sum", [], 0.0),
            ("prod", [-2.0, 3.0], -6.0),
            ("prod", [], 1.0),
            ("max_of", [-0.0, 0.0, -1.0], 0.0),
            ("max_of", [1.0, NAN, 2.0], NAN),
            ("max_of", [], -INF),
            ("min_of", [0.0, -0.0], -0.0),
            ("min_of", [], INF),
            ("count", [1.0, 0.0, NAN], 2.0),
            ("first_max", [1.0, 3.0, 3.0], 1.0),
            ("first_max", [1.0, NAN, NAN], 1.0),
            ("first_min", [0.0, -0.0], 0.0),
            ("first_min", [3.0, 1.0, 1.0], 1.0),
            ("last_max", [3.0, 1.0, 3.0], 2.0),
            ("last_max", [NAN, 5.0, NAN, 1.0], 2.0),
            ("last_min", [0.0, -0.0, 1.0], 1.0),
            ("last_min", [NAN, -INF], 0.0),
        ]
        self.assertEqual({row[0] for row in rows}, AGGREGATES)
        for aggregate, values, want in rows:
            with self.subTest(aggregate=aggregate, values=values):
                got = self.run_group(call(aggregate, x), values)
                self.assertEqual(repr(float(got)), repr(want))

    def test_a_sum_of_negative_zeros(self):
        tree = call("sum", name("x"))
        self.assertEqual(str(self.run_group(tree, [-0.0, -0.0])), "0.0")
        self.assertEqual(str(self.run_group(tree, [-0.0, -0.0], first=True)), "-0.0")

    def test_nested_groups_and_n(self):
        mean = call("div", call("sum", name("x")), name("n"))
        distance = call("sub", name("x"), mean)
        tree = call("div", call("sum", call("mul", distance, distance)), call("sub", name("n"), number("1")))
        self.assertEqual(self.run_group(tree, [1.0, 2.0, 3.0, 4.0], mode="real"), Fraction(5, 3))

    def test_integer_sums_wrap_in_the_result(self):
        got = self.run_group(call("sum", name("x")), [255, 255], mode="native_int", dtype="u8", result="i64")
        self.assertEqual(got, 510)


if __name__ == "__main__":
    unittest.main()
