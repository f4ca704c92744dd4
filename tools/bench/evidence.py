"""Why works are as fast as they are: the kernels of each under ncu, in one process a group.

  python3 -m tools.bench.evidence BENCH.json OUT.json   of the works that miss what is asked of them; BENCH.json is from
                                                        `python3 -m tools.bench --json`
  python3 -m tools.bench.evidence --calls GROUP WORK... what ncu watches

For each kernel: its share of the time, what of the device's peak it takes of memory and of the issue slots, how many of the
warps that fit are there, and what its warps wait for most."""

import csv
import json
import pathlib
import subprocess
import sys

from tools.bench.__main__ import targets_of
from tools.bench.door import Door, ROOT

SEPARATOR = "spin_kernel" # of torch.cuda._sleep: begins the kernels of the next work
STALLS = {
    "long_scoreboard": "global memory", "short_scoreboard": "shared memory", "math_pipe_throttle": "arithmetic units",
    "lg_throttle": "the queue of loads", "mio_throttle": "the queue of shared memory", "barrier": "barriers",
    "wait": "fixed latencies", "not_selected": "other warps", "no_instruction": "instructions", "drain": "stores",
    "tex_throttle": "the queue of textures", "branch_resolving": "branches", "dispatch_stall": "dispatch", "imc_miss": "constants",
    "membar": "fences", "sleeping": "sleep",
}
TIME, MEMORY = "gpu__time_duration.sum", "dram__throughput.avg.pct_of_peak_sustained_elapsed"
ISSUE, WARPS = "smsp__issue_active.avg.pct_of_peak_sustained_active", "sm__warps_active.avg.pct_of_peak_sustained_active"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
METRICS = [TIME, MEMORY, ISSUE, WARPS, *(STALL.format(name) for name in STALLS)]


def call(group, names, library, options):
    import torch

    from tools.bench.works import Bench, GROUPS

    bench = Bench(Door(library, options), "vendor=off" in options)
    for work in GROUPS[group](bench):
        if work.name not in names:
            continue
        work.ours()
        bench.door.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        torch.cuda._sleep(1)
        torch.cuda.synchronize()
        work.ours()
        bench.door.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


def launches(text):
    """Of an output of ncu: a list a work, of (kernel, {metric: value}), in order."""
    lines = text.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
    works, last = [], None
    for row in csv.DictReader(lines[first:]):
        if row["ID"] != last:
            last = row["ID"]
            works.append([]) if SEPARATOR in row["Kernel Name"] else works[-1].append((row["Kernel Name"], {}))
        if works[-1]:
            works[-1][-1][1][row["Metric Name"]] = float(row["Metric Value"].replace(",", "") or "nan")
    return works


def short(kernel):
    """The task of a kernel of ours, the name of another."""
    for begin in ("run_flat<", "run_blocks<"):
        if begin in kernel:
            kernel = kernel.split(begin, 1)[1]
    return kernel.replace("<unnamed>::", "").split("<")[0].split("(")[0].split("::")[-1].strip()


def told(kernels):
    total = sum(metrics[TIME] for _, metrics in kernels)
    rows = []
    for kernel, metrics in kernels:
        stalls = {STALLS[name]: metrics[STALL.format(name)] for name in STALLS if STALL.format(name) in metrics}
        most = max(stalls, key=stalls.get)
        rows.append({"kernel": short(kernel), "share": metrics[TIME] / total, "memory": metrics[MEMORY], "issue": metrics[ISSUE],
                     "warps": metrics[WARPS], "waits": most, "cycles": stalls[most]})
    return rows


def main(arguments):
    if arguments[:1] == ["--calls"]:
        return call(arguments[3], arguments[4:], arguments[1], arguments[2])
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    library = arguments[2] if len(arguments) == 3 else str(ROOT / "build" / "release" / "backends" / "cuda.so")
    bench = json.loads(pathlib.Path(arguments[0]).read_text())
    groups = {}
    for row in bench["rows"]:
        if not targets_of(row)[1]:
            groups.setdefault(row["group"], []).append(row["work"])
    evidence = {}
    for group, names in groups.items():
        command = ["ncu", "--clock-control", "none", "--csv", "--profile-from-start", "off", "--metrics", ",".join(METRICS),
                   sys.executable, "-m", "tools.bench.evidence", "--calls", library, bench["options"], group, *names]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if run.returncode != 0:
            print(run.stdout[-2000:], run.stderr[-2000:], file=sys.stderr)
            return 1
        for name, kernels in zip(names, launches(run.stdout), strict=True):
            evidence[name] = told(kernels)
            for row in evidence[name]:
                print(f"{name:<30} {row['kernel']:<22} {row['share']:5.0%} of time, memory {row['memory']:3.0f} %, issue "
                      f"{row['issue']:3.0f} %, warps {row['warps']:3.0f} %, waits for {row['waits']} {row['cycles']:.1f}", flush=True)
    pathlib.Path(arguments[1]).write_text(json.dumps(evidence, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
