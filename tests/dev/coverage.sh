# ./dev coverage: what the tests of core, fuzz corpora among them, and those of the layout helper and of suites in the window run
# of the verifier of programs, the readers of what comes from outside (tests/fuzz/readers.txt) and the protocol of boards: lines
# and branches of each file, and of all.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

bash tests/dev/setup.sh test
configure build-cov -Db_coverage=true -Doptimization=0
# What others of our programs do that the tests start counts as well.
compile build-cov core-tests tests/scene/test-scene tests/ui/test-ui app/cli/assay app/layout/assay-layout-helper
find build-cov -name '*.gcda' -delete
export ASSAY_FUZZ_RUNS=${ASSAY_FUZZ_RUNS:-1000}
meson test -C build-cov --no-rebuild --suite core --timeout-multiplier 4 </dev/null >&2 || say "some tests fail"
meson test -C build-cov --no-rebuild --timeout-multiplier 4 refine qualify-window </dev/null >&2 || say "some tests fail"
exec /usr/bin/python3 tests/dev/coverage.py build-cov
