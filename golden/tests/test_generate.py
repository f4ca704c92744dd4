"""The command refuses what it must: undeclared divergences, contradicted tables, unknown names, changed files."""

import contextlib
import io
import os
import shutil
import tempfile
import unittest
from dataclasses import replace

from golden import generate, tables
from golden.compare import Tally
from golden.errors import DisagreementError, SpecError
from golden.hard import set_name
from golden.report import divergences_text, read_witness, witness_text
from golden.spec import load
from golden.write import read_file

OPS = load()


def command(*arguments):
    """(status, stdout, stderr) of the generator's command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = generate.main(list(arguments))
    return status, out.getvalue(), err.getvalue()


class Refusals(unittest.TestCase):
    def test_a_divergence_that_the_row_does_not_list_stops_generation(self):
        tally = Tally(witnessed=9, agreed=8, diverged=1, examples={"f32 f32 -> f32": ["special: x=1"]})
        made = {"add": ("", 1, tally)}
        self.assertIn("special: x=1", "\n".join(generate.undeclared(OPS, made)))
        self.assertEqual(generate.undeclared({"add": replace(OPS["add"], diverges=("add.1",))}, made), [])

    def test_a_table_that_the_oracle_contradicts_stops_generation(self):
        op = OPS["add"]
        self.assertGreater(tables.check(op), 0)
        wrong = dict(op.tables[0], rows=[["-0", "-0", "+0"]])
        with self.assertRaisesRegex(DisagreementError, r"elementwise/arithmetic\.md:\d+: table add\..*oracle gives -0\.0"):
            tables.check(replace(op, tables=(wrong,)))

    def test_an_unknown_row_is_an_error_that_lists_rows(self):
        status, _, err = command("--op", "no_such_row", "--no-witness")
        self.assertEqual(status, 2)
        self.assertIn("no row named no_such_row", err)
        self.assertIn("gather", err)

    def test_an_unreadable_spec_is_an_error(self):
        status, _, err = command("--spec", "/no/such/spec.json")
        self.assertEqual((status, "cannot read /no/such/spec.json" in err), (2, True))

    def test_an_unknown_hard_set_is_an_error(self):
        for name in ("abs", "max", "gather"):
            with self.assertRaisesRegex(SpecError, "moonshine is unknown"):
                generate.make(replace(OPS[name], hard=("moonshine",)), None)

    def test_set_names_fit_the_format(self):
        self.assertEqual(set_name("past_2^53"), "past_2_53")


class Liar:
    """A witness of some other version, that answers nothing right."""

    def ask(self, op, case):
        return {"outputs": [(list(t.shape), t.dtype, [1.0] * t.count) for t in case.outputs.values()]}


class Making(unittest.TestCase):
    def test_rows_of_every_arithmetic_are_made_again_to_the_byte_whoever_is_the_witness(self):
        # TS_CITES(golden.7)
        for name in ("bitwise_xor", "fmod", "sigmoid", "all", "index_select"):
            text, _, _ = generate.make(OPS[name], None)
            with open(os.path.join(generate.FOLDER, "ops", f"{name}.txt"), encoding="ascii", newline="") as file:
                self.assertEqual(file.read(), text, name)
            again, _, tally = generate.make(OPS[name], Liar())
            self.assertEqual(again, text, name)
            self.assertGreater(tally.diverged, 0, name)

    def test_every_value_is_witnessed_and_every_difference_has_its_clause(self):
        # TS_CITES(golden.9)
        tallies = read_witness(os.path.join(generate.FOLDER, "witness.json"))
        self.assertEqual(set(tallies), set(OPS))
        for name, op in OPS.items():
            tally = tallies[name]
            with open(os.path.join(generate.FOLDER, "ops", f"{name}.txt"), encoding="ascii") as file:
                _, _, cases = read_file(file.read(), name)
            made = sum(tensor.count for case in cases for tensor in case.outputs.values())
            lost = sum(tally.refused.values()) + len(tally.crashed)
            self.assertEqual(tally.agreed + tally.diverged + tally.not_judged, tally.witnessed, name)
            if op.torch.startswith("none"):
                self.assertEqual(tally.witnessed, 0, name)
            elif lost == 0:
                self.assertEqual(tally.witnessed, made, name)
            else:
                self.assertLess(0, tally.witnessed, name)
            self.assertTrue(not tally.diverged or op.diverges, name)

    def test_the_committed_file_is_made_again_and_a_changed_one_is_seen(self):
        name = "isnan"
        text, count, _ = generate.make(OPS[name], None)
        self.assertEqual(len(read_file(text, name)[2]), count)
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "ops"))
            shutil.copy(os.path.join(generate.FOLDER, "manifest.json"), folder)
            path = os.path.join(folder, "ops", f"{name}.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            self.assertEqual(generate.differing(folder, [name]), [])
            with open(path, "a", encoding="ascii") as file:
                file.write("\n")
            self.assertEqual(generate.differing(folder, [name]), [os.path.join("ops", f"{name}.txt")])

    def test_the_witness_file_keeps_everything(self):
        tally = Tally(3, 1, 1, 1, {"u8: refused": 2}, ["special: signal 8"], {"f32 -> f32": ["x"]})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "witness.json")
            self.assertEqual(read_witness(path), {})
            with open(path, "w", encoding="ascii") as file:
                file.write(witness_text("2", {"abs": tally}))
            self.assertEqual(read_witness(path), {"abs": tally})
        text = divergences_text("2", OPS, {"abs": tally})
        for part in ("1 of 3 values", "signal 8", "u8: refused (2 cases)"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
