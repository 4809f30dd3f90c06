# ./dev prove [STRIDE [FUNCTION...]]: checks rounding and the functions of the machine over all fp32 inputs.
# With STRIDE it takes every STRIDE-th input. As many functions run at once as there are processors: each takes 15 to 30
# minutes of one processor, with a STRIDE of 61 seconds. The results are in docs/numerics.md.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

bash tests/dev/setup.sh build
configure build-bench -Dgui=false -Dbuildtype=release
compile build-bench tests/prove/prove-numbers
names=("${@:2}")
[ ${#names[@]} -gt 0 ] ||
  mapfile -t names < <(echo round; sed -n 's/^FUNCTION ([A-Z0-9_]*, *"\([a-z0-9-]*\)".*/\1/p' core/backend/stream/machine/kernels/assay-functions.def)
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I '{}' build-bench/tests/prove/prove-numbers '{}' "${1:-1}"
