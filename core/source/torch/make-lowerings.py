#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch-lowerings.def: which operations of the torch dialect reach which backend dialect.

Arguments: GeneratedTorchOps.td and the folder lib/Conversion of torch-mlir. Only facts are taken: which operations
have a conversion, and in which file."""
import pathlib
import re
import sys

HEAD = '''/* torch-lowerings.def
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which operations of the torch dialect the conversions of torch-mlir take to a backend dialect, one
 * row each; written by make-lowerings.py of this folder from the published conversions.
 *
 *   TORCH_LOWERING (name, to linalg, to TOSA, to StableHLO)
 *
 * Each is the file of lib/Conversion that has the conversion, or NULL.
 */
'''
# The folders of lib/Conversion that a pipeline runs.
PIPELINES = (('TorchToLinalg', 'TorchToTMTensor', 'TorchToSCF', 'TorchToArith', 'TorchToTensor'),
             ('TorchToTosa',),
             ('TorchToStablehlo', 'TorchToSCF', 'TorchToArith'))
# Where a conversion says what it takes: what may not be left, and what a pattern of many operations does not pass by.
PLACES = re.compile(r'(?:addIllegalOp\s*<|!isa\s*<|patterns\.add(?:WithLabel)?\s*<|illegalOps\.insert\s*\(|INSERT_\w+\s*\()([^;()]*)')


def main():
    names = {'%sOp' % kind.removesuffix('Op'): name for kind, name in
             re.findall(r'def Torch_(\w+) : Torch_Op<"([^"]+)"', open(sys.argv[1]).read())}
    root = pathlib.Path(sys.argv[2])
    rows = {}
    for column, parts in enumerate(PIPELINES):
        for part in parts:
            for path in sorted((root / part).glob('*.cpp')):
                for text in PLACES.findall(path.read_text()):
                    for word in re.findall(r'\w+', text):
                        for kind in (word, word.removeprefix('Convert')):
                            if kind in names:
                                row = rows.setdefault(names[kind], [None] * len(PIPELINES))
                                row[column] = row[column] or f'{part}/{path.name}'
    sys.stdout.write(HEAD)
    for name in sorted(rows):
        sources = ',\n                '.join('NULL' if source is None else f'"{source}"' for source in rows[name])
        sys.stdout.write(f'TORCH_LOWERING ("torch.{name}", {sources})\n')


main()
