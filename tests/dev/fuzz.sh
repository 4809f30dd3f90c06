# ./dev fuzz [SECONDS]: builds the fuzz targets with clang and runs each for SECONDS (10).
# Each starts from its corpus in tests/data/fuzz/NAME. New inputs stay in build-fuzz/corpus; a crash is written to out/fuzz.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

seconds=${1:-10}
bash tests/dev/setup.sh fuzz
CC=clang configure build-fuzz -Dfuzz=true -Dgui=false -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1
# Not the whole tree: sanitizers and the tests would take an hour.
mapfile -t names < <(ninja -C build-fuzz -t targets all | sed -n 's|^\(tests/fuzz/fuzz-[a-z-]*\): c_LINKER$|\1|p')
compile build-fuzz "${names[@]}"
mkdir -p out/fuzz
# What a model asks for is tried and may be refused.
# What GLib keeps per thread is no leak; the search for leaks does not always look there.
export G_SLICE=always-malloc export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
shopt -s nullglob
targets=("${names[@]/#/build-fuzz/}")
failed=0; ran=0
for target in "${targets[@]}"; do
  [ -f "$target" ] && [ -x "$target" ] || continue
  name=$(basename "$target"); name=${name#fuzz-}
  mkdir -p "build-fuzz/corpus/$name"
  # The writer begins with what the importer reads, conversations with right digests with those of any; the evaluator
  # and the compiler with the models of the tests of kernels and fixes, one of them each.
  corpus=fuzz/$name; split=
  case $name in
    onnx-write) corpus=fuzz/import ;;
    frame) corpus=fuzz/board ;;
    evaluate) corpus=kernels; split=1 ;;
    compile) corpus=fixes; split=1 ;;
  esac
  seeds=("tests/data/$corpus")
  if [ -n "$split" ]; then
    seeds=("build-fuzz/seeds/$name")
    mkdir -p "${seeds[0]}"
    for file in tests/data/"$corpus"/*.nnir; do
      csplit -s -z -n 3 -f "${seeds[0]}/$(basename "$file" .nnir)-" "$file" '/^\/\/ ----/' '{*}'
    done
    [ ! -d "tests/data/fuzz/$name" ] || seeds+=("tests/data/fuzz/$name")
  fi
  say "$name: $seconds s"
  ran=$((ran + 1))
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="out/fuzz/$name-" "build-fuzz/corpus/$name" "${seeds[@]}" >"out/fuzz/$name.log" 2>&1 ||
    { failed=$((failed + 1)); tail -n 40 "out/fuzz/$name.log"; }
  grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "out/fuzz/$name.log" || true
done
[ "$ran" -gt 0 ] || die "the build has no fuzz target"
echo "$((ran - failed)) passed, $failed failed"
[ "$failed" = 0 ]
