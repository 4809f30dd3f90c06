# ./dev bench [NAME...]: runs the benchmarks of tests/bench, each beside its peer, and prints one table.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

bash tests/dev/setup.sh bench
configure build-bench -Dgui=false -Dbuildtype=release
compile build-bench
export ASSAY_NPM_DIR="$PWD/build-npm/node_modules"
exec /usr/bin/python3 tests/bench/bench.py --build build-bench "$@"
