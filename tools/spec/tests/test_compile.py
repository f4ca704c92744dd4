"""What a sound spec gives: the command's statuses, the generated texts, spec.json, and what a release freezes."""

import contextlib
import io
import json
import unittest

from tools.spec import compile as command, emit
from tools.spec.tests.tree import HEADER, OPS, Tree


def run(tree, *arguments):
    """(status, what it printed)."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = command.main(["--root", str(tree.root), *arguments])
    return status, printed.getvalue()


class Command(unittest.TestCase):
    def test_writes_once_and_then_is_fresh(self):
        with Tree() as tree:
            self.assertEqual(run(tree, "--check")[0], 1)
            self.assertEqual(run(tree)[0], 0)
            first = {path: (tree.root / path).read_text() for path in self.outputs(tree)}
            self.assertEqual(run(tree, "--check")[0], 0)
            run(tree)
            self.assertEqual(first, {path: (tree.root / path).read_text() for path in self.outputs(tree)})

    @staticmethod
    def outputs(tree):
        return list(emit.outputs(tree.load()[0], HEADER))

    def test_check_names_the_stale_file_and_shows_the_difference(self):
        with Tree() as tree:
            run(tree)
            file = tree.root / "spec/ops/sample.md"
            file.write_text(file.read_text().replace("id        = 17", "id        = 18"))
            status, printed = run(tree, "--check")
        self.assertEqual(status, 1)
        self.assertIn("backends/abi/backend.h is stale: 2 lines differ", printed)
        self.assertIn("-  TS_OP_ADD = 17,\n+  TS_OP_ADD = 18,", printed)

    def test_faults_write_nothing_and_exit_2(self):
        with Tree(ops=OPS.replace("x + y", "x +")) as tree:
            status, printed = run(tree)
            self.assertEqual(status, 2)
            self.assertIn("1 fault(s) in the spec, nothing written", printed)
            self.assertEqual((tree.root / emit.HEADER).read_text(), HEADER)

    def test_a_header_without_marks_is_refused(self):
        with Tree(**{emit.HEADER: "nothing\n"}) as tree:
            status, printed = run(tree)
        self.assertEqual(status, 2)
        self.assertIn("enclose the generated block", printed)


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Tree() as tree:
            cls.spec, cls.faults = tree.load()
            cls.texts = emit.outputs(cls.spec, HEADER)
            cls.json = json.loads(cls.texts["spec/generated/spec.json"])
        cls.ops = {op["name"]: op for op in cls.json["ops"]}

    def test_sample_is_sound(self):
        self.assertEqual(self.faults, [])

    def test_header_has_ids_and_counts_and_keeps_what_is_around(self):
        header = self.texts[emit.HEADER]
        self.assertTrue(header.startswith("/* before */") and header.endswith("/* after */\n"))
        for line in ("TS_DTYPE_F32 = 7,", "TS_DTYPE_COUNT = 8", "TS_FAMILY_GATHER = 7,", "TS_OP_GATHER = 301,", "TS_OP_COUNT = 302"):
            self.assertIn(line, header)
        self.assertNotIn("stale", header)

    def test_elementwise_lines(self):
        text = self.texts["spec/generated/elementwise.inc"]
        self.assertIn("TS_ELEMENTWISE_2(add, Add, TS_OP_ADD, 0, float, float, float, TS_DTYPE_F32, TS_DTYPE_F32, TS_DTYPE_F32)", text)
        self.assertIn("TS_ELEMENTWISE_1(lean, Lean, TS_OP_LEAN, 1, ts::Half, ts::Half, TS_DTYPE_F16, TS_DTYPE_F16)", text)
        self.assertNotIn("gather", text)

    def test_function_lines(self):
        text = self.texts["spec/generated/functions.inc"]
        self.assertIn("(TS_IN(x), TS_VALUE_DEFAULT(slope, 0.5)), (TS_PASS_IN(x)), (TS_SLOT_VALUE(slope, x)))", text)
        self.assertIn("(TS_IN(x), TS_INDEX(index), TS_AXIS(axis)), (TS_PASS_IN(x), TS_PASS_INDEX(index)), (TS_SLOT_AXIS(axis, x)))", text)

    def test_instances_resolve_letters_evaluation_and_tolerance(self):
        self.assertEqual(len(self.ops["add"]["instances"]), 5)
        self.assertEqual(self.ops["add"]["instances"][0],
                         {"in": ["bool", "bool"], "out": ["bool"], "acc": "bool", "eval": "native_int", "tolerance": "exact"})
        self.assertEqual(self.ops["add"]["instances"][3]["acc"], "f32")
        self.assertEqual([i["tolerance"] for i in self.ops["lean"]["instances"]], ["ulp(1)", "ulp(4)"])
        self.assertEqual(self.ops["gather"]["instances"][1]["in"], ["f32", "i64"])

    def test_trees_and_defaults(self):
        self.assertEqual(self.ops["add"]["oracle"], ["call", "add", ["name", "x"], ["name", "y"]])
        self.assertEqual(self.ops["gather"]["oracle"], ["name", "move"])
        self.assertEqual(self.ops["lean"]["condition"][:2], ["call", "mul"])
        self.assertEqual((self.ops["add"]["alias"], self.ops["gather"]["alias"]), ("z may be x or y", "disjoint"))

    def test_clauses_join_their_lines_and_know_their_op(self):
        clauses = {clause["label"]: clause for clause in self.json["clauses"]}
        self.assertEqual(clauses["add.1"]["text"], "The sum, rounded once, to nearest.")
        self.assertEqual((clauses["sample.1"]["op"], clauses["add.1"]["op"]), (None, "add"))
        self.assertTrue(clauses["add.2"]["reference"])

    def test_tables_select_instances(self):
        table = next(table for table in self.json["tables"] if table["name"] == "add.special")
        self.assertEqual((table["types"], table["instances"]), (["f16", "f32"], [3, 4]))
        self.assertEqual(table["rows"][1], ["1+ulp", "0", "same"])

    def test_statements_are_data(self):
        statements = self.json["examples"][0]["statements"]
        self.assertEqual([s["kind"] for s in statements],
                         ["view", "assign", "has", "values", "is", "call", "tensor", "plan", "element", "planner"])
        self.assertEqual(statements[0]["buffer"], ["0", "1", "2", "3", "4", "5"])
        self.assertEqual(statements[5]["call"], {"op": "add", "operands": {"x": {"name": "t"}, "y": {"number": "1"}}, "attributes": {}})
        self.assertEqual(statements[5]["results"], [{"dtype": "f32", "shape": [3, 2], "values": ["1", "4", "2", "5", "3", "6"]}])
        self.assertEqual(statements[7]["byte_strides"], {"result": [12, 4], "a": [12, 4], "b": [0, 4]})
        self.assertEqual(self.json["examples"][1]["statements"][2]["call"]["attributes"], {"axis": "1"})

    def test_hash_follows_the_row_and_not_the_prose(self):
        with Tree(ops=OPS.replace("The sum, rounded", "A sum, rounded").replace("id        = 17", "id    =  17")) as tree:
            self.assertEqual(tree.load()[0].ops["add"].hash, self.spec.ops["add"].hash)
        with Tree(ops=OPS.replace('"x + y"', '"y + x"')) as tree:
            self.assertNotEqual(tree.load()[0].ops["add"].hash, self.spec.ops["add"].hash)


class Releases(unittest.TestCase):
    def released(self, ops):
        """Faults of a changed spec after a release of the sound one."""
        with Tree() as tree:
            run(tree, "--release")
            (tree.root / "spec/ops/sample.md").write_text(ops)
            return tree.load()[1]

    def test_nothing_changed(self):
        self.assertEqual(self.released(OPS), [])

    def test_a_changed_id_is_refused(self):
        self.assertIn("op 'add' was released with number 17, here it is 18", self.released(OPS.replace("= 17", "= 18"))[0])

    def test_a_removed_label_is_refused(self):
        self.assertIn("clause [lean.1] was released and is gone", self.released(OPS.replace("- **[lean.1]** A clause.\n", ""))[0])

    def test_a_removed_op_and_its_number_are_refused(self):
        start, end = OPS.index("## lean"), OPS.index("## gather")
        faults = " ".join(self.released(OPS[:start] + OPS[end:]))
        self.assertIn("op 'lean' was released with number 84 and is gone", faults)
        self.assertIn("slot 'lean.slope' was released", faults)

    def test_growth_is_welcome(self):
        self.assertEqual(self.released(OPS.replace("- **[lean.1]** A clause.", "- **[lean.1]** A clause.\n- **[lean.2]** More.")), [])


if __name__ == "__main__":
    unittest.main()
