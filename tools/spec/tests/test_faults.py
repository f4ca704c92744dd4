"""Every kind of fault is reported with file and line, names the word, and lists what would be valid."""

import unittest

from tools.spec.tests.tree import OPS, Tree, faults

# what is damaged, how, and what the message says; the line is that of the damaged text plus the last number
ROWS = [
    ('eval      = { int', 'evil = 1\neval      = { int', ["unknown key 'evil'", "nearest is 'eval'", "gradient"], 0),
    ('oracle    = "x + y"\n', "", ["lacks the key 'oracle'", "required: id, family"], -8),
    ('id        = 17', 'id        = "17"', ["[op.add] id: a string given, an integer expected"], 0),
    ('id        = 17', 'id        = = 17', ["the row is no TOML"], 0),
    ('id        = 17', 'id        = 17\nid = 18', ["the row is no TOML"], 1),
    ('id         = 84', 'id         = 17', ["id 17 of 'lean' is 'add''s, at spec/ops/sample.md:"], -1),
    ('[op.lean]', '[oop.lean]', ["unknown kind of row 'oop'", "valid: op, dtype, family"], -1),
    ('[op.lean]', '[op.leanx]', ["the row [op.leanx] stands in the section 'lean'"], 0),
    ('family     = "gather"', 'family     = "gathe"', ["unknown word 'gathe', nearest is 'gather'", "elementwise"], 0),
    ('role = "index"', 'role = "indices"', ["unknown role 'indices', nearest is 'index'", "mask, inout"], 0),
    ('dtypes = "i64"', 'dtypes = "i65"', ["unknown dtype 'i65', nearest is 'i64'"], 0),
    ('{ name = "y" }', '{ nme = "y" }', ["unknown key 'nme', nearest is 'name'", "role, dtypes"], 0),
    ('{ name = "y" }', '{ name = "x" }', ["a name stands twice"], 0),
    ('T         = "bool u8 i64 f16 f32"', 'T         = "bool u8 i63"', ["T: unknown dtype 'i63'", "i64, f16, f32"], 0),
    ('["T", "T", "->", "T"]', '["T", "T", "T"]', ["types: a tuple is a list", 'for x y -> z'], 0),
    ('["T", "T", "->", "T"]', '["T", "->", "T"]', ["does not fit x y -> z: 2 before the arrow and 1 after it"], 0),
    ('["T", "T", "->", "T"]', '["T", "U", "->", "T"]', ["the letter U is not defined", "(defined: T)"], 0),
    ('["T", "T", "->", "T"]', '["T", "f33", "->", "T"]', ["unknown dtype 'f33'"], 0),
    ('["T", "T", "->", "T"]]', '["T", "T", "->", "T"], ["f32", "f32", "->", "f32"]]', ["two tuples give f32 f32 -> f32"], 0),
    ('slot = 0, kind = "of x", domain', 'kind = "of x", domain', ["slope has no slot"], 0),
    ('slot = 0, kind = "of x", domain', 'slot = 1, kind = "of x", domain', ["slots are 0 to 0, found 1"], 0),
    ('kind = "axis" }]', 'kind = "axis" }, { name = "k", slot = 0, kind = "int" }]', ["k and axis both have slot 0"], 0),
    ('kind = "axis" }]', 'kind = "axi" }]', ["axis: unknown kind 'axi'", "axes, of x, of index, of z"], 0),
    ('domain = "[0, 1]"', 'domain = "[1, 0]"', ["the interval [1, 0] is empty"], 0),
    ('y = "[-1, 1]"', 'y = "(-1, 1)"', ["'(-1, 1)' is no domain; valid: all, or an interval"], 0),
    ('y = "[-1, 1]"', 'w = "[-1, 1]"', ["unknown operand or attribute 'w'", "valid: x, y"], 0),
    ('eval       = "real"', 'eval       = "reel"', ["unknown evaluation 'reel', nearest is 'real'", "native_int"], 0),
    ('{ int = "native_int", float = "exact" }', '{ int = "native_int" }', ["no entry for class float, which f16 has"], 0),
    ('f32 = "ulp(4)"', 'f32 = "ulps(4)"', ["unknown tolerance 'ulps(4)'", "exact, ulp(N), dot"], 0),
    ('f32 = "ulp(4)"', 'f64 = "ulp(4)"', ["unknown dtype or class 'f64'"], 0),
    ('f16 = "ulp(1)", ', '', ["no entry for f16; entries: f32"], 0),
    ('bits       = "run"', 'bits       = "ran"', ["unknown word 'ran', nearest is 'run'"], 0),
    ('shape      = "z = index;', 'shape      = "z = idx;', ["shape: unknown word", "valid: broadcast"], 0),
    ('torch      = "none: nothing like it"', 'torch      = "none"', ['says why: "none: REASON"'], 0),
    ('"x + y"', '"x + + y"', ["[op.add] oracle: in 'x + + y', column 5", "found '+'"], 0),
    ('"x + y"', '"x ? y"', ["column 3: '?' is no part"], 0),
    ('"x + y"', '"x + w"', ["column 5: unknown name 'w'", "valid: x, y, pi, nan, inf"], 0),
    ('"x + y"', '"plus(x, y)"', ["unknown primitive 'plus'", "abs, acos"], 0),
    ('"x + y"', '"max(x)"', ["max takes 2 arguments, 1 given"], 0),
    ('"x + y"', '"sum(x)"', ["unknown primitive outside a reduction 'sum'"], 0),
    ('condition  = "2 * x', 'condition  = "2 * q', ["condition: in '2 * q", "unknown name 'q'"], 0),
    ('"isnan(slope)"', '"isnan(slop)"', ["exclude: in 'isnan(slop)'", "nearest is 'slope'"], 0),
    ('{ x = "g", y = "g" }', '{ x = "g", w = "g" }', ["gradient: unknown operand 'w'"], 0),
    ('{ x = "g", y = "g" }', '{ x = "g *" }', ["gradient: in 'g *'"], 0),
    ('`add(x, y) -> z`', '`add(x) -> z`', ["meaning: the signature has x; operands and attributes are x, y"], 3),
    ('`add(x, y) -> z`', '`add(x, y) -> w`', ["the signature gives w; outputs are z"], 3),
    ('`add(x, y) -> z` is', 'It is', ["begins with one sentence that starts with `add(...) -> ...`"], 3),
    ('diverges  = ["add.2"]', 'diverges  = ["add.3"]', ["[op.add] diverges cites 'add.3'", "clauses of add: add.1, add.2"], 0),
]

TEXT = [
    ("**[add.1]**", "**[adds.1]**", ["label adds.1 stands in 'add'; its labels are add.N"], 0),
    ("**[add.1]**", "**[add.one]**", ["'add.one' is no label; add.1, add.2, ... expected"], 0),
    ("**[add.2] (reference)**", "**[add.1]**", ["label add.1 exists already, at spec/ops/sample.md:26"], 0),
    ("**[add.2] (reference)**", "**[add.2] (ours)**", ["unknown mark of a clause 'ours'; valid: reference"], 0),
    ("**[lean.1]** A clause.", "**[lean.1]**", ["clause lean.1 says nothing"], 0),
    ("**[sample.1]**", "**[simple.1]**", ["label simple.1 stands in 'sample'"], 0),
    ("```toml\n[op.lean]", "```yaml\n[op.lean]", ["unknown language of a fence 'yaml'; valid: toml, example, text"], 0),
    ("gather(x, index, 7) raises IndexError\n```", "gather(x, index, 7) raises IndexError", ["fence 'example' is not closed"], -6),
    ("table add.special types=float", "table ad.special types=float", ["table ad.special stands outside the section"], 0),
    ("types=float cites", "kinds=float cites", ["unknown key 'kinds'", "valid: types, cites"], 0),
    ("types=float cites", "types=floot cites", ["unknown type 'floot', nearest is 'float'"], 0),
    ("types=float cites", "types=f64 cites", ["unknown type 'f64'"], 0),
    ("types=f32 cites", "types=f16 cites", ["gather has no instance of type f16; it has i64, f32"], 0),
    ("cites=add.1,sample.1", "cites=add.1,sample.2", ["table add.special cites 'sample.2'", "clauses of sample: sample.1"], 0),
    ("cites=add.1,sample.1", "cites=add.1,other.2", ["'other' is no operation, and the chapters with clauses are sample"], 0),
    ("| x | y | z |", "| x | w | z |", ["unknown column 'w'", "valid: x, y"], 0),
    ("| x | y | z |", "| x | x | z |", ["column 'x' stands once"], 0),
    ("| +inf | -inf | nan |", "| +inf | nan |", ["2 cells, 3 columns"], 0),
    ("| +inf | -inf | nan |", "| +inf | infinite | nan |", ["column y: 'infinite' is no value of f16; valid: nan, +inf"], 0),
    ("| +inf | -inf | nan |", "| +inf | 0 | oracle |", ["'oracle' stands in for a result of a real row"], 0),
    ("error:IndexError", "error:Index", ["unknown error 'Index', nearest is 'IndexError'"], 0),
    ("| 1+ulp | 0 | same |", "\n| 1+ulp | 0 | same |", ["a table begins with a head and a line of dashes"], 1),
    ("[[3]]", "[[3 [4]]", ["the rows of a list differ in shape"], 0),
    ("(2,3) |", "2x3 |", ["column x.shape: '2x3' is no shape"], 0),
    ("t = transpose(a, 0, 1)", "t = transposed(a, 0, 1)", ["unknown operation 'transposed', nearest is 'transpose'"], 0),
    ("t = transpose(a, 0, 1)", "t = transpose(a, 0)", ["transpose takes 3 arguments, 2 given"], 0),
    ("t = transpose(a, 0, 1)", "t = transpose(q, 0, 1)", ["unknown name 'q'; valid: a"], 0),
    ("t is not contiguous", "t is not continuous", ["unknown property 'continuous', nearest is 'contiguous'"], 0),
    ("t -> [[0 3] [1 4] [2 5]]", "t => [[0 3] [1 4] [2 5]]", ["'> [[0 3] [1 ' is no word of a statement"], 0),
    ("t -> [[0 3] [1 4] [2 5]]", "t -> [[0 3] [1] [2 5]]", ["the rows of a list differ in shape"], 0),
    ("t has strides (1,3)", "t has strikes (1,3)", ["unknown property 'strikes', nearest is 'strides'"], 0),
    ("add(t, 1) ->", "add(t) ->", ["add(x, y): y is missing"], 0),
    ("add(t, 1) ->", "add(t, 1, 2) ->", ["add(x, y) takes 2 arguments"], 0),
    ("add(t, 1) ->", "add(t, w=1) ->", ["unknown argument 'w'; valid: x, y"], 0),
    ("b = f32 [10 20 30]", "b = u8 [10 20 300]", ["'300' is no value of u8: it holds the integers from 0 to 255"], 0),
    ("b = f32 [10 20 30]", "a = f32 [10 20 30]", ["the name 'a' is taken"], 0),
    ("has dims 2, count 6", "has dims 2, counts 6", ["unknown property 'counts'", "byte strides"], 0),
    ("raises IndexError", "raises KeyError", ["unknown error 'KeyError'", "ValueError"], 0),
    ("reads x at (2,0,4,4)", "reads q at (2,0,4,4)", ["unknown name 'q'; valid: x, index"], 0),
    ("launch(1000) has", "launch(1000) have", ["'has' expected, found 'have'"], 0),
    ("index = i64 [[2 0] [1 1]]", "index = f32 [[2 0] [1 1]]", ["gather has no instance for f32, f32"], 1),
]


class Faults(unittest.TestCase):
    def check(self, cases):
        for old, new, fragments, offset in cases:
            with self.subTest(old=old, new=new):
                messages, line = faults(old, new)
                wanted = f"spec/ops/sample.md:{line + offset}: "
                matching = [m for m in messages if m.startswith(wanted) and all(f in m for f in fragments)]
                self.assertTrue(matching, f"no fault begins with '{wanted}' and has {fragments}; faults: {messages}")

    def test_rows(self):
        self.check(ROWS)

    def test_text(self):
        self.check(TEXT)

    def test_damaged_dtype_names_key_and_line(self):
        messages, line = faults('emax = 15', 'emx = 15', "numerics")
        self.assertTrue(messages[0].startswith("spec/numerics.md:"), messages)
        self.assertIn("unknown key 'emx', nearest is 'emax'", " ".join(messages))
        self.assertIn(f"spec/numerics.md:{line}: ", " ".join(messages))

    def test_duplicate_family_id(self):
        messages, _ = faults("id = 9", "id = 7", "backend")
        self.assertIn("id 7 of 'sort' is 'gather''s, at spec/backend.md:", messages[0])

    def test_one_bad_row_hides_no_other(self):
        damaged = OPS.replace('"x + y"', '"x + w"').replace('bits       = "run"', 'bits       = "ran"')
        with Tree(ops=damaged) as tree:
            messages = tree.load()[1]
        self.assertEqual(sum("unknown name 'w'" in m or "unknown word 'ran'" in m for m in messages), 2, messages)


if __name__ == "__main__":
    unittest.main()
