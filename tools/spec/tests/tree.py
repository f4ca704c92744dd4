"""A small spec in a temporary folder, which tests damage in one place and compile."""

import shutil
import tempfile
from pathlib import Path

from tools.spec import chapters, emit, released

NUMERICS = """\
# Numerics

```toml
[dtype.bool]
id = 1
bytes = 1
class = "bool"
cpp = "ts::Bool"

[dtype.u8]
id = 2
bytes = 1
class = "int"
cpp = "uint8_t"

[dtype.i64]
id = 4
bytes = 8
class = "int"
cpp = "int64_t"

[dtype.f16]
id = 5
bytes = 2
class = "float"
cpp = "ts::Half"
precision = 11
emax = 15

[dtype.f32]
id = 7
bytes = 4
class = "float"
cpp = "float"
precision = 24
emax = 127
```
"""

BACKEND = """\
# Door

```toml
[family.elementwise]
id = 2

[family.gather]
id = 7

[family.sort]
id = 9
```
"""

OPS = """\
# Operations

- **[sample.1]** A clause of the chapter.

## add

`add(x, y) -> z` is the sum of two numbers.

```toml
[op.add]
id        = 17
family    = "elementwise"
operands  = [{ name = "x" }, { name = "y" }]
types     = [["T", "T", "->", "T"]]
T         = "bool u8 i64 f16 f32"
domain    = { x = "all", y = "[-1, 1]" }
eval      = { int = "native_int", float = "exact" }
oracle    = "x + y"
torch     = "torch.add(x, y)"
diverges  = ["add.2"]
tolerance = "exact"
bits      = "cross"
gradient  = { x = "g", y = "g" }
```

- **[add.1]** The sum, rounded once,
  to nearest.
- **[add.2] (reference)** Something for our own backends.

<!-- table add.special types=float cites=add.1,sample.1 -->

| x | y | z |
|---|---|---|
| +inf | -inf | nan |
| 1+ulp | 0 | same |

```example
cites add.1
a = f32 [0 1 2 3 4 5] view(offset 0, shape (2,3), strides (3,1))
t = transpose(a, 0, 1)
t has strides (1,3), shape (3,2), offset 0
t -> [[0 3] [1 4] [2 5]]
t is not contiguous
add(t, 1) -> [[1 4] [2 5] [3 6]]
b = f32 [10 20 30]
plan(result, a, b) has dims 2, count 6, byte strides result (12,4) a (12,4) b (0,4)
plan(result, a, b) at 4 has bytes result 16 a 16 b 4
launch(1000) has blocks 4, threads 1024, idle 24
```

## lean

`lean(x, slope) -> z` is a line.

```toml
[op.lean]
id         = 84
family     = "elementwise"
operands   = [{ name = "x" }]
attributes = [{ name = "slope", slot = 0, kind = "of x", domain = "[0, 1]", default = 0.5 }]
types      = [["T", "->", "T"]]
T          = "f16 f32"
eval       = "real"
oracle     = "where(x > 0, x, slope * x)"
torch      = "none: nothing like it"
tolerance  = { f16 = "ulp(1)", f32 = "ulp(4)" }
condition  = "2 * x * x * abs(z)"
exclude    = [{ when = "isnan(slope)", reason = "nobody asks" }]
bits       = "run"
gradient   = "none"
```

- **[lean.1]** A clause.

## gather

`gather(x, index, axis) -> z` picks elements.

```toml
[op.gather]
id         = 301
family     = "gather"
operands   = [{ name = "x" }, { name = "index", role = "index", dtypes = "i64" }]
attributes = [{ name = "axis", slot = 0, kind = "axis" }]
types      = [["T", "I", "->", "T"]]
T          = "i64 f32"
shape      = "z = index; rank(x) = rank(index); index <= x on every other axis"
eval       = "exact"
oracle     = "move"
torch      = "torch.gather(x, axis, index)"
tolerance  = "exact"
bits       = "cross"
gradient   = { x = "scatter_add(zeros_like(x), index, g, axis)" }
```

- **[gather.1]** An index outside the axis is an error.

<!-- table gather.errors types=f32 cites=gather.1 -->

| x.shape | index | axis | z |
|---|---|---|---|
| (2,3) | [[3]] | 1 | error:IndexError |

```example
cites gather.1
x = f32 [[0 1 2] [3 4 5]]
index = i64 [[2 0] [1 1]]
gather(x, index, 1) -> [[2 0] [4 4]]
reads x at (2,0,4,4)
gather(x, index, 7) raises IndexError
```
"""

HEADER = f"/* before */\n{emit.BEGIN}stale\n{emit.END}/* after */\n"


class Tree:
    """Use as a context manager; `files` maps paths under the root to texts."""

    def __init__(self, ops=OPS, numerics=NUMERICS, backend=BACKEND, **more):
        self.files = {"spec/ops/sample.md": ops, "spec/numerics.md": numerics, "spec/backend.md": backend,
                      emit.HEADER: HEADER} | more

    def __enter__(self):
        self.root = Path(tempfile.mkdtemp(prefix="spec-test-"))
        for path, text in self.files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return self

    def __exit__(self, *exception):
        shutil.rmtree(self.root)

    def load(self):
        """(Spec, the sorted faults as texts)."""
        spec, problems = chapters.load(self.root)
        released.check(self.root, spec, problems)
        return spec, [str(error) for error in problems.sorted()]


def faults(old, new, where="ops"):
    """The faults after replacing `old`, which stands once, by `new`; and the line on which `old` stood."""
    texts = {"ops": OPS, "numerics": NUMERICS, "backend": BACKEND}
    assert texts[where].count(old) == 1, f"'{old}' stands {texts[where].count(old)} times"
    line = texts[where][:texts[where].index(old)].count("\n") + 1
    texts[where] = texts[where].replace(old, new)
    with Tree(**texts) as tree:
        return tree.load()[1], line
