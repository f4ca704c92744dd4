"""Judge and witness catch each other: a planted fault on either side is reported, and a crash costs one case."""

import importlib.util
import os
import signal
import sys
import tempfile
import textwrap
import unittest
from dataclasses import replace
from fractions import Fraction

from golden.compare import compare
from golden.families import family_module
from golden.generate import question
from golden.spec import ROOT, load
from golden.tensor import Case, Tensor
from golden.witness import Witness

OPS = load()


def first_case(op_name, *inputs):
    op = OPS[op_name]
    instance = next(entry for entry in op.instances if entry.inputs == inputs)
    module = family_module(op)
    case = next(iter(module.cases(op, instance)))
    case.outputs = module.evaluate(op, instance, case)
    return op, instance, case


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.witness = Witness().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.witness.__exit__()

    def tally(self, op, instance, case):
        return compare(op, instance, case, self.witness.ask(op, case))

    def test_they_agree(self):
        for name, inputs in (("add", ("f32", "f32")), ("exp", ("f64",)), ("sum", ("f16",)), ("gather", ("i64", "i32"))):
            op, instance, case = first_case(name, *inputs)
            tally = self.tally(op, instance, case)
            self.assertEqual((tally.diverged, tally.agreed), (0, case.outputs["z"].count), (name, tally.examples))

    def test_a_wrong_exact_value_is_caught_by_the_witness(self):
        op, instance, case = first_case("add", "f32", "f32")
        at = next(i for i, value in enumerate(case.outputs["z"].values) if value == 2.0)
        case.outputs["z"].values[at] = 2.0 + 2.0**-22
        tally = self.tally(op, instance, case)
        self.assertEqual(tally.diverged, 1)
        self.assertIn("z is 2.00000023841", tally.examples["f32 f32 -> f32"][0])

    def test_a_wrong_sign_of_zero_is_caught(self):
        op, instance, case = first_case("add", "f16", "f16")
        at = next(i for i, value in enumerate(case.outputs["z"].values) if str(value) == "-0.0")
        case.outputs["z"].values[at] = 0.0
        self.assertEqual(self.tally(op, instance, case).diverged, 1)

    def test_a_real_value_past_its_bound_is_caught(self):
        op, instance, case = first_case("exp", "f64")
        values = case.outputs["z"].values
        at = next(i for i, value in enumerate(values) if isinstance(value, Fraction) and 1 < value < 100)
        values[at] *= 1 + Fraction(1, 2**45)
        self.assertEqual(self.tally(op, instance, case).diverged, 1)

    def test_a_dropped_element_of_a_sum_is_caught(self):
        op, instance, case = first_case("sum", "f32")
        x = case.operands["x"]
        at = next(i for i, value in enumerate(x.values) if value)
        case.operands["x"] = Tensor(x.dtype, x.shape, x.values[:at] + [0.0] + x.values[at + 1 :])
        self.assertGreater(self.tally(op, instance, case).diverged, 0)

    def test_a_wrong_witness_is_caught_by_the_evaluator(self):
        op, instance, case = first_case("clamp", "i32")
        wrong = replace(op, torch="torch.clamp(x, hi, lo)")
        self.assertGreater(self.tally(wrong, instance, case).diverged, 0)

    def test_a_refusal_is_counted(self):
        op, instance, case = first_case("add", "f32", "f32")
        tally = self.tally(replace(op, torch="torch.no_such_function(x)"), instance, case)
        self.assertEqual((tally.witnessed, len(tally.refused)), (0, 1))


class Crashes(unittest.TestCase):
    def test_a_crash_is_a_finding_about_one_element(self):
        """A child that dies whenever it sees the value 7."""
        child = textwrap.dedent(
            f"""
            import os, sys
            sys.path.insert(0, {ROOT!r})
            from golden.witness_child import receive, send
            replies = os.fdopen(os.dup(1), "wb")
            send(replies, {{"version": "0"}})
            while (request := receive(sys.stdin.buffer)) is not None:
                dtype, shape, values = request["operands"]["x"]
                if 7.0 in values:
                    os.kill(os.getpid(), {int(signal.SIGFPE)})
                send(replies, {{"outputs": [(shape, dtype, values)]}})
            """
        )
        op = OPS["positive"]
        instance = next(entry for entry in op.instances if entry.inputs == ("f32",))
        values = [float(i) for i in range(11)]
        case = Case("special", ("f32",), ("f32",), {}, {"x": Tensor("f32", (11,), values)})
        case.outputs["z"] = Tensor("f32", (11,), values)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "child.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(child)
            with Witness([sys.executable, path]) as witness:
                tally = question(op, instance, case, witness, [0])
        self.assertEqual((tally.witnessed, tally.agreed, len(tally.crashed)), (10, 10, 1))
        self.assertIn("x=[7.0]", tally.crashed[0])
        self.assertIn(f"signal {int(signal.SIGFPE)}", tally.crashed[0])


if __name__ == "__main__":
    unittest.main()
