"""Faults found in the spec: each says where, names the key or word, and lists what would be valid."""

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file, the file relative to the root."""

    file: str
    line: int

    def at(self, line):
        return Place(self.file, line)

    def __str__(self):
        return f"{self.file}:{self.line}"


class SpecError(Exception):
    """One fault. Raised where nothing more can be said about the same thing."""

    def __init__(self, place, message):
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


class Problems:
    """Collects faults, so that one run shows all of them."""

    def __init__(self):
        self.errors = []

    def report(self, place, message):
        self.errors.append(SpecError(place, message))

    def keep(self, error):
        self.errors.append(error)

    def sorted(self):
        return sorted(self.errors, key=lambda e: (e.place, e.message))


def listing(valid):
    """The valid words, for the end of a message."""
    return ", ".join(str(word) for word in valid)


def unknown(what, word, valid):
    """`unknown WHAT 'WORD' (nearest: ..); valid: ...`"""
    valid = list(valid)
    near = difflib.get_close_matches(str(word), [str(v) for v in valid], 1)
    hint = f", nearest is '{near[0]}'" if near else ""
    return f"unknown {what} '{word}'{hint}; valid: {listing(valid)}"
