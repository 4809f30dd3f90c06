# ./dev mutate AREA [N] [--seed S] [--again] [--list]: plants small faults in an area of core.
# SPDX-License-Identifier: Apache-2.0
# An area is a folder of core. N (10) faults are planted one at a time in a copy of the tree; fails if the area's own fast tests
# see less than nine of ten. --again tries those that the last run missed, --list prints the faults.
# tests/dev/mutants-equivalent.txt has those that change nothing observable.
set -euo pipefail
source tests/dev/common.sh

tree=build-mutate
mkdir -p "$tree"
/usr/bin/python3 tests/dev/mutate.py --copy "$tree"
[ -f "$tree/build/build.ninja" ] || say "first build of core and of the area's tests in $tree/build: minutes"
# The options of `build`, so that a compiler cache has most of it; core is one library that the tests share.
(cd "$tree" && configure build -Dgui=false -Dshared_core=true)
exec nice -n 5 /usr/bin/python3 tests/dev/mutate.py "$tree" "$@"
