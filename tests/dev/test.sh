# ./dev test [AREA...|all]: runs the tests that a change has to pass, those of areas, or all.
# A change has to pass all but those of tests/only-all.txt, which gives the reason of each.
# SPDX-License-Identifier: Apache-2.0
# ./dev test AREA...: all tests of lint, core, scene, packaging, ui or app (in the build folder `build`), of sanitize (core with
# the address and undefined-behaviour sanitizers in `build-asan`, and 20,000 changed inputs of every fuzz target), of threads
# (tests of several threads with the thread sanitizer in `build-tsan`).
# ./dev test all [--after-test]: all tests of all areas, with packages that only they need (groups all and unpacked of
# packages.tsv, and npm-test.txt). With --after-test the results of the last `./dev test` count, and only tests that it
# left out or that skipped a case run.
# A test whose needs are missing is skipped. The last lines give the reasons and count.
set -euo pipefail
source tests/dev/common.sh

# Limits are ten times the usual: a busy machine makes tests slow and not red.
patience=10
what=quick; suites=(); sanitize=0; threads=0; logs=(); earlier=
for area; do
  case $area in
    all) what=all; sanitize=1; threads=1 ;;
    --after-test) earlier=build/meson-logs/quick.json ;;
    lint | core | scene | packaging | ui | app) what=areas; suites+=(--suite "$area") ;;
    sanitize) what=areas; sanitize=1 ;;
    threads) what=areas; threads=1 ;;
    *) die "unknown area: $area (lint, core, scene, packaging, ui, app, sanitize, threads, all)" ;;
  esac
done
[ "$what" != all ] || [ ${#suites[@]} -eq 0 ] || die "all is every area"
[ -z "$earlier" ] || [ "$what" = all ] || die "--after-test needs all"

if [ "$what" = all ]; then bash tests/dev/setup.sh all; else bash tests/dev/setup.sh test; fi
export ASSAY_NPM_DIR="$PWD/build-npm/node_modules" ASSAY_UNPACKED="$PWD/build-packages/root"
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

# run_tests DIR OPTION...: the tests of a build folder; count.py says how they ended.
run_tests ()
{
  meson test -C "$1" --no-rebuild --print-errorlogs --timeout-multiplier $patience "${@:2}" </dev/null || true
}

sanitizers ()
{
  if [ "$sanitize" = 1 ]; then
    rm -f build-asan/meson-logs/testlog.json
    sanitized asan address,undefined core-tests
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1 \
      UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 MALLOC_CHECK_=0 ASSAY_FUZZ_RUNS=${ASSAY_FUZZ_RUNS:-20000} \
      run_tests build-asan --suite core
    say "tests with the address sanitizer: $((SECONDS - start)) s"
  fi
  if [ "$threads" = 1 ]; then
    rm -f build-tsan/meson-logs/testlog.json
    sanitized tsan thread thread-tests
    G_SLICE=always-malloc TSAN_OPTIONS="halt_on_error=1 allocator_may_return_null=1 suppressions=$PWD/tests/dev/thread-sanitizer.supp" \
      run_tests build-tsan --suite threads
    say "tests with the thread sanitizer: $((SECONDS - start)) s"
  fi
}

plain=1; [ "$what" != areas ] || [ ${#suites[@]} -gt 0 ] || plain=0
if [ $plain = 1 ]; then
  configure build "${strict[@]}" ${CI:+"${lines[@]}"}
  [ "${*}" = lint ] || compile build
  # The tests of agents for boards run the one for arm64 too.
  [ "$what" != all ] || bash tests/dev/package-agent.sh
  export ASSAY_PLAIN_HELPERS="$PWD/build/app/ort"
  say "built: $((SECONDS - start)) s"
  names=()
  if [ "$what" != areas ]; then
    mapfile -t names < <(/usr/bin/python3 tests/dev/choose.py build "$what" $earlier)
    # Without a name meson runs all.
    [ ${#names[@]} -gt 0 ] || die "no test is left to run"
  fi
  log=$what; [ "$what" != areas ] || log=testlog
  rm -f "build/meson-logs/$log.json"
  logs=($earlier "build/meson-logs/$log.json")
fi
[ "$sanitize" = 0 ] || logs+=(build-asan/meson-logs/testlog.json)
[ "$threads" = 0 ] || logs+=(build-tsan/meson-logs/testlog.json)

if [ $plain = 0 ]; then
  sanitizers
else
  # Tests of the window wait for frames half of the time: what they leave of the processors builds and runs the sanitizers.
  # They are a group of processes of their own, which ends with this one; what they say follows what the others say.
  set -m
  (renice -n 5 -p "$BASHPID" >/dev/null; sanitizers) >build-sanitizers.log 2>&1 &
  beside=$!
  set +m
  trap 'kill -- "-$beside" 2>/dev/null || true' EXIT
  run_tests build --num-processes $(($(nproc) + 1)) --logbase "$log" "${suites[@]}" "${names[@]}"
  say "tests: $((SECONDS - start)) s"
  status=0; wait "$beside" || status=$?
  cat build-sanitizers.log
  [ "$status" = 0 ] || exit "$status"
fi
exec /usr/bin/python3 tests/dev/count.py "${logs[@]}"
