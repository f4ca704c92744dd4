"""Parses oracle expressions to trees.

    ["number", "0.5"]   ["name", "x"]   ["call", "add", LEFT, RIGHT]

`pi`, `nan`, `inf` and, inside a reduction, `n` are names; `move` and `sort` are names that stand alone. The primitives are those of
vocabulary.py.
"""

import re

from tools.spec import vocabulary
from tools.spec.problems import listing, unknown

_TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
                    r"|(?P<symbol>==|!=|<=|>=|[-+*/<>(),]))")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
# Binding powers: larger binds tighter.
_POWER = {"or": 1, "and": 2} | {symbol: 4 for symbol in _COMPARISONS} | {"+": 5, "-": 5, "*": 6, "/": 6}
_NOT_POWER, _NEGATE_POWER = 3, 7


class OracleError(ValueError):
    """The expression does not parse, or uses a word that it may not use."""


def tokenize(text):
    """A list of (kind, text, column from 1), ended by ("end", "", column)."""
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            column = at + len(text[at:]) - len(text[at:].lstrip())
            raise OracleError(f"column {column + 1}: '{text[column]}' is no part of an oracle expression")
        kind = match.lastgroup
        tokens.append((kind, match.group(kind), match.start(kind) + 1))
        at = match.end()
    tokens.append(("end", "", len(text) + 1))
    return tokens


class _Parser:
    def __init__(self, text, names, group, functions):
        self.tokens = tokenize(text)
        self.at = 0
        self.names = names
        self.group = group
        self.functions = functions

    def peek(self):
        return self.tokens[self.at]

    def take(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, symbol):
        kind, text, column = self.take()
        if text != symbol:
            raise OracleError(f"column {column}: '{symbol}' expected, found {_shown(kind, text)}")

    def expression(self, power=0):
        left = self.prefix()
        while True:
            _, symbol, column = self.peek()
            binding = _POWER.get(symbol, 0)
            if binding <= power:
                return left
            self.take()
            left = ["call", vocabulary.INFIX[symbol], left, self.expression(binding)]
            if symbol in _COMPARISONS and self.peek()[1] in _COMPARISONS:
                raise OracleError(f"column {self.peek()[2]}: comparisons do not chain; join them with 'and'")

    def prefix(self):
        kind, text, column = self.take()
        if kind == "number":
            return ["number", text]
        if text == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        if text == "-":
            return ["call", "neg", self.expression(_NEGATE_POWER)]
        if text == "not":
            return ["call", "not", self.expression(_NOT_POWER)]
        if kind == "name" and text not in ("and", "or"):
            return self.call(text, column) if self.peek()[1] == "(" else self.name(text, column)
        raise OracleError(f"column {column}: a number, a name or '(' expected, found {_shown(kind, text)}")

    def name(self, text, column):
        valid = [*self.names, *vocabulary.CONSTANTS, *(vocabulary.GROUP_NAMES if self.group else ())]
        if text not in valid:
            raise OracleError(f"column {column}: " + unknown("name", text, valid))
        return ["name", text]

    def call(self, text, column):
        if self.functions is not None and text not in self.functions:
            what = "primitive"
            if text in vocabulary.PRIMITIVES_GROUP:
                what = "primitive outside a reduction"
            raise OracleError(f"column {column}: " + unknown(what, text, sorted(self.functions)))
        self.expect("(")
        arguments = []
        if self.peek()[1] != ")":
            arguments.append(self.expression())
            while self.peek()[1] == ",":
                self.take()
                arguments.append(self.expression())
        self.expect(")")
        if self.functions is not None and len(arguments) != self.functions[text]:
            raise OracleError(f"column {column}: {text} takes {self.functions[text]} arguments, {len(arguments)} given")
        return ["call", text, *arguments]


def _shown(kind, text):
    return "the end" if kind == "end" else f"'{text}'"


def parse(text, names, group=False, standalone=False, any_function=False):
    """The tree of an expression over `names`. `group` allows reductions, `standalone` the words move and sort, and
    `any_function` calls of functions that are no primitives (as gradients do)."""
    if standalone and text.strip() in vocabulary.STANDALONE:
        return ["name", text.strip()]
    functions = {name: count for name, count in vocabulary.PRIMITIVES.items()
                 if group or name not in vocabulary.PRIMITIVES_GROUP}
    parser = _Parser(text, tuple(names), group, None if any_function else functions)
    if parser.peek()[0] == "end":
        raise OracleError(f"empty expression; valid are numbers, {listing(names)}, and calls of primitives")
    tree = parser.expression()
    kind, rest, column = parser.peek()
    if kind != "end":
        raise OracleError(f"column {column}: an operator or the end expected, found {_shown(kind, rest)}")
    return tree


def names_of(tree):
    """The names that a tree reads."""
    if tree[0] == "name":
        return {tree[1]}
    if tree[0] == "call":
        return set().union(*(names_of(argument) for argument in tree[2:])) if len(tree) > 2 else set()
    return set()
