# check-format.sh ROOT: whether clang-format 14 would change no file. 77 if it is not there.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
# Each version formats in its own way.
format=$(command -v clang-format-14 || command -v clang-format || true)
case $(${format:-true} --version) in *" 14."*) ;; *) echo 'skipped: clang-format 14 is not installed'; exit 77 ;; esac
find app core data tests ui \( -name '*.c' -o -name '*.h' \) -print0 | xargs -0 "$format" --dry-run -Werror
