"""The worst error of every operation whose row bounds it in ulps alone, by dtype and backend: `python3 -m tools.worst RESULTS.jsonl...` of
runs of the suite. An error is a distance from the unrounded value, in units in the last place of the rounded one. Exit 1 where one is
beyond its bound."""

import json
import pathlib
import re
import sys

from tools.bench.door import SPEC

SLACK = 1e-6 # of the comparison, conformance/compare.cpp


def bounds():
    """(operation, dtypes as names of cases have them): ulps."""
    found = {}
    for op in SPEC["ops"]:
        for instance in op["instances"]:
            bound = re.fullmatch(r"ulp\(([0-9.]+)\)", instance["tolerance"])
            dtypes = "_".join(instance["in"]) + "_to_" + "_".join(instance["out"])
            if len({*instance["in"], *instance["out"]}) == 1:
                dtypes = instance["out"][0]
            if bound and op["condition"] is None:
                found[op["name"], dtypes] = float(bound[1])
    return found


def worst(paths):
    """{(operation, dtypes): {backend: (ulps, case)}}"""
    errors = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            row = json.loads(line)
            name = row["name"].removeprefix("tensor/").split("/")
            if "worst_ulp" not in row or len(name) < 3:
                continue
            known = errors.setdefault((name[1], name[2]), {})
            known[row["backend"]] = max(known.get(row["backend"], (0, "")), (row["worst_ulp"], row["name"]))
    return errors


def main(paths):
    if not paths or paths[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    errors, allowed, bad = worst(paths), bounds(), 0
    backends = sorted({backend for known in errors.values() for backend in known})
    print(f"{'operation':<24} {'dtypes':<14} {'bound':>6} " + " ".join(f"{backend:>16}" for backend in backends))
    for key in sorted(errors.keys() & allowed.keys()):
        cells = []
        for backend in backends:
            ulps, case = errors[key].get(backend, (None, ""))
            beyond = ulps is not None and ulps > allowed[key] + SLACK
            bad += beyond
            cells.append("-" if ulps is None else f"{ulps:.3f}{' !' if beyond else ''}")
            if beyond:
                print(f"beyond its bound: {backend}: {case}", file=sys.stderr)
        print(f"{key[0]:<24} {key[1]:<14} {allowed[key]:>6g} " + " ".join(f"{cell:>16}" for cell in cells))
    print(f"{bad} beyond their bounds; {len(errors.keys() & allowed.keys())} operations by dtype")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
