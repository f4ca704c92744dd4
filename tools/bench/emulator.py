"""What the emulator costs, in one run: `python3 -m tools.bench.emulator` (targets `bench_loops`, `checked`, `backends`).
For a call of every family, seconds of the processor in four ways: a loop written by hand, the same tasks in a forward loop on
one thread (the cpu backend), the emulator, and the emulator in checked mode; and the ratios that are promised. Exit 1 where one
is missed. `--write` puts the table into backends/emulator/README.md."""

import array
import ctypes
import pathlib
import platform
import random
import sys
import time

from tools.bench.door import ROOT, SIZES, Array, Door
from tools.bench.page import replace_part

BACKENDS = (("cpu", "threads=1"), ("emulator", ""), ("emulator", "check=all"))
LIMITS = {"loop/hand": 2.0, "plain/loop": 3.0, "checked/plain": 15.0}
README = "backends/emulator/README.md"
SIDE, COUNT = 256, 1 << 16


def values_of(dtype, count, low=None):
    generator = random.Random(7)
    if dtype == "i64":
        return array.array("q", (generator.randrange(low) for _ in range(count)))
    if dtype == "f16":
        return array.array("H", (0x3C00 + generator.randrange(512) for _ in range(count)))
    return array.array("f", (generator.random() for _ in range(count)))


def upload(door, dtype, shape, low=None):
    count = 1
    for extent in shape:
        count *= extent
    values = values_of(dtype, count, low)
    address = (ctypes.c_char * (count * SIZES[dtype])).from_buffer(values)
    return door.upload(dtype, list(shape), ctypes.addressof(address), count * SIZES[dtype])


def works(door):
    """name, call, name of the loop by hand and what it takes. Small enough for caches: what is measured is the work of an access."""
    x, y, z = upload(door, "f32", [COUNT]), upload(door, "f32", [COUNT]), Array(door, "f32", [COUNT])
    yield "add f32", door.prepare("add", [z], [x, y]), "add", "xx"
    half, other, third = upload(door, "f16", [COUNT]), upload(door, "f16", [COUNT]), Array(door, "f16", [COUNT])
    yield "add f16", door.prepare("add", [third], [half, other]), None, ""
    yield "exp f32", door.prepare("exp", [z], [x]), "exp", "x"
    m, mt = upload(door, "f32", [SIDE, SIDE]), Array(door, "f32", [SIDE, SIDE])
    yield "add f32 strided", door.prepare("add", [mt], [m, m.permute(1, 0)]), "add_transposed", "x"
    yield "convert, transposed", door.prepare("convert", [mt], [m.permute(1, 0)]), "transpose", "x"
    yield "sum axis 1", door.prepare("sum", [Array(door, "f32", [SIDE, 1])], [m], [2]), "sum_rows", "x"
    yield "sum axis 0", door.prepare("sum", [Array(door, "f32", [1, SIDE])], [m], [1]), "sum_columns", "x"
    yield "argmax axis 1", door.prepare("argmax", [Array(door, "i64", [SIDE, 1])], [m], [1]), "argmax_rows", "x"
    yield "cumsum axis 1", door.prepare("cumsum", [mt], [m], [1]), "cumsum_rows", "x"
    yield "cumsum axis 0", door.prepare("cumsum", [mt], [m], [0]), "cumsum_columns", "x"
    yield "matmul 256", door.prepare("matmul", [mt], [m, m]), "matmul", "xx"
    yield "matmul 24 x 256 x 24", door.prepare("matmul", [Array(door, "f32", [24, 24])],
                                              [upload(door, "f32", [24, 256]), upload(door, "f32", [256, 24])]), None, ""
    index = upload(door, "i64", [SIDE, SIDE], low=SIDE)
    yield "gather", door.prepare("gather", [mt], [m, index], [1]), "gather_rows", "xi"
    yield "scatter", door.prepare("scatter", [upload(door, "f32", [SIDE, SIDE])], [index, m], [1]), "scatter_rows", "ix"
    yield ("scatter_add", door.prepare("scatter_add", [upload(door, "f32", [SIDE, SIDE])], [index, m], [1]),
           "scatter_add_rows", "ix")
    values, places = Array(door, "f32", [SIDE, SIDE]), Array(door, "i64", [SIDE, SIDE])
    yield "sort rows of 256", door.prepare("sort", [values, places], [m], [1, 1]), "sort_rows", "x"


class Hand:
    """The loops written by hand, over host memory."""

    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.x, self.i = values_of("f32", COUNT), values_of("i64", COUNT, SIDE)
        self.z = array.array("q", bytes(8 * COUNT))

    def call(self, name, inputs):
        arrays = [{"x": self.x, "i": self.i}[key] for key in inputs] + [self.z]
        loop = getattr(self.library, f"loop_{name}")
        return lambda: loop(*[ctypes.c_void_p(a.buffer_info()[0]) for a in arrays])


def seconds(call, wait=lambda: None):
    """Of the processor, the least of many times: others may run on this machine."""
    best, spent, times = float("inf"), 0.0, 0
    while times < 5 or (spent < 0.15 and times < 100):
        begin = time.process_time()
        call()
        wait()
        took = time.process_time() - begin
        best, spent, times = min(best, took), spent + took, times + 1
    return best


def machine():
    name = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":")[1].strip()
            break
    return name


def measure():
    """name, seconds by hand (None where nobody wrote one), in the loop, plain, checked."""
    build = ROOT / "build" / "release"
    hand = Hand(build / "libbench_loops.so")
    doors = [Door(build / "backends" / f"{name}.so", options) for name, options in BACKENDS]
    for calls in zip(*[works(door) for door in doors]):
        name, _, loop, inputs = calls[0]
        by_hand = None if loop is None else seconds(hand.call(loop, inputs))
        yield [name, by_hand] + [seconds(call[1], door.synchronize) for door, call in zip(doors, calls)]


def main(arguments):
    rows, missed = [], 0
    print(f"{'work':<22}{'hand ms':>10}{'loop ms':>10}{'plain ms':>10}{'checked ms':>11}"
          + "".join(f"{title:>15}" for title in LIMITS), flush=True)
    for name, hand, loop, plain, checked in measure():
        ratios = [None if hand is None else loop / hand, plain / loop, checked / plain]
        cells = ["-" if r is None else f"{r:.2f}" + ("" if r <= limit else " !")
                 for r, limit in zip(ratios, LIMITS.values())]
        missed += sum(cell.endswith("!") for cell in cells)
        times = ["-" if t is None else f"{t * 1e3:.3f}" for t in (hand, loop, plain, checked)]
        print(f"{name:<22}{times[0]:>10}{times[1]:>10}{times[2]:>10}{times[3]:>11}"
              + "".join(f"{cell:>15}" for cell in cells), flush=True)
        rows.append([name] + times + cells)
    limits = ", ".join(f"{title} {limit:g}" for title, limit in LIMITS.items())
    print(f"{missed} above the limits ({limits})")
    if "--write" in arguments:
        head = ["work", "hand ms", "loop ms", "plain ms", "checked ms"] + [f"{t} ≤ {l:g}" for t, l in LIMITS.items()]
        table = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head)] + rows]
        note = (f"`python3 -m tools.bench.emulator --write` on {machine()}, seconds of the processor, least of many times; `!` is above "
                "the limit.")
        replace_part(ROOT / README, "costs", "\n".join([note, ""] + table))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
