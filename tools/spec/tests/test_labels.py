"""Every label that a source names, in an error message or a comment, is a clause of the spec."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("runtime", "backends", "conformance", "fuzz", "tools/touchstone", "golden")
SUFFIXES = {".h", ".cpp", ".c", ".in", ".cu", ".cuh", ".py", ".txt", ".json"}
BRACKETED = re.compile(r"\[([a-z][a-z0-9_]*\.[a-z]?\d+)\]")
BARE = re.compile(r"(?<![\w./])([a-z][a-z0-9_]*)\.(\d+)(?![\w.])")
# What tests make up to show that it is refused.
INVENTED = {"nonsense.1", "layout.99", "add.99"}


def label_faults(text, clauses, families):
    """(line, label) of every label in a text that no clause has."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        named = set(BRACKETED.findall(line))
        named |= {f"{family}.{n}" for family, n in BARE.findall(line) if family in families}
        found += [(number, label) for label in sorted(named) if label not in clauses and label not in INVENTED]
    return found


class Labels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        spec = json.loads((ROOT / "spec/generated/spec.json").read_text(encoding="utf-8"))
        cls.clauses = {clause["label"] for clause in spec["clauses"]}
        cls.families = {label.split(".")[0] for label in cls.clauses}

    def test_every_label_in_a_source_is_a_clause(self):
        faults = []
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*")):
                if path.suffix not in SUFFIXES or "build" in path.parts or "ops" in path.parts and room == "golden":
                    continue
                text = path.read_text(encoding="utf-8")
                faults += [f"{path.relative_to(ROOT)}:{line}: {label}" for line, label in label_faults(text, self.clauses, self.families)]
        self.assertEqual(faults, [])

    def test_a_label_of_before_is_seen(self):
        for text in ('throw ValueError("[layout.77] gone");', "// layout.77", 'cites = {"add.77"};', '"[reduce.c2] old"'):
            self.assertEqual(len(label_faults(text, self.clauses, self.families)), 1, text)
        for text in ("x = sum.2 is none", "[layout.4] and add.1", "add.txt:1", "log2.0f", "1.5", "spec/layout.md"):
            self.assertEqual(label_faults(text, self.clauses | {"sum.2"}, self.families), [], text)


if __name__ == "__main__":
    unittest.main()
