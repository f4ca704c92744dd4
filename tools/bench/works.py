"""What is measured: for every work our call, PyTorch's, and what of either must move or be computed at least."""

import torch

MI = 1 << 20
TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
         "i32": torch.int32, "i64": torch.int64}
SIZE = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8, "i32": 4, "i64": 8}


class Work:
    """unit is "B" (bytes that must move), "op" (arithmetic) or "element". Targets: ours over PyTorch's rate, over the rate of a copy,
    and in operations a second."""

    def __init__(self, name, unit, amount, ours, theirs, target=None, of_copy=None, rate=None):
        self.name, self.unit, self.amount, self.ours, self.theirs = name, unit, amount, ours, theirs
        self.target, self.of_copy, self.rate = target, of_copy, rate


class Bench:
    def __init__(self, door, own):
        self.door, self.own = door, own # own: no vendor's library

    def data(self, dtype, *shape, low=None):
        """Random values on both sides: (ours, PyTorch's)."""
        generator = torch.Generator().manual_seed(len(shape) + shape[-1])
        if dtype in ("i32", "i64"):
            host = torch.randint(0, low or 1 << 20, shape, generator=generator, dtype=TORCH[dtype])
        else:
            host = torch.rand(shape, generator=generator, dtype=torch.float32).mul_(2).sub_(1 if low is None else -low)
            host = host.to(TORCH[dtype])
        return self.both(dtype, host)

    def both(self, dtype, host):
        host = host.contiguous()
        ours = self.door.upload(dtype, list(host.shape), host.data_ptr(), host.numel() * SIZE[dtype])
        return ours, host.cuda()

    def empty(self, dtype, *shape):
        from tools.bench.door import Array

        return Array(self.door, dtype, list(shape))

    def work(self, name, unit, amount, call, theirs, target=None, **targets):
        op, outputs, inputs, *attributes = call
        return Work(name, unit, amount, self.door.prepare(op, outputs, inputs, *attributes), theirs, target, **targets)


# Each is a generator of works over data that live only while it is asked.


def elementwise(b):
    n = 64 * MI
    for dtype in ("f32", "f16", "bf16"):
        size = SIZE[dtype]
        (x, tx), (y, ty), z = b.data(dtype, n), b.data(dtype, n), b.empty(dtype, n)
        out = torch.empty_like(tx)
        if dtype == "f32":
            yield b.work("copy f32", "B", 2 * size * n, ("convert", [z], [x]), lambda: out.copy_(tx), 0.98, of_copy=0.95)
        yield b.work(f"add {dtype}", "B", 3 * size * n, ("add", [z], [x, y]), lambda: torch.add(tx, ty, out=out), 0.98,
                     of_copy=0.95)


def transcendental(b):
    for dtype, n, ops in (("f32", 64 * MI, ("exp", "tanh", "sin", "log", "erf", "gelu")), ("f16", 64 * MI, ("exp",)),
                          ("f64", 32 * MI, ("exp", "sin"))):
        (x, tx), z = b.data(dtype, n, low=0.1 if "log" in ops else None), b.empty(dtype, n)
        for op in ops:
            function = getattr(torch, op, None) or getattr(torch.nn.functional, op)
            yield b.work(f"{op} {dtype}", "B", 2 * SIZE[dtype] * n, (op, [z], [x]),
                         lambda function=function: function(tx), 1.0)


def reductions(b):
    rows = columns = 8192
    x, tx = b.data("f32", rows, columns)
    bytes_ = 4 * rows * columns
    for op, function in (("sum", torch.sum), ("max", torch.amax)):
        for label, axes, shape, dims in (("all", 3, (1, 1), (0, 1)), ("dim 0", 1, (1, columns), (0,)),
                                         ("dim 1", 2, (rows, 1), (1,))):
            z = b.empty("f32", *shape)
            yield b.work(f"{op} {label}", "B", bytes_, (op, [z], [x], [axes]),
                         lambda function=function, dims=dims: function(tx, dim=dims), 1.1)
    z, index = b.empty("f32", rows, 1), b.empty("i64", rows, 1)
    yield b.work("var dim 1", "B", bytes_, ("var", [z], [x], [2, 1.0]), lambda: torch.var(tx, dim=1), 1.5)
    yield b.work("argmax dim 1", "B", bytes_, ("argmax", [index], [x], [1]), lambda: torch.argmax(tx, dim=1), 1.5)
    odd, todd = b.data("f32", rows, columns - 1)
    yield b.work("sum dim 1 of width 8191", "B", 4 * rows * (columns - 1), ("sum", [z], [odd], [2]),
                 lambda: torch.sum(todd, dim=1), 1.1)


def fused(b):
    rows = columns = 8192
    (x, tx), z = b.data("f32", rows, columns), b.empty("f32", rows, columns)
    (weight, tweight), (bias, tbias) = b.data("f32", columns), b.data("f32", columns)
    moved = 8 * rows * columns
    across = [operand.expand(rows, columns) for operand in (weight, bias)]
    functional = torch.nn.functional
    yield b.work("softmax rows", "B", moved, ("softmax", [z], [x], [1]), lambda: torch.softmax(tx, 1), of_copy=0.85)
    yield b.work("log_softmax rows", "B", moved, ("log_softmax", [z], [x], [1]), lambda: torch.log_softmax(tx, 1), of_copy=0.85)
    yield b.work("layer_norm rows", "B", moved, ("layer_norm", [z], [x, *across], [2, 1e-5]),
                 lambda: functional.layer_norm(tx, (columns,), tweight, tbias, 1e-5), of_copy=0.85)
    yield b.work("rms_norm rows", "B", moved, ("rms_norm", [z], [x, across[0]], [2, 1e-5]),
                 lambda: functional.rms_norm(tx, (columns,), tweight, 1e-5), of_copy=0.85)


def movement(b):
    (x, tx), (y, ty), z = b.data("f32", 8192, 8192), b.data("f32", 8192, 8192), b.empty("f32", 8192, 8192)
    n = 8192 * 8192
    out = torch.empty_like(tx)
    yield b.work("transpose copy", "B", 8 * n, ("convert", [z], [x.permute(1, 0)]), lambda: out.copy_(tx.t()), of_copy=0.85)
    yield b.work("add of a transposed operand", "B", 12 * n, ("add", [z], [y, x.permute(1, 0)]),
                 lambda: torch.add(ty, tx.t(), out=out), 2.2)
    shape = (64, 128, 64, 128)
    x, tx = b.data("f32", *shape)
    for axes in ((0, 2, 1, 3), (3, 2, 1, 0), (0, 3, 2, 1)):
        new = [shape[a] for a in axes]
        z, out = b.empty("f32", *new), torch.empty(new, device="cuda")
        yield b.work("permute copy " + "".join(map(str, axes)), "B", 8 * n, ("convert", [z], [x.permute(*axes)]),
                     lambda out=out, axes=axes: out.copy_(tx.permute(*axes)), of_copy=0.85)


def scans(b):
    n = 8192 * 8192
    (x, tx), z = b.data("f32", 8192, 8192), b.empty("f32", 8192, 8192)
    yield b.work("cumsum rows", "B", 8 * n, ("cumsum", [z], [x], [1]), lambda: torch.cumsum(tx, 1), 2.0)
    yield b.work("cumsum dim 0", "B", 8 * n, ("cumsum", [z], [x], [0]), lambda: torch.cumsum(tx, 0), 10.0)
    x, tx = b.data("f32", n)
    z = b.empty("f32", n)
    yield b.work("cumsum of one row", "B", 8 * n, ("cumsum", [z], [x], [0]), lambda: torch.cumsum(tx, 0), 0.95)


def indexing(b):
    rows = columns = 8192
    n = rows * columns
    (x, tx), (index, tindex) = b.data("f32", rows, columns), b.data("i64", rows, columns, low=columns)
    z = b.empty("f32", rows, columns)
    yield b.work("gather rows", "B", 16 * n, ("gather", [z], [x, index], [1]), lambda: torch.gather(tx, 1, tindex), 1.0)
    (into, tinto) = b.data("f32", rows, columns)
    yield b.work("scatter_add uniform", "B", 20 * n, ("scatter_add", [into], [index, x], [1]),
                 lambda: tinto.scatter_add_(1, tindex, tx), 1.0)
    same, tsame = b.both("i64", torch.zeros(rows, columns, dtype=torch.int64))
    yield b.work("scatter_add all equal", "B", 20 * n, ("scatter_add", [into], [same, x], [1]),
                 lambda: tinto.scatter_add_(1, tsame, tx), 1.0)
    order, torder = b.both("i64", torch.randperm(rows, generator=torch.Generator().manual_seed(1)))
    yield b.work("index_select rows", "B", 8 * n, ("index_select", [z], [x, order], [0]),
                 lambda: torch.index_select(tx, 0, torder), 1.0)
    yield b.work("index_add rows", "B", 12 * n, ("index_add", [into], [order, x], [0]),
                 lambda: tinto.index_add_(0, torder, tx), 1.0)


def sorting(b):
    n = 16 * MI
    x, tx = b.data("f32", n)
    values, indices = b.empty("f32", n), b.empty("i64", n)
    yield b.work("sort 16 Mi", "element", n, ("sort", [values, indices], [x], [0, 0]), lambda: torch.sort(tx, stable=True), 1.0)
    x, tx = b.data("f32", 4096, 4096)
    values, indices = b.empty("f32", 4096, 4096), b.empty("i64", 4096, 4096)
    yield b.work("sort rows of 4096", "element", n, ("sort", [values, indices], [x], [1, 0]),
                 lambda: torch.sort(tx, dim=1, stable=True), 1.0)
    top, places = b.empty("f32", 4096, 64), b.empty("i64", 4096, 64)
    yield b.work("topk 64 of 4096", "element", n, ("topk", [top, places], [x], [1, 64, 1]),
                 lambda: torch.topk(tx, 64, dim=1), 1.0)


def matmul(b):
    for dtype, sizes in (("f32", (512, 1024, 2048, 4096, 8192)), ("f16", (8192,)), ("bf16", (8192,)), ("f64", (4096,))):
        for n in sizes:
            (x, tx), (y, ty), z = b.data(dtype, n, n), b.data(dtype, n, n), b.empty(dtype, n, n)
            target = 0.98 if not b.own else 0.8 if dtype == "f32" and n >= 2048 else None
            yield b.work(f"matmul {dtype} {n}", "op", 2 * n**3, ("matmul", [z], [x, y]), lambda: torch.matmul(tx, ty), target)
    (x, tx), (y, ty), z = b.data("f32", 64, 512, 512), b.data("f32", 64, 512, 512), b.empty("f32", 64, 512, 512)
    yield b.work("matmul f32 64 x 512", "op", 2 * 64 * 512**3, ("matmul", [z], [x, y]), lambda: torch.matmul(tx, ty),
                 None if b.own else 0.98)
    for dtype, n, rate in (("i32", 4096, 12e12), ("i64", 4096, 2.5e12)):
        (x, _), (y, _), z = b.data(dtype, n, n), b.data(dtype, n, n), b.empty(dtype, n, n)
        yield b.work(f"matmul {dtype} {n}", "op", 2 * n**3, ("matmul", [z], [x, y]), None, rate=rate)


GROUPS = {"elementwise": elementwise, "transcendental": transcendental, "reductions": reductions, "fused": fused, "movement": movement,
          "scans": scans, "indexing": indexing, "sorting": sorting, "matmul": matmul}
