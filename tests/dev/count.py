#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the results in meson test logs (testlog.json) and prints them on one line; fails if a test failed or none ran.

The log `again.json` beside another holds those of its tests that did not end in their time, run once more. With --timeouts
the names of these are printed, for a command."""
import json
import os
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}
SAID = 12  # last lines of a test that are printed


def rows(path):
    try:
        return [json.loads(line) for line in open(path, encoding='utf-8')]
    except FileNotFoundError:
        return []


def said(row):
    # Meson prints nothing of a test that speaks TAP and did not end.
    return ''.join(f'    {line}\n' for line in row.get('stdout', '').splitlines()[-SAID:])


def main():
    passed = failed = skipped = 0
    for path in sys.argv[1:]:
        found = rows(path)
        again = {row['name'] for row in rows(os.path.join(os.path.dirname(path), 'again.json'))}
        if not found:
            print(f'no test ran: {path}')
            failed += 1
        for row in found:
            if row['result'] == 'TIMEOUT' and row['name'] in again and not path.endswith('/again.json'):
                print(f'did not end, run again: {row["name"]} ({path})\n{said(row)}', end='')
            elif row['result'] in PASSED:
                passed += 1
            elif row['result'] in SKIPPED:
                skipped += 1
                print(f'skipped: {row["name"]}')
            else:
                failed += 1
                print(f'{row["result"].lower()}: {row["name"]} ({path})')
                if row['result'] == 'TIMEOUT':
                    print(said(row), end='')
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return 1 if failed or not passed else 0


if sys.argv[1] == '--timeouts':
    print(''.join(row['name'].rsplit(' / ', 1)[-1] + '\n' for row in rows(sys.argv[2]) if row['result'] == 'TIMEOUT'), end='')
else:
    sys.exit(main())
