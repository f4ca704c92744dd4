"""Rates of a backend beside PyTorch's on the same device, in one process: `python3 -m tools.bench`.

Both sides are timed in the same way, on the same stream: by device events around each call, which is enqueued while the device
is still busy with something else; the median. Data are random. Rates count what must move or be computed, not what an
implementation does; the floor of what moves is PyTorch's copy of 256 MiB, measured first."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from tools.bench.door import Door, ROOT


BATCH = 10 # calls that the device is kept from until all of them are enqueued


def seconds_per_call(enqueue, stream, repetitions):
    """The median of BATCH * repetitions times between two events around a call."""
    import torch

    with torch.cuda.stream(stream):
        for _ in range(3):
            enqueue()
        events = []
        for _ in range(repetitions):
            torch.cuda._sleep(2_000_000) # about a millisecond: the host's part is hidden behind it
            for _ in range(BATCH):
                around = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
                around[0].record(stream)
                enqueue()
                around[1].record(stream)
                events.append(around)
            stream.synchronize()
        return statistics.median(begin.elapsed_time(end) for begin, end in events) / 1e3


UNITS = {"B": (1e12, "TB/s"), "op": (1e12, "Top/s"), "element": (1e9, "G/s")}


def targets_of(row):
    """What is asked of a row, in words, and whether it is reached."""
    asked = []
    if row["target"]:
        asked.append((f">= {row['target']:.2f} x", row["ratio"] >= row["target"]))
    if row["of_copy_target"]:
        asked.append((f">= {row['of_copy_target']:.2f} of a copy", row["of_copy"] >= row["of_copy_target"]))
    if row["rate_target"]:
        asked.append((f">= {row['rate_target']:g} {row['unit']}", row["ours"] >= row["rate_target"]))
    return ", ".join(words for words, _ in asked), all(reached for _, reached in asked)


def line_of(row):
    ratio = f"{row['ratio']:6.2f}" if row["ratio"] else "     -"
    theirs = f"{row['theirs']:8.2f}" if row["theirs"] else "       -"
    of_copy = f"{row['of_copy']:7.2f}" if row["of_copy"] else "      -"
    asked, reached = targets_of(row)
    mark = "" if not asked else ("ok" if reached else "MISS")
    return f"{row['work']:<30} {row['ours']:8.2f} {theirs} {row['unit']:<6} {ratio} {of_copy}  {asked:<28} {mark}"


def measure(work, stream, repetitions, copy_rate):
    scale, unit = UNITS[work.unit]
    ours = work.amount / seconds_per_call(work.ours, stream, repetitions) / scale
    theirs = None
    if work.theirs is not None:
        theirs = work.amount / seconds_per_call(work.theirs, stream, repetitions) / scale
    return {"work": work.name, "unit": unit, "ours": ours, "theirs": theirs, "ratio": ours / theirs if theirs else None,
            "of_copy": ours / copy_rate if work.unit == "B" else None, "target": work.target,
            "of_copy_target": work.of_copy, "rate_target": work.rate / scale if work.rate else None}


def copy_rate(stream, repetitions):
    """TB/s, read and written."""
    import torch

    source = torch.rand(1 << 26, device="cuda")
    target = torch.empty_like(source)
    seconds = seconds_per_call(lambda: target.copy_(source), stream, repetitions)
    return 2 * source.numel() * 4 / seconds / 1e12


def what_is_missing():
    """Why PyTorch cannot be measured here, "" where it can."""
    try:
        import torch
    except ImportError:
        return "this python3 has no PyTorch"
    return "" if torch.cuda.is_available() else "PyTorch sees no CUDA device"


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("--library", default=str(ROOT / "build" / "release" / "backends" / "cuda.so"))
    parser.add_argument("--options", default="", help="what follows the colon of the backend's name")
    parser.add_argument("--group", action="append", help="only these groups of works")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--json", help="write the figures here, too")
    arguments = parser.parse_args()
    if missing := what_is_missing():
        print(f"SKIP: {missing}")
        return 77
    import torch

    from tools.bench.works import Bench, GROUPS

    torch.backends.cuda.matmul.allow_tf32 = False
    device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", "0"],
                            capture_output=True, text=True, check=False).stdout.strip()
    stream = torch.cuda.Stream()
    options = ",".join(filter(None, [arguments.options, f"stream={stream.cuda_stream}"]))
    floor = copy_rate(stream, arguments.repetitions)
    print(f"{device}, PyTorch {torch.__version__}, cuda:{arguments.options}, a copy {floor:.2f} TB/s")
    print(f"{'work':<30} {'ours':>8} {'PyTorch':>8} {'unit':<6} {'ratio':>6} {'of copy':>7}  asked")
    rows = []
    for name, group in GROUPS.items():
        if arguments.group and name not in arguments.group:
            continue
        bench = Bench(Door(arguments.library, options), "vendor=off" in arguments.options)
        for work in group(bench):
            rows.append({"group": name, **measure(work, stream, arguments.repetitions, floor)})
            print(line_of(rows[-1]), flush=True)
        bench.door.release_all()
        torch.cuda.empty_cache()
    aimed = [row for row in rows if targets_of(row)[0]]
    reached = sum(targets_of(row)[1] for row in aimed)
    print(f"{reached} of {len(aimed)} works with a target reach it; {len(rows)} measured on {device}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"device": device, "torch": torch.__version__, "copy": floor,
                                                            "options": arguments.options, "rows": rows}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
