"""The file format there and back, and what the reader refuses."""

import math
import unittest
from fractions import Fraction

from golden.errors import FormatError
from golden.tensor import Case, Tensor
from golden.write import file_text, manifest_text, read_file


def sample():
    x = Tensor("f32", (2, 3), [math.nan, math.inf, -math.inf, -0.0, 3.4028234663852886e38, 0.1])
    x.values[5] = 0.10000000149011612
    special = Case("special", ("f32",), ("f32",), {"lo": -0.0, "axis": 2}, {"x": x})
    special.outputs["z"] = Tensor("f32", (2, 3), [Fraction(1, 3), math.nan, -0.0, Fraction(0), Fraction(10) ** 50, 1.0])
    special.outputs["z"].values[5] = Fraction(5, 4)
    special.outputs["z"].real = True
    empty = Case("empty", ("i64",), ("i64",), {}, {"x": Tensor("i64", (0, 3), [])})
    empty.outputs["z"] = Tensor("i64", (), [2**53 + 1])
    return [special, empty]


class Files(unittest.TestCase):
    def test_round_trip(self):
        text = file_text("add", "0123456789abcdef", sample())
        op, row, cases = read_file(text, "add.txt")
        self.assertEqual((op, row, len(cases)), ("add", "0123456789abcdef", 2))
        self.assertEqual(file_text(op, row, cases), text)
        for got, want in zip(cases, sample()):
            self.assertEqual(repr(got.operands), repr(want.operands))
            self.assertEqual(got.attributes, want.attributes)
        self.assertEqual(cases[1].outputs["z"].values, [2**53 + 1])

    def test_rows_break_after_the_innermost_axis_and_after_eight_values(self):
        case = Case("long", ("u8",), ("u8",), {}, {"x": Tensor("u8", (2, 9), list(range(18)))})
        lines = file_text("add", "0", [case]).split("\n")
        self.assertEqual(lines[4:8], ["  0 1 2 3 4 5 6 7", "  8", "  9 10 11 12 13 14 15 16", "  17"])

    def test_a_key_stands_once(self):
        with self.assertRaises(FormatError):
            file_text("add", "0", [sample()[0], sample()[0]])

    def test_every_truncation_is_refused(self):
        text = file_text("add", "0", sample())
        for length in range(len(text) - 1):
            with self.assertRaises((FormatError, ValueError), msg=text[:length][-30:]):
                read_file(text[:length], "add.txt")

    def test_a_missing_value_names_file_and_line(self):
        text = file_text("add", "0", sample()).replace("  9007199254740993\n", "")
        with self.assertRaisesRegex(FormatError, r"add\.txt:\d+: 0 values"):
            read_file(text, "add.txt")

    def test_the_manifest_is_sorted(self):
        text = manifest_text({"b": ("x", "1", 2), "a": ("y", "3", 4)})
        self.assertLess(text.index("ops/a.txt"), text.index("ops/b.txt"))


if __name__ == "__main__":
    unittest.main()
