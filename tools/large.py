"""Tensors of more than 2^31 elements, and views that reach past 2^31: `python3 -m tools.large LIBRARY [OPTIONS]` calls a backend and
compares with what the arrangement makes known: all elements are 1 but a few. Exit 1 where one is wrong, 77 where the device has
too little memory for any. Works that need more memory than there is are named."""

import array
import ctypes
import math
import sys

from tools.bench.door import Array, Door, Info, SIZES

ROWS, COLUMNS = 46341, 46342
N = ROWS * COLUMNS # 2^31 and 50,974 more
FAR = 1 << 31
CORNER, LAST = 9, 7 # at [0][COLUMNS - 1] and [ROWS - 1][COLUMNS - 1]
CODES = {"u8": "B", "i32": "i", "i64": "q", "f32": "f"}


class Large:
    def __init__(self, door):
        self.door = door
        info = Info(size=ctypes.sizeof(Info))
        door.check(door.table.device_info(door.self, 0, ctypes.byref(info), ctypes.byref(door.error)))
        self.memory, self.bad, self.done = info.memory_bytes, 0, 0

    def array(self, dtype, shape, strides=None):
        return Array(self.door, dtype, shape, strides)

    def small(self, dtype, shape, values):
        values = array.array(CODES[dtype], values)
        address, _ = values.buffer_info()
        return self.door.upload(dtype, shape, address, len(values) * SIZES[dtype])

    def call(self, op, outputs, inputs, *attributes):
        self.door.prepare(op, outputs, inputs, list(attributes))()
        self.door.synchronize()

    def set(self, target, value):
        self.call("fill", [target], [], value)

    def expect(self, what, found, expected):
        self.done += 1
        right = found == expected
        self.bad += not right
        shown = "" if right else f": {found[:8]}, not {expected[:8]}"
        print(f"{'ok   ' if right else 'WRONG'} {what}{shown}", flush=True)

    def spots(self, z, places):
        return [self.door.values(z.part(place, [1], [1]))[0] for place in places]

    def room(self, what, gib):
        if self.memory >= gib << 30:
            return True
        print(f"not run, {gib} GiB: {what}")
        return False


def bytes_of_one_and_two(t):
    """N elements of u8, and views of them"""
    x = t.array("u8", [N])
    t.set(x, 1)
    t.set(x.part(COLUMNS - 1, [1], [1]), CORNER)
    t.set(x.part(N - 1, [1], [1]), LAST)
    total = N - 2 + CORNER + LAST
    one = t.array("i64", [1])
    t.expect("fill", t.spots(x, [0, COLUMNS - 1, FAR - 1, FAR, N - 2, N - 1]), [1, CORNER, 1, 1, 1, LAST])
    t.call("sum", [one], [x], 1)
    t.expect("sum of all", t.door.values(one), [total])
    t.call("count_nonzero", [one], [x], 1)
    t.expect("count_nonzero of all", t.door.values(one), [N])
    t.call("argmax", [one], [x.part(COLUMNS, [N - COLUMNS], [1])], 0)
    t.expect("argmax at the end", t.door.values(one), [N - 1 - COLUMNS])
    matrix = x.part(0, [ROWS, COLUMNS], [COLUMNS, 1])
    rows, columns = t.array("i64", [ROWS, 1]), t.array("i64", [1, COLUMNS])
    t.call("sum", [rows], [matrix], 2)
    t.expect("sum of rows", t.door.values(rows), [COLUMNS - 1 + CORNER] + [COLUMNS] * (ROWS - 2) + [COLUMNS - 1 + LAST])
    t.call("sum", [columns], [matrix], 1)
    t.expect("sum of columns", t.door.values(columns), [ROWS] * (COLUMNS - 1) + [ROWS - 2 + CORNER + LAST])
    four = t.array("u8", [4])
    places = t.small("i64", [4], [N - 1, 0, FAR, COLUMNS - 1])
    t.call("gather", [four], [x, places], 0)
    t.expect("gather past 2^31", t.door.values(four), [LAST, 1, 1, CORNER])
    two = t.array("u8", [2, COLUMNS])
    t.call("index_select", [two], [matrix, t.small("i64", [2], [ROWS - 1, 0])], 0)
    t.expect("index_select of the last row", t.spots(two, [0, COLUMNS - 1, 2 * COLUMNS - 1]), [1, LAST, CORNER])
    far = x.part(N - 1 - FAR, [3], [FAR // 2])
    wide = t.array("i32", [3])
    t.call("convert", [wide], [far])
    t.expect("convert of a view that steps by 2^30", t.door.values(wide), [1, 1, LAST])
    values, order = t.array("u8", [3]), t.array("i64", [3])
    t.call("sort", [values, order], [far], 0, 1)
    t.expect("sort of that view", t.door.values(values) + t.door.values(order), [LAST, 1, 1, 2, 0, 1])
    z = t.array("u8", [N])
    t.call("convert", [z], [x.part(N - 1, [N], [-1])])
    t.expect("copy of the reverse", t.spots(z, [0, 1, FAR, N - COLUMNS, N - 1]), [LAST, 1, 1, CORNER, 1])
    t.call("convert", [z.part(0, [COLUMNS, ROWS], [ROWS, 1])], [matrix.permute(1, 0)])
    t.expect("copy of the transpose", t.spots(z, [0, ROWS - 1, FAR, N - ROWS, N - 1]), [1, 1, 1, CORNER, LAST])
    t.call("add", [z], [x, x])
    t.expect("add", t.spots(z, [0, COLUMNS - 1, FAR, N - 1]), [2, 2 * CORNER, 2, 2 * LAST])
    t.call("add", [z.part(0, [ROWS, COLUMNS], [COLUMNS, 1])],
           [matrix, Array(t.door, "u8", [ROWS, COLUMNS], [1, ROWS], x.buffer)])
    t.expect("add of a transposed operand", t.spots(z, [0, COLUMNS - 1, N - 1]), [2, CORNER + 1, 2 * LAST])
    t.set(z, 0)
    source = t.small("u8", [4], [5, 6, 7, 8])
    t.call("scatter_add", [z], [t.small("i64", [4], [N - 1, FAR, N - 1, 0]), source], 0)
    t.expect("scatter_add past 2^31", t.spots(z, [0, 1, FAR, N - 1]), [8, 0, 6, 12])


def wider(t):
    """matmul, softmax and sqrt on f32"""
    x = t.array("f32", [N])
    t.set(x, 1.0)
    rows = x.part(0, [3, 2], [FAR // 2, 1])
    t.set(x.part(FAR + 1, [1], [1]), 3.0)
    z = t.array("f32", [3, 3])
    t.call("matmul", [z], [rows, t.small("f32", [2, 3], [1, 2, 3, 4, 5, 6])])
    t.expect("matmul of rows 2^30 apart", t.door.values(z), [5, 7, 9, 5, 7, 9, 13, 17, 21])
    z, low = t.array("f32", [3, 2]), math.exp(-2)
    t.call("softmax", [z], [rows], 0)
    t.expect("softmax down rows 2^30 apart", [round(value, 6) for value in t.door.values(z)],
             [round(value, 6) for value in (1 / 3, low / (1 + 2 * low), 1 / 3, low / (1 + 2 * low), 1 / 3, 1 / (1 + 2 * low))])
    t.set(x.part(N - 1, [1], [1]), 4.0)
    t.call("sqrt", [x], [x])
    t.expect("sqrt in place", t.spots(x, [2, FAR - 1, FAR + 2, N - 1]), [1, 1, 1, 2])


def scanned(t):
    """cumsum of u8"""
    x = t.array("u8", [N])
    t.set(x, 1)
    z = t.array("i64", [N])
    t.call("cumsum", [z], [x], 0)
    t.expect("cumsum", t.spots(z, [0, 12345678, FAR - 1, FAR, N - 1]), [1, 12345679, FAR, FAR + 1, N])


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    t = Large(Door(arguments[0], *arguments[1:]))
    for gib, work in ((5, bytes_of_one_and_two), (10, wider), (24, scanned)):
        if t.room(work.__doc__ or work.__name__, gib):
            work(t)
            t.door.release_all()
    print(f"{t.done - t.bad} of {t.done} works on more than 2^31 elements are right")
    return 1 if t.bad else 0 if t.done else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
