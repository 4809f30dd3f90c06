# ./dev shots: takes pictures of the window under a virtual display, and makes a contact sheet.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

bash tests/dev/setup.sh test
need_packages imagemagick
compile build
compile build tests/ui/shots
program=$(find build/tests -name shots -type f -perm -u+x | head -n 1)
[ -n "$program" ] || die "the build has no program called shots"
out=$PWD/out/shots
rm -rf "$out"
mkdir -p "$out/grey"
xvfb-run -a -s '-screen 0 2600x1500x24 -noreset' \
  env -u WAYLAND_DISPLAY GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory ADW_DISABLE_PORTAL=1 \
  G_TEST_SRCDIR="$PWD/tests" G_TEST_BUILDDIR="$PWD/build/tests" "$program" "$out"
shopt -s nullglob
pictures=("$out"/*.png)
[ ${#pictures[@]} -gt 0 ] || die "no picture was taken"
# What can only be told apart by its colour is seen here.
mogrify -path "$out/grey" -colorspace Gray "${pictures[@]}"
sheet ()
{
  local sheet=$1
  shift
  # Each is made small as it is read: all of them in full are more than ImageMagick takes at once.
  montage -label '%t' "${@/%/[480x320]}" -tile 4x -geometry 480x320+8+8 -background '#808080' "$sheet"
}
sheet "$out/../contact-sheet.png" "${pictures[@]}"
sheet "$out/../contact-sheet-grey.png" "$out"/grey/*.png
echo "${#pictures[@]} pictures in out/shots, all of them in out/contact-sheet.png, in grey in out/contact-sheet-grey.png"
( cd build/data/examples
  /usr/bin/python3 ../../../tests/dev/terminal-picture.py "$out/../terminal.svg" 132 17 'assay check many-refusals.onnx --target ia_420f_c6b32' \
    ../../app/cli/assay check many-refusals.onnx --target ia_420f_c6b32 )
echo "out/terminal.svg is the terminal of README.md, out/shots/findings-1280-light.png is like its window"
