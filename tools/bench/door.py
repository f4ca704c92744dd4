"""A backend through its table, for measurements: opens a library, lays out views, makes calls."""

import ctypes as c
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = json.loads((ROOT / "spec" / "generated" / "spec.json").read_text())
OPS = {op["name"]: op for op in SPEC["ops"]}
DTYPES = {dtype["name"]: dtype["id"] for dtype in SPEC["dtypes"]}
SIZES = {dtype["name"]: dtype["bytes"] for dtype in SPEC["dtypes"]}
FAMILIES = {row["name"]: row["id"] for row in SPEC["families"]} if isinstance(SPEC["families"], list) else {
    name: (row["id"] if isinstance(row, dict) else row) for name, row in SPEC["families"].items()
}
FORMATS = {"u8": "B", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
RANK_MAX, MESSAGE_BYTES = 8, 256


class Error(c.Structure):
    _fields_ = [("size", c.c_uint32), ("status", c.c_int32), ("op", c.c_int32), ("operand", c.c_int32),
                ("serial", c.c_uint64), ("element", c.c_int64), ("value", c.c_int64), ("bound", c.c_int64),
                ("message", c.c_char * MESSAGE_BYTES)]


class View(c.Structure):
    _fields_ = [("buffer", c.c_uint64), ("offset", c.c_int64), ("rank", c.c_int32), ("dtype", c.c_int32),
                ("shape", c.c_int64 * RANK_MAX), ("stride", c.c_int64 * RANK_MAX)]


class Operand(c.Structure):
    _fields_ = [("view", View), ("bits", c.c_uint64)]


class Attribute(c.Structure):
    _fields_ = [("kind", c.c_int32), ("reserved", c.c_int32), ("integer", c.c_int64), ("real", c.c_double)]


class Call(c.Structure):
    _fields_ = [("size", c.c_uint32), ("op", c.c_int32), ("device", c.c_int32), ("output_count", c.c_int32),
                ("input_count", c.c_int32), ("attribute_count", c.c_int32), ("queue", c.c_uint64),
                ("serial", c.c_uint64), ("outputs", c.POINTER(View)), ("inputs", c.POINTER(Operand)),
                ("attributes", c.POINTER(Attribute)), ("workspace", c.c_uint64), ("workspace_bytes", c.c_uint64)]


class Answer(c.Structure):
    _fields_ = [("size", c.c_uint32), ("status", c.c_int32), ("workspace_bytes", c.c_uint64),
                ("reason", c.c_char * MESSAGE_BYTES)]


class Info(c.Structure):
    _fields_ = [("size", c.c_uint32), ("alignment", c.c_uint32), ("memory_bytes", c.c_uint64), ("flags", c.c_uint32),
                ("reserved", c.c_uint32), ("name", c.c_char * MESSAGE_BYTES)]


def _entry(*arguments):
    return c.CFUNCTYPE(c.c_int32, *arguments)


_P, _U = c.c_void_p, c.c_uint64
_E = c.POINTER(Error)


class Table(c.Structure):
    _fields_ = [("size", c.c_uint32), ("abi_major", c.c_uint32), ("abi_minor", c.c_uint32),
                ("kernel_count", c.c_uint32), ("name", c.c_char_p), ("version", c.c_char_p),
                ("open", _entry(c.c_char_p, c.POINTER(_P), _E)), ("close", c.CFUNCTYPE(None, _P)),
                ("device_count", _entry(_P)), ("device_info", _entry(_P, c.c_int32, c.POINTER(Info), _E)),
                ("allocate", _entry(_P, c.c_int32, _U, c.POINTER(_U), _E)), ("release", c.CFUNCTYPE(None, _P, _U, _U)),
                ("copy_in", _entry(_P, _U, _U, _U, _P, _U, _E)), ("copy_out", _entry(_P, _U, _P, _U, _U, _U, _E)),
                ("copy", _P), ("queue_create", _P), ("queue_destroy", _P), ("record", _P), ("wait", _P),
                ("synchronize", _entry(_P, c.c_int32, _U, _E)), ("poll", _P),
                ("query", c.CFUNCTYPE(None, _P, c.POINTER(Call), c.POINTER(Answer))), ("map", _P), ("unmap", _P),
                ("import_", _P), ("native_handle", _P), ("census", _P),
                ("kernels", _entry(_P, c.POINTER(Call), _E) * 16)]


def strides_of(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


class Array:
    """A view of a buffer. Views share the buffer; it is released with the backend."""

    def __init__(self, door, dtype, shape, strides=None, buffer=None, offset=0):
        self.door, self.dtype, self.shape, self.offset = door, dtype, list(shape), offset
        self.strides = list(strides) if strides is not None else strides_of(shape)
        count = 1
        for extent in shape:
            count *= extent
        self.buffer = door.allocate(count * SIZES[dtype]) if buffer is None else buffer

    def permute(self, *axes):
        return Array(self.door, self.dtype, [self.shape[a] for a in axes], [self.strides[a] for a in axes], self.buffer)

    def expand(self, *shape):
        """The same values along leading axes that are new."""
        return Array(self.door, self.dtype, list(shape), [0] * (len(shape) - len(self.shape)) + list(self.strides), self.buffer)

    def part(self, offset, shape, strides):
        """A view of the same buffer that begins `offset` elements into it."""
        return Array(self.door, self.dtype, shape, strides, self.buffer, offset)

    def view(self):
        view = View(self.buffer, self.offset, len(self.shape), DTYPES[self.dtype])
        view.shape[: len(self.shape)] = self.shape
        view.stride[: len(self.shape)] = self.strides
        return view


class Door:
    """An open backend, on its device 0."""

    def __init__(self, library, options=""):
        self.library = c.CDLL(str(library))
        self.library.ts_backend_table.restype = c.POINTER(Table)
        self.table = self.library.ts_backend_table().contents
        self.error = Error(size=c.sizeof(Error))
        self.self = _P()
        self.check(self.table.open(options.encode(), c.byref(self.self), c.byref(self.error)))
        self.buffers = []
        if self.table.device_count(self.self) == 0:
            info = Info(size=c.sizeof(Info))
            self.check(self.table.device_info(self.self, 0, c.byref(info), c.byref(self.error)))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.error.message.decode())

    def allocate(self, size):
        buffer = _U()
        self.check(self.table.allocate(self.self, 0, size, c.byref(buffer), c.byref(self.error)))
        self.buffers.append(buffer.value)
        return buffer.value

    def release_all(self):
        for buffer in self.buffers:
            self.table.release(self.self, buffer, 0)
        self.buffers = []
        self.synchronize()

    def upload(self, dtype, shape, address, size):
        array = Array(self, dtype, shape)
        self.check(self.table.copy_in(self.self, 0, array.buffer, 0, address, size, c.byref(self.error)))
        self.synchronize()
        return array

    def values(self, array):
        """The elements of a dense array, as Python numbers."""
        count = 1
        for extent in array.shape:
            count *= extent
        raw = (c.c_char * (count * SIZES[array.dtype]))()
        self.check(self.table.copy_out(self.self, 0, raw, array.buffer, array.offset * SIZES[array.dtype], len(raw),
                                       c.byref(self.error)))
        self.synchronize()
        return list(memoryview(raw).cast("B").cast(FORMATS[array.dtype]))

    def synchronize(self):
        self.check(self.table.synchronize(self.self, 0, 0, c.byref(self.error)))

    def prepare(self, op, outputs, inputs, attributes=()):
        """A function that enqueues one call. Attributes are numbers in the row's order, or (kind, number)."""
        row = OPS[op]
        views = (View * len(outputs))(*[z.view() for z in outputs])
        operands = (Operand * len(inputs))(*[Operand(x.view(), 0) for x in inputs])
        slots = (Attribute * max(len(attributes), 1))()
        for slot, value in zip(slots, attributes):
            slot.kind, slot.integer, slot.real = (2, 0, value) if isinstance(value, float) else (1, int(value), 0.0)
        call = Call(c.sizeof(Call), row["id"], 0, len(outputs), len(inputs), len(attributes), 0, 1, views, operands,
                    slots, 0, 0)
        answer = Answer(size=c.sizeof(Answer))
        self.table.query(self.self, c.byref(call), c.byref(answer))
        if answer.status != 0:
            raise RuntimeError(answer.reason.decode())
        if answer.workspace_bytes > 0:
            call.workspace, call.workspace_bytes = self.allocate(answer.workspace_bytes), answer.workspace_bytes
        kernel, instance, pointer, error = self.table.kernels[FAMILIES[row["family"]]], self.self, c.pointer(call), self.error
        error_pointer = c.pointer(error)

        def enqueue(keep=(views, operands, slots, call)):
            if kernel(instance, pointer, error_pointer) != 0:
                raise RuntimeError(error.message.decode())

        return enqueue
