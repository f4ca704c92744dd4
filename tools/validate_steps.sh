# The steps of tools/validate, one function each; sourced. A step prints what it found on its last line, exits 77 to be skipped.

steps=(unit suite worst suite_own suite_blocking large planted memcheck racecheck initcheck synccheck traffic faults bench bench_own bench_tiny evidence)

step_environment() {
  nvidia-smi && nvcc --version && cmake --version && c++ --version && uname -a || return 1
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
}

step_build() {
  # shellcheck disable=SC2086
  cmake --preset cuda -B "$build" -DCMAKE_CUDA_ARCHITECTURES="$arch" ${TS_CMAKE_OPTIONS:-} &&
    cmake --build "$build" -j "$jobs" -- all checked cuda_planted cuda_faults cuda_launch_cost bench_tiny || return 1
  echo "architecture $arch, commit $commit"
}

step_unit() {
  ctest --test-dir "$build" -j "$jobs" -LE slow --output-on-failure || return 1
  ctest --test-dir "$build" -LE slow -N | tail -n 1
}

# rotated K: all GPUs, the K-th first, for what a shard does on one and between two.
rotated() { local IFS=, list=("${gpus[@]:$1}" "${gpus[@]:0:$1}"); echo "${list[*]}"; }

# run NAME BACKEND...: the suite, a shard for each GPU; the last line names how many cases passed.
run() {
  local name=$1 backend k status=0 arguments=() shards=()
  shift
  for backend in "$@"; do arguments+=(--backend "$backend"); done
  [ $# -lt 2 ] || arguments+=(--same-bits)
  rm -rf "${report:?}/$name"
  for k in "${!gpus[@]}"; do
    CUDA_VISIBLE_DEVICES=$(rotated "$k") "$touchstone" run "${arguments[@]}" --jobs $(((jobs + ${#gpus[@]} - 1) / ${#gpus[@]})) \
      --shard "$k/${#gpus[@]}" --report "$report/$name/$k" &
    shards+=($!)
  done
  for k in "${shards[@]}"; do wait "$k" || status=1; done
  [ $status -eq 0 ] || return 1
  python3 - "$report/$name"/[0-9]*/summary.json <<'PYTHON'
import collections, json, sys
counts = collections.defaultdict(collections.Counter)
for path in sys.argv[1:]:
    for backend in json.load(open(path))["backends"]:
        counts[backend["backend"]].update(backend["counts"])
print("; ".join(f"{name} {c['pass']} passed, {c['unsupported']} unsupported" for name, c in counts.items()))
PYTHON
}

step_suite() { run suite cpu emulator cuda; }
# The worst error of each function, in ulps.
step_worst() {
  compgen -G "$report/suite/*/results.jsonl" >/dev/null || { echo "suite has no results"; return 77; }
  python3 -m tools.worst "$report"/suite/*/results.jsonl
}
step_suite_own() { run suite_own emulator cuda:vendor=off; }
step_suite_blocking() { run suite_blocking cuda:blocking=on; }

# More than 2^31 elements, by the vendor's libraries and by our own kernels.
step_large() {
  python3 -m tools.large "$build/backends/cuda.so" && python3 -m tools.large "$build/backends/cuda.so" vendor=off
}

sanitizer() { command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is not on the path"; return 77; }; }

# Each tool has to find its own planted error.
step_planted() {
  sanitizer || return $?
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    timeout 120 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tests/cuda_planted" "$tool"
    [ $? -eq 9 ] || { echo "$tool did not see its planted error"; return 1; }
  done
  echo "each of four tools finds its planted error"
}

# Every kernel by every route that the suite launched, then one case in $share, under a tool, in parts that run at once; each
# run is a process of its own.
sanitize() {
  sanitizer || return $?
  local tool=$1 parts=$jobs part status=0 folder=$report/$1 cover rest besides=()
  # Atomic updates of a byte read the bytes beside it, written or not, and put them back.
  [ "$tool" != initcheck ] || besides=(--kernel-name-exclude kns=ScatterUpdateIhE --kernel-name-exclude kns=ScatterUpdateINS_4BoolE)
  compgen -G "$report/suite_own/*/results.jsonl" >/dev/null || { echo "suite_own has no results"; return 77; }
  cover=$(python3 -m tools.cover cuda:vendor=off "$report"/suite_own/*/results.jsonl) || return 1
  # All but the case that measures the heap, in which a tool keeps something for every call.
  rest=$("$touchstone" list | grep -v '^door/heap/' | cut -d/ -f1,2 | sort -u | sed 's,$,/*,' | paste -sd,) || return 1
  rm -rf "${folder:?}"
  mkdir -p "$folder"
  # watch PART NAME ARGUMENT...
  watch() {
    local gpu=${gpus[$1 % ${#gpus[@]}]} name=$2
    shift 2
    CUDA_VISIBLE_DEVICES=$gpu TOUCHSTONE_CACHE_BYTES=0 timeout 580 compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 20 \
      "${besides[@]}" \
      --log-file "$folder/$name.tool" "$touchstone" run --in-process "$@" --report "$folder/$name" >"$folder/$name.log" 2>&1
  }
  for ((part = 0; part < parts; ++part)); do
    {
      watch "$part" "cover$part" --backend cuda:vendor=off --filter "$cover" --shard "$part/$parts" &&
        watch "$part" "share$part" --backend cuda --filter "$rest" --shard "$part/$((parts * share))"
    } &
  done
  for ((part = 0; part < parts; ++part)); do wait -n || status=1; done
  grep -hE 'SUMMARY' "$folder"/*.tool
  [ $status -eq 0 ] || { grep -hE '=========|FAIL|CRASH' "$folder"/*.tool "$folder"/*.log | head -n 40; return 1; }
  python3 -m tools.cover --missing cuda:vendor=off "$folder"/cover*/results.jsonl -- "$report"/suite_own/*/results.jsonl || return 1
  python3 - "$folder" "$touchstone" <<'PYTHON'
import glob, json, subprocess, sys
routes, cases = set(), set()
for path in glob.glob(sys.argv[1] + "/*/results.jsonl"):
    for line in open(path):
        row = json.loads(line)
        cases.add(row["name"])
        routes.update(row.get("launches", {}))
whole = len(subprocess.run([sys.argv[2], "list"], capture_output=True, text=True, check=True).stdout.splitlines())
print(f"0 errors in {len(cases)} of {whole} cases ({100 * len(cases) / whole:.0f} %), which launch all {len(routes)} pairs of kernel and route")
PYTHON
}

step_memcheck() { sanitize memcheck; }
step_racecheck() { sanitize racecheck; }
step_initcheck() { sanitize initcheck; }
step_synccheck() { sanitize synccheck; }

step_bench() { python3 -m tools.bench --library "$build/backends/cuda.so" --json "$report/bench.json"; }
step_bench_own() {
  python3 -m tools.bench --library "$build/backends/cuda.so" --options vendor=off --group matmul --json "$report/bench_own.json"
}
# Why the works that miss what is asked of them do.
step_evidence() {
  command -v ncu >/dev/null || { echo "ncu is not on the path"; return 77; }
  local name
  for name in "" _own; do
    [ -f "$report/bench$name.json" ] || { echo "bench$name has no figures"; return 77; }
    python3 -m tools.bench.evidence "$report/bench$name.json" "$report/evidence$name.json" "$build/backends/cuda.so" || return 1
  done
}
# What check=memory counts, beside the device's counters.
step_traffic() {
  command -v ncu >/dev/null || { echo "ncu is not on the path"; return 77; }
  python3 -m tools.bench.traffic --against-ncu "$build/backends"
}
# The planted faults of the emulator on the device, under each tool.
step_faults() {
  sanitizer || return $?
  python3 -m tools.bench.device_faults "$build/tests/cuda_faults" "$report/compute_sanitizer.txt"
}
step_bench_tiny() {
  "$build/tests/cuda_launch_cost" && python3 -m tools.bench.tiny && "$(find "$build" -name bench_tiny -type f | head -n 1)" cuda
}
