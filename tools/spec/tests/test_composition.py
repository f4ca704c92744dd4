"""Steps of composed rows: shared parts once, primitives found by their rows, and what cannot be composed."""

import unittest
from pathlib import Path

from tools.spec import chapters, composition
from tools.spec.problems import SpecError

SPEC = chapters.load(Path(__file__).resolve().parents[3])[0]


class Compositions(unittest.TestCase):
    def steps(self, name):
        return [(op.name, arguments) for op, arguments in composition.steps(SPEC.ops[name], SPEC)]

    def test_a_part_that_stands_twice_is_one_step(self):
        self.assertEqual(self.steps("softmax"), [
            ("max", [("operand", 0)]), ("subtract", [("operand", 0), ("step", 0)]), ("exp", [("step", 1)]),
            ("sum", [("step", 2)]), ("divide", [("step", 2), ("step", 3)])])

    def test_attributes_and_the_size_of_a_row_are_arguments(self):
        found = self.steps("layer_norm")
        self.assertIn(("divide", [("step", 0), ("size", 0)]), found)
        self.assertIn(("add", [("step", 5), ("attribute", 1)]), found)
        self.assertEqual(found[-1], ("add", [("step", 9), ("operand", 2)]))

    def test_every_composed_row_has_steps(self):
        composed = [op for op in SPEC.ops.values() if op.composed]
        self.assertTrue(composed)
        for op in composed:
            self.assertTrue(composition.steps(op, SPEC), op.name)

    def test_a_primitive_that_is_no_operation_is_named(self):
        with self.assertRaisesRegex(SpecError, "no operation is the primitive first_max alone"):
            composition.steps(SPEC.ops["argmax"], SPEC)


if __name__ == "__main__":
    unittest.main()
