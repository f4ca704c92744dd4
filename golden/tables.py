"""The spec's tables of special values held against the evaluator: a table that the oracle contradicts stops everything."""

import math
from fractions import Fraction

from golden.dtypes import DTYPES
from golden.errors import DisagreementError, EvaluatorError
from golden.evaluator import evaluate
from golden.families.convert import convert_value
from golden.families.tree import operand_dtype


def token_value(token, dtype):
    """An element of a dtype from a table's token, or None where the token is no scalar this module knows."""
    token = token.strip()
    total, steps = 0, 0  # `ulp` is a step to the neighbour: 1-ulp is the number before 1
    if token in ("true", "false"):
        return 1 if token == "true" else 0
    if dtype.kind == "float" and token in ("nan", "+nan"):
        return math.nan
    if dtype.kind == "float" and token in ("+inf", "inf", "-inf"):
        return float(token)
    if token in ("-0", "+0"):
        return float(token) if dtype.kind == "float" else 0
    for part in _parts(token):
        sign = -1 if part[0] == "-" else 1
        word = part.lstrip("+-")
        if dtype.kind == "float" and word.endswith("ulp"):
            steps += sign * int(word.removesuffix("ulp").rstrip("*") or 1)
            continue
        value = _part(word, dtype)
        if value is None:
            return None
        total += sign * value
    if dtype.kind == "float":
        value = dtype.round(Fraction(total))
        for _ in range(abs(steps)):
            value = dtype.next_after(value, math.copysign(math.inf, steps))
        return value
    if dtype.kind == "bool":
        return 1 if total else 0
    return int(total) if total.denominator == 1 and dtype.lowest <= total <= dtype.highest else None


def _parts(token):
    """`1+ulp` and `2^53+1` cut at the signs that are not an exponent's."""
    parts, current = [], ""
    for i, letter in enumerate(token):
        if letter in "+-" and current and not (token[i - 1] in "eEpP" and token[i - 2 : i - 1].isalnum()):
            parts.append(current)
            current = ""
        current += letter
    return parts + [current]


def _part(text, dtype):
    names = {
        "max": dtype.highest,
        "min": dtype.lowest,
    }
    if dtype.kind == "float":
        names |= {"tiny": dtype.tiny, "sub": dtype.sub, "pi": math.pi}
    if text in names:
        return Fraction(names[text])
    try:
        if "*" in text:
            left, right = text.split("*")
            return _part(left, dtype) * _part(right, dtype)
        if "^" in text:
            base, power = text.split("^")
            return Fraction(base) ** int(power)
        if text.lower().startswith("0x"):
            return Fraction(float.fromhex(text))
        return Fraction(text)
    except (ValueError, TypeError):
        return None


def check(op):
    """Evaluates every scalar row of the op's tables; the number of values checked."""
    checked = 0
    for table in op.tables:
        for number in table.get("instances") or []:
            for row in table["rows"]:
                checked += _check_row(op, op.instances[number], table, row)
    return checked


def _check_row(op, instance, table, row):
    if op.family not in ("elementwise", "convert") or len(op.outputs) != 1:
        return 0
    values, want, first = _defaults(op, instance), None, None
    for column, token in zip(table["columns"], row):
        if column in op.operands:
            dtype = DTYPES[instance.inputs[op.operands.index(column)]]
        elif column in op.outputs:
            dtype = DTYPES[instance.outputs[0]]
        else:
            attribute = next((entry for entry in op.attributes if entry.name == column), None)
            if attribute is None:
                return 0
            dtype = DTYPES[instance.inputs[op.operands.index(attribute.of)] if attribute.kind == "of" else "f64"]
        if str(token).startswith("error"):
            return 0
        if column in op.outputs and token in ("oracle", "same"):
            want = first if token == "same" else token
            continue
        value = first if token == "same" else token_value(str(token), dtype)
        if value is None:
            return 0
        first = value if first is None else first
        if column in op.outputs:
            want = value
        else:
            values[column] = value
    return _hold(op, instance, table, row, values, want)


def _defaults(op, instance):
    """Attributes that a table leaves out, by their defaults."""
    found = {}
    for attribute in op.attributes:
        if attribute.default is not None:
            dtype = DTYPES[instance.inputs[op.operands.index(attribute.of)] if attribute.kind == "of" else "f64"]
            value = Fraction(str(attribute.default))
            found[attribute.name] = dtype.round(value) if dtype.kind == "float" else int(value)
    return found


def _hold(op, instance, table, row, values, want):
    where = f"{table['file']}:{table['line']}: table {table['name']}, row {' | '.join(map(str, row))}, {instance.inputs[0]}"
    try:
        if op.family == "convert":
            got = convert_value(next(iter(values.values())), DTYPES[instance.outputs[0]])
        else:
            got = evaluate(op.oracle, instance.eval, operand_dtype(instance), instance.outputs[0], values)
    except EvaluatorError as error:
        raise EvaluatorError(f"{where}: {error}") from error
    if want == "oracle":
        return 1
    dtype = DTYPES[instance.outputs[0]]
    rounded = dtype.round(got) if isinstance(got, Fraction) and dtype.kind == "float" else got
    if repr(rounded) != repr(float(want) if dtype.kind == "float" else want):
        raise DisagreementError(f"{where}: the oracle gives {rounded!r}, the table {want!r}")
    return 1
