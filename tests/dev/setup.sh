# ./dev setup [build|test|all|bench|fuzz]: installs what is missing and configures the build folder. Only what the build needs has to
# be there: without the rest tests are skipped.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

what=${1:-build}
case $what in build | test | all | bench | fuzz) ;; *) die "unknown setup: $what (build, test, all, bench, fuzz)" ;; esac
need_packages $(entries tests/dev/packages-build.txt)
case $what in
  test) want_packages $(entries tests/dev/packages-test.txt) ;;
  all | bench)
    want_packages $(entries tests/dev/packages-test.txt tests/dev/packages-all.txt)
    want_unpacked $(entries tests/dev/packages-unpacked.txt)
    need_npm tests/dev/npm-test.txt || true
    [ "$what" = all ] || need_npm tests/dev/npm-bench.txt || true
    ;;
  fuzz) need_packages $(entries tests/dev/packages-fuzz.txt); exit 0 ;;
esac
configure build
