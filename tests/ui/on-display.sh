#!/bin/sh
# on-display.sh PROGRAM [ARGUMENT...]: runs a test on a display of its own, larger than every window; without Xvfb it is
# skipped. The pointer waits in a corner, because one over a window that is closed is a race in GTK.
# SPDX-License-Identifier: Apache-2.0
for tool in Xvfb xdotool; do
  command -v "$tool" >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
done
folder=$(mktemp -d)
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 2600x1500x24 -noreset -nolisten tcp 3>"$folder/number" >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
read -r number <"$folder/number"
rm -r "$folder"
export DISPLAY=":$number" GDK_BACKEND=x11
unset WAYLAND_DISPLAY XAUTHORITY
xdotool mousemove 2599 1499
"$@"
