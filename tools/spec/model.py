"""What the compiler knows after reading: plain records, in the order of the chapters."""

from dataclasses import dataclass, field

from tools.spec.problems import Place


@dataclass
class Dtype:
    """A row [dtype.NAME]. precision (bits of the significand) and emax are of floating types only."""

    name: str
    id: int
    bytes: int
    kind: str  # the class: bool, int or float
    cpp: str
    place: Place
    precision: int = 0
    emax: int = 0

    @property
    def range(self):
        """Smallest and largest value of an integer dtype."""
        if self.kind == "bool":
            return 0, 1
        bits = 8 * self.bytes
        return (0, 2**bits - 1) if self.name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@dataclass
class Family:
    name: str
    id: int
    place: Place


@dataclass
class Operand:
    name: str
    role: str = "in"
    dtypes: list = None


@dataclass
class Attribute:
    name: str
    slot: int
    kind: str
    domain: str = None
    default: object = None


@dataclass
class Instance:
    """One tuple of dtypes that a kernel serves. `inputs` are the operands in the row's order."""

    inputs: list
    outputs: list
    acc: str
    eval: str = ""
    tolerance: str = ""


@dataclass
class Op:
    name: str
    place: Place
    meaning: str = ""
    signature: list = field(default_factory=list)  # names of operands and attributes as a caller writes them
    id: int = 0
    family: str = ""
    operands: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    attributes: list = field(default_factory=list)
    instances: list = field(default_factory=list)
    shape: str = "broadcast"
    empty: str = "empty"
    alias: str = ""
    domain: dict = field(default_factory=dict)
    hard: list = field(default_factory=list)
    oracle: object = None
    oracle_text: object = ""
    condition: object = None
    composed: bool = False
    exclude: list = field(default_factory=list)
    torch: str = ""
    diverges: list = field(default_factory=list)
    bits: str = ""
    gradient: object = None
    kinks: dict = field(default_factory=dict)
    hash: str = ""
    key_places: dict = field(default_factory=dict)

    def operand(self, name):
        return next((o for o in self.operands if o.name == name), None)

    def attribute(self, name):
        return next((a for a in self.attributes if a.name == name), None)

    @property
    def class_name(self):
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def inputs_at_door(self):
        """Operands that are inputs of a call: an inout operand is an output."""
        return [i for i, operand in enumerate(self.operands) if operand.role != "inout"]

    @property
    def lead(self):
        """Position of the operand whose dtype selects an instance: the first whose dtype the row does not fix."""
        for i in range(len(self.operands)):
            if len({instance.inputs[i] for instance in self.instances}) > 1:
                return i
        return 0

    def lead_dtype(self, instance):
        return instance.inputs[self.lead] if self.operands else instance.outputs[0]


@dataclass
class Clause:
    label: str
    text: str
    op: str
    reference: bool
    place: Place


@dataclass
class Table:
    name: str
    op: str
    types: list
    cites: list
    columns: list
    rows: list
    instances: list
    place: Place


@dataclass
class Example:
    op: str
    cites: list
    statements: list
    place: Place


@dataclass
class Spec:
    dtypes: dict = field(default_factory=dict)
    families: dict = field(default_factory=dict)
    ops: dict = field(default_factory=dict)
    clauses: dict = field(default_factory=dict)
    tables: list = field(default_factory=list)
    examples: list = field(default_factory=list)
