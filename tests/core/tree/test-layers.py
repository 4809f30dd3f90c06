#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that points upward: from core to the toolkit, or from a folder to a later one."""
import pathlib
import re
import sys

CORE = ['base', 'text', 'process', 'settings', 'nnir', 'source', 'target', 'evaluate', 'quantize', 'backend', 'run', 'cause', 'work', 'fix', 'reduce', 'layout', 'draw', 'report', 'document', 'session', 'api']
TOOLKIT = re.compile(r'^(gtk/|gdk/|gsk/|adwaita|graphene)')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
GRAPHVIZ = re.compile(r'^(graphviz/)?(cgraph|gvc|cdt)\.h$')


def complaints(root):
    for path in sorted(root.rglob('*.[ch]')):
        parts = path.relative_to(root).parts
        if parts[0] not in ('core', 'ui', 'app'):
            continue
        level = CORE.index(parts[1]) if parts[0] == 'core' and parts[1] in CORE else None
        for name in INCLUDE.findall(path.read_text()):
            where = f'{path.relative_to(root)} includes {name}'
            first = name.split('/')[0]
            if parts[0] == 'core':
                if TOOLKIT.match(name):
                    yield f'{where}: core knows no toolkit'
                if first in ('ui', 'app'):
                    yield f'{where}: core knows no program'
                if level is not None and first in CORE and CORE.index(first) > level:
                    yield f'{where}: {first} comes after {parts[1]}'
            if GRAPHVIZ.match(name) and parts[:2] != ('app', 'layout'):
                yield f'{where}: Graphviz lives in app/layout only, in a process that can be killed'
            if parts[0] == 'ui' and first == 'app':
                yield f'{where}: ui knows no program'
            if parts[0] == 'app' and parts[1] in ('cli', 'board', 'layout') and (TOOLKIT.match(name) or first == 'ui'):
                yield f'{where}: this program has no window'


def drawn(root):
    """The order in the diagram of docs/DESIGN.md."""
    diagram = re.search(r'```\n(base .*?)```', (root / 'docs' / 'DESIGN.md').read_text(), re.S)
    return re.findall(r'[a-z]+', re.sub(r'\(.*?\)', '', diagram.group(1))) if diagram else []


def shown(root):
    """Folders of core without a page of their own, or without a row in docs/DESIGN.md."""
    text = (root / 'docs' / 'DESIGN.md').read_text()
    folders = sorted(path.name for path in (root / 'core').iterdir() if path.is_dir())
    for folder in folders:
        if folder not in CORE:
            yield f'core/{folder} has no place in the order'
        if not (root / 'core' / folder / 'README.md').is_file():
            yield f'core/{folder} has no README.md'
        if f'| core/{folder} |' not in text:
            yield f'docs/DESIGN.md has no row for core/{folder}'
    built = re.findall(r"^subdir\('([a-z]+)'\)$", (root / 'core' / 'meson.build').read_text(), re.M)
    if built != CORE:
        yield f'core/meson.build has another order: {built}'
    if drawn(root) != CORE + ['ui', 'app']:
        yield f'the diagram of docs/DESIGN.md has another order: {drawn(root)}'


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(complaints(root)) + list(shown(root))
    for line in found:
        print(line)
    return 1 if found else 0


sys.exit(main())
