"""spec.json: everything, one fact a line, so that a difference is readable."""

import json


def spec_json(spec):
    sections = {
        "dtypes": [_dtype(d) for d in spec.dtypes.values()],
        "families": [{"name": f.name, "id": f.id} for f in spec.families.values()],
        "ops": [_op(op) for op in spec.ops.values()],
        "clauses": [{"label": c.label, "text": c.text, "op": c.op, "reference": c.reference, "file": c.place.file,
                     "line": c.place.line} for c in spec.clauses.values()],
        "tables": [{"name": t.name, "op": t.op, "types": t.types, "instances": t.instances, "cites": t.cites,
                    "columns": t.columns, "rows": t.rows, "file": t.place.file, "line": t.place.line}
                   for t in spec.tables],
        "examples": [{"op": e.op, "cites": e.cites, "file": e.place.file, "line": e.place.line,
                      "statements": e.statements} for e in spec.examples],
    }
    parts = []
    for name, records in sections.items():
        write = _long if name in ("ops", "tables", "examples") else _line
        body = ",\n".join(write(record) for record in records)
        parts.append(f"{_line(name)}: [\n{body}\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value):
    return json.dumps(value, ensure_ascii=False)


def _long(record):
    """A record with one key a line; lists of records or rows are broken once more."""
    lines = []
    for key, value in record.items():
        if isinstance(value, list) and len(value) > 1 and isinstance(value[0], (dict, list)) \
                and key in ("instances", "rows", "statements"):
            inner = ",\n    ".join(_line(entry) for entry in value)
            lines.append(f"  {_line(key)}: [\n    {inner}]")
        else:
            lines.append(f"  {_line(key)}: {_line(value)}")
    return "{\n" + ",\n".join(lines) + "}"


def _dtype(dtype):
    record = {"name": dtype.name, "id": dtype.id, "bytes": dtype.bytes, "class": dtype.kind, "cpp": dtype.cpp}
    if dtype.kind == "float":
        record |= {"precision": dtype.precision, "emax": dtype.emax}
    return record


def _op(op):
    return {
        "name": op.name, "id": op.id, "family": op.family, "file": op.place.file, "line": op.place.line,
        "meaning": op.meaning, "signature": op.signature,
        "operands": [{"name": o.name, "role": o.role} for o in op.operands],
        "outputs": [{"name": name} for name in op.outputs],
        "attributes": [{"name": a.name, "slot": a.slot, "kind": a.kind, "domain": a.domain, "default": a.default}
                       for a in op.attributes],
        "instances": [{"in": i.inputs, "out": i.outputs, "acc": i.acc, "eval": i.eval, "tolerance": i.tolerance}
                      for i in op.instances],
        "shape": op.shape, "empty": op.empty, "alias": op.alias, "domain": op.domain, "hard": op.hard,
        "oracle": op.oracle, "oracle_text": op.oracle_text, "condition": op.condition,
        "exclude": op.exclude, "torch": op.torch, "diverges": op.diverges, "bits": op.bits,
        "gradient": op.gradient, "kinks": op.kinks, "hash": op.hash,
    }
