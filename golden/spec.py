"""The compiled spec as the generator sees it: rows, their instances, and the tables of special values."""

import json
import os
from dataclasses import dataclass

from golden.errors import SpecError

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPEC = os.path.join(ROOT, "spec", "generated", "spec.json")


@dataclass(frozen=True)
class Attribute:
    """An attribute's kind is int, real, bool, axis, axes, or `of`: a value of the dtype of operand or output `of`."""

    name: str
    slot: int
    kind: str
    of: str
    domain: str
    default: object


@dataclass(frozen=True)
class Instance:
    """One tuple of dtypes of a row: operand dtypes in the row's order, output dtypes, arithmetic, tolerance."""

    inputs: tuple
    outputs: tuple
    accumulator: str
    eval: str
    tolerance: str


@dataclass(frozen=True)
class Op:
    """One row."""

    name: str
    id: int
    family: str
    operands: tuple  # names
    roles: dict  # operand -> role
    outputs: tuple  # names
    attributes: tuple
    instances: tuple
    domain: dict
    hard: tuple
    empty: str
    oracle: list
    oracle_text: str
    exclude: tuple
    condition: list
    torch: str
    diverges: tuple
    hash: str
    tables: tuple

    def attribute(self, name):
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)


def load(path=SPEC):
    """All rows by name, in the order of the file."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, json.JSONDecodeError) as error:
        raise SpecError(f"cannot read {path}: {error}") from error
    tables = {}
    for table in data.get("tables", []):
        if table.get("op"):
            tables.setdefault(table["op"], []).append(table)
    ops = {}
    for row in data["ops"]:
        try:
            ops[row["name"]] = _op(row, tables.get(row["name"], []))
        except (KeyError, TypeError, ValueError) as error:
            where = f"{row.get('file')}:{row.get('line')}"
            raise SpecError(f"{where}: row {row.get('name')} lacks or breaks {error!r}") from error
    return ops


def _op(row, tables):
    return Op(
        name=row["name"],
        id=row["id"],
        family=row["family"],
        operands=tuple(operand["name"] for operand in row["operands"]),
        roles={operand["name"]: operand.get("role", "in") for operand in row["operands"]},
        outputs=tuple(output["name"] for output in row["outputs"]),
        attributes=tuple(
            sorted((_attribute(entry) for entry in row.get("attributes") or []), key=lambda entry: entry.slot)
        ),
        instances=tuple(_instance(entry) for entry in row["instances"]),
        domain=row.get("domain") or {},
        hard=tuple(row.get("hard") or []),
        empty=row.get("empty") or "",
        oracle=row["oracle"],
        oracle_text=row.get("oracle_text", ""),
        exclude=tuple(row.get("exclude") or []),
        condition=row.get("condition"),
        torch=row.get("torch") or "none",
        diverges=tuple(row.get("diverges") or []),
        hash=row["hash"],
        tables=tuple(tables),
    )


def _attribute(entry):
    kind, _, of = entry["kind"].partition(" of ")
    if kind.startswith("of "):
        kind, of = "of", kind[3:]
    return Attribute(entry["name"], entry["slot"], kind, of, entry.get("domain") or "", entry.get("default"))


def _instance(entry):
    return Instance(
        tuple(entry["in"]), tuple(entry["out"]), entry.get("acc") or "", entry["eval"], str(entry["tolerance"])
    )
