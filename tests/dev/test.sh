# ./dev test [AREA...]: runs the tests.
# address and undefined-behaviour sanitizers in `build-asan`, and 20,000 changed inputs of every fuzz target), threads
# (what runs in several threads, with the thread sanitizer in `build-tsan`). Without an area: everything. The last line counts.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

areas=("$@")
[ ${#areas[@]} -gt 0 ] || areas=(lint core scene packaging ui app sanitize threads)
suites=(); sanitize=0; threads=0; folders=()
for area in "${areas[@]}"; do
  case $area in
    lint | core | scene | packaging | ui | app) suites+=(--suite "$area"); folders[0]=build ;;
    sanitize) sanitize=1; folders[1]=build-asan ;;
    threads) threads=1; folders[2]=build-tsan ;;
    *) die "unknown area: $area (lint, core, scene, packaging, ui, app, sanitize, threads)" ;;
  esac
done

bash tests/dev/setup.sh test
export ASSAY_NPM_DIR="$PWD/build-npm/node_modules"
case $(uname -m) in x86_64) machine=x64 ;; aarch64) machine=arm64 ;; *) machine=none ;; esac
for library in "$ASSAY_NPM_DIR"/onnxruntime-node/bin/*/linux/"$machine"/libonnxruntime.so.1; do
  [ ! -f "$library" ] || export ASSAY_ONNXRUNTIME=$library
done
export ASSAY_GPU_CACHE="$PWD/build/gpu-cache"
# Enough for a backtrace with lines, and a third less to compile.
lines=(-Ddebug=false -Dc_args=-g1)
strict=(); [ -z "${CI:-}" ] || strict=(-Dwerror=true)
start=$SECONDS

# sanitized NAME SANITIZERS TARGET: the build folder `build-NAME`, of core without the window. What undefined behaviour is found
# ends a test, so that no code is needed to go on behind it: a fifth of all code.
sanitized ()
{
  configure "build-$1" -Dgui=false -Db_sanitize="$2" -Db_lundef=false -Doptimization=1 -Ddebug=false \
    "-Dc_args=-g1 -fno-sanitize-recover=undefined" "${strict[@]}"
  compile "build-$1" "$3"
}

# run_tests DIR OPTION...: the tests of a build folder. One that did not end in its time runs once more, alone: on a machine
# that others share that may be the machine. What it had said is printed with the sums; a second time it has failed.
run_tests ()
{
  local dir=$1 again=(); shift
  rm -f "$dir"/meson-logs/{testlog,again}.json
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" </dev/null || true
  mapfile -t again < <(/usr/bin/python3 tests/dev/count.py --timeouts "$dir/meson-logs/testlog.json")
  [ ${#again[@]} -gt 0 ] || return 0
  meson test -C "$dir" --no-rebuild --print-errorlogs --logbase again "$@" --num-processes 1 "${again[@]}" </dev/null || true
}

sanitizers ()
{
  if [ "$sanitize" = 1 ]; then
    sanitized asan address,undefined core-tests
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1 \
      UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 MALLOC_CHECK_=0 ASSAY_FUZZ_RUNS=${ASSAY_FUZZ_RUNS:-20000} \
      run_tests build-asan --suite core --timeout-multiplier 8
    say "tests with the address sanitizer: $((SECONDS - start)) s"
  fi
  if [ "$threads" = 1 ]; then
    sanitized tsan thread thread-tests
    G_SLICE=always-malloc TSAN_OPTIONS="halt_on_error=1 allocator_may_return_null=1 suppressions=$PWD/tests/dev/thread-sanitizer.supp" \
      run_tests build-tsan --suite threads --timeout-multiplier 8
    say "tests with the thread sanitizer: $((SECONDS - start)) s"
  fi
}

if [ ${#suites[@]} -gt 0 ]; then
  configure build "${strict[@]}" ${CI:+"${lines[@]}"}
  [ "${areas[*]}" = lint ] || compile build
  export ASSAY_PLAIN_HELPERS="$PWD/build/app/ort"
fi

if [ ${#suites[@]} -eq 0 ]; then
  sanitizers
else
  # Tests of the window wait for frames half of the time: what they leave of the processors builds and runs the sanitizers.
  # They are a group of processes of their own, which ends with this one; what they say follows what the others say.
  set -m
  (renice -n 5 -p "$BASHPID" >/dev/null; sanitizers) >build-sanitizers.log 2>&1 &
  beside=$!
  set +m
  trap 'kill -- "-$beside" 2>/dev/null || true' EXIT
  run_tests build --num-processes $(($(nproc) + 1)) "${suites[@]}"
  say "tests: $((SECONDS - start)) s"
  status=0; wait "$beside" || status=$?
  cat build-sanitizers.log
  [ "$status" = 0 ] || exit "$status"
fi

logs=()
for folder in "${folders[@]}"; do
  logs+=("$folder/meson-logs/testlog.json")
  [ ! -f "$folder/meson-logs/again.json" ] || logs+=("$folder/meson-logs/again.json")
done
exec /usr/bin/python3 tests/dev/count.py "${logs[@]}"
