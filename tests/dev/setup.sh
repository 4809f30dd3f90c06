# ./dev setup [build|test|bench|fuzz]: installs missing packages and configures the build folder.
# ./dev setup list [debian|fedora|arch|brew]: prints the packages of a system, one a line, from tests/dev/packages.tsv.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

what=${1:-build}
case $what in
  build) need_packages $(entries tests/dev/packages-build.txt) ;;
  test) need_packages $(entries tests/dev/packages-build.txt tests/dev/packages-test.txt); need_npm tests/dev/npm-test.txt || true ;;
  bench) need_packages $(entries tests/dev/packages-build.txt tests/dev/packages-test.txt)
    need_npm tests/dev/npm-test.txt || true; need_npm tests/dev/npm-bench.txt || true ;;
  fuzz) need_packages $(entries tests/dev/packages-build.txt tests/dev/packages-fuzz.txt); exit 0 ;;
  *) die "unknown setup: $what (build, test, bench, fuzz)" ;;
esac
configure build
