# ./dev coverage: prints which lines and branches of core the tests run.
# The tests of core count, fuzz corpora among them, those of the layout helper and of suites in the window; the files are the
# verifier of programs, the readers of outside bytes (tests/fuzz/readers.txt) and the protocol of boards.
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
