"""PyTorch in a process of its own. A crash is an answer about one case; the process is started again for the next."""

import os
import subprocess
import sys

from golden.errors import WitnessError
from golden.spec import ROOT
from golden.witness_child import receive, send


class Witness:
    """A running witness; use as a context manager."""

    def __init__(self, command=None):
        self._command = command or [sys.executable, "-m", "golden.witness_child"]
        self._process = None
        self.version = ""

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        environment = dict(os.environ, PYTHONPATH=ROOT, OMP_NUM_THREADS="1")
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        hello = receive(self._process.stdout)
        if hello is None:
            raise WitnessError(f"the witness did not start: {' '.join(self._command)} ended with {self._process.wait()}")
        self.version = hello["version"]

    def _stop(self):
        if self._process is None:
            return
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._process = None

    def ask(self, op, case):
        """{"outputs": [(shape, dtype, values)]}, {"refused": reason} or {"crashed": how}."""
        try:
            send(self._process.stdin, request(op, case))
            reply = receive(self._process.stdout)
        except (BrokenPipeError, EOFError):
            reply = None
        if reply is None:
            code = self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._start()
            return {"crashed": f"signal {-code}" if code < 0 else f"exit {code}"}
        return reply


def request(op, case):
    """What the child needs of a case. A reduction of no axis gets an axis of extent 1, because to PyTorch an empty tuple
    of axes means all of them."""
    attributes, unsqueezed = {}, []
    for attribute in op.attributes:
        value = case.attributes[attribute.name]
        if attribute.kind == "axes":
            axes = tuple(k for k in range(64) if value >> k & 1)
            if not axes:
                unsqueezed = list(op.operands)
                axes = (case.operands[op.operands[0]].rank,)
            attributes[attribute.name] = axes
        elif attribute.kind == "bool":
            attributes[attribute.name] = bool(value)
        else:
            attributes[attribute.name] = value
    first = next(iter(case.outputs.values()))
    return {
        "expression": op.torch,
        "operands": {name: (t.dtype, t.shape, t.values) for name, t in case.operands.items()},
        "attributes": attributes,
        "dtype": first.dtype,
        "shape": first.shape,
        "unsqueezed": unsqueezed,
    }
