"""Bad input, through the real command line: exit 2, one line on stderr that names what was wrong, nothing half done, and
the next call works. TOUCHSTONE names the command, CC a C compiler."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tools.touchstone.tests.plugins import REQUIRED, ROOT, Workshop

TOUCHSTONE = os.environ.get("TOUCHSTONE", str(ROOT / "build/release/touchstone"))
FEW = "elementwise/add/i32/scalar/*"  # a filter that a cpu runs in no time
CASE = "elementwise/add/f32/3x5x7/x=dense,y=dense,out=dense/new/integers"


def call(*arguments, env=None, **settings):
    """The finished process of a command line."""
    whole = {key: value for key, value in os.environ.items() if not key.startswith("GTEST_")}
    return subprocess.run([TOUCHSTONE, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**whole, **(env or {})}, timeout=120, **settings)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def tearDown(self):
        done = call("replay", "--backend", "cpu", CASE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), "the next call does not work")

    def refused(self, arguments, *parts, **settings):
        """Exit 2, one clear line that has the parts, and no result."""
        with self.subTest(arguments=" ".join(map(str, arguments))):
            done = call(*arguments, **settings)
            self.assertEqual(done.returncode, 2, done.stdout[-500:] + done.stderr)
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertTrue(lines[0].startswith("touchstone: "), lines)
            self.assertLess(len(lines[0]), 700)
            for part in parts:
                self.assertIn(str(part), lines[0])
            for wrong in ("passed", "basic_string", "std::", "terminate", "Traceback"):
                self.assertNotIn(wrong, done.stdout + done.stderr)


class CommandLine(Case):
    def test_a_filter_that_matches_no_fault_prints_no_table(self):
        done = call("faults", "--filter", "zzz")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)

    def test_commands_and_options(self):
        self.refused([], "a command is needed", "run", "replay")
        self.refused(["frobnicate"], "unknown command 'frobnicate'", "run", "spec")
        self.refused(["run"], "run: --backend is required")
        self.refused(["run", "--backend"], "run: --backend")
        self.refused(["run", "--backend", "cpu", "--fliter", "x"], "run: ", "--fliter")
        self.refused(["spec", "covrage"], "spec: unknown command 'covrage'; there are coverage")
        self.refused(["golden"], "golden: a command is needed; there are check")
        self.refused(["list", "--tier", "kernels"], "unknown tier 'kernels'", "kernel, tensor, example, found")
        self.refused(["run", "--backend", "cpu", "--backend", "cpu"], "backend 'cpu' is named twice")

    def test_numbers(self):
        for option in ("--jobs=", "--seed=", "--timeout="):
            self.refused(["run", "--backend", "cpu", option], f"run: {option[:-1]}")
        for text in ("0", "-1", "x", "1.5", "1e3", "99999999999999999999", "1025"):
            self.refused(["run", "--backend", "cpu", f"--jobs={text}"], "run: --jobs", f"'{text}'", "from 1 to 1024")
        for text in ("-1", "x", "18446744073709551616", "1.0", "0x10"):
            self.refused(["run", "--backend", "cpu", f"--seed={text}"], "run: --seed", f"'{text}'",
                         "from 0 to 18446744073709551615")
        self.refused(["replay", "--backend", "cpu", "--seed=-3", CASE], "replay: --seed", "'-3'")
        for text in ("0", "-2", "nan", "inf", "soon"):
            self.refused(["run", "--backend", "cpu", f"--timeout={text}"], "run: --timeout", f"'{text}'", "above 0")
        self.refused(["mutants", "--cases=-1"], "mutants: --cases", "'-1'")

    def test_the_largest_seed_is_one(self):
        done = call("replay", "--backend", "cpu", "--seed", str(2**64 - 1), CASE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_filters(self):
        self.refused(["list", "--filter", "elementwise/subtrct/*"], "filter 'elementwise/subtrct/*' matches none of")
        self.refused(["run", "--backend", "cpu", "--filter", f"{FEW},e/nope/*"], "'e/nope/*' matches none of")
        for text, letter in (("-elementwise/*", "-"), ("[ab]*", "["), ("a b", " "), ("add\n", " "), ("add(", "(")):
            self.refused(["list", "--filter", text], "filter '", f"'{letter}' stands in no name" if letter != " " else "")
        self.refused(["list", "--filter", ","], "matches none of")
        self.refused(["golden", "check", "--filter", "zzz"], "no golden file is of an op like 'zzz'")
        self.refused(["mutants", "--filter", "zzz"], "no mutant has an id or a kind like 'zzz'")

    def test_shards(self):
        for text in ("0/0", "3/2", "2/2", "x/y", "1", "-1/2", "1/2/3", "0/-1", "1/99999999999", "/", "0x1/2"):
            self.refused(["list", f"--shard={text}"], f"'{text}' is not a shard I/N with 0 <= I < N")
        self.refused(["list", "--filter", FEW, "--shard", "3/1000"], "shard 3/1000 holds none of")
        self.refused(["list"], "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", env={"GTEST_SHARD_INDEX": "0"})
        self.refused(["list"], "'5/5'", env={"GTEST_SHARD_INDEX": "5", "GTEST_TOTAL_SHARDS": "5"})


class Backends(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workshop = Workshop(cls.folder, os.environ.get("CC", "cc"))

    def refused_by(self, backend, *parts):
        """By run, with workers, and by replay, in this process."""
        self.refused(["run", "--backend", backend, "--filter", FEW], *parts)
        self.refused(["replay", "--backend", backend, CASE], *parts)

    def test_names(self):
        self.refused_by("nope", "unknown backend 'nope'; available: ", "cpu, ", "emulator", "./libnope.so")
        self.refused_by("", "a backend needs a name")
        self.refused_by(":threads=2", "a backend needs a name")
        self.refused(["mutants", "--backend", "nope", "--filter", "SP01"], "unknown backend 'nope'")

    def test_files_that_are_no_plug_in(self):
        text = self.folder / "text.so"
        text.write_text("no library")
        for path in (self.folder / "absent.so", text, self.folder, "/dev/null"):
            self.refused_by(path, f"[backend.1] {path}: cannot be loaded")
        plain = self.workshop.library("plain", "int nothing;")
        self.refused_by(plain, f"[backend.1] {plain}: exports no ts_backend_table")

    def test_tables(self):
        null = self.workshop.library("null", "const void* ts_backend_table(void) { return 0; }")
        self.refused_by(null, f"[backend.1] {null}: ts_backend_table() returned NULL")
        old = self.workshop.spoiled("old", "table.abi_major += 6;")
        # TS_CITES(backend.1)
        self.refused_by(old, f"[backend.1] {old}: built for ABI 7.", "this program speaks 1.")
        small = self.workshop.spoiled("small", "table.size = 24;")
        self.refused_by(small, f"[backend.1] {small}: the table says 24 bytes")
        many = self.workshop.spoiled("many", "table.kernel_count = 1u << 31;")
        self.refused_by(many, f"[backend.1] {many}: the table says", "its 2147483648 kernel entries need")

    def test_every_missing_entry_is_named(self):
        # TS_CITES(backend.2)
        cases = " ".join(f'if (!strcmp(getenv("DROP"), "{entry}")) table.{entry} = NULL;' for entry in REQUIRED)
        library = self.workshop.spoiled("holes", f'if (getenv("DROP") != NULL) {{ {cases} }}')
        for entry in REQUIRED:
            self.refused(["replay", "--backend", library, CASE], f"[backend.2] {library}: the table has no entry '{entry}'",
                         env={"DROP": entry})
        self.refused(["run", "--backend", library, "--filter", FEW], "has no entry 'poll'", env={"DROP": "poll"})

    def test_what_loading_does(self):
        rounds = self.workshop.spoiled("rounds", "", "#include <fenv.h>\n"
                                       "__attribute__((constructor)) static void up(void) { fesetround(FE_UPWARD); }")
        self.refused_by(rounds, f"[backend.3] {rounds}: loading it changed the floating-point environment")
        for name, body, how in (("leaves", "_exit(0);", "exit status 0"), ("exits", "_exit(7);", "exit status 7"),
                                ("aborts", "abort();", "signal 6")):
            library = self.workshop.spoiled(name, body, "#include <unistd.h>")
            self.refused(["run", "--backend", library, "--filter", FEW], f"{library}: does not open", how)

    def test_a_case_that_does_not_end_is_a_timeout_in_replay_too(self):
        sleeps = self.workshop.spoiled("sleeps", "table.query = sleeps;", "#include <unistd.h>\nstatic void sleeps("
                                       "ts_instance* self, const ts_call* call, ts_answer* answer) { sleep(60); }")
        done = call("replay", "--backend", sleeps, "--timeout", "0.5", CASE)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "timeout: no end within 0.5 s"), done.stderr)

    def test_a_device_is_needed(self):
        none = self.workshop.spoiled("none", "table.device_count = no_device;",
                                     "static int32_t no_device(ts_instance* self) { return 0; }")
        self.refused_by(none, f"[backend.7] {none}: it has no device here")
        self.refused_by("emulator:devices=0", "[backend.7] emulator:devices=0: it has no device here")

    def test_options(self):
        for options, *parts in (
            ("shufle=3", "unknown option 'shufle'", "shuffle=SEED"), ("threads=0", "'threads'", "'0'"),
            ("memory=-1", "'memory'", "'-1'"), ("memory=99999999999999999999", "'memory'"), ("shuffle=x", "'shuffle'", "'x'"),
            ("shuffle=", "'shuffle'"), ("schedule=sideways", "forward|backward", "'sideways'"),
            ("profile=abacus", "t4|a100|h100", "'abacus'"), ("devices=17", "'devices'", "'17'"), ("=", ""), ("threads", "'threads'"),
        ):
            self.refused_by(f"emulator:{options}", "[backend.4] emulator: does not open with options", *parts)
        self.refused_by("cpu:shuffle=3", "[backend.4] cpu", "unknown option 'shuffle'")
        self.refused_by("skeleton:x=1", "[backend.4] skeleton", "x=1")

    def test_layers(self):
        run = ["run", "--backend", "cpu", "--filter", FEW]
        self.refused([*run, "--layer", "validated"], "unknown layer 'validated'; there are trace, validate, census, fault, hide, delay")
        self.refused([*run, "--layer", ""], "unknown layer ''")
        self.refused([*run, "--layer", "validate:x=1"], "layer 'validate' takes no options, got 'x=1'")
        for options in ("", ":allocate", ":allocate=0", ":allocate=-1", ":alloc=1", ":launch=x", ":copy=1,", ":copy=99999999999999999999"):
            self.refused([*run, "--layer", f"fault{options}"], "layer fault: options '", "allocate=N, copy=N, launch=N")
        self.refused([*run, "--layer", "hide"], "layer hide: names of operations are needed")
        self.refused([*run, "--layer", "hide:softmax,soft"], "there is no operation 'soft'")
        self.refused([*run, "--layer", "trace:file=/proc/none/trace"], "layer trace: '/proc/none/trace' cannot be written")
        self.refused([*run, "--layer", "trace:to=x"], "layer trace: option 'to=x'", "file=PATH")
        self.refused([*run, "--layer", "mutant:NO99"], "NO99")


class Names(Case):
    def replay_refused(self, name, *parts):
        self.refused(["replay", "--backend", "cpu", name], *parts)

    def test_names_of_no_case(self):
        case = "case name '{}'"
        for name, part in (
            ("", "a name has at least"), ("elementwise/nope/f32/3/x=dense,out=dense/new/integers", "no op 'elementwise/nope'"),
            ("reduce/add/f32/3/x=dense,y=dense,out=dense/new/integers", "no op 'reduce/add'"),
            (CASE.replace("f32", "f33"), "'f33' is not a dtype"), (CASE.replace("3x5x7", "3x-5"), "'3x-5' is not a shape"),
            (CASE.replace("y=dense", "y=slanted"), "'slanted' is not a layout"), (CASE.replace("new", "old"), "'old' is not a route"),
            (CASE.replace("integers", "wishes"), "'wishes' is not a source of values"), (CASE.replace(",y=dense", ""), "names not every operand"),
            ("door/queue/in_ordr", "no such check of the door"), ("example/add/9999", "no such example"),
            ("tensor/error/add/nothing", "no such rule"), ("tensor/door/queue/in_order", "a name has at least"), ("found/x/" + CASE, "found/SEED/NAME"),
        ):
            self.replay_refused(name, case.format(name) if not name.startswith("tensor/door") else "case name '", part)
        self.refused(["replay", "--backend", "cpu", CASE, "elementwise/nope"], "case name 'elementwise/nope'")

    def test_shapes_that_cannot_be(self):
        # TS_CITES(layout.15, layout.21)
        self.replay_refused(CASE.replace("3x5x7", "2x2x2x2x2x2x2x2x2"), "[layout.21]", "2x2x2x2x2x2x2x2x2 has 9 axes", "at most 8")
        self.replay_refused(CASE.replace("3x5x7", "4611686018427387904x4"), "[layout.15]", "4611686018427387904x4", "int64")
        self.replay_refused(CASE.replace("3x5x7", "99999999999999999999"), "'99999999999999999999' is not a shape")
        self.replay_refused(CASE.replace("3x5x7", "1000000x1000000"), "1000000000000 elements", "at most")
        self.replay_refused(CASE.replace("3x5x7", "0x1000000x1000000"), "where an extent of 0 counts as 1")
        self.replay_refused(CASE.replace("3x5x7", "100x300").replace("x=dense", "x=pitched").replace("100x300", "60000x200"),
                            "layout pitched of shape (60000,200) needs a buffer")
        self.replay_refused(CASE.replace("out=dense", "out=broadcast_inner"), "[layout.19]", "broadcast_inner")


class Reports(Case):
    def run_refused(self, folder, *parts, **settings):
        self.refused(["run", "--backend", "cpu", "--filter", FEW, "--report", folder], *parts, **settings)

    def test_folders(self):
        self.run_refused("/proc/touchstone", "report folder '/proc/touchstone' cannot be written")
        file = self.folder / "file"
        file.write_text("kept")
        self.run_refused(file, f"report folder '{file}' cannot be written")
        self.run_refused(file / "below", f"report folder '{file}/below' cannot be written")
        self.run_refused("/dev/full", "report folder '/dev/full' cannot be written")
        self.assertEqual(file.read_text(), "kept")

    def test_a_full_disk_leaves_no_part_of_a_report(self):
        folder = self.folder / "full"
        folder.mkdir()
        (folder / "summary.json").write_text("{\"green\": true}")  # of a run of before
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))  # noqa: E731
        done = call("run", "--backend", "cpu", "--filter", FEW, "--report", folder, preexec_fn=limit)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn(f"touchstone: report folder '{folder}': cannot write", done.stderr)
        self.assertRegex(done.stdout, r"\ncpu +[0-9]+ passed", "the verdict is lost with the report")
        self.assertNotIn("index.html", done.stdout)
        self.assertEqual(list(folder.iterdir()), [])
        done = call("run", "--backend", "cpu", "--filter", FEW, "--report", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["index.html", "junit.xml", "results.jsonl", "summary.json"])

    def test_a_full_standard_output_is_no_success(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([TOUCHSTONE, "list", "--filter", FEW], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("standard output cannot be written", done.stderr)

    def test_results(self):
        file = self.folder / "results.jsonl"
        good = '{"name":"a","verdict":"pass","elements":1,"telling":true,"seconds":0}\n'
        for text, *parts in (
            ("", "holds no result"), ("nonsense\n", ":1: not an outcome"), (good + "{}\n", ":2: not an outcome", "name"),
            (good + good[:30], ":2: not an outcome"), (good.replace("pass", "fine"), ":1: not an outcome", "'fine'"),
            (good.replace("1,", "\"one\","), ":1: not an outcome"),
        ):
            file.write_text(text)
            self.refused(["spec", "coverage", "--results", file], file, *parts)
        self.refused(["spec", "coverage", "--results", self.folder / "absent"], f"{self.folder}/absent cannot be read")
        self.refused(["spec", "coverage", "--results", self.folder], f"{self.folder}")


class Project(Case):
    """A copy of what the command reads, with one thing wrong."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(dir=self.folder))
        for folder in ("spec", "golden/ops", "conformance/expectations", "conformance/found"):
            (self.root / folder).mkdir(parents=True)
            for path in (ROOT / folder).iterdir():
                (self.root / folder / path.name).symlink_to(path)
        for path in ("golden/manifest.json", "conformance/cites.txt"):
            (self.root / path).symlink_to(ROOT / path)
        self.env = {"TOUCHSTONE_ROOT": str(self.root)}

    def write(self, path, change):
        """Puts a changed copy in the place of a file."""
        file = self.root / path
        file.unlink()
        file.write_text(change((ROOT / path).read_text(encoding="utf-8")), encoding="utf-8")
        return file

    def run_refused(self, *parts, filter_="elementwise/add/*"):
        self.refused(["run", "--backend", "cpu", "--filter", filter_], *parts, env=self.env)

    def check_fails(self, *parts):
        done = call("golden", "check", "--filter", "add", env=self.env)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(str(part), done.stdout)

    def test_the_copy_is_whole(self):
        self.assertEqual(call("golden", "check", "--filter", "add", env=self.env).returncode, 0)

    def test_golden_files(self):
        # TS_CITES(golden.1, golden.6)
        lines = (ROOT / "golden/ops/add.txt").read_text().splitlines(keepends=True)
        for change, *parts in (
            (lambda text: "", "add.txt:1: the file ends here"),
            (lambda text: text[: len(text) // 2], "add.txt:"),
            (lambda text: text[: text.rindex("end of file")], f"add.txt:{len(lines)}: the file ends here", "[golden.1]"),
            (lambda text: text.replace("  0 ", "  1 ", 1), "SHA-256 is", "the manifest says", "[golden.6]"),
            (lambda text: text + "\n", "text after the last line [golden.1]"),
            (lambda text: text.replace("case ", "caze ", 1), "add.txt:3: "),
        ):
            file = self.write("golden/ops/add.txt", change)
            self.run_refused(file, *parts)
            self.check_fails("add.txt", parts[-1])

    def test_manifests(self):
        path = self.root / "golden/manifest.json"
        path.unlink()
        self.run_refused(f"{path}: cannot be read")
        self.refused(["golden", "check"], f"{path}: cannot be read", env=self.env)
        whole = (ROOT / "golden/manifest.json").read_text()
        for text, *parts in (("", "parse"), ("{}", "format"), (whole[:-40], "parse"), (whole.replace('"format": 1', '"format": 2'), "format is not 1"),
                             (whole.replace('"op": "add"', '"op": "addd"'), "names no file of add"), (whole.replace('"sha256"', '"sha"', 1), "sha256")):
            path.write_text(text)
            self.run_refused(path, *parts)
        (self.root / "golden/ops/add.txt").unlink()
        path.write_text(whole)
        self.run_refused(self.root / "golden/ops/add.txt", "cannot be read")

    def test_the_compiled_spec(self):
        shutil.rmtree(self.root / "spec", ignore_errors=True)
        generated = self.root / "spec/generated"
        self.run_refused(f"{generated}/spec.json: cannot be read")
        generated.mkdir(parents=True)
        for text in ("", "{", '{"ops": 3}'):
            (generated / "spec.json").write_text(text)
            self.run_refused(f"{generated}/spec.json")

    def test_expectations(self):
        file = self.root / "conformance/expectations/cpu.txt"
        file.write_text("# known\nelementwise/add/*\n")
        self.run_refused(f"{file}:2: 'elementwise/add/*' gives no reason after #")

    def test_findings(self):
        for text, *parts in (
            ("elementwise/add\n", ":1: expected SEED NAME"), (f"0 {CASE}\n", ":1: ", "does not say after #"),
            (f"-1 {CASE} # x\n", ":1: expected SEED NAME"), ("# x\n0 elementwise/nope # x\n", ":2: case name 'elementwise/nope'"),
            (f"0 {CASE} # x\n0 {CASE} # y\n", ":2: ", "stands twice"), (f"0 found/0/{CASE} # x\n", ":1: ", "a finding already"),
        ):
            file = self.write("conformance/found/cases.txt", lambda _, text=text: text)
            self.refused(["list", "--tier", "found"], file, *parts, env=self.env)

    def test_citations(self):
        results = self.folder / "few.jsonl"
        results.write_text('{"name":"a","verdict":"pass","elements":1,"telling":true,"seconds":0}\n')
        for text, *parts in (("nonsense.1 e/*\n", ":1: nonsense.1 is no clause"), ("# x\nadd.1\n", ":2: expected LABEL GLOB")):
            file = self.write("conformance/cites.txt", lambda _, text=text: text)
            self.refused(["spec", "coverage", "--results", results], file, *parts, env=self.env)


class SpecCompiler(Case):
    """The compiler of the spec on a damaged copy: file and line of every fault, nothing written."""

    def damage(self, path, old, new, *parts):
        root = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(ROOT / "spec", root / "spec")
        (root / "backends/abi").mkdir(parents=True)
        shutil.copy(ROOT / "backends/abi/backend.h", root / "backends/abi")
        file = root / path
        text = file.read_text(encoding="utf-8")
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        before = {p: p.read_bytes() for p in (root / "spec/generated").iterdir()}
        done = subprocess.run([sys.executable, ROOT / "tools/spec/compile.py", "--root", root], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertRegex(done.stderr.splitlines()[0], rf"^{path}:\d+: ")
        self.assertIn("nothing written", done.stderr.splitlines()[-1])
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual({p: p.read_bytes() for p in (root / "spec/generated").iterdir()}, before)

    def test_rows(self):
        ops = "spec/ops/elementwise/arithmetic.md"
        self.damage(ops, 'eval', "evil", "unknown key 'evil'")
        self.damage(ops, 'T         = "', 'T         = "f33 ', "unknown dtype 'f33'")
        self.damage(ops, "**[add.2]**", "**[add.1]**", "add.1")
        self.damage(ops, "id        = 17", "id        = = 17", "no TOML")
        self.damage(ops, "id        = 17", "id        = 18", "id 18")
        self.damage("spec/layout.md", "```example\ncites layout.1\nx", "```example\ncites layout.99\nx", "layout.99")
        self.damage("spec/layout.md", "x -> [[0 1 2] [3 4 5]]", "x -> [[0 1 2] [3 4]]")

    def test_a_fence_without_an_end(self):
        path = "spec/ops/sort.md"
        text = (ROOT / path).read_text(encoding="utf-8")
        self.damage(path, text, text[: text.rindex("```")], "fence")


if __name__ == "__main__":
    unittest.main()
