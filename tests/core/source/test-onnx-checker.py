#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the checker of the onnx package refuses a model that was written, or the model imports a newer opset than
it needs.

Arguments: the program that writes models."""
import pathlib
import subprocess
import sys
import tempfile

try:
    import onnx
    import onnx.checker
    import onnx.defs
except ImportError:
    print('1..0 # SKIP python3-onnx is not installed')
    sys.exit(0)

DATA = pathlib.Path('/usr/share/libonnx-testdata/data')
models = sorted(DATA.glob('*/*/model.onnx'))
if not models:
    print('1..0 # SKIP libonnx-testdata is not installed')
    sys.exit(0)

newest = onnx.defs.onnx_opset_version()
refused = []
counts = {}
with tempfile.TemporaryDirectory() as folder:
    pairs = [(model, pathlib.Path(folder) / f'{i}.onnx') for i, model in enumerate(models)]
    answer = subprocess.run([sys.argv[1]], input=''.join(f'{a}\t{b}\n' for a, b in pairs), text=True,
                            capture_output=True, check=True).stdout.splitlines()
    for (model, written), error in zip(pairs, answer, strict=True):
        if error:
            refused.append(f'{model}: {error}')
            continue
        proto = onnx.load(str(written))
        versions = {entry.domain: entry.version for entry in proto.opset_import}
        counts[versions['']] = counts.get(versions[''], 0) + 1
        if versions[''] > newest:
            continue
        try:
            onnx.checker.check_model(proto, full_check=True)
        except Exception as error:
            refused.append(f'{model}: {str(error).strip()[:300]}')

for line in refused:
    print('# ' + line)
print('# opsets: ' + ', '.join(f'{k}: {v}' for k, v in sorted(counts.items())))
print('1..1')
print(('not ok' if refused else 'ok') + ' 1 - the checker takes what was written')
