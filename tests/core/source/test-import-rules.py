#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if docs/onnx-import.md does not list the rules of the importer's findings, or lists one that is gone."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
used = set()
for path in sorted((root / 'core' / 'source' / 'onnx').rglob('*.c')):
    used.update(re.findall(r'"(import\.[a-z-]+)"', path.read_text()))
listed = set(re.findall(r'`(import\.[a-z-]+)`', (root / 'docs' / 'onnx-import.md').read_text()))

for rule in sorted(used - listed):
    print(f'{rule} is not in docs/onnx-import.md')
for rule in sorted(listed - used):
    print(f'docs/onnx-import.md lists {rule}, which nothing reports')
sys.exit(1 if used != listed else 0)
