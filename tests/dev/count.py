#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the results in meson test logs (testlog.json) and prints them on one line; fails if a test failed or none ran."""
import json
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}


def main():
    passed = failed = skipped = 0
    for path in sys.argv[1:]:
        try:
            lines = open(path, encoding='utf-8').read().splitlines()
        except FileNotFoundError:
            lines = []
        if not lines:
            print(f'no test ran: {path}')
            failed += 1
        for line in lines:
            row = json.loads(line)
            if row['result'] in PASSED:
                passed += 1
            elif row['result'] in SKIPPED:
                skipped += 1
                print(f'skipped: {row["name"]}')
            else:
                failed += 1
                print(f'{row["result"].lower()}: {row["name"]} ({path})')
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return 1 if failed or not passed else 0


sys.exit(main())
