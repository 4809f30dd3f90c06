# Part of ./dev package: the Debian packages, in out/deb, checked with lintian. A copy of the tree is built in build-deb, so that the
# tree stays clean. No test runs; the test `debian` of `./dev test all` installs them in a fresh system.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

need_build
need_packages $(packages debian deb)

rm -rf build-deb/assay
mkdir -p build-deb/assay
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 ls -d 2>/dev/null
else
  find . -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name out
fi | tar -cf - -T - | tar -xf - -C build-deb/assay

# Debug symbols would take half of the time, and are of use to a distribution only.
export DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" DEB_CFLAGS_STRIP=-g DEB_CXXFLAGS_STRIP=-g
[ ! -d /usr/lib/ccache ] || export PATH=/usr/lib/ccache:$PATH
start=$SECONDS
say "building the Debian packages: as long as a build of the programs; the log is build-deb/build.log"
( cd build-deb/assay && dpkg-buildpackage -us -uc -b ) >build-deb/build.log 2>&1 ||
  { tail -n 60 build-deb/build.log >&2; die "dpkg-buildpackage failed, see build-deb/build.log"; }
rm -rf out/deb
mkdir -p out/deb
mv build-deb/*.deb build-deb/*.changes build-deb/*.buildinfo out/deb
say "packages: $(duration $((SECONDS - start)))"

lintian --allow-root --fail-on error,warning out/deb/*.changes
( cd out/deb && ls -sh --block-size=K *.deb )
