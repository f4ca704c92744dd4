"""Trees of oracle expressions: precedence, associativity, names, and what does not parse."""

import unittest

from tools.spec import oracle, vocabulary

X, Y, ONE = ["name", "x"], ["name", "y"], ["number", "1"]


def call(name, *arguments):
    return ["call", name, *arguments]


class Trees(unittest.TestCase):
    def check(self, text, tree, **options):
        self.assertEqual(oracle.parse(text, ("x", "y"), **options), tree, text)

    def test_products_bind_tighter_than_sums(self):
        self.check("x + y * x", call("add", X, call("mul", Y, X)))
        self.check("(x + y) * x", call("mul", call("add", X, Y), X))

    def test_operators_of_one_rank_group_from_the_left(self):
        self.check("x - y - x", call("sub", call("sub", X, Y), X))
        self.check("x / y * x", call("mul", call("div", X, Y), X))

    def test_minus_binds_tighter_than_products(self):
        self.check("-x * y", call("mul", call("neg", X), Y))
        self.check("x - -y", call("sub", X, call("neg", Y)))

    def test_comparisons_sums_and_logic(self):
        self.check("x + y < x and not y == x or x",
                   call("or", call("and", call("lt", call("add", X, Y), X), call("not", call("eq", Y, X))), X))

    def test_calls_numbers_and_constants(self):
        self.check("where(x > 1, 0.5e-3, pi)", call("where", call("gt", X, ONE), ["number", "0.5e-3"], ["name", "pi"]))
        self.check("min(max(x, y), 1)", call("min", call("max", X, Y), ONE))

    def test_groups_only_where_allowed(self):
        self.check("sum(x * y) / n", call("div", call("sum", call("mul", X, Y)), ["name", "n"]), group=True)
        for text in ("sum(x)", "n"):
            with self.assertRaises(oracle.OracleError):
                oracle.parse(text, ("x",))

    def test_standalone_words(self):
        self.check("move", ["name", "move"], standalone=True)
        with self.assertRaises(oracle.OracleError):
            oracle.parse("move + 1", ("x",), standalone=True)

    def test_every_primitive_parses_with_its_number_of_arguments(self):
        for name, count in vocabulary.PRIMITIVES.items():
            arguments = ", ".join(["x"] * count)
            self.check(f"{name}({arguments})", call(name, *[X] * count), group=True)
            with self.assertRaises(oracle.OracleError, msg=name):
                oracle.parse(f"{name}({arguments}, x)", ("x",), group=True)

    def test_what_does_not_parse(self):
        for text, said in (("", "empty expression"), ("x +", "column 4"), ("(x", "')' expected, found the end"),
                           ("x y", "column 3"), ("x < y < x", "comparisons do not chain"), ("max(x y)", "column 7"),
                           ("x @ y", "column 3: '@'"), ("q", "unknown name 'q'"), ("1..2", "column 3")):
            with self.assertRaises(oracle.OracleError, msg=text) as caught:
                oracle.parse(text, ("x", "y"))
            self.assertIn(said, str(caught.exception))

    def test_names_of_a_tree(self):
        self.assertEqual(oracle.names_of(oracle.parse("where(x > 1, y, pi)", ("x", "y"))), {"x", "y", "pi"})


if __name__ == "__main__":
    unittest.main()
