#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the results in meson test logs and prints them on one line, after a table of skipped cases by reason. Fails if a
test failed or none ran.

usage: count.py LOG...

A test that a later log of the same build folder has again counts there only."""
import collections
import json
import os
import re
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SAID = 12  # last lines of a test that are printed
# A case of TAP, a whole program of TAP, a case of unittest, a program that ends with 77.
SKIP = re.compile(r'''^ok\b.*\#\ SKIP\ ?(.*)$ | ^1\.\.0\ \#\ SKIP\ ?(.*)$ | \.\.\.\ skipped\ (?:'(.*)'|"(.*)")$ | ^skipped:\ (.*)$''', re.M | re.X)
ALL_OF_UNITTEST = re.compile(r'^Ran (\d+) tests? in .*\n\nOK \(skipped=\1\)$', re.M)


def rows(path):
    try:
        with open(path, encoding='utf-8') as log:
            return {name(row): row for row in map(json.loads, log)}
    except FileNotFoundError:
        return {}


def name(row):
    """The name alone: meson puts the suites in front of it."""
    return row['name'].rsplit(' / ', 1)[-1]


def said(row):
    return row.get('stdout', '') + row.get('stderr', '')


def reasons(row):
    """Why cases of a test were skipped, one entry for each case."""
    found = [next(filter(None, groups), 'no reason') for groups in SKIP.findall(said(row))]
    if not found and row['result'] == 'SKIP':
        found = (said(row).split('\n') if said(row) else ['no reason'])[:1]
    return found


def is_skipped(row):
    return row['result'] == 'SKIP' or row['result'] in PASSED and bool(ALL_OF_UNITTEST.search(said(row)))


def main(paths):
    passed = failed = skipped = 0
    table = collections.defaultdict(collections.Counter)
    logs = {path: rows(path) for path in paths}
    for i, (path, found) in enumerate(logs.items()):
        later = [logs[other] for other in paths[i + 1:] if os.path.dirname(other) == os.path.dirname(path)]
        if not found:
            print(f'no test ran: {path}')
            failed += 1
        for key, row in found.items():
            if any(key in other for other in later):
                continue
            table_key = key if os.path.dirname(path) == os.path.dirname(paths[0]) else f'{key} ({path.split("/")[0]})'
            for reason in reasons(row):
                table[reason][table_key] += 1
            if is_skipped(row):
                skipped += 1
            elif row['result'] in PASSED:
                passed += 1
            else:
                failed += 1
                print(f'{row["result"].lower()}: {row["name"]} ({path})')
                # Meson prints nothing of a test that speaks TAP and did not end.
                if row['result'] == 'TIMEOUT':
                    print(''.join(f'    {line}\n' for line in said(row).splitlines()[-SAID:]), end='')
    if table:
        print('Cases that were skipped, by reason:')
        for reason, tests in sorted(table.items()):
            print(f'  {reason}: ' + ', '.join(f'{n} of {test}' for test, n in sorted(tests.items())))
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
