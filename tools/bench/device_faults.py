"""The planted faults of the emulator on a GPU, under each tool of compute-sanitizer:
`python3 -m tools.bench.device_faults PROGRAM [FILE]`, where PROGRAM is the target `cuda_faults`. Writes FILE, by default
backends/emulator/faults/compute_sanitizer.txt, which `touchstone faults --table` puts beside what the emulator notices. Exit 1 where
a right version is reported."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

from tools.bench.door import ROOT

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FOUND = 9
RESULT = ROOT / "backends" / "emulator" / "faults" / "compute_sanitizer.txt"


def run(tool, program, fault, version):
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND), program, fault, version]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None


def word_of(program, fault, version):
    """The tools that report, joined by +; `hangs`, `values` for a wrong result that no tool saw, `-` for nothing."""
    runs = {tool: run(tool, program, fault, version) for tool in TOOLS}
    if None in runs.values():
        return "hangs"
    found = [tool for tool, done in runs.items() if done.returncode == FOUND]
    if found:
        return "+".join(found)
    return "values" if "values" in runs["memcheck"].stdout else "-"


def main(program, result):
    faults = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout.split()
    lines, bad = [], 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 2) // 2)) as pool:
        words = pool.map(lambda fault: (word_of(program, fault, "wrong"), word_of(program, fault, "right")), faults)
        found = list(zip(faults, words, strict=True))
    for fault, (word, right) in found:
        bad += right != "-"
        print(f"{fault:<30} {word}" + ("" if right == "-" else f"   WRONG: the right version gives {right}"), flush=True)
        lines.append(f"{fault}\t{word}\n")
    pathlib.Path(result).write_text("".join(lines))
    print(f"{len(faults)} faults, {bad} right versions reported")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:], *([RESULT] if len(sys.argv) == 2 else [])))
