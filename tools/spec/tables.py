"""Special-value tables: columns are operands, attributes and outputs, cells are tokens of a closed set."""

import re

from tools.spec import expressions, tokens, vocabulary
from tools.spec.markdown import cells
from tools.spec.model import Table
from tools.spec.problems import SpecError, listing, unknown

_MARK_KEYS = ("types", "cites")
_SHAPE = re.compile(r"\((?:\s*\d+\s*(?:,\s*\d+\s*)*,?)?\)\Z")


def read_table(mark, block, op, spec, names):
    """The table that follows a mark `table NAME types=.. cites=..`."""
    place = mark.place
    words = mark.text.split()
    if not words or not re.match(r"[a-z0-9_]+\.[a-z0-9_]+\Z", words[0]):
        raise SpecError(place, "a table is marked '<!-- table OP.NAME types=.. cites=.. -->'")
    if op is None or not words[0].startswith(op.name + "."):
        raise SpecError(place, f"table {words[0]} stands outside the section of its op")
    if words[0] in names:
        raise SpecError(place, f"table {words[0]} exists already, at {names[words[0]]}")
    arguments = {}
    for word in words[1:]:
        key, _, value = word.partition("=")
        valid = [*_MARK_KEYS, *(o.name for o in op.operands), *op.outputs]
        if key not in valid or not value:
            raise SpecError(place, f"table {words[0]}: " + unknown("key", key, valid))
        arguments[key] = value.split(",")
    cites = arguments.get("cites", [])
    chosen = _instances(place, words[0], arguments.get("types"), op, spec)
    for key, types in arguments.items():
        if key not in _MARK_KEYS:
            chosen = _narrowed(place, words[0], key, types, chosen, op, spec)
    if block is None or len(block.lines) < 3:
        raise SpecError(place, f"table {words[0]}: a Markdown table with a row follows the mark")
    columns = _columns(block, words[0], op)
    table = Table(words[0], op.name, [], cites, columns, [], chosen, place)
    for index in chosen:
        dtype = op.lead_dtype(op.instances[index])
        if dtype not in table.types:
            table.types.append(dtype)
    for number, line in enumerate(block.lines[2:], block.place.line + 2):
        row_place = place.at(number)
        row = cells(line, row_place)
        if len(row) != len(columns):
            raise SpecError(row_place, f"table {table.name}: {len(row)} cells, {len(columns)} columns")
        _check_row(row_place, table, row, op, spec)
        table.rows.append(row)
    return table


def _instances(place, name, types, op, spec):
    """Numbers of the op's instances that a list of dtypes or classes selects by the lead operand."""
    if types is None:
        return list(range(len(op.instances)))
    chosen = set()
    for word in types:
        if word not in spec.dtypes and word not in vocabulary.CLASSES:
            raise SpecError(place, f"table {name}: " + unknown("type", word, [*spec.dtypes, *vocabulary.CLASSES]))
        found = {i for i, instance in enumerate(op.instances)
                 if word in (op.lead_dtype(instance), spec.dtypes[op.lead_dtype(instance)].kind)}
        if not found:
            has = dict.fromkeys(op.lead_dtype(i) for i in op.instances)
            raise SpecError(place, f"table {name}: {op.name} has no instance of type {word}; it has {listing(has)}")
        chosen |= found
    return sorted(chosen)


def _narrowed(place, name, key, types, chosen, op, spec):
    """Those of the chosen instances in which operand or output `key` has one of the types; `same` is the lead's."""
    kept = []
    for index in chosen:
        instance = op.instances[index]
        dtype = column_dtype(op, instance, key, spec)
        words = (dtype.name, dtype.kind, *(["same"] if dtype.name == op.lead_dtype(instance) else []))
        if any(word in words for word in types):
            kept.append(index)
    if not kept:
        raise SpecError(place, f"table {name}: no instance in which {key} is {listing(types)}")
    return kept


def _columns(block, name, op):
    columns = cells(block.lines[0], block.place)
    operands = [o.name for o in op.operands]
    inputs = operands + [a.name for a in op.attributes]
    valid = [*inputs, *(f"{o}.shape" for o in [*operands, *op.outputs]), *op.outputs]
    for column in columns:
        if column not in valid:
            raise SpecError(block.place, f"table {name}: " + unknown("column", column, valid))
    for wanted in [*inputs, *op.outputs]:
        attribute = op.attribute(wanted)
        optional = attribute is not None and attribute.default is not None
        if columns.count(wanted) + columns.count(wanted + ".shape") != 1 and not (optional and wanted not in columns):
            raise SpecError(block.place, f"table {name}: column '{wanted}' stands once; valid: {listing(valid)}")
    return columns


def column_dtype(op, instance, column, spec):
    """The dtype of a column's values: an operand's, an output's, or what an attribute holds."""
    for i, operand in enumerate(op.operands):
        if operand.name == column:
            return spec.dtypes[instance.inputs[i]]
    if column in op.outputs:
        return spec.dtypes[instance.outputs[op.outputs.index(column)]]
    kind = op.attribute(column).kind
    if kind.startswith("of "):
        return column_dtype(op, instance, kind[3:], spec)
    return spec.dtypes[{"real": "f64", "bool": "bool"}.get(kind, "i64")]


def _check_row(place, table, row, op, spec):
    for index in table.instances:
        instance = op.instances[index]
        for column, cell in zip(table.columns, row):
            where = f"table {table.name}, column {column}: "
            if column.endswith(".shape"):
                if not _SHAPE.match(cell):
                    raise SpecError(place, where + f"'{cell}' is no shape; (2,3) expected")
                continue
            attribute = op.attribute(column)
            if attribute is not None and attribute.kind == "axes" and _SHAPE.match(cell):
                continue
            if column in op.outputs and _is_result_word(place, where, cell, instance):
                continue
            try:
                for token in dict.fromkeys(flat(cell)):
                    tokens.resolve(token, column_dtype(op, instance, column, spec))
            except (tokens.TokenError, expressions.StatementError) as error:
                raise SpecError(place, where + str(error)) from None


def _is_result_word(place, where, cell, instance):
    """Whether an output cell is `same`, `oracle` or an error, which stand for no value of their own."""
    if cell.startswith("error:"):
        if cell[6:] not in vocabulary.ERRORS:
            raise SpecError(place, where + unknown("error", cell[6:], vocabulary.ERRORS))
        return True
    if cell == "oracle" and instance.eval != "real":
        raise SpecError(place, where + "'oracle' stands in for a result of a real row; this instance is "
                        + instance.eval)
    return cell in ("same", "oracle")


def flat(cell):
    """The tokens of a cell: one, or those of a nested list."""
    if not cell.startswith("["):
        return [cell]
    reader = expressions.Reader(cell)
    found = reader.nested()[1]
    reader.end()
    return found
