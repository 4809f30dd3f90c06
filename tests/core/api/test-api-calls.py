#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The API as text: tests/data/api/*.txt have files, calls and, indented, all that each call gives or the error that it ends with.
ASSAY_REGENERATE=1 writes them anew.

test-api-calls.py SOURCE-ROOT
"""
import contextlib
import io
import os
import pathlib
import sys
import tempfile

try:
    import gi
except ModuleNotFoundError as e:
    print(f'skipped: python3-{e.name} is not installed')
    sys.exit(77)

import array

gi.require_version('Assay', '1')
# The calls that other languages see; test-api-python.py tests the Python module.
sys.modules['gi.overrides.Assay'] = None
from gi.repository import Assay, Gio, GLib, GObject


def tensor(shape, *values):
    """With these values, the last of which is that of all others too."""
    count = 1
    for extent in shape:
        count *= extent
    return Assay.Tensor.new(Assay.DType.F32, list(shape),
                            GLib.Bytes.new(array.array('f', [*values, *[values[-1]] * (count - len(values))]).tobytes()))


def show(tensors):
    """Shapes and elements."""
    for one in tensors:
        elements = array.array('f')
        elements.frombytes(one.dup_bytes().get_data())
        print(one.dup_shape(), *(f'{element:g}' for element in elements))


def field(number, value):
    """A field of a message in the form of ONNX files: a number below 128, text, or fields of its own."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def onnx(name, *nodes):
    """A model from x to y, whose nodes are operators with a name, an input and an output."""
    port = field(2, field(1, field(1, 1) + field(2, field(1, field(1, 2)))))
    graph = b''.join(field(1, field(1, before) + field(2, after) + field(3, node) + field(4, op)) for op, node, before, after in nodes)
    graph += field(2, 'graph') + field(11, field(1, 'x') + port) + field(12, field(1, 'y') + port)
    pathlib.Path(name).write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


def text(report):
    print(report.get_text())
    print('clean' if report.is_clean() else 'not clean')


def shown(said, folder):
    """Indented; an empty line is a dot."""
    lines = said.replace(folder, 'FOLDER').splitlines()
    return ''.join(f'  {line}'.rstrip() + '\n' if line.strip() else '  .\n' for line in lines)


def display(value):
    """Objects by their class, as their addresses are others each time."""
    if isinstance(value, GObject.Object):
        print(f'<{type(value).__name__}>')
    elif value is not None:
        print(repr(value))


def run(path):
    names = {'Assay': Assay, 'Gio': Gio, 'GLib': GLib, 'tensor': tensor, 'show': show, 'text': text, 'onnx': onnx}
    found, skipped_to = [], 0
    lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for at, line in enumerate(lines):
            if at < skipped_to or line.startswith('  '):
                continue
            found.append(line)
            if line.startswith('file '):
                skipped_to = next(i for i in range(at, len(lines)) if lines[i] == '\n')
                found += lines[at + 1:skipped_to]
                pathlib.Path(line[5:].strip()).write_text(''.join(lines[at + 1:skipped_to]), encoding='utf-8')
            elif line.startswith('> '):
                said = io.StringIO()
                with contextlib.redirect_stdout(said):
                    try:
                        exec(compile(line[2:], f'{path.name}:{at + 1}', 'single'), names)
                    except GLib.Error as e:
                        print(f'{Assay.Error(e.code).value_nick if e.domain == "assay-error-quark" else e.domain}: {e.message}')
                    except Exception as e:
                        print(f'{type(e).__name__}: {e}')
                found.append(shown(said.getvalue(), folder))
        os.chdir('/')
    return ''.join(found)


sys.displayhook = display
failed = False
for script in sorted(pathlib.Path(sys.argv[1], 'tests/data/api').glob('*.txt')):
    expected, got = script.read_text(encoding='utf-8'), run(script)
    if os.environ.get('ASSAY_REGENERATE'):
        script.write_text(got, encoding='utf-8')
    elif got != expected:
        failed = True
        number, one, other = next((n, a, b) for n, (a, b) in enumerate(zip(got.splitlines() + [''], expected.splitlines() + ['']), 1)
                                  if a != b)
        print(f'{script.name}:{number}: got “{one}”, expected “{other}”')
sys.exit(failed)
