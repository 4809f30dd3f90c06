#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands in tests/data/reports/*.txt and holds what they print against what follows them there.

A file is a transcript: `$ assay ...` is a command, `> NAME` begins a file that commands read, up to a line `.`, and all else is
output; behind it `(status N)` unless it is 0. Commands of one file share a folder. ASSAY_REGENERATE=1 writes the output anew.

Arguments: the assay program, the top of the source tree."""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ASSAY = pathlib.Path(sys.argv[1]).resolve()
DATA = pathlib.Path(sys.argv[2]) / 'tests' / 'data' / 'reports'
VERSION = subprocess.run([ASSAY, 'version'], stdout=subprocess.PIPE, check=True).stdout.decode().split()[-1]
# Times that were measured.
MASKED = ((r'took [\d.]+ us per inference, 99 % of (\d+) at most [\d.]+ us', r'took TIME per inference, 99 % of \1 at most TIME'),
          (r'"(p50_us|p99_us)": [\d.]+', r'"\1": TIME'))


def run(command, folder):
    words = shlex.split(command)
    done = subprocess.run([ASSAY, *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    text = done.stdout.decode().replace(str(folder), 'FOLDER').replace(VERSION, 'VERSION')
    for pattern, mask in MASKED:
        text = re.sub(pattern, mask, text)
    if text and not text.endswith('\n'):
        text += '\n'
    return text + (f'(status {done.returncode})\n' if done.returncode != 0 else '')


def replay(lines, folder):
    """The transcript with the output that the commands give."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith('> '):
            end = lines.index('.\n', at)
            (folder / line[2:].strip()).write_text(''.join(lines[at:end]))
            yield from lines[at - 1:end + 1]
            at = end + 1
        elif line.startswith('$ '):
            yield line
            yield from run(line[2:], folder).splitlines(keepends=True)
            while at < len(lines) and not lines[at].startswith(('$ ', '> ')):
                at += 1
        else:
            yield line


def main():
    failed = 0
    names = sorted(DATA.glob('*.txt'))
    print(f'1..{len(names)}')
    for number, name in enumerate(names, 1):
        lines = name.read_text().splitlines(keepends=True)
        with tempfile.TemporaryDirectory() as folder:
            got = list(replay(lines, pathlib.Path(folder)))
        if os.environ.get('ASSAY_REGENERATE'):
            name.write_text(''.join(got))
        elif got != lines:
            failed += 1
            for line in list(difflib.unified_diff(lines, got, 'expected', 'printed'))[:60]:
                print('# ' + line.rstrip('\n'))
            print(f'not ok {number} /report/{name.stem}')
            continue
        print(f'ok {number} /report/{name.stem}')
    return 1 if failed or not names else 0


sys.exit(main())
