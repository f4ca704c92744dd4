"""The measured part of this folder's README, from a report of `tools/validate`: `python3 -m tools.bench.table REPORT [--write]`."""

import json
import pathlib
import sys

from tools.bench.__main__ import targets_of
from tools.bench.door import ROOT
from tools.bench.page import replace_part


def reason(kernels):
    """What the profiler says of a work, of its longest kernels."""
    parts = []
    for row in sorted(kernels, key=lambda row: -row["share"])[:2]:
        if row["share"] < 0.15:
            continue
        parts.append(f"`{row['kernel']}` ({row['share']:.0%} of the time): memory {row['memory']:.0f} %, issue {row['issue']:.0f} %, warps "
                     f"{row['warps']:.0f} %, most wait for {row['waits']}")
    return "; ".join(parts)


def table(bench, evidence):
    lines = ["| work | ours | PyTorch | ratio | of a copy | asked | what misses, under the profiler |", "|---|---|---|---|---|---|---|"]
    for row in bench["rows"]:
        asked, reached = targets_of(row)
        theirs = f"{row['theirs']:.2f}" if row["theirs"] else "–"
        ratio = f"{row['ratio']:.2f}" if row["ratio"] else "–"
        of_copy = f"{row['of_copy']:.2f}" if row["of_copy"] else "–"
        why = "" if reached else "misses. " + reason(evidence.get(row["work"], []))
        lines.append(f"| {row['work']} | {row['ours']:.2f} {row['unit']} | {theirs} | {ratio} | {of_copy} | {asked.replace('>=', '≥')} | {why} |")
    return "\n".join(lines)


def page(report):
    def read(name):
        return json.loads((report / name).read_text())

    bench, own = read("bench.json"), read("bench_own.json")
    tiny = [line[0].upper() + line[1:] for line in (report / "bench_tiny.log").read_text().strip().splitlines()[-3:]]
    return "\n".join([
        f"{bench['device']}, PyTorch {bench['torch']}; a copy of 256 MiB by PyTorch moves {bench['copy']:.2f} TB/s, read and written.", "",
        table(bench, read("evidence.json")), "",
        "Without the vendor's library (`--options vendor=off --group matmul`; PyTorch's column is cuBLAS):", "",
        table(own, read("evidence_own.json")), "",
        "; ".join(tiny) + "; the aim is 3."])


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = page(pathlib.Path(arguments[0]))
    if arguments[1:]:
        replace_part(ROOT / "tools" / "bench" / "README.md", "measured", text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
