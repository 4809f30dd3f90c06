# ./dev levels [TEST...]: run tests of core as on processors with other instruction sets.
# SPDX-License-Identifier: Apache-2.0
# Runs the suite core, or these tests, with instruction sets of this processor hidden from our programs, set after set
# (tests/dev/levels.c); OpenBLAS and Mesa's Vulkan driver do without them too. Then runs the tests that compute, with our
# programs and ONNX Runtime on an emulated processor with AVX2 and without AVX-512 and VNNI, if qemu-user is installed.
# Expected values do not depend on the processor.
set -euo pipefail
source tests/dev/common.sh

# Tests whose results come from vectors or from ONNX Runtime, as programs and as scripts that take the command line.
NUMBERS=(contrib onnx-write-ort evaluate evaluate-vectors kernels special-values numerics streamed machine dpu dpu-tables dpu-session)
SCRIPTS=(recurrent dpu-cli dpu-programs)
AVX512='avx512f avx512vl avx512bw avx512vnni'
# Without features that the emulator lacks, of which it would warn at each start.
PROCESSOR=Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid
failed=()

bash tests/dev/setup.sh test
[ "$(uname -m)" = x86_64 ] || die "only for x86-64: other processors have one level"
for library in "$PWD"/build-npm/node_modules/onnxruntime-node/bin/*/linux/x64/libonnxruntime.so.1; do
  [ ! -f "$library" ] || export ASSAY_ONNXRUNTIME=${ASSAY_ONNXRUNTIME:-$library}
done
configure build
compile build
folder=$PWD/build/levels
mkdir -p "$folder"
cc -O1 -shared -fPIC tests/dev/levels.c -o "$folder/hide.so"

# Instruction sets to hide, the processor that OpenBLAS computes for instead, and the bits of a vector of the driver.
LEVELS=("avx512vnni:SkylakeX:256" "$AVX512:Haswell:256" "avx2 fma $AVX512:Nehalem:128")

# hidden LEVEL TEST...: the tests without these instruction sets; what dpu-levels prints tells that they are hidden.
hidden ()
{
  local sets processor bits
  IFS=: read -r sets processor bits <<<"$1"; shift
  local -x OPENBLAS_CORETYPE=$processor LP_NATIVE_VECTOR_WIDTH=$bits
  say "without $sets: $(LD_PRELOAD=$folder/hide.so ASSAY_WITHOUT=$sets build/tests/core/dpu-levels | cut -d: -f1 | xargs)"
  LD_PRELOAD=$folder/hide.so ASSAY_WITHOUT=$sets meson test -C build --no-rebuild --print-errorlogs \
    --logbase "without-${sets%% *}" "${@:---suite=core}" </dev/null || failed+=("without $sets")
}

for level in "${LEVELS[@]}"; do
  hidden "$level" "$@"
done

emulator=$(command -v qemu-x86_64 || command -v qemu-x86_64-static || true)
if [ -z "$emulator" ]; then
  say "skipped: qemu-user is not installed, no processor is emulated"
else
  for program in app/cli/assay app/ort/assay-ort app/board/assay-board app/layout/assay-layout-helper; do
    printf '#!/bin/sh\nexec %s -cpu %s %s "$@"\n' "$emulator" "$PROCESSOR" "$PWD/build/$program" >"$folder/${program##*/}"
    chmod +x "$folder/${program##*/}"
  done
  numbers=("${NUMBERS[@]}") scripts=("${SCRIPTS[@]}")
  if [ $# -gt 0 ]; then
    numbers=() scripts=()
    for name; do
      case " ${SCRIPTS[*]} " in *" $name "*) scripts+=("$name") ;; *) numbers+=("$name") ;; esac
    done
  fi
  say "emulated ${PROCESSOR%%,*}: ${numbers[*]}"
  [ ${#numbers[@]} -eq 0 ] ||
    ASSAY_PLAIN_HELPERS=$folder meson test -C build --no-rebuild --print-errorlogs --logbase emulated --timeout-multiplier 60 \
      --wrapper "$emulator -cpu $PROCESSOR" "${numbers[@]}" </dev/null || failed+=("emulated ${PROCESSOR%%,*}")
  for script in "${scripts[@]}"; do
    say "emulated ${PROCESSOR%%,*}: $script"
    ASSAY_HELPERS=$folder /usr/bin/python3 "tests/app/test-$script.py" "$folder/assay" || failed+=("emulated ${PROCESSOR%%,*}: $script")
  done
fi

[ ${#failed[@]} -eq 0 ] || { printf 'failed: %s\n' "${failed[@]}" >&2; exit 1; }
say "passed on every level"
