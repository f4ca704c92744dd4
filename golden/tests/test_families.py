"""Family evaluators against small results worked out by hand."""

import math
import unittest

from golden.families import convert, family_module, gather, matmul, reduce, rows, scan, scatter, sort
from golden.spec import load
from golden.tables import token_value
from golden.dtypes import DTYPES
from golden.tensor import Case, Tensor

OPS = load()


def instance_of(op, *inputs):
    return next(entry for entry in op.instances if entry.inputs == inputs)


def run(module, op_name, dtypes, operands, attributes):
    op = OPS[op_name]
    instance = instance_of(op, *dtypes)
    tensors = {
        name: Tensor(dtype, shape, list(values)) for name, dtype, (shape, values) in zip(op.operands, dtypes, operands)
    }
    case = Case("test", instance.inputs, instance.outputs, attributes, tensors)
    return {name: (tensor.shape, tensor.values) for name, tensor in module.evaluate(op, instance, case).items()}


class Families(unittest.TestCase):
    def test_reduce_along_two_axes(self):
        got = run(reduce, "sum", ("i32",), [((2, 3, 2), range(12))], {"axes": 0b101})
        self.assertEqual(got["z"], ((1, 3, 1), [0 + 1 + 6 + 7, 2 + 3 + 8 + 9, 4 + 5 + 10 + 11]))

    def test_reduce_no_axis_and_nothing(self):
        self.assertEqual(run(reduce, "sum", ("u8",), [((2,), [3, 4])], {"axes": 0})["z"], ((2,), [3, 4]))
        self.assertEqual(run(reduce, "prod", ("u8",), [((2, 0), [])], {"axes": 2})["z"], ((2, 1), [1, 1]))

    def test_argmax_takes_the_first(self):
        got = run(reduce, "argmax", ("f32",), [((2, 3), [1.0, 2.0, 2.0, 0.0, math.nan, 9.0])], {"axis": 1})
        self.assertEqual(got["z"], ((2, 1), [1, 1]))

    def test_scan_restarts_on_every_line(self):
        got = run(scan, "cumsum", ("u8",), [((2, 3), [200, 100, 1, 1, 2, 3])], {"axis": 1})
        self.assertEqual(got["z"], ((2, 3), [200, 300, 301, 1, 3, 6]))

    def test_cummax_moves_the_element_it_names(self):
        got = run(scan, "cummax", ("f32",), [((3,), [-0.0, 0.0, -1.0])], {"axis": 0})
        self.assertEqual((str(got["z"][1]), got["indices"][1]), ("[-0.0, 0.0, 0.0]", [0, 1, 1]))

    def test_matmul_5_3_9(self):
        x, y = list(range(15)), list(range(27))
        got = run(matmul, "matmul", ("i32", "i32"), [((5, 3), x), ((3, 9), y)], {})["z"]
        self.assertEqual(got[0], (5, 9))
        self.assertEqual(got[1][9 * 2 + 4], sum(x[2 * 3 + k] * y[k * 9 + 4] for k in range(3)))

    def test_matmul_of_no_terms_is_zero(self):
        self.assertEqual(run(matmul, "matmul", ("f32", "f32"), [((1, 0), []), ((0, 2), [])], {})["z"][1], [0, 0])

    def test_gather_and_index_select(self):
        x = ((2, 3), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        got = run(gather, "gather", ("f32", "i64"), [x, ((2, 2), [2, 0, 1, 1])], {"axis": 1})
        self.assertEqual(got["z"], ((2, 2), [2.0, 0.0, 4.0, 4.0]))
        got = run(gather, "index_select", ("f32", "i32"), [x, ((2,), [2, 0])], {"axis": 1})
        self.assertEqual(got["z"], ((2, 2), [2.0, 0.0, 5.0, 3.0]))

    def test_scatter_keeps_the_last_and_what_nobody_names(self):
        operands = [((4,), [9, 8, 7, 6]), ((3,), [1, 1, 3]), ((3,), [1, 2, 3])]
        self.assertEqual(run(scatter, "scatter", ("i32", "i64", "i32"), operands, {"axis": 0})["z"][1], [9, 2, 7, 3])
        self.assertEqual(run(scatter, "scatter_add", ("i32", "i64", "i32"), operands, {"axis": 0})["z"][1], [9, 11, 7, 9])

    def test_index_add_of_negative_zeros(self):
        operands = [((2,), [-0.0, -0.0]), ((2,), [0, 0]), ((2,), [-0.0, -0.0])]
        got = run(scatter, "index_add", ("f32", "i64", "f32"), operands, {"axis": 0})["z"][1]
        self.assertEqual(str(got), "[-0.0, -0.0]")

    def test_sort_is_stable_both_ways(self):
        x = [((5,), [2.0, math.nan, -0.0, 0.0, 2.0])]
        up = run(sort, "sort", ("f32",), x, {"axis": 0, "descending": 0})
        self.assertEqual(up["indices"][1], [2, 3, 0, 4, 1])
        down = run(sort, "argsort", ("f32",), x, {"axis": 0, "descending": 1})
        self.assertEqual(down["indices"][1], [1, 0, 4, 2, 3])

    def test_topk_is_a_prefix(self):
        got = run(sort, "topk", ("i32",), [((4,), [1, 3, 3, 2])], {"axis": 0, "k": 2, "largest": 1})
        self.assertEqual((got["values"][1], got["indices"][1]), ([3, 3], [1, 2]))

    def test_every_element_of_a_row_has_a_value(self):
        x = [((2, 2), [0.0, 0.0, math.nan, 1.0])]
        got = run(rows, "softmax", ("f32",), x, {"axis": 1})["z"]
        self.assertEqual((got[0], got[1][:2]), ((2, 2), [0.5, 0.5]))
        self.assertTrue(math.isnan(got[1][2]) and math.isnan(got[1][3]))
        down = run(rows, "log_softmax", ("f64",), [((2, 1), [3.0, -math.inf])], {"axis": 0})["z"]
        self.assertEqual(down, ((2, 1), [0.0, -math.inf]))

    def test_norms_take_weights_by_element(self):
        operands = [((2, 2), [1.0, 3.0, 3.0, 1.0]), ((2, 2), [2.0, 4.0, 2.0, 4.0]), ((2, 2), [0.0, 0.0, 1.0, 1.0])]
        got = run(rows, "layer_norm", ("f32",) * 3, operands, {"axes": 2, "eps": 0.0})["z"]
        self.assertEqual(got[1], [-2.0, 4.0, 3.0, -3.0])
        got = run(rows, "rms_norm", ("f32",) * 2, [((2,), [1.0, -1.0]), ((2,), [2.0, 1.0])], {"axes": 1, "eps": 3.0})["z"]
        self.assertEqual(got[1], [1.0, -0.5])

    def test_convert(self):
        rows = [
            (2.9, "i32", 2),
            (-2.9, "i32", -2),
            (math.nan, "i64", 0),
            (1e30, "u8", 255),
            (-math.inf, "i32", -(2**31)),
            (300, "u8", 44),
            (2**53 + 1, "f64", 2.0**53),
            (math.nan, "bool", 1),
            (-0.0, "bool", 0),
            (2**24 + 1, "f32", 2.0**24),
            (65520.0, "f16", math.inf),
        ]
        for value, target, want in rows:
            self.assertEqual(convert.convert_value(value, DTYPES[target]), want, (value, target))
        self.assertTrue(math.isnan(convert.convert_value(math.nan, DTYPES["f16"])))

    def test_every_row_has_a_family(self):
        for op in OPS.values():
            self.assertTrue(callable(family_module(op).cases))


class Tokens(unittest.TestCase):
    def test_tokens(self):
        f32, i64 = DTYPES["f32"], DTYPES["i64"]
        self.assertEqual(token_value("1+ulp", f32), 1 + 2.0**-23)
        self.assertEqual(token_value("2^53+1", i64), 2**53 + 1)
        self.assertEqual(str(token_value("-0", f32)), "-0.0")
        self.assertEqual(token_value("1e-3", f32), f32.round_float(1e-3))
        self.assertEqual(token_value("-max", f32), -f32.highest)
        self.assertEqual(token_value("min", i64), -(2**63))
        self.assertEqual(token_value("0x1.8p+1", f32), 3.0)
        self.assertEqual(token_value("max-1", i64), 2**63 - 2)
        self.assertIsNone(token_value("[[1 2]]", f32))


