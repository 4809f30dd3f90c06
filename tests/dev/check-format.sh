# check-format.sh ROOT: whether clang-format would change no file.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
find app core data tests ui \( -name '*.c' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
