#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches that were run, of the files that read what comes from outside: coverage.py BUILD [FILE...]. With
files it prints the branches of each that were not taken. Branches of lines that begin with a macro of GLib for contracts
or for clearing do not count: no byte from outside decides which way they go."""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What decides whether a program may run; the readers are those of the list.
VERIFIER = ('core/backend/stream/machine/assay-stream-code-verify.c', 'core/backend/stream/machine/assay-touch.c',
            'core/backend/stream/machine/assay-instruction.c')
# What stands behind a reader of the list, and knows bytes too.
BEHIND = ('core/document/assay-session-file-read.c', 'core/report/assay-overlay-file-csv.c', 'core/source/onnx/assay-tensor-proto.c',
          'core/source/onnx/assay-wire-scan.c', 'core/source/onnx/assay-wire.c', 'core/source/onnx/assay-wire-message.c',
          'core/text/assay-json-index.c', 'core/text/assay-json-members.c')

# A contract between parts of the program (which a test could only break by calling it wrongly), and the side of a macro of GLib
# for an object that is not there, or for the second thread that comes to a once.
NO_DECISION = re.compile(r'g_return_(val_)?if_fail \(|g_assert(_[a-z]+)? \(|g_clear_(pointer|object|error) \(|if \(g_once_init_enter \(')


def chosen():
    rows = (line.split(':', 1) for line in (ROOT / 'tests/fuzz/readers.txt').read_text().splitlines() if line and line[0] != '#')
    readers = {where for where, names in rows if where.startswith('core/') and not names.strip().startswith('-')}
    return sorted(readers | set(VERIFIER) | set(BEHIND))


def measure(build):
    """Of each file: how often lines ran, and how often the branches of each line were taken."""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(dict)
    wanted = set(chosen())
    for data in sorted(build.rglob('*.gcda')):
        # Objects are called folder_file.c.gcda; most belong to files that nobody asks for.
        if not any(data.name == name.removeprefix('core/').replace('/', '_') + '.gcda' or data.name.endswith('_' + name.rsplit('/', 1)[1] + '.gcda')
                   or data.name == name.rsplit('/', 1)[1] + '.gcda' for name in wanted):
            continue
        told = subprocess.run(['gcov', '--json-format', '--branch-probabilities', '--stdout', data], capture_output=True, text=True,
                              check=True, cwd=build).stdout
        for document in told.splitlines():
            for file in json.loads(document)['files']:
                path = (build / file['file']).resolve()
                where = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ''
                if where not in wanted:
                    continue
                text = (ROOT / where).read_text().splitlines()
                for line in file['lines']:
                    number = line['line_number']
                    lines[where][number] += line['count']
                    if NO_DECISION.match(text[number - 1].strip()):
                        continue
                    counts = [branch['count'] for branch in line['branches']]
                    before = branches[where].get(number, [0] * len(counts))
                    branches[where][number] = [a + b for a, b in zip(before, counts)]
    return lines, branches


def share(n, of):
    return f'{n:5} of {of:5} {100 * n / of if of else 100:5.1f} %'


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    lines, branches = measure(build)
    total = [0, 0, 0, 0]
    for where in chosen():
        if where not in lines:
            print(f'{where}: no test runs it')
            continue
        taken = [count > 0 for counts in branches[where].values() for count in counts]
        row = [sum(count > 0 for count in lines[where].values()), len(lines[where]), sum(taken), len(taken)]
        total = [a + b for a, b in zip(total, row)]
        print(f'{where:62} lines {share(*row[:2])}, branches {share(*row[2:])}')
    print(f'{"all":62} lines {share(*total[:2])}, branches {share(*total[2:])}')
    for where in sys.argv[2:]:
        text = (ROOT / where).read_text().splitlines()
        for number, counts in sorted(branches[where].items()):
            if 0 in counts:
                print(f'{where}:{number}: {counts} {text[number - 1].strip()}')


main()
