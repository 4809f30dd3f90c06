# ./dev package KIND...: makes what is handed to others, in out/: agent, deb.
# agent: the board agent as one file each for x86-64 and arm64, which needs the GNU C library of Debian 12 and nothing else.
# deb: the Debian packages, checked with lintian.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

[ $# -gt 0 ] || die "which package? $(cd tests/dev; echo package-*.sh | sed 's/package-\([a-z]*\).sh/\1/g')"
for kind; do
  [ -f "tests/dev/package-$kind.sh" ] || die "unknown package: $kind"
  bash "tests/dev/package-$kind.sh"
done
