"""The golden file format of spec/golden.md: writer, reader (for the round trip and for checks), manifest."""

import hashlib
import json
import math
import os
import re
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.errors import FormatError
from golden.evaluator import decimal25
from golden.tensor import Case, Tensor

HEADER = "touchstone golden 1"
ROW_MAX = 8  # values on a line
_shortest = {}


def number_text(value, dtype):
    """An element as golden.4 writes it."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value) or value == 0:
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "-0" if math.copysign(1, value) < 0 else "0")
    key = (dtype.name, value)
    if key not in _shortest:
        _shortest[key] = shortest_decimal(value, dtype)
    return _shortest[key]


def real_text(value, dtype):
    """A value of a `real` output as golden.5 writes it."""
    if isinstance(value, float):
        return number_text(value, dtype)
    return "0" if value == 0 else decimal25(value)


def shortest_decimal(value, dtype):
    """The shortest decimal that rounds back to a finite nonzero element, the nearest where several are as short."""
    if value < 0:
        return "-" + shortest_decimal(-value, dtype)
    exact = Fraction(value)
    for digits in range(1, 18):
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        power = int(power) - digits + 1
        nearest = int(mantissa.replace(".", ""))
        unit = Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)
        other = nearest + 1 if nearest * unit < exact else nearest - 1
        for candidate in (nearest, other):
            if candidate > 0 and dtype.round(candidate * unit) == value:
                return _layout(candidate, power)
    raise AssertionError(f"{value!r} has no decimal of 17 digits")


def _layout(digits, unit_power):
    """Digits times a power of ten as Python prints a float: plain from 1e-4 up to 1e16, else with an exponent."""
    digits = str(digits)
    power = len(digits) - 1 + unit_power
    digits = digits.rstrip("0") or "0"
    if -5 < power < 16:
        if power < 0:
            return "0." + "0" * (-power - 1) + digits
        whole = digits[: power + 1].ljust(power + 1, "0")
        rest = digits[power + 1 :]
        return f"{whole}.{rest}" if rest else whole
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def attribute_line(name, value):
    """`attribute NAME int|real VALUE`."""
    if isinstance(value, float):
        return f"attribute {name} real {number_text(value, DTYPES['f64'])}"
    return f"attribute {name} int {value}"


def shape_text(shape):
    return "(" + ",".join(map(str, shape)) + ")"


def tensor_lines(name, tensor, kind):
    """Header and values of a tensor; `kind` is exact or real for an output, "" for an operand."""
    dtype = DTYPES[tensor.dtype]
    yield f"{name} {tensor.dtype} {shape_text(tensor.shape)}" + (f" {kind}" if kind else "")
    text = real_text if kind == "real" else number_text
    row = tensor.shape[-1] if tensor.shape else 1
    for start in range(0, tensor.count, max(row, 1)):
        for part in range(start, start + row, ROW_MAX):
            stop = min(part + ROW_MAX, start + row)
            yield "  " + " ".join(text(value, dtype) for value in tensor.values[part:stop])


def case_lines(case):
    """One case."""
    yield " ".join(["case", case.set, *case.in_dtypes, "->", *case.out_dtypes])
    for name, value in case.attributes.items():
        yield attribute_line(name, value)
    for name, tensor in case.operands.items():
        yield from tensor_lines(name, tensor, "")
    for name, tensor in case.outputs.items():
        yield from tensor_lines(name, tensor, "real" if tensor.real else "exact")
    yield "end"


def file_text(op_name, row_hash, cases):
    """A whole golden file. A key that stands twice is refused [golden.2]."""
    lines = [HEADER, f"op {op_name} row {row_hash}"]
    seen = set()
    for case in cases:
        if case.name in seen:
            raise FormatError(f"op {op_name}: case {case.name} stands twice")
        if not re.fullmatch(r"[a-z0-9_]+", case.set):
            raise FormatError(f"op {op_name}: set name {case.set} does not match [a-z0-9_]+")
        seen.add(case.name)
        lines.extend(case_lines(case))
    lines.append(f"end of file, {len(seen)} cases")
    return "\n".join(lines) + "\n"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def manifest_text(entries):
    """The manifest of {op: (text, row hash, number of cases)}."""
    files = [
        {"file": f"ops/{name}.txt", "op": name, "sha256": sha256(text), "row_hash": row_hash, "cases": count}
        for name, (text, row_hash, count) in sorted(entries.items())
    ]
    lines = ",\n".join("  " + json.dumps(entry) for entry in files)
    return '{ "format": 1, "files": [\n' + lines + "\n] }\n"


def write_atomically(path, text):
    """Writes beside the target and renames, so that nobody reads half a file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="ascii", newline="\n") as file:
        file.write(text)
    os.replace(temporary, path)


# Reading ---------------------------------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, text, name):
        self.lines = text.split("\n")
        self.name = name
        self.at = 0

    def fail(self, message):
        raise FormatError(f"{self.name}:{self.at}: {message}")

    def next(self):
        if self.at >= len(self.lines) or (self.at == len(self.lines) - 1 and not self.lines[-1]):
            self.fail("the file ends before its last line [golden.1]")
        self.at += 1
        return self.lines[self.at - 1]

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else ""


def read_file(text, name):
    """(op, row hash, cases) of a golden file's text."""
    reader = _Reader(text, name)
    if reader.next() != HEADER:
        reader.fail(f"the first line is not {HEADER!r} [golden.1]")
    head = reader.next().split()
    if len(head) != 4 or head[0] != "op" or head[2] != "row":
        reader.fail("expected `op NAME row HASH`")
    cases = []
    while reader.peek().startswith("case "):
        cases.append(_read_case(reader))
    if reader.next() != f"end of file, {len(cases)} cases":
        reader.fail(f"expected `end of file, {len(cases)} cases` [golden.1]")
    return head[1], head[3], cases


def _read_case(reader):
    words = reader.next().split()
    arrow = words.index("->") if "->" in words else reader.fail("no -> in a case line [golden.2]")
    case = Case(words[1], tuple(words[2:arrow]), tuple(words[arrow + 1 :]), {}, {})
    while reader.peek() != "end":
        words = reader.next().split()
        if words and words[0] == "attribute" and len(words) == 4:
            case.attributes[words[1]] = int(words[3]) if words[2] == "int" else float(words[3])
        elif len(words) in (3, 4) and words[1] in DTYPES:
            kind = words[3] if len(words) == 4 else ""
            target = case.outputs if kind else case.operands
            target[words[0]] = _read_tensor(reader, words[1], words[2], kind)
        else:
            reader.fail("expected an attribute, a tensor or end [golden.3]")
    reader.next()
    return case


def _read_tensor(reader, dtype_name, shape_words, kind):
    inside = shape_words[1:-1]
    shape = tuple(int(extent) for extent in inside.split(",")) if inside else ()
    tensor = Tensor(dtype_name, shape, [], real=kind == "real")
    while reader.peek().startswith("  "):
        tensor.values += [_value(word, DTYPES[dtype_name], kind) for word in reader.next().split()]
    if len(tensor.values) != tensor.count:
        reader.fail(f"{len(tensor.values)} values where shape {shape_words} has {tensor.count} [golden.3]")
    return tensor


def _value(word, dtype, kind):
    if dtype.kind != "float":
        return int(word)
    if word in ("nan", "inf", "-inf", "-0"):
        return float(word)
    value = Fraction(word)
    return value if kind == "real" else dtype.round(value)
