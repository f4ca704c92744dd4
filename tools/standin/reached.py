"""Which kernels the traces of a run reached: python3 -m tools.standin.reached [--names] TRACE..."""

import sys


def kernels_of(paths: list[str]) -> tuple[set[str], set[str]]:
    """Names that were launched, and names that a process registered and did not launch."""
    launched, left = set(), set()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("launch "):
                    launched.add(line[len("launch "):line.rindex(" grid ")])
                elif line.startswith("never launched "):
                    left.add(line[len("never launched "):].rstrip("\n"))
    return launched, left - launched


def main(arguments: list[str]) -> int:
    names = "--names" in arguments
    paths = [a for a in arguments if a != "--names"]
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    launched, left = kernels_of(paths)
    if names:
        print("\n".join(sorted(left)))
    print(f"{len(launched)} of {len(launched) + len(left)} registered kernels were launched")
    return 0 if launched else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
