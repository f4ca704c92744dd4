# The steps of tools/check, one function each; sourced. A step prints what it did on its last line, exits 77 to be skipped.

quick_steps=(format generated build tests suite goldens plugin)
full_steps=(coverage repeat mutants)
# What does not hold everywhere yet: run by `tools/check --all`, no part of the gate until it does.
open_steps=(sanitize fuzz tidy)

touchstone=build/release/touchstone
suite=(run --backend cpu --backend emulator --jobs "$jobs")

sources() { git ls-files '*.h' '*.hpp' '*.c' '*.cpp' '*.cu' '*.cuh'; }

step_format() {
  # shellcheck disable=SC2046
  clang-format-14 --dry-run -Werror $(sources) || return 1
  echo "$(sources | wc -l) files"
}

step_generated() { python3 tools/spec/compile.py --check; }

step_build() { build release && echo "preset release"; }

step_tests() { ctest --preset release -j "$jobs" -LE slow && ctest --preset release -N | tail -n 1; }

# Files that differ from the main branch, or all of them on the main branch itself when TS_TIDY_ALL is set.
step_tidy() {
  local base files
  base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-list --max-parents=0 HEAD | tail -n 1)
  files=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' | head -n "${TS_TIDY_MAX:-40}")
  [ -n "$files" ] || { echo "no C++ source differs from the main branch"; return 77; }
  # shellcheck disable=SC2086
  echo "$files" | xargs -P "$jobs" -n 1 clang-tidy-14 -quiet -p build/release || return 1
  echo "$(echo "$files" | wc -l) files"
}

step_suite() { "$touchstone" "${suite[@]}" --report "$logs/report"; }

step_coverage() { "$touchstone" spec coverage --results "$logs/report/results.jsonl"; }

step_goldens() { tools/golden --check; }

# The template of a plug-in, built as a stranger builds it: from the installed header alone, by a C compiler.
step_plugin() {
  local prefix=build/check/prefix library=build/check/libskeleton.so
  cmake --install build/release --prefix "$prefix" >/dev/null || return 1
  cc -std=c99 -Wall -Wextra -Werror -shared -fPIC -I"$prefix/include" backends/skeleton/*.c -o "$library" || return 1
  "$touchstone" run --backend "./$library" --tier kernel --jobs "$jobs" --report "$logs/plugin"
}

verdicts() {
  python3 -c 'import json, sys
for line in sorted((r["backend"], r["name"], r["verdict"]) for r in map(json.loads, open(sys.argv[1]))): print(*line)' "$1"
}

# A second run gives the same verdicts.
step_repeat() {
  "$touchstone" "${suite[@]}" --report "$logs/repeat" || return 1
  diff <(verdicts "$logs/report/results.jsonl") <(verdicts "$logs/repeat/results.jsonl") || return 1
  echo "the same verdicts twice"
}

# Every known bug planted, and noticed by the case that the committed history names; every operand and result misread.
step_mutants() {
  build release mutants && "$touchstone" mutants --compare && "$touchstone" mutants --views
}

# The suite, every allocation apart, and two planted faults that must be seen.
step_sanitize() { tools/sanitize; }

step_fuzz() { tools/fuzz 30; }
