"""Parses the statements of example fences to data. The grammar is in spec/README.md."""

from tools.spec import tokens, vocabulary
from tools.spec.expressions import Reader, StatementError, infer_dtype
from tools.spec.model import Example
from tools.spec.problems import SpecError, unknown

GRAMMAR = ("cites LABELS", "NAME = DTYPE LIST [view(offset N, shape (..), strides (..))]", "NAME = CALL",
           "NAME has strides (..) | shape (..) | offset N | storage LIST", "NAME is [not] contiguous|compact",
           "NAME -> LIST", "CALL -> LIST [, LIST]", "CALL -> DTYPE LIST", "CALL raises ERROR", "reads NAME at (..)",
           "plan(OUT, IN, ..) has dims N, count N, shape (..), byte strides NAME (..) ..",
           "plan(OUT, IN, ..) at N has bytes NAME N ..", "PLANNER(N, ..) has KEY N | (..), ..")


def read_example(block, op, spec):
    """The example of a fence, and the place of each statement."""
    example = Example(op.name if op else None, [], [], block.place)
    dtypes = {}  # of the names assigned so far
    for number, line in enumerate(block.lines, block.place.line + 1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        try:
            _statement(text, example, dtypes, spec)
        except (StatementError, tokens.TokenError) as error:
            raise SpecError(block.place.at(number), f"example statement '{text}': {error}") from None
    if not example.statements:
        raise SpecError(block.place, "the example has no statement; valid: " + " | ".join(GRAMMAR))
    return example


def _statement(text, example, dtypes, spec):
    if text.startswith("cites "):
        example.cites += [label.strip() for label in text[6:].split(",")]
        return
    reader = Reader(text)
    if reader.ahead(0) in vocabulary.PLANNERS and reader.ahead(1) == "(":
        example.statements.append(_planner(reader))
    elif reader.match("plan", "("):
        example.statements.append(_plan(reader))
    elif reader.match("reads"):
        example.statements.append(_reads(reader, dtypes))
    elif reader.ahead(1) == "=":
        example.statements.append(_assignment(reader, dtypes, spec))
    else:
        example.statements.append(_check(reader, dtypes, spec))
    reader.end()


def _planner(reader):
    statement = {"kind": "planner", "planner": reader.word(), "arguments": reader.integers(), "has": {}}
    reader.expect("has")
    while True:
        key = reader.word()
        if key in statement["has"]:
            raise StatementError(f"'{key}' stands twice")
        statement["has"][key] = reader.integers() if reader.ahead(0) == "(" else reader.integer()
        if not reader.match(","):
            return statement


def _plan(reader):
    operands = [reader.word()]
    while reader.match(","):
        operands.append(reader.word())
    reader.expect(")")
    if reader.match("at"):
        element = reader.integer()
        reader.expect("has")
        reader.expect("bytes")
        return {"kind": "element", "operands": operands, "element": element,
                "bytes": _per_operand(reader, operands, reader.integer)}
    reader.expect("has")
    statement = {"kind": "plan", "operands": operands}
    while True:
        word = reader.word()
        if word in ("dims", "count"):
            statement[word] = reader.integer()
        elif word == "shape":
            statement[word] = reader.integers()
        elif word == "byte":
            reader.expect("strides")
            statement["byte_strides"] = _per_operand(reader, operands, reader.integers)
        else:
            raise StatementError(unknown("property", word, ("dims", "count", "shape", "byte strides")))
        if not reader.match(","):
            return statement


def _per_operand(reader, operands, read):
    found = {}
    while reader.kind() == "name":
        name = reader.word()
        if name not in operands or name in found:
            raise StatementError(unknown("operand of the plan", name, operands))
        found[name] = read()
    if not found:
        raise StatementError(f"a value for each of {', '.join(operands)} expected")
    return found


def _reads(reader, dtypes):
    name = _known(reader, dtypes)
    reader.expect("at")
    return {"kind": "reads", "name": name, "positions": reader.integers()}


def _known(reader, dtypes):
    name = reader.word()
    if name not in dtypes:
        raise StatementError(unknown("name", name, dtypes))
    return name


def _assignment(reader, dtypes, spec):
    name = reader.word()
    if name in dtypes:
        raise StatementError(f"the name '{name}' is taken")
    reader.expect("=")
    if reader.ahead(0) in spec.dtypes:
        return _tensor(reader, name, dtypes, spec)
    call = reader.expression(spec, dtypes)
    if "name" in call:
        raise StatementError(f"a call or DTYPE LIST expected after '{name} ='")
    dtypes[name] = infer_dtype(call, dtypes, spec)[0]
    return {"kind": "assign", "name": name, "call": call}


def _tensor(reader, name, dtypes, spec):
    dtype = spec.dtypes[reader.word()]
    shape, values = _literal(reader, dtype)
    dtypes[name] = dtype.name
    if not reader.match("view", "("):
        return {"kind": "tensor", "name": name, "dtype": dtype.name, "shape": shape, "values": values}
    statement = {"kind": "view", "name": name, "dtype": dtype.name, "buffer": values}
    for word, read in (("offset", reader.integer), ("shape", reader.integers), ("strides", reader.integers)):
        reader.expect(word)
        statement[word] = read()
        if word != "strides":
            reader.expect(",")
    reader.expect(")")
    if len(statement["shape"]) != len(statement["strides"]):
        raise StatementError("shape and strides have different lengths")
    return statement


def _literal(reader, dtype):
    """A nested list, or one token for rank 0: its shape and resolved values."""
    shape, flat = reader.nested()
    return shape, [tokens.text(tokens.resolve(token, dtype), dtype) for token in flat]


def _check(reader, dtypes, spec):
    subject = reader.expression(spec, dtypes)
    if reader.match("has"):
        return _has(reader, subject, dtypes, spec)
    if reader.match("is"):
        holds = not reader.match("not")
        word = reader.word()
        if word not in vocabulary.IS:
            raise StatementError(unknown("property", word, vocabulary.IS))
        return {"kind": "is", "subject": subject, "property": word, "holds": holds}
    if reader.match("raises"):
        error = reader.word()
        if error not in vocabulary.ERRORS:
            raise StatementError(unknown("error", error, vocabulary.ERRORS))
        return {"kind": "raises", "call": subject, "error": error}
    reader.expect("->")
    results = []
    # A dtype before the list is part of what is expected; without it the call is one of a row, nothing promoted.
    given = [reader.take()] if reader.ahead(0) in spec.dtypes else infer_dtype(subject, dtypes, spec)
    for result in given:
        if results:
            reader.expect(",")
        shape, values = _literal(reader, spec.dtypes[result])
        results.append({"dtype": result, "shape": shape, "values": values})
    if "op" in subject:
        return {"kind": "call", "call": subject, "results": results}
    return {"kind": "values", "subject": subject} | results[0]


def _has(reader, subject, dtypes, spec):
    statement = {"kind": "has", "subject": subject}
    while True:
        word = reader.word()
        if word not in vocabulary.HAS:
            raise StatementError(unknown("property", word, vocabulary.HAS))
        if word == "offset":
            statement[word] = reader.integer()
        elif word == "storage":
            statement[word] = _literal(reader, spec.dtypes[infer_dtype(subject, dtypes, spec)[0]])[1]
        else:
            statement[word] = reader.integers()
        if not reader.match(","):
            return statement
