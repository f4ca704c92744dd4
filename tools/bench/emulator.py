"""What the emulator costs, in one run: `python3 -m tools.bench.emulator`. For a call of every family, seconds of the
processor in three backends: the cpu on one thread (loops that a compiler may make vectors of), the emulator, and the emulator in
checked mode; and the ratios that are promised: checked at most 15 times plain."""

import array
import ctypes
import random
import statistics
import sys
import time

from tools.bench.door import ROOT, SIZES, Array, Door

BACKENDS = (("cpu", "threads=1"), ("emulator", ""), ("emulator", "check=all"))
CODES = {"f32": "f", "i64": "q", "f16": "H"}
LIMIT = 15.0


def upload(door, dtype, shape, low=None):
    count = 1
    for extent in shape:
        count *= extent
    generator = random.Random(7)
    if dtype == "i64":
        values = array.array("q", (generator.randrange(low) for _ in range(count)))
    elif dtype == "f16":
        values = array.array("H", (0x3C00 + generator.randrange(512) for _ in range(count)))
    else:
        values = array.array("f", (generator.random() for _ in range(count)))
    address = (ctypes.c_char * (count * SIZES[dtype])).from_buffer(values)
    return door.upload(dtype, list(shape), ctypes.addressof(address), count * SIZES[dtype])


def works(door):
    """name, call. Small enough for caches: what is measured is the work of an access."""
    n = 1 << 16
    x, y, z = upload(door, "f32", [n]), upload(door, "f32", [n]), Array(door, "f32", [n])
    yield "add f32", door.prepare("add", [z], [x, y])
    half, other, third = upload(door, "f16", [n]), upload(door, "f16", [n]), Array(door, "f16", [n])
    yield "add f16", door.prepare("add", [third], [half, other])
    yield "exp f32", door.prepare("exp", [z], [x])
    m, mt = upload(door, "f32", [256, 256]), Array(door, "f32", [256, 256])
    yield "add f32 strided", door.prepare("add", [mt], [m, m.permute(1, 0)])
    yield "convert, transposed", door.prepare("convert", [mt], [m.permute(1, 0)])
    yield "sum axis 1", door.prepare("sum", [Array(door, "f32", [256, 1])], [m], [2])
    yield "sum axis 0", door.prepare("sum", [Array(door, "f32", [1, 256])], [m], [1])
    yield "argmax axis 1", door.prepare("argmax", [Array(door, "i64", [256, 1])], [m], [1])
    yield "cumsum axis 1", door.prepare("cumsum", [mt], [m], [1])
    yield "cumsum axis 0", door.prepare("cumsum", [mt], [m], [0])
    yield "matmul 256", door.prepare("matmul", [mt], [m, m])
    yield "matmul 24 x 256 x 24", door.prepare("matmul", [Array(door, "f32", [24, 24])],
                                              [upload(door, "f32", [24, 256]), upload(door, "f32", [256, 24])])
    index = upload(door, "i64", [256, 256], low=256)
    yield "gather", door.prepare("gather", [mt], [m, index], [1])
    yield "scatter", door.prepare("scatter", [upload(door, "f32", [256, 256])], [index, m], [1])
    yield "scatter_add", door.prepare("scatter_add", [upload(door, "f32", [256, 256])], [index, m], [1])
    values, places = Array(door, "f32", [256, 256]), Array(door, "i64", [256, 256])
    yield "sort rows of 256", door.prepare("sort", [values, places], [m], [1, 0])


def seconds(door, call, repetitions):
    times = []
    for _ in range(repetitions):
        begin = time.process_time()
        call()
        door.synchronize()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def main():
    doors = [Door(ROOT / "build" / "release" / "backends" / f"{name}.so", options) for name, options in BACKENDS]
    print(f"{'work':<24} {'cpu ms':>9} {'plain ms':>9} {'checked ms':>10} {'plain/cpu':>10} {'checked/plain':>14}")
    over = 0
    for calls in zip(*[works(door) for door in doors]):
        name = calls[0][0]
        cpu, plain, checked = [seconds(door, call, 7) for door, (_, call) in zip(doors, calls)]
        ratio = checked / max(plain, 1e-9)
        over += ratio > LIMIT
        print(f"{name:<24} {cpu * 1e3:9.3f} {plain * 1e3:9.3f} {checked * 1e3:10.3f} {plain / max(cpu, 1e-9):10.2f} "
              f"{ratio:14.2f}{'  OVER' if ratio > LIMIT else ''}", flush=True)
    print(f"{over} above {LIMIT:g}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
