"""The closed sets of words that rows, tables and examples may use. Everything the compiler accepts by name is here."""

import re

NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
LABEL = re.compile(r"([a-z][a-z0-9_]*)\.([1-9][0-9]*)\Z")

OP_KEYS_REQUIRED = ("id", "family", "operands", "types", "eval", "oracle", "torch", "tolerance", "bits", "gradient")
OP_KEYS_OPTIONAL = ("outputs", "attributes", "shape", "empty", "alias", "domain", "hard", "exclude", "diverges",
                    "condition", "kinks", "composed")
DTYPE_KEYS = ("id", "bytes", "class", "cpp")
DTYPE_KEYS_FLOAT = ("precision", "emax")
OPERAND_KEYS = ("name", "role", "dtypes")
ATTRIBUTE_KEYS = ("name", "slot", "kind", "domain", "default")

CLASSES = ("bool", "int", "float")
ROLES = ("in", "index", "mask", "inout")
ATTRIBUTE_KINDS = ("int", "real", "bool", "axis", "axes")  # and `of OPERAND`
EVALS = ("native_int", "exact", "real")
BITS = ("cross", "run", "none")

SHAPES = {
    "broadcast": "operands broadcast to one shape, which every output has",
    "z = x": "every output has the shape of x",
    "z = x; other operands broadcast to x": "broadcast_to_x",
    "one": "z has any shape; there is no operand",
    "reduce": "z has the shape of x with extent 1 on each axis of the attribute axes",
    "arg_reduce": "z has the shape of x with extent 1 on the attribute axis",
    "topk": "every output has the shape of x with extent k on the attribute axis",
    "matmul": "x (.., M, K), y (.., K, N), z (.., M, N); batch axes are equal",
    "z = index; rank(x) = rank(index); index <= x on every other axis": "gather",
    "z = x with the extent of index on axis; rank(index) = 1": "index_select",
    "z = x; index = source; rank(x) = rank(index); index <= x on every other axis": "scatter",
    "z = x; source = x with the extent of index on axis; rank(index) = 1": "index_add",
}
EMPTIES = {
    "empty": "no element in, no element out",
    "unchanged": "no element is written, the inout operand keeps its values",
    "identity": "a reduction of no element gives the identity of the operation",
    "zeros": "a product over no element gives zeros",
    "nan": "a reduction of no element gives NaN",
    "error": "a reduction of no element is a ValueError",
}
ALIAS = re.compile(r"z may be [a-z0-9_]+( or [a-z0-9_]+)*\Z")
ALIAS_WORDS = ("z may be OPERAND [or OPERAND ...]", "disjoint", "in place")

# Bounds that spec/numerics.md derives from the values; `ulp(n)` and `exact` besides.
TOLERANCE_CLASSES = ("dot", "sum", "serial", "mean", "prod", "var", "std", "norm", "logsumexp", "softmax", "log_softmax",
                     "layer_norm", "rms_norm")
ULP = re.compile(r"ulp\((\d+(?:\.\d+)?)\)\Z")

# Primitives of oracle expressions with their number of arguments. spec/numerics.md says what each one means; golden's
# evaluator and the oracle implement exactly these.
INFIX = {"+": "add", "-": "sub", "*": "mul", "/": "div", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt",
         ">=": "ge", "and": "and", "or": "or"}
PREFIX = {"-": "neg", "not": "not"}
PRIMITIVES_EXACT = {"abs": 1, "sign": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "sqrt": 1, "min": 2, "max": 2,
                    "fma": 3}
PRIMITIVES_REAL = {name: 1 for name in
                   "exp exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
                   "erf erfc".split()} | {"atan2": 2, "hypot": 2, "pow": 2, "logaddexp": 2}
PRIMITIVES_DIVISION = {"floor_divide": 2, "remainder": 2, "fmod": 2, "copysign": 2, "nextafter": 2}
PRIMITIVES_BITS = {"bit_and": 2, "bit_or": 2, "bit_xor": 2, "bit_not": 1, "shift_left": 2, "shift_right": 2,
                   "logical_xor": 2}
PRIMITIVES_TEST = {"isnan": 1, "isinf": 1, "isfinite": 1, "signbit": 1, "where": 3}
PRIMITIVES_GROUP = {name: 1 for name in
                    "sum prod max_of min_of count first_max first_min last_max last_min".split()}
PRIMITIVES = (PRIMITIVES_EXACT | PRIMITIVES_REAL | PRIMITIVES_DIVISION | PRIMITIVES_BITS | PRIMITIVES_TEST
              | PRIMITIVES_GROUP)
CONSTANTS = ("pi", "nan", "inf")
GROUP_NAMES = ("n",)          # inside a reduction group
STANDALONE = ("move", "sort")  # the whole expression
ELEMENT_FAMILIES = ("elementwise", "convert", "fill")  # no group to reduce over

ERRORS = ("IndexError", "TypeError", "ValueError")

# View operations that examples may call, with their number of arguments.
VIEWS = {"reshape": 2, "permute": 2, "transpose": 3, "expand": 2, "slice": 5, "select": 3, "flip": 2, "squeeze": 2,
         "unsqueeze": 2, "diagonal": 1, "unfold": 4, "as_strided": 4, "contiguous": 1}
HAS = ("shape", "strides", "offset", "storage")
IS = ("contiguous", "compact")
PLANNERS = ("launch", "chunks", "tiles")
