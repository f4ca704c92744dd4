"""Host time of a tiny operation of PyTorch, called from Python: beside what `bench_tiny` prints of ours."""

import statistics
import sys
import time

from tools.bench.__main__ import what_is_missing


def median_us(call, wait, calls=256, repetitions=101):
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
        wait()
    return statistics.median(times)


def main():
    if missing := what_is_missing():
        print(f"SKIP: {missing}")
        return 77
    import torch

    x, y = torch.full((4, 4), 1.5, device="cuda"), torch.full((4, 4), 2.5, device="cuda")
    z = torch.empty_like(x)
    works = {"add": lambda: torch.add(x, y), "add with out": lambda: torch.add(x, y, out=z), "sum": lambda: torch.sum(x)}
    print("PyTorch from Python: " + ", ".join(f"{name} {median_us(call, torch.cuda.synchronize):.2f} us" for name, call in works.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
