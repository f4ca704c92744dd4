"""The witness process: evaluates torch expressions on cases that arrive on stdin, one reply a case on stdout.

It shares nothing with the generator but this protocol: a pickled dict with its length in 8 bytes before it.
"""

import math
import os
import pickle
import struct
import sys


def receive(stream):
    """The next message, or None at the end."""
    header = stream.read(8)
    if len(header) < 8:
        return None
    return pickle.loads(stream.read(struct.unpack("<Q", header)[0]))


def send(stream, message):
    """One message."""
    data = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def evaluate(torch, dtypes, request):
    """The expression's outputs as (shape, values) pairs."""
    names = {"torch": torch, "math": math}
    for name, (dtype, shape, values) in request["operands"].items():
        names[name] = torch.tensor(values, dtype=dtypes[dtype]).reshape(shape)
    names |= request["attributes"]
    names["dtype"] = dtypes[request["dtype"]]
    names["shape"] = request["shape"]
    for name in request["unsqueezed"]:
        names[name] = names[name].unsqueeze(-1)
    result = eval(request["expression"], names)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    return [(tuple(tensor.shape), str(tensor.dtype), _values(torch, tensor)) for tensor in results]


def _values(torch, tensor):
    if tensor.dtype == torch.bool:
        tensor = tensor.to(torch.uint8)
    if tensor.dtype in (torch.float16, torch.bfloat16, torch.float32):
        tensor = tensor.double()
    return tensor.reshape(-1).tolist()


def main():
    """Serves until stdin ends. Replies go to a private copy of stdout, so that a printing library cannot mix in."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import torch

    torch.set_num_threads(1)
    dtypes = {
        "bool": torch.bool,
        "u8": torch.uint8,
        "i32": torch.int32,
        "i64": torch.int64,
        "f16": torch.float16,
        "bf16": torch.bfloat16,
        "f32": torch.float32,
        "f64": torch.float64,
    }
    send(replies, {"version": torch.__version__})
    while (request := receive(sys.stdin.buffer)) is not None:
        try:
            send(replies, {"outputs": evaluate(torch, dtypes, request)})
        except Exception as error:  # noqa: BLE001 - a refusal of any kind is an answer here
            send(replies, {"refused": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"})


if __name__ == "__main__":
    main()
