"""Reads the `toml` fences of a chapter into tables whose keys know their lines, and checks their types and names."""

import re
import tomllib

from tools.spec.problems import Place, SpecError, listing, unknown

_HEADER = re.compile(r"\s*\[([A-Za-z0-9_.]+)\]")
_KEY = re.compile(r"\s*(\"[^\"]*\"|[A-Za-z0-9_-]+)\s*=")
_TOML_PLACE = re.compile(r" \(at line (\d+), column \d+\)")


class Row:
    """One table of a fence: `[kind.name]` with its values and the place of each key."""

    def __init__(self, kind, name, values, place, key_places):
        self.kind = kind
        self.name = name
        self.values = values
        self.place = place
        self.key_places = key_places

    def at(self, key):
        return self.key_places.get(key, self.place)

    def fail(self, key, message):
        raise SpecError(self.at(key), f"[{self.kind}.{self.name}] {key}: {message}")

    def check_keys(self, required, optional=()):
        for key in self.values:
            if key not in required and key not in optional:
                raise SpecError(self.at(key), f"[{self.kind}.{self.name}] "
                                + unknown("key", key, (*required, *optional)))
        for key in required:
            if key not in self.values:
                raise SpecError(self.place, f"[{self.kind}.{self.name}] lacks the key '{key}'; "
                                f"required: {listing(required)}")

    def get(self, key, kind, default=None):
        """The value of a key, which must be of a Python type."""
        if key not in self.values:
            return default
        value = self.values[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fail(key, f"{_type_name(value)} given, {_kind_name(kind)} expected")
        return value

    def choice(self, key, valid, default=None):
        value = self.get(key, str, default)
        if value not in valid:
            self.fail(key, unknown("word", value, valid))
        return value


def _type_name(value):
    return {str: "a string", int: "an integer", float: "a number", bool: "true or false", list: "a list",
            dict: "a table"}.get(type(value), type(value).__name__)


def _kind_name(kind):
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join({str: "a string", int: "an integer", list: "a list", dict: "a table",
                        bool: "true or false"}[k] for k in kinds)


def read_rows(block):
    """The rows of a toml fence (a markdown.Block)."""
    try:
        tree = tomllib.loads("\n".join(block.lines))
    except tomllib.TOMLDecodeError as error:
        match = _TOML_PLACE.search(str(error))
        line = block.place.line + (int(match[1]) if match else len(block.lines))
        text = _TOML_PLACE.sub("", str(error))
        raise SpecError(block.place.at(line), f"the row is no TOML: {text[0].lower()}{text[1:]}") from None
    places = _key_places(block)
    rows = []
    for kind, tables in tree.items():
        if kind not in ("op", "dtype", "family"):
            raise SpecError(places.get((kind,), block.place), unknown("kind of row", kind, ("op", "dtype", "family")))
        if not isinstance(tables, dict):
            raise SpecError(block.place, f"'{kind}' is a key; a row begins with [{kind}.NAME]")
        for name, values in tables.items():
            header = f"{kind}.{name}"
            if not isinstance(values, dict):
                raise SpecError(block.place, f"'{name}' is a key; a row begins with [{kind}.NAME]")
            keys = {key: place for (owner, key), place in places.items() if owner == header and key}
            rows.append(Row(kind, name, values, places.get((header, ""), block.place), keys))
    return rows


def _key_places(block):
    """Place of each `(header, key)`, the header itself as `(header, "")`; top-level tables as `(kind,)`."""
    places, header = {}, ""
    for number, line in enumerate(block.lines, block.place.line + 1):
        place = Place(block.place.file, number)
        if match := _HEADER.match(line):
            header = match[1]
            places[(header, "")] = place
        elif match := _KEY.match(line):
            places.setdefault((header, match[1].strip('"')), place)
    return {key: place for key, place in places.items() if len(key) == 2}


def check_entries(row, key, keys):
    """A list of inline tables whose entries have only the given keys and a `name`."""
    entries = row.get(key, list, [])
    for entry in entries:
        if not isinstance(entry, dict):
            row.fail(key, f"an entry is a table such as {{ name = \"x\" }}, {_type_name(entry)} given")
        for word in entry:
            if word not in keys:
                row.fail(key, unknown("key", word, keys))
        if not isinstance(entry.get("name"), str):
            row.fail(key, "an entry has no name; { name = \"x\" } expected")
    return entries
