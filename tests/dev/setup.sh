# ./dev setup [build|test|all|bench|fuzz]: installs missing packages and configures the build folder.
# Tests whose packages are missing are skipped. Systems that are not Debian are told names, and the command that installs them.
# ./dev setup list [SYSTEM [GROUP...]]: prints names of tests/dev/packages.tsv, for debian, fedora, arch or brew.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

what=${1:-build}
case $what in
  list)
    name=${2:-$(system)}
    groups=("${@:3}"); [ ${#groups[@]} -gt 0 ] || groups=(build window)
    packages "${name:-debian}" "${groups[@]}" || die "unknown system: $name (debian, fedora, arch, brew)"
    exit 0 ;;
  build | test | all | bench | fuzz) need_build ;;
  *) die "unknown setup: $what (list, build, test, all, bench, fuzz)" ;;
esac
case $what in
  test) want_packages $(packages debian test) ;;
  all | bench)
    want_packages $(packages debian test all)
    want_unpacked $(packages debian unpacked)
    need_npm tests/dev/npm-test.txt || true
    [ "$what" = all ] || need_npm tests/dev/npm-bench.txt || true
    ;;
  fuzz) need_packages $(packages debian fuzz); exit 0 ;;
esac
configure_build
