"""What the witness said, for programs (witness.json) and for people (divergences.md)."""

import json
import os

from golden.compare import Tally


def witness_text(version, tallies):
    """witness.json: PyTorch's version and, per op, how many values it saw, on how many it differed, and some of these."""
    lines = [f'  "{name}": ' + json.dumps(tally.to_json()) for name, tally in sorted(tallies.items())]
    return '{ "torch": ' + json.dumps(version) + ', "ops": {\n' + ",\n".join(lines) + "\n} }\n"


def read_witness(path):
    """The tallies of a witness.json, none where there is no file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="ascii") as file:
        return {name: Tally.from_json(data) for name, data in json.load(file)["ops"].items()}


def divergences_text(version, ops, tallies):
    """The readable list: per op the clauses, how many values differ, and some of them."""
    total = sum(tally.diverged for tally in tallies.values())
    seen = sum(tally.witnessed for tally in tallies.values())
    out = [
        "# Where PyTorch and the spec differ",
        "",
        f"Printed by `python -m golden.generate` with PyTorch {version} on the CPU: {seen} values witnessed,",
        f"{total} differ. The golden files hold the evaluator's value in each case. Examples are the first few per dtype.",
        "",
    ]
    for name, tally in sorted(tallies.items()):
        if not tally.diverged and not tally.crashed:
            continue
        clauses = ", ".join(f"[{label}]" for label in ops[name].diverges) or "no clause"
        out += [f"## {name}", "", f"{clauses}: {tally.diverged} of {tally.witnessed} values.", ""]
        for dtypes, texts in tally.examples.items():
            out += [f"- `{dtypes}`"] + [f"  - {text}" for text in texts]
        out += [f"- PyTorch's process ends: {text}" for text in tally.crashed[:8]]
        out.append("")
    refused = [(name, reason, n) for name, tally in sorted(tallies.items()) for reason, n in tally.refused.items()]
    if refused:
        out += ["## Cases that PyTorch refuses", "", "The evaluator alone stands for these.", ""]
        out += [f"- {name} {reason} ({count} cases)" for name, reason, count in refused]
        out.append("")
    never = [name for name, tally in sorted(tallies.items()) if not tally.witnessed]
    if never:
        out += ["## Rows without a witness", ""] + [f"- {name}: `{ops[name].torch}`" for name in never] + [""]
    return "\n".join(out)
