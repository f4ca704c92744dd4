"""Few cases that launch every kernel by every route that some case launched: `python3 -m tools.cover BACKEND RESULTS.jsonl...` prints
globs for `touchstone run --filter`. With `--missing BACKEND SEEN.jsonl... -- RESULTS.jsonl...` it prints what was launched in
RESULTS and not in SEEN, and exits 1 where there is any."""

import json
import pathlib
import sys


def launched(backend, paths):
    """Case: (its kernels and routes, its seconds)."""
    cases = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            row = json.loads(line)
            if row["backend"] == backend and row.get("launches"):
                cases[row["name"]] = (set(row["launches"]), row["seconds"])
    return cases


def cover(cases):
    """For each kernel and route, the rarest first, the fastest case that has it, unless one before has it, too."""
    having = {}
    for name, (pairs, _) in cases.items():
        for pair in pairs:
            having.setdefault(pair, []).append(name)
    chosen, seen = [], set()
    for pair, names in sorted(having.items(), key=lambda item: (len(item[1]), item[0])):
        if pair not in seen:
            chosen.append(min(names, key=lambda name: cases[name][1]))
            seen |= cases[chosen[-1]][0]
    return chosen


def main(arguments):
    if arguments[:1] == ["--missing"] and "--" in arguments:
        at = arguments.index("--")
        pairs = [{pair for case in launched(arguments[1], paths).values() for pair in case[0]}
                 for paths in (arguments[2:at], arguments[at + 1:])]
        print("\n".join(sorted(pairs[1] - pairs[0])))
        return 1 if pairs[1] - pairs[0] else 0
    if len(arguments) < 2 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    # A comma separates globs, and names have some.
    print(",".join(name.replace(",", "?") for name in cover(launched(arguments[0], arguments[1:]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
