# ./dev bench [NAME...]: runs the benchmarks, each beside its peer, and prints one table.
# ./dev bench cycles [--leave-one-out] [TABLE...]: the timing model beside tables of published cycle counts or latencies; with
# --leave-one-out each family of models is predicted with what fits the others best.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

if [ "${1:-}" = cycles ]; then
  bash tests/dev/setup.sh build
  configure build-bench -Dgui=false -Dbuildtype=release
  compile build-bench
  shift
  options=()
  if [ "${1:-}" = --leave-one-out ]; then options=("$1"); shift; fi
  tables=()
  for table; do tables+=("$(path_of "$table")"); done
  [ $# -ge 1 ] || tables=(tests/data/calibration/{cycles,cycles-more,latency}.tsv)
  exec build-bench/tests/bench/bench-cycles ${options[@]+"${options[@]}"} "${tables[@]}"
fi

bash tests/dev/setup.sh bench
configure build-bench -Dgui=false -Dbuildtype=release
compile build-bench
export ASSAY_NPM_DIR="$PWD/build-npm/node_modules"
exec /usr/bin/python3 tests/bench/bench.py --build build-bench "$@"
