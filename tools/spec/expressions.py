"""The words of an example statement, and the calls in it.

A call of an operation is {"op", "operands": {NAME: EXPRESSION}, "attributes": {NAME: TEXT}}; of a view operation
{"view", "arguments": [EXPRESSION]}. An expression is such a call, {"name"}, {"number"}, {"shape"} or {"key", "value"}.
"""

import re

from tools.spec import tokens, vocabulary
from tools.spec.problems import listing, unknown

_WORD = re.compile(r"\s*(?:(?P<arrow>->)|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?![\w^]))"
                   r"|(?P<number>[+-]?(?:[A-Za-z0-9^]|\.(?!\.))+(?:(?<=[0-9a-fA-F.][eEpP])[+-]\d+)?(?:[+-](?:[A-Za-z0-9^]|\.(?!\.))+)*)"
                   r"|(?P<symbol>\.\.|[\[\](),=*]))")


class StatementError(ValueError):
    """The statement does not parse."""


class Reader:
    """Reads a statement from left to right."""

    def __init__(self, text):
        self.words, at = [], 0
        while at < len(text):
            match = _WORD.match(text, at)
            if match is None:
                raise StatementError(f"'{text[at:].strip()[:12]}' is no word of a statement")
            kind = match.lastgroup
            word = match.group(kind)
            # A name that goes on, as in max-1, is a value.
            if kind == "name" and (more := re.match(r"[+-][A-Za-z0-9.^]+", text[match.end():])):
                kind, word = "number", word + more[0]
                at = match.end() + more.end()
            else:
                at = match.end()
            self.words.append((kind, word))
        self.at = 0

    def ahead(self, distance):
        return self.words[self.at + distance][1] if self.at + distance < len(self.words) else ""

    def kind(self):
        return self.words[self.at][0] if self.at < len(self.words) else "end"

    def take(self):
        if self.at == len(self.words):
            raise StatementError("it ends too early")
        self.at += 1
        return self.words[self.at - 1][1]

    def match(self, *words):
        """Takes the words if they come next."""
        if any(self.ahead(i) != word for i, word in enumerate(words)):
            return False
        self.at += len(words)
        return True

    def expect(self, word):
        if not self.match(word):
            raise StatementError(f"'{word}' expected, found '{self.ahead(0) or 'the end'}'")

    def end(self):
        if self.at != len(self.words):
            raise StatementError(f"the end expected, found '{self.ahead(0)}'")

    def word(self):
        if self.kind() != "name":
            raise StatementError(f"a name expected, found '{self.ahead(0) or 'the end'}'")
        return self.take()

    def integer(self):
        text = self.ahead(0)
        if not re.match(r"-?\d+\Z", text):
            raise StatementError(f"an integer expected, found '{text or 'the end'}'")
        return int(self.take())

    def integers(self):
        """`(2,3)`, `(3)` or `()`."""
        self.expect("(")
        found = []
        while not self.match(")"):
            found.append(self.integer())
            if not self.match(",") and self.ahead(0) != ")":
                raise StatementError(f"',' or ')' expected, found '{self.ahead(0) or 'the end'}'")
        return found

    def nested(self):
        """The shape and tokens of a list such as [[1 2] [3 4]], [0.1*100] or [0..9]; one token has shape []."""
        if not self.match("["):
            if self.kind() not in ("name", "number"):
                raise StatementError(f"a value or a list expected, found '{self.ahead(0) or 'the end'}'")
            return [], [self.take()]
        shapes, flat = [], []
        while not self.match("]"):
            if self.ahead(1) == "..":
                first = self.integer()
                self.expect("..")
                values = [str(value) for value in range(first, self.integer() + 1)]
                shapes += [[]] * len(values)
                flat += values
                continue
            shape, values = self.nested()
            times = self.integer() if self.match("*") else 1
            shapes += [shape] * times
            flat += values * times
        if any(shape != shapes[0] for shape in shapes):
            raise StatementError("the rows of a list differ in shape")
        return [len(shapes), *(shapes[0] if shapes else [])], flat

    def expression(self, spec, dtypes):
        """A call or a name, its words checked."""
        if self.kind() == "number":
            return {"number": self.take()}
        if self.ahead(0) == "(":
            return {"shape": self.integers()}
        name = self.word()
        if not self.match("("):
            if name in ("true", "false", "inf", "nan"):
                return {"number": name}
            if name not in dtypes:
                raise StatementError(unknown("name", name, dtypes))
            return {"name": name}
        if name not in spec.ops and name not in vocabulary.VIEWS:
            raise StatementError(unknown("operation", name, sorted([*spec.ops, *vocabulary.VIEWS])))
        arguments = []
        while not self.match(")"):
            if self.kind() == "name" and self.ahead(1) == "=":
                key = self.word()
                self.expect("=")
                arguments.append({"key": key, "value": self.expression(spec, dtypes)})
            else:
                arguments.append(self.expression(spec, dtypes))
            if not self.match(",") and self.ahead(0) != ")":
                raise StatementError(f"',' or ')' expected, found '{self.ahead(0) or 'the end'}'")
        return _bind_op(spec.ops[name], arguments) if name in spec.ops else _bind_view(name, arguments)


def _bind_view(name, arguments):
    if len(arguments) != vocabulary.VIEWS[name]:
        raise StatementError(f"{name} takes {vocabulary.VIEWS[name]} arguments, {len(arguments)} given")
    return {"view": name, "arguments": arguments}


def _bind_op(op, arguments):
    given, order = {}, list(op.signature)
    for argument in arguments:
        if "key" in argument:
            name, value = argument["key"], argument["value"]
        elif order and len(given) < len(order):
            name, value = order[len(given)], argument
        else:
            raise StatementError(f"{op.name}({listing(order)}) takes {len(order)} arguments")
        if name not in order or name in given:
            raise StatementError(f"{op.name}({listing(order)}): " + unknown("argument", name, order))
        given[name] = value
    call = {"op": op.name, "operands": {}, "attributes": {}}
    for name in order:
        attribute = op.attribute(name)
        if name not in given:
            if attribute is None or attribute.default is None:
                raise StatementError(f"{op.name}({listing(order)}): {name} is missing")
        elif attribute is None:
            call["operands"][name] = given[name]
        elif "number" in given[name]:
            call["attributes"][name] = given[name]["number"]
        elif "shape" in given[name] and attribute.kind == "axes":
            call["attributes"][name] = str(sum(1 << axis for axis in given[name]["shape"]))
        else:
            raise StatementError(f"{op.name}: attribute {name} takes a value")
    return call


def infer_dtype(call, dtypes, spec):
    """The dtypes of what an expression gives; a number fits every operand."""
    if "name" in call:
        return [dtypes[call["name"]]]
    if "view" in call:
        return infer_dtype(call["arguments"][0], dtypes, spec)
    if "op" not in call:
        raise StatementError("a name or a call expected")
    op = spec.ops[call["op"]]
    given = [None if "number" in value else infer_dtype(value, dtypes, spec)[0]
             for value in (call["operands"][o.name] for o in op.operands)]
    fitting = [instance for instance in op.instances
               if all(have in (None, want) for have, want in zip(given, instance.inputs))]
    for instance in fitting:
        # Where the operands leave the result's dtype open, as convert does, it is the operand's own.
        if len(fitting) == 1 or None in given or len({tuple(i.outputs) for i in fitting}) == 1 \
                or instance.outputs[0] == given[0]:
            _check_values(op, instance, call, spec)
            return instance.outputs
    raise StatementError(f"{op.name} has no instance for {listing(g or 'number' for g in given)}")


def _check_values(op, instance, call, spec):
    from tools.spec.tables import column_dtype  # tables reads examples' words nowhere; this only names a dtype
    for name, text in call["attributes"].items():
        tokens.resolve(text, column_dtype(op, instance, name, spec))
    for name, value in call["operands"].items():
        if "number" in value:
            tokens.resolve(value["number"], column_dtype(op, instance, name, spec))
