"""How kernels use the memory system of a device: the page of what `emulator:check=memory,page=FILE` wrote, and the emulator's counts
beside those of a GPU's profiler.

  python3 -m tools.bench.traffic FILE [KERNEL]   the page, whatever wastes most first
  python3 -m tools.bench.traffic --emulator      the works below, counted in the emulator
  python3 -m tools.bench.traffic --against-ncu [BACKENDS]
                                                 the same on the cuda backend under ncu, side by side; exit 1 where a count of
                                                 sectors differs by more than a tenth, or the ranking does

BACKENDS is the folder of the libraries, build/release/backends where none is named."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from tools.bench.door import ROOT, Array, Door
from tools.bench.emulator import upload

SIDE = 256
TOLERANCE = 0.10
BACKENDS = ROOT / "build" / "release" / "backends"
COUNTERS = {
    "read": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "write": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
}


def works(door):
    """name, a function that makes the call. Each is what its kernel's launches are counted for."""
    m, z = upload(door, "f32", [SIDE, SIDE]), Array(door, "f32", [SIDE, SIDE])
    wide = upload(door, "f32", [SIDE, 2 * SIDE])
    # Every second column, turned: its stride keeps it from the tiled route.
    turned = Array(door, "f32", [SIDE, SIDE], [2, 2 * SIDE], wide.buffer)
    stepped = Array(door, "f32", [SIDE, SIDE], [2 * SIDE, 2], wide.buffer)
    index = upload(door, "i64", [SIDE, SIDE], low=SIDE)
    return {
        "transpose naive": door.prepare("convert", [z], [turned]),
        "transpose tiled": door.prepare("convert", [z], [m.permute(1, 0)]),
        "strided add": door.prepare("add", [z], [stepped, m]),
        "row reduction": door.prepare("sum", [Array(door, "f32", [SIDE, 1])], [m], [2]),
        "gather": door.prepare("gather", [z], [m, index], [1]),
    }


def rows_of(path):
    merged = {}
    for line in pathlib.Path(path).read_text().splitlines():
        row = json.loads(line)
        known = merged.setdefault((row["kernel"], row["site"], row["memory"], row["access"]), row)
        if known is not row:
            for key in ("requests", "lanes", "sectors", "least", "conflicts"):
                known[key] += row[key]
    return sorted(merged.values(), key=lambda row: row["least"] - row["sectors"] - row["conflicts"])


def print_page(rows):
    print(f"{'kernel':<26} {'site':<24} {'memory':<14} {'access':<7} {'requests':>9} {'sectors':>9} {'least':>9} {'ratio':>6} "
          f"{'conflicts':>9}")
    for row in rows:
        counts = (f"{row['sectors']:>9} {row['least']:>9} {row['sectors'] / row['least']:>6.2f} {'-':>9}" if row["least"] else
                  f"{'-':>9} {'-':>9} {'-':>6} {row['conflicts']:>9}")
        print(f"{row['kernel']:<26} {row['site']:<24} {row['memory']:<14} {row['access']:<7} {row['requests']:>9} {counts}")


def emulated(backends):
    """Work: its sectors read and written, the least of both, and conflicts."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in works(Door(backends / "emulator.so")):
            page = pathlib.Path(folder) / "page"
            page.write_text("")
            door = Door(backends / "emulator.so", f"check=memory,page={page}")
            works(door)[name]()
            door.synchronize()
            door.table.close(door.self)
            rows = rows_of(page)
            totals = {"read": 0, "write": 0, "conflicts": 0, "least": 0}
            for row in rows:
                if row["access"] in totals:
                    totals[row["access"]] += row["sectors"]
                totals["conflicts"] += row["conflicts"]
                totals["least"] += row["least"]
            counts[name] = totals
    return counts


def profiled(backends):
    """The same by ncu, a process a work: counters of all kernels of the call."""
    counts = {}
    for name in works(Door(backends / "emulator.so")):
        command = ["ncu", "--clock-control", "none", "--csv", "--metrics", ",".join(COUNTERS.values()), sys.executable, "-m", "tools.bench.traffic", "--call", str(backends), name]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        lines = run.stdout.splitlines()
        first = next(k for k, line in enumerate(lines) if line.startswith('"ID"'))
        totals = dict.fromkeys(COUNTERS, 0)
        for row in csv.DictReader(lines[first:]):
            for key, counter in COUNTERS.items():
                if row["Metric Name"] == counter:
                    totals[key] += int(float(row["Metric Value"].replace(",", "")))
        counts[name] = totals
    return counts


def compare(ours, theirs):
    """Prints both; the number of disagreements."""
    bad = 0
    print(f"{'work':<18} {'count':<10} {'emulator':>10} {'device':>10} {'ratio':>7}")
    for name, counts in ours.items():
        for key in COUNTERS:
            mine, other = counts[key], theirs[name][key]
            close = abs(mine - other) <= TOLERANCE * max(other, 1)
            bad += key != "conflicts" and not close
            print(f"{name:<18} {key:<10} {mine:>10} {other:>10} {mine / max(other, 1):>7.3f}{'' if close else '  !'}")
    ranking = [sorted(counts, key=lambda name, c=counts: c[name]["read"] + c[name]["write"]) for counts in (ours, theirs)]
    bad += ranking[0] != ranking[1]
    print("ranking", "the same" if ranking[0] == ranking[1] else f"differs: {ranking[0]}, {ranking[1]}")
    print(f"{bad} beyond {TOLERANCE:.0%}")
    return bad


def main(arguments):
    if arguments[:1] == ["--call"]: # what ncu watches
        door = Door(pathlib.Path(arguments[1]) / "cuda.so")
        works(door)[arguments[2]]()
        door.synchronize()
    elif arguments == ["--emulator"]:
        print(f"{'work':<18} {'read':>8} {'write':>8} {'least':>8} {'ratio':>6} {'conflicts':>9}")
        for name, c in emulated(BACKENDS).items():
            print(f"{name:<18} {c['read']:>8} {c['write']:>8} {c['least']:>8} {(c['read'] + c['write']) / c['least']:>6.2f} "
                  f"{c['conflicts']:>9}")
    elif arguments[:1] == ["--against-ncu"] and len(arguments) < 3:
        backends = pathlib.Path(arguments[1]).resolve() if len(arguments) == 2 else BACKENDS
        return 1 if compare(emulated(backends), profiled(backends)) else 0
    elif arguments and not arguments[0].startswith("-"):
        print_page([row for row in rows_of(arguments[0]) if len(arguments) < 2 or row["kernel"].startswith(arguments[1])])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
