#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validates one kind of shipped file with the tool made for it, and makes sure that the tool rejects a damaged copy."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = {
    'desktop': ['desktop-file-validate', '--no-hints'],
    'metainfo': ['appstreamcli', 'validate', '--no-net', '--explain'],
    'gschema': ['glib-compile-schemas', '--strict', '--dry-run'],
    'mime': ['xmllint', '--noout', '--nonet'],
    'svg': ['xmllint', '--noout', '--nonet'],
}

# How to damage a good file of each kind so that it must be refused: pattern and replacement.
DAMAGE = {
    'desktop': (r'(?m)^Type=Application$', 'Type=Nonsense'),
    'metainfo': (r'<metadata_license>.*</metadata_license>', ''),
    'gschema': (r'<default>true</default>', '<default>perhaps</default>'),
    'mime': (r'</mime-info>', ''),
    'svg': (r'</svg>', ''),
}


def mime_faults(text):
    if not re.search(r'<mime-type type="[a-z]+/[a-z0-9.+-]+">', text) or '<glob pattern="*.onnx"/>' not in text:
        yield 'no MIME type with a pattern for .onnx'


def svg_faults(text):
    if not re.search(r'<svg [^>]*viewBox="0 0 (\d+) \1"', text):
        yield 'the drawing is not square'
    if re.search(r'<(image|script|text|foreignObject)\b|href=', text):
        yield 'the drawing is not self-contained'


def gschema_faults(text):
    keys = re.findall(r'<key name="([^"]+)"', text)
    if not 1 <= len(keys) <= 9:
        yield f'{len(keys)} keys, at most 9 are wanted'


OWN = {'mime': mime_faults, 'svg': svg_faults, 'gschema': gschema_faults}


def validate(kind, path):
    """Returns what is wrong with a file, empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        # glib-compile-schemas takes a folder, and the others care about the name.
        copy = pathlib.Path(folder) / path.name
        shutil.copyfile(path, copy)
        argument = folder if kind == 'gschema' else str(copy)
        run = subprocess.run(TOOLS[kind] + [argument], capture_output=True, text=True, timeout=600)
    faults = list(OWN.get(kind, lambda text: [])(path.read_text()))
    if run.returncode:
        faults.append(run.stdout + run.stderr)
    return '\n'.join(faults)


def main():
    kind, paths = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]
    if not shutil.which(TOOLS[kind][0]):
        print(f'skipped: {TOOLS[kind][0]} is not installed')
        return 77
    failed = 0
    for path in paths:
        complaint = validate(kind, path)
        if complaint:
            print(f'{path}: {complaint}')
            failed += 1
        pattern, replacement = DAMAGE[kind]
        text, n = re.subn(pattern, replacement, path.read_text(), count=1)
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / path.name
            bad.write_text(text)
            if not n or not validate(kind, bad):
                print(f'{path}: a damaged copy was not refused')
                failed += 1
    return 1 if failed else 0


sys.exit(main())
