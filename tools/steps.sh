# The steps of tools/check, one function each; sourced. A step prints what it did on its last line, exits 77 to be skipped.

quick_steps=(format generated build tests suite goldens plugin)
full_steps=(without_gpu coverage repeat schedules checked compilers mutants fuzz tidy)
# Longer than a gate may take, from nothing: `tools/check --all`, before a release and after a change to kernels.
long_steps=(sanitize)

touchstone=build/release/touchstone
suite=(run --backend cpu --backend emulator --jobs "$jobs")

# part_of_commit N: one of N parts of the suite, which one says the commit.
part_of_commit() { echo "$((16#$(git rev-parse --short=7 HEAD) % $1))/$1"; }

sources() { git ls-files '*.h' '*.hpp' '*.c' '*.cpp' '*.cu' '*.cuh'; }

step_format() {
  # shellcheck disable=SC2046
  clang-format-14 --dry-run -Werror $(sources) || return 1
  echo "$(sources | wc -l) files"
}

step_generated() { python3 tools/spec/compile.py --check; }

step_build() { build release && echo "preset release"; }

step_tests() { ctest --preset release -j "$jobs" -LE slow && ctest --preset release -N | tail -n 1; }

# The sources that a change touches: what differs from the main branch, on the main branch itself what its last commit
# changed. A header is seen through the source of its name, or the first that includes it.
changed_sources() {
  local base head file
  head=$(git rev-parse HEAD)
  base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || echo "$head")
  [ "$base" != "$head" ] || base=$(git rev-parse -q --verify HEAD~1) || return 0
  git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h' | while read -r file; do
    case $file in
      *.cpp) ;;
      *) if [ -f "${file%.h}.cpp" ]; then file=${file%.h}.cpp; else file=$(git grep -lF "\"$file\"" -- '*.cpp' | head -n 1); fi ;;
    esac
    ! grep -qF "\"file\": \"$PWD/$file\"" build/release/compile_commands.json || echo "$file"
  done | sort -u
}

# How sources are compiled, without what clang-tidy does not know: g++'s own options, and CUDA.
tidy_commands() {
  mkdir -p build/check/tidy
  python3 - build/release/compile_commands.json >build/check/tidy/compile_commands.json <<'PYTHON'
import json, re, sys
unknown = re.compile(r" -fno-gnu-unique| -fvect-cost-model=dynamic| --param=[a-z-]*=[0-9]*| -Wno-tsan| -D__builtin_mem[a-z]*=[a-z]*")
commands = [entry for entry in json.load(open(sys.argv[1])) if " -x cu " not in entry["command"]]
for entry in commands:
    entry["command"] = unknown.sub("", entry["command"])
json.dump(commands, sys.stdout, indent=1)
PYTHON
}

step_tidy() {
  local files found all=0 most=${TS_TIDY_MAX:-40} planted=build/check/planted.cpp
  # First a planted defect, which has to be reported.
  printf '#include <string>\n#include <utility>\nstd::string twice(std::string a) {\n  std::string b = std::move(a);\n  return a + b;\n}\n' >"$planted"
  found=$(clang-tidy-14 -quiet "$planted" -- -std=c++20 2>/dev/null)
  case "$found" in
    *bugprone-use-after-move*) ;;
    *) echo "clang-tidy reports no use after a move"; return 1 ;;
  esac
  files=$(changed_sources)
  [ -n "$files" ] || { echo "no C++ source differs from the main branch"; return 77; }
  all=$(echo "$files" | wc -l)
  tidy_commands
  # Which ones, when they are too many, differs from commit to commit.
  files=$(echo "$files" | sort -R --random-source=<(yes "$(git rev-parse HEAD)") | head -n "$most")
  echo "$files" | xargs -P "$jobs" -n 1 clang-tidy-14 -quiet -p build/check/tidy 2>&1 |
    sed '/ warnings generated\.$/d' || return 1
  echo "$(echo "$files" | wc -l) of $all sources that this change touches; a planted use after a move is reported"
}

# Then the library without the operations that it can compose of others.
step_suite() {
  "$touchstone" "${suite[@]}" --report "$logs/report" || return 1
  "$touchstone" run --backend cpu --layer hide:composed --tier tensor --jobs "$jobs"
}

step_coverage() { "$touchstone" spec coverage --results "$logs/report/results.jsonl"; }

step_goldens() { tools/golden --check; }

# The template of a plug-in, built as a stranger builds it: from the installed header alone, by a C compiler.
step_plugin() {
  local prefix=build/check/prefix library=build/check/libskeleton.so
  cmake --install build/release --prefix "$prefix" >/dev/null || return 1
  cc -std=c99 -Wall -Wextra -Werror -shared -fPIC -I"$prefix/include" backends/skeleton/*.c -o "$library" || return 1
  "$touchstone" run --backend "./$library" --jobs "$jobs" --report "$logs/plugin"
}

verdicts() {
  python3 -c 'import json, sys
for line in sorted((r["backend"], r["name"], r["verdict"]) for r in map(json.loads, open(sys.argv[1]))): print(*line)' "$1"
}

# The CUDA backend's own host code, on the stand-in runtime: the suite, with the bits of the emulator.
step_without_gpu() {
  if grep -q '^TS_CUDA:[A-Z]*=OFF' build/release/CMakeCache.txt; then
    echo "preset release is configured with TS_CUDA=OFF"
    return 77
  fi
  compgen -G "build/release/standin/libcudart.so.*" >/dev/null || { echo "no CUDA toolkit is on the path"; return 77; }
  tools/without-gpu "$touchstone" run --backend emulator --backend cuda --same-bits --jobs "$jobs" --report "$logs/without_gpu"
}

# A second run gives the same verdicts.
step_repeat() {
  "$touchstone" "${suite[@]}" --report "$logs/repeat" || return 1
  diff <(verdicts "$logs/report/results.jsonl") <(verdicts "$logs/repeat/results.jsonl") || return 1
  echo "the same verdicts twice"
}

# Checked mode finds what is wrong with planted kernels, and nothing wrong with ours: the suite under it, a part of it in
# shuffled order as well.
step_checked() {
  build release checked faults || return 1
  "$touchstone" faults || return 1
  "$touchstone" run --backend emulator:check=all --jobs "$jobs" --timeout 300 --report "$logs/checked" || return 1
  "$touchstone" run --backend emulator:check=all,shuffle=7 --jobs "$jobs" --timeout 300 --shard "$(part_of_commit 4)"
}

# Checked mode sees the same of what another compiler builds.
step_compilers() { build clang && ctest --preset clang && clang++-14 --version | head -n 1; }

# No result depends on the order in which work items run, but those that the spec leaves to it.
step_schedules() {
  "$touchstone" run --backend emulator --backend emulator:schedule=forward --backend emulator:shuffle=7 \
    --backend emulator:threads=2 --same-runs --jobs "$jobs" --shard "$(part_of_commit 4)"
}

# Every known bug planted, and noticed by the case that the committed history names; every operand and result misread.
step_mutants() {
  build release mutants && "$touchstone" mutants --compare && "$touchstone" mutants --views
}

step_sanitize() { tools/sanitize; }

step_fuzz() { tools/fuzz 30; }
