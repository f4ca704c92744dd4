"""Expands the `types` tuples of a row to instances, with evaluation and tolerance resolved for each."""

import itertools

from tools.spec import vocabulary
from tools.spec.model import Instance
from tools.spec.problems import unknown


def expand(row, op, dtypes):
    """The instances of a row, in the order of the tuples and of the letters' sets."""
    tuples = row.get("types", list)
    sets = _letter_sets(row, dtypes)
    found, seen = [], set()
    for words in tuples:
        for instance in _expand_tuple(row, op, words, sets, dtypes):
            key = (*instance.inputs, "->", *instance.outputs)
            if key in seen:
                row.fail("types", f"two tuples give {' '.join(key)}")
            seen.add(key)
            found.append(instance)
    if not found:
        row.fail("types", "no tuple; one such as [\"T\", \"T\", \"->\", \"T\"] expected")
    return found


def is_letter(word):
    return len(word) == 1 and word.isupper()


def _letter_sets(row, dtypes):
    """The dtypes that each upper-case key of the row names."""
    sets = {}
    for key in row.values:
        if is_letter(key):
            sets[key] = dtype_set(row, key, row.get(key, str), dtypes)
    return sets


def dtype_set(row, key, text, dtypes):
    words = text.split()
    for word in words:
        if word not in dtypes:
            row.fail(key, unknown("dtype", word, dtypes))
    if not words or len(set(words)) != len(words):
        row.fail(key, "a set of dtypes is one or more names, each once, separated by blanks")
    return words


def _expand_tuple(row, op, words, sets, dtypes):
    shape = " ".join([*(o.name for o in op.operands), "->", *op.outputs])
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words) or words.count("->") != 1:
        row.fail("types", f"a tuple is a list of dtypes or letters with one \"->\", for {shape}; found {words}")
    arrow = words.index("->")
    inputs, outputs, acc = words[:arrow], words[arrow + 1:], None
    if outputs and outputs[-1].startswith("acc "):
        acc = outputs.pop()[4:].strip()
    if len(inputs) != len(op.operands) or len(outputs) != len(op.outputs):
        row.fail("types", f"the tuple {words} does not fit {shape}: {len(op.operands)} before the arrow and "
                 f"{len(op.outputs)} after it expected")
    sets = dict(sets)
    for word, operand in zip(inputs, op.operands):
        if is_letter(word) and word not in sets and operand.dtypes:
            sets[word] = operand.dtypes
    letters = []
    for word in [*inputs, *outputs, *([acc] if acc else [])]:
        if is_letter(word):
            if word not in sets:
                row.fail("types", f"the letter {word} is not defined; a key {word} = \"DTYPES\" of the row defines it"
                         f" (defined: {', '.join(sets) or 'none'})")
            if word not in letters:
                letters.append(word)
        elif word not in dtypes:
            row.fail("types", unknown("dtype", word, [*dtypes, *sets]))
    for values in itertools.product(*(sets[letter] for letter in letters)):
        bound = dict(zip(letters, values))
        names = [bound.get(word, word) for word in inputs]
        _check_operand_dtypes(row, op, names)
        results = [bound.get(word, word) for word in outputs]
        wide = bound.get(acc, acc) if acc else accumulator((names or results)[0])
        yield Instance(names, results, wide)


def _check_operand_dtypes(row, op, names):
    for operand, name in zip(op.operands, names):
        if operand.dtypes and name not in operand.dtypes:
            row.fail("types", f"operand {operand.name} is {name} in a tuple; its dtypes are {' '.join(operand.dtypes)}")


def accumulator(name):
    """What arithmetic on a dtype is done in, where the row does not say: f16 and bf16 widen to f32."""
    return "f32" if name in ("f16", "bf16") else name


def resolve_eval(row, op, dtypes):
    """Sets `eval` of every instance from the row's word or map by class of the lead operand."""
    value = row.get("eval", (str, dict))
    table = value if isinstance(value, dict) else None
    for word in (table.values() if table is not None else [value]):
        if word not in vocabulary.EVALS:
            row.fail("eval", unknown("evaluation", word, vocabulary.EVALS))
    for key in table or ():
        if key not in vocabulary.CLASSES:
            row.fail("eval", unknown("class", key, vocabulary.CLASSES))
    for instance in op.instances:
        kind = dtypes[op.lead_dtype(instance)].kind
        if table is None:
            instance.eval = value
        elif kind in table or (kind == "bool" and "int" in table):
            instance.eval = table.get(kind) or table["int"]
        else:
            row.fail("eval", f"no entry for class {kind}, which {op.lead_dtype(instance)} has; "
                     f"entries: {', '.join(table)}")


def resolve_tolerance(row, op, dtypes):
    """Sets `tolerance` of every instance from the row's word or map by dtype or class of the first output."""
    value = row.get("tolerance", (str, dict))
    table = value if isinstance(value, dict) else None
    for word in (table.values() if table is not None else [value]):
        if not isinstance(word, str) or not (word == "exact" or word in vocabulary.TOLERANCE_CLASSES
                                             or vocabulary.ULP.match(word)):
            row.fail("tolerance", unknown("tolerance", word, ("exact", "ulp(N)", *vocabulary.TOLERANCE_CLASSES)))
    for key in table or ():
        if key not in dtypes and key not in vocabulary.CLASSES:
            row.fail("tolerance", unknown("dtype or class", key, [*dtypes, *vocabulary.CLASSES]))
    for instance in op.instances:
        out = instance.outputs[0]
        if table is None:
            instance.tolerance = value
        else:
            kind = dtypes[out].kind
            instance.tolerance = table.get(out) or table.get(kind) or (table.get("int") if kind == "bool" else None)
            if instance.tolerance is None:
                row.fail("tolerance", f"no entry for {out}; entries: {', '.join(table)}")
        if instance.tolerance != "exact" and dtypes[out].kind != "float":
            if table is not None:
                row.fail("tolerance", f"{out} results are exact")
            instance.tolerance = "exact"
