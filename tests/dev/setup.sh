# ./dev setup [build|test|bench|fuzz]: installs missing packages and configures the build folder.
# Other systems than Debian are told the names of packages, and the command that installs them.
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
  build) need_build ;;
  test) need_build; need_packages $(packages debian test all unpacked); need_npm tests/dev/npm-test.txt || true ;;
  bench) need_build; need_packages $(packages debian test all unpacked)
    need_npm tests/dev/npm-test.txt || true; need_npm tests/dev/npm-bench.txt || true ;;
  fuzz) need_build; need_packages $(packages debian fuzz); exit 0 ;;
  *) die "unknown setup: $what (list, build, test, bench, fuzz)" ;;
esac
configure_build
