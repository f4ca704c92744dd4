"""Rates of a backend beside PyTorch's on the same device, in one process: `python3 -m tools.bench`.

Both sides are timed in the same way: enough calls in a row that the host's part is hidden, one wait at the end, the median
of repetitions. Data are random. Rates count what must move or be computed, not what an implementation does."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from tools.bench.door import Door, ROOT


def seconds_per_call(enqueue, wait, repetitions):
    for _ in range(3):
        enqueue()
    wait()
    begin = time.perf_counter()
    enqueue()
    wait()
    calls = max(1, min(200, int(0.02 / max(time.perf_counter() - begin, 1e-6))))
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        for _ in range(calls):
            enqueue()
        wait()
        times.append((time.perf_counter() - begin) / calls)
    return statistics.median(times)


UNITS = {"B": (1e12, "TB/s"), "op": (1e12, "Top/s"), "element": (1e9, "G/s")}


def line_of(row):
    ratio = f"{row['ratio']:6.2f}" if row["ratio"] else "     -"
    theirs = f"{row['theirs']:8.2f}" if row["theirs"] else "       -"
    target = f">= {row['target']:.2f}" if row["target"] else ""
    mark = "" if not row["target"] or not row["ratio"] else ("ok" if row["ratio"] >= row["target"] else "MISS")
    return f"{row['work']:<30} {row['ours']:8.2f} {theirs} {row['unit']:<6} {ratio}  {target:<8} {mark}"


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("--library", default=str(ROOT / "build" / "release" / "backends" / "cuda.so"))
    parser.add_argument("--options", default="", help="what follows the colon of the backend's name")
    parser.add_argument("--group", action="append", help="only these groups of works")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--json", help="write the figures here, too")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("SKIP: this python3 has no PyTorch")
        return 77
    if not torch.cuda.is_available():
        print("SKIP: PyTorch sees no CUDA device")
        return 77
    from tools.bench.works import Bench, GROUPS

    torch.backends.cuda.matmul.allow_tf32 = False
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", "0"],
                            capture_output=True, text=True, check=False).stdout.strip()
    print(f"{device}, PyTorch {torch.__version__}, cuda:{arguments.options}")
    print(f"{'work':<30} {'ours':>8} {'PyTorch':>8} {'unit':<6} {'ratio':>6}")
    rows = []
    for name, group in GROUPS.items():
        if arguments.group and name not in arguments.group:
            continue
        bench = Bench(Door(arguments.library, arguments.options))
        for work in group(bench):
            scale, unit = UNITS[work.unit]
            ours = work.amount / seconds_per_call(work.ours, bench.door.synchronize, arguments.repetitions) / scale
            theirs = None
            if work.theirs is not None:
                theirs = work.amount / seconds_per_call(work.theirs, torch.cuda.synchronize, arguments.repetitions) / scale
            rows.append({"work": work.name, "unit": unit, "ours": ours, "theirs": theirs,
                         "ratio": ours / theirs if theirs else None, "target": work.target})
            print(line_of(rows[-1]), flush=True)
        bench.door.release_all()
        torch.cuda.empty_cache()
    aimed = [row for row in rows if row["target"] and row["ratio"]]
    reached = sum(row["ratio"] >= row["target"] for row in aimed)
    print(f"{reached} of {len(aimed)} works with a target reach it; {len(rows)} measured on {device}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"device": device, "torch": torch.__version__,
                                                            "options": arguments.options, "rows": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
