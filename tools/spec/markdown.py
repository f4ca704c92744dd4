"""Splits a chapter into blocks that carry their lines: headings, paragraphs, clauses, tables, fences."""

import re
from dataclasses import dataclass, field

from tools.spec.problems import Place, SpecError, unknown

FENCES = ("toml", "example", "text")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*$")
_FENCE = re.compile(r"(`{3,})\s*(\S*)\s*$")
_CLAUSE = re.compile(r"- \*\*\[([^\]]*)\](?: \((\w+)\))?\*\*\s*(.*)$")
_DASHES = re.compile(r"\|[-:| ]+\|\s*$")
_LOOKS_LIKE_CLAUSE = re.compile(r"\s*[-*]?\s*\*\*\[[a-z_0-9]+\.[^\]]*\]")
_TABLE_MARK = re.compile(r"<!--\s*table\b(.*?)-->\s*$")


@dataclass
class Block:
    """kind is heading, paragraph, clause, fence, table or mark; `lines` are raw, `place` is the first line."""

    kind: str
    place: Place
    lines: list = field(default_factory=list)
    level: int = 0
    text: str = ""  # heading's text, fence's language, clause's label, mark's arguments
    flag: str = ""  # of a clause: reference


def blocks(file, text):
    """The blocks of one chapter. Raises SpecError for a fence that never closes or has an unknown language."""
    lines = text.split("\n")
    found, at = [], 0
    while at < len(lines):
        line, place = lines[at], Place(file, at + 1)
        fence = _FENCE.match(line)
        heading = _HEADING.match(line)
        clause = _CLAUSE.match(line)
        mark = _TABLE_MARK.match(line)
        if fence:
            at = _take_fence(found, lines, at, place, fence)
        elif heading:
            found.append(Block("heading", place, level=len(heading[1]), text=heading[2]))
            at += 1
        elif clause:
            at = _take_clause(found, lines, at, place, clause)
        elif mark:
            found.append(Block("mark", place, text=mark[1].strip()))
            at += 1
        elif line.startswith("|"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            if end == at + 1 or not _DASHES.match(lines[at + 1]):
                raise SpecError(place, "a table begins with a head and a line of dashes; a blank line ends it")
            found.append(Block("table", place, lines[at:end]))
            at = end
        elif not line.strip():
            at += 1
        else:
            at = _take_paragraph(found, lines, at, place)
    return found


def _take_fence(found, lines, at, place, fence):
    ticks, language = fence[1], fence[2]
    if language not in FENCES:
        raise SpecError(place, unknown("language of a fence", language, FENCES))
    end = at + 1
    while end < len(lines) and lines[end].rstrip() != ticks:
        end += 1
    if end == len(lines):
        raise SpecError(place, f"the fence '{language}' is not closed; a line '{ticks}' ends it")
    found.append(Block("fence", place, lines[at + 1:end], text=language))
    return end + 1


def _take_clause(found, lines, at, place, clause):
    if clause[2] not in (None, "reference"):
        raise SpecError(place, unknown("mark of a clause", clause[2], ("reference",)))
    text, end = [clause[3]], at + 1
    while end < len(lines) and lines[end].startswith("  ") and lines[end].strip():
        text.append(lines[end].strip())
        end += 1
    found.append(Block("clause", place, [" ".join(text).strip()], text=clause[1], flag=clause[2] or ""))
    return end


def _take_paragraph(found, lines, at, place):
    end = at
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(("|", "#", "```", "<!-- table")) \
            and not _CLAUSE.match(lines[end]):
        if _LOOKS_LIKE_CLAUSE.match(lines[end]):
            raise SpecError(place.at(end + 1), "a clause is a line '- **[name.N]** text' or '- **[name.N] (reference)** text'")
        end += 1
    found.append(Block("paragraph", place, lines[at:end]))
    return max(end, at + 1)


def cells(row, place):
    """The cells of one line of a Markdown table."""
    row = row.strip()
    if not row.endswith("|"):
        raise SpecError(place, "a table line ends with '|'")
    return [cell.strip().strip("`") for cell in row[1:-1].split("|")]
