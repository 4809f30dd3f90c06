# ./dev bench [NAME...]: runs the benchmarks of tests/bench, each beside its peer, and prints one table.
# ./dev bench cycles [TABLE...]: the timing model beside tables of published cycle counts or latencies.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

if [ "${1:-}" = cycles ]; then
  bash tests/dev/setup.sh build
  configure build-bench -Dgui=false -Dbuildtype=release
  compile build-bench
  [ $# -ge 2 ] || set -- cycles tests/data/calibration/cycles.tsv tests/data/calibration/latency.tsv
  exec build-bench/tests/bench/bench-cycles "${@:2}"
fi

bash tests/dev/setup.sh bench
configure build-bench -Dgui=false -Dbuildtype=release
compile build-bench
export ASSAY_NPM_DIR="$PWD/build-npm/node_modules"
exec /usr/bin/python3 tests/bench/bench.py --build build-bench "$@"
