# ./dev run [MODEL]: builds, and opens the window on MODEL or on a shipped example.
# MODEL is relative to the folder that you call from. Without a display, or without GTK 4.8 and libadwaita 1.2, the same model
# is checked in the terminal. The build says how long it takes; the log is build/compile.log.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

[ $# -le 1 ] || { echo "dev: run takes one model, got $#: $*" >&2; exit 2; }
[ $# -eq 0 ] || [ -e "$(path_of "$1")" ] || { echo "dev: no such file: $(path_of "$1")" >&2; exit 2; }

bash tests/dev/setup.sh build
mapfile -t targets < <(programs build)
compile build "${targets[@]}"

model=$PWD/build/data/examples/many-refusals.onnx
[ $# -eq 0 ] || model=$(path_of "$1")
if [ ! -x build/app/workbench/assay-workbench ]; then
  say "Without GTK 4.8 and libadwaita 1.2 the window is not built. The same in the terminal:"
elif [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; then
  exec build/app/workbench/assay-workbench "$model"
else
  say "No display (neither WAYLAND_DISPLAY nor DISPLAY is set), so the window cannot open. The same in the terminal:"
fi

target=ia_420f_c6b32
echo "\$ assay check $model --target $target"
status=0
build/app/cli/assay check "$model" --target "$target" || status=$?
# 1 means that the model has findings, which is what this example is for.
[ "$status" -le 1 ] || exit "$status"
