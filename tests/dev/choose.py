#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the names of the tests to run, a line each.

usage: choose.py BUILD quick       all tests but those of tests/only-all.txt
       choose.py BUILD all [LOG]   all tests but those that passed in LOG with no case skipped, or failed there"""
import json
import pathlib
import subprocess
import sys

import count

ONLY_ALL = pathlib.Path(__file__).parents[1] / 'only-all.txt'


def main(build, what, *logs):
    tests = json.loads(subprocess.run(['meson', 'introspect', '--tests', build], check=True, capture_output=True, text=True).stdout)
    names = [test['name'] for test in tests]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert not twice, f'two tests are named {", ".join(twice)}'
    if what == 'quick':
        left_out = {line.partition(':')[0] for line in ONLY_ALL.read_text().splitlines() if line and not line.startswith('#')}
    else:
        left_out = {name for log in logs for name, row in count.rows(log).items() if not count.reasons(row)}
    print('\n'.join(name for name in names if name not in left_out))


main(*sys.argv[1:])
