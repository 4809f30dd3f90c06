# ./dev run [MODEL]: builds, and opens the window on a model, by default on a shipped example. Without a display the
# same model is checked on the terminal.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

bash tests/dev/setup.sh build
compile build

model=${1:-build/data/examples/many-refusals.onnx}
if [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ] && [ -x build/app/workbench/assay-workbench ]; then
  exec build/app/workbench/assay-workbench "$model"
fi

say "No display (neither WAYLAND_DISPLAY nor DISPLAY is set), so the window cannot open. The same in the terminal:"
target=ia_420f_c6b32
echo "\$ assay check $model --target $target"
status=0
build/app/cli/assay check "$model" --target "$target" || status=$?
# 1 means that the model has findings, which is what this example is for.
[ "$status" -le 1 ] || exit "$status"
