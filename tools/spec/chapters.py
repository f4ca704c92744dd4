"""Reads every chapter of spec/ into one Spec, in two passes: rows and clauses first, then what refers to them."""

from dataclasses import dataclass, field
from pathlib import Path

from tools.spec import examples, markdown, rows, schema, tables, vocabulary
from tools.spec.model import Clause, Spec
from tools.spec.problems import Place, Problems, SpecError, listing

SKIPPED = ("README.md", "decisions", "generated")


@dataclass
class Section:
    """What stands under one heading `## name` of a chapter."""

    chapter: str  # stem of the file
    name: str
    place: Place
    blocks: list = field(default_factory=list)
    op: object = None


def load(root):
    """The Spec of a tree, and the Problems found. Chapters are read in the order of their paths."""
    spec, problems, sections = Spec(), Problems(), []
    base = Path(root) / "spec"
    for path in sorted(base.rglob("*.md")):
        parts = path.relative_to(base).parts
        if parts[0] in SKIPPED:
            continue
        file = path.relative_to(root).as_posix()
        try:
            sections += _sections(path.stem, markdown.blocks(file, path.read_text(encoding="utf-8")))
        except SpecError as error:
            problems.keep(error)
    _read_rows(sections, spec, problems)
    _read_clauses(sections, spec, problems)
    _read_tables_and_examples(sections, spec, problems)
    _check_references(spec, problems)
    return spec, problems


def _sections(chapter, blocks):
    found = [Section(chapter, "", blocks[0].place if blocks else None)]
    for block in blocks:
        if block.kind == "heading" and block.level == 2:
            found.append(Section(chapter, block.text, block.place))
        else:
            found[-1].blocks.append(block)
    return found


def _read_rows(sections, spec, problems):
    pending = []
    for section in sections:
        for block in section.blocks:
            if block.kind != "fence" or block.text != "toml":
                continue
            try:
                for row in schema.read_rows(block):
                    pending.append((row, section))
            except SpecError as error:
                problems.keep(error)
    readers = {"dtype": (rows.read_dtype, spec.dtypes), "family": (rows.read_family, spec.families)}
    for kind in ("dtype", "family", "op"):
        for row, section in pending:
            if row.kind != kind:
                continue
            try:
                if kind == "op":
                    _add(spec.ops, _read_op(row, section, spec))
                else:
                    read, target = readers[kind]
                    _add(target, read(row))
            except SpecError as error:
                problems.keep(error)
    for target in (spec.dtypes, spec.families, spec.ops):
        ordered = sorted(target.values(), key=lambda record: record.id)
        target.clear()
        target.update({record.name: record for record in ordered})


def _add(target, record):
    for other in target.values():
        if other.name == record.name:
            raise SpecError(record.place, f"'{record.name}' has a row already, at {other.place}")
        if other.id == record.id:
            raise SpecError(record.place, f"id {record.id} of '{record.name}' is '{other.name}''s, at {other.place}")
    target[record.name] = record


def _read_op(row, section, spec):
    if section.name != row.name:
        raise SpecError(row.place, f"the row [op.{row.name}] stands in the section '{section.name}'; "
                        f"'## {row.name}' expected")
    if section.op is not None:
        raise SpecError(row.place, f"the section '{section.name}' has a row already")
    paragraph = next((b for b in section.blocks if b.kind == "paragraph"), None)
    if paragraph is None or paragraph.place.line > row.place.line:
        raise SpecError(row.place, f"the section begins with one sentence that starts with `{row.name}(...) -> ...`")
    section.op = rows.read_op(row, " ".join(paragraph.lines), spec)
    return section.op


def _chapter_prefixes(sections, spec):
    """What labels outside the sections of ops begin with: the chapter's name, or where an op has that name, the prefix
    of the chapter's first such label, which no op and no other chapter may have."""
    owners = {section.chapter: section.chapter for section in sections}
    taken = {*spec.ops, *owners}
    for section in sections:
        if section.chapter in spec.ops and section.op is None and owners[section.chapter] == section.chapter:
            labels = (vocabulary.LABEL.match(block.text) for block in section.blocks if block.kind == "clause")
            owners[section.chapter] = next((m[1] for m in labels if m and m[1] not in taken), section.chapter)
    return owners


def _has_row(section):
    """Whether the section states an op, soundly or not: a row that failed still owns its section's labels."""
    return any(block.kind == "fence" and block.text == "toml" and any(line.startswith("[op.") for line in block.lines)
               for block in section.blocks)


def _read_clauses(sections, spec, problems):
    owners = _chapter_prefixes(sections, spec)
    for section in sections:
        has_row = _has_row(section)
        owner = section.name if has_row else owners[section.chapter]
        for block in section.blocks:
            if block.kind != "clause":
                continue
            match = vocabulary.LABEL.match(block.text)
            if match is None:
                problems.report(block.place, f"'{block.text}' is no label; {owner}.1, {owner}.2, ... expected")
            elif match[1] != owner:
                problems.report(block.place, f"label {block.text} stands in '{owner}'; its labels are {owner}.N")
            elif block.text in spec.clauses:
                problems.report(block.place, f"label {block.text} exists already, at {spec.clauses[block.text].place}")
            elif not block.lines[0]:
                problems.report(block.place, f"clause {block.text} says nothing")
            else:
                spec.clauses[block.text] = Clause(block.text, block.lines[0], section.name if has_row else None,
                                                  block.flag == "reference", block.place)


def _read_tables_and_examples(sections, spec, problems):
    names = {}
    broken = {section.name for section in sections if _has_row(section) and section.op is None}
    for section in sections:
        if section.name in broken:
            continue  # its row has been reported; the rest would follow from that
        blocks = section.blocks
        for i, block in enumerate(blocks):
            try:
                if block.kind == "mark":
                    follows = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].kind == "table" else None
                    table = tables.read_table(block, follows, section.op, spec, names)
                    names[table.name] = table.place
                    spec.tables.append(table)
                elif block.kind == "fence" and block.text == "example":
                    spec.examples.append(examples.read_example(block, section.op, spec))
            except SpecError as error:
                if not any(f"unknown operation '{name}'" in error.message for name in broken):
                    problems.keep(error)


def _check_references(spec, problems):
    """Every citation names a clause that exists."""
    cited = [(t.place, f"table {t.name}", t.cites) for t in spec.tables]
    cited += [(e.place, "example", e.cites) for e in spec.examples]
    cited += [(op.key_places.get("diverges", op.place), f"[op.{op.name}] diverges", op.diverges)
              for op in spec.ops.values()]
    for place, what, labels in cited:
        for label in labels:
            if label not in spec.clauses:
                owner = label.split(".")[0]
                own = [known for known in spec.clauses if known.split(".")[0] == owner]
                problems.report(place, f"{what} cites '{label}', which no clause has; "
                                + (f"clauses of {owner}: {listing(own)}" if own else
                                   f"'{owner}' is no operation, and the chapters with clauses are {_prefixes(spec)}"))


def _prefixes(spec):
    return listing(sorted({label.split(".")[0] for label, clause in spec.clauses.items() if clause.op is None}))
