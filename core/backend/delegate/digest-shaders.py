#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header with the digest of what shaders are made of: their sources, and the table of them."""
import hashlib
import pathlib
import sys

result, *sources = sys.argv[1:]
digest = hashlib.sha256()
for source in sorted(sources, key=lambda path: pathlib.Path(path).name):
    data = pathlib.Path(source).read_bytes()
    digest.update(f'{pathlib.Path(source).name} {len(data)}\n'.encode() + data)
pathlib.Path(result).write_text(f'#pragma once\n\n#define ASSAY_GPU_SHADERS_DIGEST "{digest.hexdigest()}"\n')
