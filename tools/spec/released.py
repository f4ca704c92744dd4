"""What the last release fixed: ids, attribute slots and labels, which only ever grow (spec/released.json)."""

import json
from pathlib import Path

from tools.spec.problems import Place, listing

FILE = "spec/released.json"


def snapshot(spec):
    return {"dtypes": {d.name: d.id for d in spec.dtypes.values()},
            "families": {f.name: f.id for f in spec.families.values()},
            "ops": {o.name: o.id for o in spec.ops.values()},
            "slots": {f"{o.name}.{a.name}": a.slot for o in spec.ops.values() for a in o.attributes},
            "labels": sorted(spec.clauses, key=lambda label: (label.split(".")[0], int(label.split(".")[1])))}


def text(spec):
    """The file's content for a release."""
    return json.dumps(snapshot(spec), indent=1) + "\n"


def check(root, spec, problems):
    """Reports what changed or vanished since the last release."""
    path = Path(root) / FILE
    if not path.exists():
        return
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        problems.report(Place(FILE, error.lineno), f"no JSON: {error.msg}")
        return
    new = snapshot(spec)
    records = {"dtypes": spec.dtypes, "families": spec.families, "ops": spec.ops}
    for kind in ("dtypes", "families", "ops", "slots"):
        for name, number in old.get(kind, {}).items():
            if name not in new[kind]:
                problems.report(Place(FILE, 1), f"{kind[:-1]} '{name}' was released with number {number} and is gone; "
                                f"what is released stays. There are: {listing(new[kind])}")
            elif new[kind][name] != number:
                place = (spec.ops[name.split(".")[0]] if kind == "slots" else records[kind][name]).place
                problems.report(place, f"{kind[:-1]} '{name}' was released with number {number}, "
                                f"here it is {new[kind][name]}; numbers never change")
            for other, now in new[kind].items():
                if kind != "slots" and now == number and other != name and name not in new[kind]:
                    problems.report(records[kind][other].place, f"number {number} belongs to the released '{name}'")
    for label in old.get("labels", []):
        if label not in spec.clauses:
            problems.report(Place(FILE, 1), f"clause [{label}] was released and is gone; labels are append-only")
