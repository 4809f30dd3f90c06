# ./dev lint: checks the house rules and the format of every file.
# What tests/dev/check-source.py or clang-format finds fails. Reports for a reader follow, of files changed against BASE (main):
# cppcheck and clang-tidy, where installed. ALL=1 gives every file to cppcheck, which takes minutes.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
source tests/dev/common.sh

status=0
/usr/bin/python3 tests/dev/check-source.py . || status=1

need_packages clang-format
sh tests/dev/check-format.sh . || [ $? = 77 ] || status=1

base=${BASE:-main}
if command -v cppcheck >/dev/null; then
  files=(app core)
  [ -n "${ALL:-}" ] ||
    mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'app/*.c' 'core/*.c' 2>/dev/null | head -n 20)
  if [ ${#files[@]} -gt 0 ]; then
    say "cppcheck on ${#files[@]} changed files or folders (a report)"
    cppcheck --quiet -j "$(nproc)" --enable=warning,portability --inline-suppr --std=c11 \
      --suppress=unknownMacro --suppress=nullPointerRedundantCheck -I core -D G_BEGIN_DECLS= -D G_END_DECLS= \
      "${files[@]}" 2>&1 | head -n 100 || true
  fi
fi
if command -v clang-tidy >/dev/null && [ -f build/compile_commands.json ]; then
  say "clang-tidy on changed files (a report)"
  git diff --name-only --diff-filter=d "$base" -- '*.c' 2>/dev/null | head -n 20 |
    xargs -r clang-tidy -p build --quiet --checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition,clang-analyzer-core*' 2>/dev/null | head -n 100 || true
fi
exit $status
