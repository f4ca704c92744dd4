# Shared by the scripts of this folder; sourced from the repository root.

jobs=${TS_JOBS:-$(nproc)}

# build PRESET [TARGET...]: configures once, then builds; the log is shown only when something fails.
build() {
  local preset=$1 log
  shift
  mkdir -p build
  log=build/$preset.log
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}; } >"$log" 2>&1; then
    grep -nE 'error|Error|FAILED' "$log" | head -n 30 >&2 || true
    tail -n 30 "$log" >&2
    echo "build of preset $preset failed; the whole log is $log" >&2
    return 1
  fi
}
