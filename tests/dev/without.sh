# without.sh PACKAGE... -- COMMAND...: runs a command that does not see the files of these Debian packages, to try that tests skip
# without them. Nothing of the system changes: the files are removed from an overlay in a mount namespace. Needs root.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo 'without.sh: needs root' >&2; exit 3; }
[ -n "${ASSAY_WITHOUT:-}" ] || ASSAY_WITHOUT=1 exec unshare --mount bash "${BASH_SOURCE[0]}" "$@"
unset ASSAY_WITHOUT

names=()
while [ "${1:?usage: without.sh PACKAGE... -- COMMAND...}" != -- ]; do names+=("$1"); shift; done
shift
# Settings in /etc stay: they are outside the overlay.
mapfile -t files < <(dpkg -L "${names[@]}" | grep -E '^/(usr|lib|bin|sbin)/.' | sort -ur)
# Python writes compiled modules there, and would take a folder that is left for a module.
mapfile -t compiled < <(printf '%s/__pycache__\n' "${files[@]%/*}" | sort -u)
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/usr,upperdir=/mnt/upper,workdir=/mnt/work /usr
printf '%s\0' "${compiled[@]}" | xargs -0 rm -rf
printf '%s\0' "${files[@]}" | xargs -0 rm -df 2>/dev/null || true
"$@"
