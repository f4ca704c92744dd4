"""`python -m golden.generate`: makes golden/ops/*.txt, the manifest, the witness file and the list of divergences."""

import argparse
import multiprocessing
import os
import sys
import tempfile
import traceback
from dataclasses import replace

from golden import tables
from golden.compare import Tally, compare
from golden.errors import DisagreementError, EvaluatorError, GoldenError, SpecError
from golden.families import family_module
from golden.report import divergences_text, read_witness, witness_text
from golden.spec import ROOT, SPEC, load
from golden.tensor import Tensor
from golden.witness import Witness
from golden.write import file_text, manifest_text, write_atomically

FOLDER = os.path.join(ROOT, "golden")
RESTARTS_MAX = 48  # of the witness, spent on finding the element that crashes it

_ops, _witness = {}, None


def cases_of(op):
    """Every case of a row with the evaluator's outputs, and its instance."""
    module = family_module(op)
    for instance in op.instances:
        for case in module.cases(op, instance):
            try:
                case.outputs = module.evaluate(op, instance, case)
            except EvaluatorError as error:
                raise EvaluatorError(f"op {op.name}, case {case.name}: {error}") from error
            yield instance, case


def make(op, witness):
    """(text, cases, tally) of one row. Tables are checked first; the witness, where there is one, sees every case."""
    tables.check(op)
    tally = Tally()
    cases = []
    restarts = [0]
    for instance, case in cases_of(op):
        cases.append(case)
        if witness is not None and not op.torch.startswith("none"):
            tally.add(question(op, instance, case, witness, restarts))
    if not cases:
        raise SpecError(f"row {op.name} has no case")
    return file_text(op.name, op.hash, cases), len(cases), tally


def question(op, instance, case, witness, restarts):
    """The witness's tally on a case; a crash on an elementwise case is narrowed to the elements that cause it."""
    reply = witness.ask(op, case)
    if "crashed" not in reply:
        return compare(op, instance, case, reply)
    restarts[0] += 1
    count = next(iter(case.outputs.values())).count
    if op.family != "elementwise" or count == 1 or restarts[0] > RESTARTS_MAX:
        operands = " ".join(f"{name}={tensor.values}" for name, tensor in case.operands.items()) if count == 1 else ""
        return compare(op, instance, replace(case, set=f"{case.set} {operands}".strip()), reply)
    tally = Tally()
    for start, stop in ((0, count // 2), (count // 2, count)):
        tally.add(question(op, instance, _part(case, start, stop), witness, restarts))
    return tally


def _part(case, start, stop):
    def cut(tensor):
        return Tensor(tensor.dtype, (stop - start,), tensor.values[start:stop], tensor.real)

    return replace(
        case,
        operands={name: cut(tensor) for name, tensor in case.operands.items()},
        outputs={name: cut(tensor) for name, tensor in case.outputs.items()},
    )


def _start_worker(spec_path, with_witness):
    global _ops, _witness
    _ops = load(spec_path)
    _witness = Witness().__enter__() if with_witness else None


def _work(name):
    try:
        op = _ops[name]
        text, count, tally = make(op, _witness)
        return name, text, count, tally, _witness.version if _witness else "", None
    except GoldenError as error:
        return name, "", 0, Tally(), "", f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - our own fault: name the row, let the other rows finish
        return name, "", 0, Tally(), "", f"internal error in op {name}:\n{traceback.format_exc()}"


def make_all(names, spec_path, with_witness, jobs, progress):
    """{name: (text, cases, tally)} of rows, the witness's version, and the errors."""
    made, errors, version = {}, [], ""
    with multiprocessing.get_context("spawn").Pool(jobs, _start_worker, (spec_path, with_witness)) as pool:
        for name, text, count, tally, seen, error in pool.imap_unordered(_work, names):
            version = seen or version
            if error:
                errors.append(error)
            else:
                made[name] = (text, count, tally)
            progress(name, count, tally, error)
        pool.close()
        pool.join()
    return made, version, errors


def undeclared(ops, made):
    """A line for each row on which the witness disagrees though the row lists no divergence."""
    lines = []
    for name, (_, _, tally) in sorted(made.items()):
        if tally.diverged and not ops[name].diverges:
            lines.append(f"{name}: PyTorch disagrees on {tally.diverged} values and the row lists no `diverges`")
            for dtypes, texts in tally.examples.items():
                lines += [f"  {dtypes}: {text}" for text in texts]
    return lines


def write_all(folder, ops, made, version, whole, with_witness):
    """Writes what was made; a partial run keeps the other ops' entries of manifest, witness file and divergences."""
    entries = {} if whole else _kept(folder, ops, made)
    for name, (text, count, _) in made.items():
        entries[name] = (text, ops[name].hash, count)
        write_atomically(os.path.join(folder, "ops", f"{name}.txt"), text)
    if whole:
        for file in os.listdir(os.path.join(folder, "ops")):
            if file.removesuffix(".txt") not in made:
                os.remove(os.path.join(folder, "ops", file))
    write_atomically(os.path.join(folder, "manifest.json"), manifest_text(entries))
    if with_witness:
        path = os.path.join(folder, "witness.json")
        tallies = {} if whole else {name: t for name, t in read_witness(path).items() if name in ops}
        tallies |= {name: tally for name, (_, _, tally) in made.items()}
        write_atomically(path, witness_text(version, tallies))
        write_atomically(os.path.join(folder, "divergences.md"), divergences_text(version, ops, tallies))


def _kept(folder, ops, made):
    """The entries of files that a partial run does not touch."""
    entries = {}
    for name in ops:
        path = os.path.join(folder, "ops", f"{name}.txt")
        if name not in made and os.path.exists(path):
            with open(path, encoding="ascii") as file:
                text = file.read()
            entries[name] = (text, text.split("\n", 2)[1].split()[-1], int(text.rsplit(",", 1)[1].split()[0]))
    return entries


def differing(folder, names):
    """Names of files under a folder whose bytes are not those of the committed ones."""
    found = []
    for relative in [os.path.join("ops", f"{name}.txt") for name in names] + ["manifest.json"]:
        if _bytes(os.path.join(folder, relative)) != _bytes(os.path.join(FOLDER, relative)):
            found.append(relative)
    return found


def _bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def parse(arguments):
    parser = argparse.ArgumentParser(prog="golden.generate", description=__doc__)
    parser.add_argument("--op", action="append", help="only this row; may be given several times")
    parser.add_argument("--no-witness", action="store_true", help="evaluate only; the witness file stays as it is")
    parser.add_argument("--check-regenerate", action="store_true", help="make into a temporary folder, compare bytes")
    parser.add_argument("--allow-disagreement", action="store_true", help="write even where a row lacks `diverges`")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--spec", default=SPEC, help="spec.json to read")
    parser.add_argument("--folder", default=FOLDER, help="where to write")
    return parser.parse_args(arguments)


def progress(name, count, tally, error):
    """One line a row."""
    said = error or f"{count} cases, {tally.witnessed} witnessed, {tally.diverged} differ"
    print(f"{name}: {said}{f', {len(tally.crashed)} crashes' if tally.crashed else ''}", flush=True)


def run(options):
    """The command; the exit status."""
    ops = load(options.spec)
    names = options.op or list(ops)
    unknown = [name for name in names if name not in ops]
    if unknown:
        raise SpecError(f"no row named {', '.join(unknown)}; rows are {' '.join(ops)}")
    with_witness = not options.no_witness and not options.check_regenerate
    made, version, errors = make_all(names, options.spec, with_witness, options.jobs, progress)
    if errors:
        raise GoldenError("\n".join(sorted(errors)))
    if options.check_regenerate:
        with tempfile.TemporaryDirectory() as folder:
            if options.op is None:
                write_all(folder, ops, made, version, whole=True, with_witness=False)
            else:
                os.makedirs(os.path.join(folder, "ops"))
                write_all(folder, ops, made, version, whole=False, with_witness=False)
            found = [file for file in differing(folder, names) if options.op is None or file != "manifest.json"]
        for file in found:
            print(f"differs: golden/{file}")
        print(f"{len(names)} files made again, {len(found)} differ")
        return 1 if found else 0
    lines = undeclared(ops, made)
    if lines and not options.allow_disagreement:
        raise DisagreementError("\n".join(lines))
    print("\n".join(lines)) if lines else None
    write_all(options.folder, ops, made, version, whole=options.op is None, with_witness=with_witness)
    size = sum(len(text) for text, _, _ in made.values())
    print(f"{len(made)} files, {sum(count for _, count, _ in made.values())} cases, {size} bytes")
    return 0


def main(arguments=None):
    """Runs the command; errors of the generator end with their text and status 2."""
    try:
        return run(parse(arguments))
    except GoldenError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
