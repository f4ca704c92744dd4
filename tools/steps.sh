# The steps of tools/check, one function each; sourced. A step prints what it did on its last line, exits 77 to be skipped.

quick_steps=(format build tests)
full_steps=(tidy)

sources() { git ls-files '*.h' '*.hpp' '*.c' '*.cpp' '*.cu' '*.cuh'; }

step_format() {
  # shellcheck disable=SC2046
  clang-format-14 --dry-run -Werror $(sources) || return 1
  echo "$(sources | wc -l) files"
}

step_build() { build release && echo "preset release"; }

step_tests() { ctest --preset release -j "$jobs" && ctest --preset release -N | tail -n 1; }

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
