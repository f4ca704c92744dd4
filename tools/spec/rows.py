"""Turns rows into records: dtypes, families, operations."""

import hashlib
import json
import re

from tools.spec import instances, oracle, vocabulary
from tools.spec.model import Attribute, Dtype, Family, Op, Operand
from tools.spec.problems import listing, unknown
from tools.spec.schema import check_entries

_INTERVAL = re.compile(r"\[\s*(-?[0-9.]+(?:[eE][+-]?\d+)?)\s*,\s*(-?[0-9.]+(?:[eE][+-]?\d+)?)\s*\]\Z")
_SIGNATURE = re.compile(r"`([a-z][a-z0-9_]*)\(([a-z0-9_, ]*)\)\s*->\s*([a-z0-9_, ]+)`")


def read_dtype(row):
    floating = row.values.get("class") == "float"
    row.check_keys((*vocabulary.DTYPE_KEYS, *(vocabulary.DTYPE_KEYS_FLOAT if floating else ())))
    _check_name(row)
    return Dtype(row.name, row.get("id", int), row.get("bytes", int), row.choice("class", vocabulary.CLASSES),
                 row.get("cpp", str), row.place, row.get("precision", int, 0), row.get("emax", int, 0))


def read_family(row):
    row.check_keys(("id",))
    _check_name(row)
    return Family(row.name, row.get("id", int), row.place)


def read_op(row, meaning, spec):
    """The op of a row. `meaning` is the paragraph under the heading, `spec` has dtypes and families."""
    letters = tuple(key for key in row.values if instances.is_letter(key))
    row.check_keys(vocabulary.OP_KEYS_REQUIRED, (*vocabulary.OP_KEYS_OPTIONAL, *letters))
    _check_name(row)
    op = Op(row.name, row.place, key_places=row.key_places)
    op.id = row.get("id", int)
    op.family = row.choice("family", tuple(spec.families))
    _read_operands(row, op, spec.dtypes)
    _read_attributes(row, op)
    op.instances = instances.expand(row, op, spec.dtypes)
    instances.resolve_eval(row, op, spec.dtypes)
    instances.resolve_tolerance(row, op, spec.dtypes)
    _read_rules(row, op)
    _read_expressions(row, op)
    _read_gradient(row, op)
    _read_meaning(row, op, meaning)
    normal = json.dumps(_normalised(row.values), sort_keys=True, separators=(",", ":"))
    op.hash = hashlib.sha256(f"{op.name}:{normal}".encode()).hexdigest()[:16]
    return op


def _check_name(row):
    if not vocabulary.NAME.match(row.name):
        row.fail("name", f"'{row.name}' is no name; letters a-z, digits and _ expected")


def _normalised(value):
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_normalised(v) for v in value]
    if isinstance(value, dict):
        return {k: _normalised(v) for k, v in value.items()}
    return value


def _read_operands(row, op, dtypes):
    for entry in check_entries(row, "operands", vocabulary.OPERAND_KEYS):
        role = entry.get("role", "in")
        if role not in vocabulary.ROLES:
            row.fail("operands", unknown("role", role, vocabulary.ROLES))
        fixed = entry.get("dtypes")
        op.operands.append(Operand(entry["name"], role,
                                   fixed and instances.dtype_set(row, "operands", fixed, dtypes)))
    outputs = check_entries(row, "outputs", ("name",)) if "outputs" in row.values else [{"name": "z"}]
    op.outputs = [entry["name"] for entry in outputs]
    names = [o.name for o in op.operands] + op.outputs
    for name in names:
        if not vocabulary.NAME.match(name) or name in vocabulary.PRIMITIVES or name in ("g", "n", "pi"):
            row.fail("operands", f"'{name}' cannot be the name of an operand or output")
    if len(set(names)) != len(names):
        row.fail("operands", f"a name stands twice in {listing(names)}")


def _read_attributes(row, op):
    kinds = (*vocabulary.ATTRIBUTE_KINDS, *(f"of {o.name}" for o in op.operands), *(f"of {o}" for o in op.outputs))
    taken = {}
    for entry in check_entries(row, "attributes", vocabulary.ATTRIBUTE_KEYS):
        name, slot, kind = entry["name"], entry.get("slot"), entry.get("kind")
        if not isinstance(slot, int) or slot < 0:
            row.fail("attributes", f"{name} has no slot; slot = 0, 1, ... expected")
        if slot in taken:
            row.fail("attributes", f"{name} and {taken[slot]} both have slot {slot}")
        if kind not in kinds:
            row.fail("attributes", f"{name}: " + unknown("kind", kind, kinds))
        if op.operand(name) or op.attribute(name) or name in op.outputs:
            row.fail("attributes", f"the name {name} stands twice")
        domain = entry.get("domain")
        if domain is not None:
            check_domain(row, "attributes", domain)
        taken[slot] = name
        op.attributes.append(Attribute(name, slot, kind, domain, entry.get("default")))
    if sorted(taken) != list(range(len(taken))):
        row.fail("attributes", f"slots are 0 to {len(taken) - 1}, found {listing(sorted(taken))}")


def check_domain(row, key, text):
    if text == "all":
        return
    match = _INTERVAL.match(text) if isinstance(text, str) else None
    if match is None:
        row.fail(key, f"'{text}' is no domain; valid: all, or an interval [a, b]")
    if float(match[1]) > float(match[2]):
        row.fail(key, f"the interval {text} is empty")


def _read_rules(row, op):
    op.shape = row.choice("shape", vocabulary.SHAPES, "broadcast")
    op.empty = row.choice("empty", vocabulary.EMPTIES, "empty")
    op.bits = row.choice("bits", vocabulary.BITS)
    names = [o.name for o in op.operands]
    usual = "z may be " + " or ".join(names) if op.family == "elementwise" else "disjoint"
    if any(o.role == "inout" for o in op.operands):
        usual = "in place"
    op.alias = row.get("alias", str, usual)
    words = op.alias.removeprefix("z may be ").split(" or ") if vocabulary.ALIAS.match(op.alias) else None
    if words is None and op.alias not in ("disjoint", "in place"):
        row.fail("alias", unknown("alias rule", op.alias, vocabulary.ALIAS_WORDS))
    for word in words or ():
        if word not in names:
            row.fail("alias", unknown("operand", word, names))
    op.domain = row.get("domain", dict, {})
    for name, text in op.domain.items():
        valid = names + [a.name for a in op.attributes]
        if name not in valid:
            row.fail("domain", unknown("operand or attribute", name, valid))
        check_domain(row, "domain", text)
    for attribute in op.attributes:
        if attribute.domain is None:
            attribute.domain = op.domain.get(attribute.name)
    op.hard = row.get("hard", list, [])
    op.diverges = row.get("diverges", list, [])
    op.composed = row.get("composed", bool, False)
    op.torch = row.get("torch", str)
    if op.torch == "none" or (op.torch.startswith("none") and not re.match(r"none: \S", op.torch)):
        row.fail("torch", "an op without a witness says why: \"none: REASON\"")


def _parse(row, key, text, names, **options):
    try:
        return oracle.parse(text, names, **options)
    except oracle.OracleError as error:
        row.fail(key, f"in '{text}', {error}")


def _read_expressions(row, op):
    names = [o.name for o in op.operands] + [a.name for a in op.attributes]
    group = op.family not in vocabulary.ELEMENT_FAMILIES
    text = row.get("oracle", (str, dict))
    op.oracle_text = text
    if isinstance(text, dict):
        if sorted(text) != sorted(op.outputs):
            row.fail("oracle", f"one expression for each output expected: {listing(op.outputs)}")
        op.oracle = {out: _parse(row, "oracle", e, names, group=group, standalone=True) for out, e in text.items()}
    else:
        op.oracle = _parse(row, "oracle", text, names, group=group, standalone=True)
    if "condition" in row.values:
        op.condition = _parse(row, "condition", row.get("condition", str), [*names, *op.outputs], group=group)
        if not any(vocabulary.ULP.match(i.tolerance) for i in op.instances):
            row.fail("condition", "a condition adds to a tolerance ulp(N); no instance has one")
    for entry in row.get("exclude", list, []):
        if not isinstance(entry, dict) or sorted(entry) != ["reason", "when"]:
            row.fail("exclude", "an entry is { when = \"EXPRESSION\", reason = \"...\" }")
        tree = _parse(row, "exclude", entry["when"], names, group=group)
        op.exclude.append({"when": tree, "when_text": entry["when"], "reason": entry["reason"]})


def _read_gradient(row, op):
    value = row.get("gradient", (str, dict))
    names = [*(o.name for o in op.operands), *(a.name for a in op.attributes), *op.outputs, "g", "n"]
    if isinstance(value, str):
        if value != "none":
            row.fail("gradient", "\"none\", or an expression for each operand, { x = \"g\" }, expected")
        op.gradient = {}
        value = {}
    for name, text in value.items():
        if op.operand(name) is None:
            row.fail("gradient", unknown("operand", name, [o.name for o in op.operands]))
        if text != "none":
            _parse(row, "gradient", text, names, any_function=True, group=True)
    op.gradient = value
    op.kinks = row.get("kinks", dict, {})
    for when, text in op.kinks.items():
        for part in when.split("=") if "=" in when else ():
            _parse(row, "kinks", part, names, any_function=True, group=True)
        if "=" not in when:
            row.fail("kinks", f"'{when}' is no kink; \"x = 0\" = \"g\" expected")
        _parse(row, "kinks", text, names, any_function=True, group=True)


def _read_meaning(row, op, meaning):
    match = _SIGNATURE.match(meaning)
    if match is None or match[1] != op.name:
        row.fail("meaning", f"the section begins with one sentence that starts with `{op.name}(...) -> ...`")
    words = [word.strip() for word in match[2].split(",")] if match[2].strip() else []
    expected = [o.name for o in op.operands] + [a.name for a in op.attributes]
    if sorted(words) != sorted(expected):
        row.fail("meaning", f"the signature has {listing(words)}; operands and attributes are {listing(expected)}")
    if [word.strip() for word in match[3].split(",")] != op.outputs:
        row.fail("meaning", f"the signature gives {match[3]}; outputs are {listing(op.outputs)}")
    defaults = [op.attribute(w) is not None and op.attribute(w).default is not None for w in words]
    if defaults != sorted(defaults):
        row.fail("meaning", "what has a default stands last in the signature")
    op.meaning, op.signature = " ".join(meaning.split()), words
