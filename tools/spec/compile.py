#!/usr/bin/env python3
"""Compiles spec/ to the generated files: `compile.py` writes them, `--check` compares, `--release` freezes ids and labels.

Exit status: 0 done or fresh, 1 stale files under --check, 2 faults in the spec.
"""

import argparse
import difflib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.spec import chapters, emit, released  # noqa: E402

DIFF_LINES = 12


def compile_tree(root):
    """The generated texts {path: text} and the Spec of a tree; prints faults and gives None where there are any."""
    spec, problems = chapters.load(root)
    released.check(root, spec, problems)
    if not problems.errors:
        header = Path(root) / emit.HEADER
        try:
            return emit.outputs(spec, header.read_text(encoding="utf-8")), spec
        except (OSError, emit.MissingMarks) as error:
            print(error, file=sys.stderr)
            return None, spec
    for error in problems.sorted():
        print(error, file=sys.stderr)
    print(f"{len(problems.errors)} fault(s) in the spec, nothing written", file=sys.stderr)
    return None, spec


def stale(root, texts):
    """Paths whose files differ from what the spec gives."""
    return [path for path, text in texts.items() if _present(root, path) != text]


def _present(root, path):
    file = Path(root) / path
    return file.read_text(encoding="utf-8") if file.exists() else ""


def report(root, path, text):
    difference = list(difflib.unified_diff(_present(root, path).splitlines(), text.splitlines(), path, "from the spec",
                                           lineterm="", n=0))
    changed = [line for line in difference[2:] if line[:1] in "+-"]
    print(f"{path} is stale: {len(changed)} lines differ")
    print("\n".join(difference[:DIFF_LINES]))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", default=str(Path(__file__).resolve().parents[2]), help="the tree to compile")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a generated file is stale")
    parser.add_argument("--release", action="store_true", help=f"also write {released.FILE}")
    options = parser.parse_args(arguments)
    texts, spec = compile_tree(options.root)
    if texts is None:
        return 2
    if options.release:
        texts[released.FILE] = released.text(spec)
    old = stale(options.root, texts)
    if options.check:
        for path in old:
            report(options.root, path, texts[path])
        print(f"{len(texts) - len(old)} of {len(texts)} generated files are fresh"
              + ("; tools/spec/compile.py writes the others" if old else ""))
        return 1 if old else 0
    for path in old:
        file = Path(options.root) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(texts[path], encoding="utf-8")
    print(f"{len(spec.ops)} ops, {sum(len(op.instances) for op in spec.ops.values())} instances, "
          f"{len(spec.clauses)} clauses, {len(spec.tables)} tables, {len(spec.examples)} examples; "
          f"{len(old)} of {len(texts)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
