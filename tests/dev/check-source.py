#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a script can check of the house rules: doc comments, file lengths, line lengths, forbidden words, SPDX lines."""
import pathlib
import re
import statistics
import sys

FOLDERS = ('app', 'core', 'ui', 'tests', 'data', 'docs', 'resources', 'flatpak')
CODE = ('.c', '.h', '.py', '.sh')
MAX_LINES = 1200
MAX_MEDIAN = 300
MAX_COLUMNS = 100
# Split so that this file does not find itself.
WORDS = re.compile(r'\b(' + '|'.join(('TO' 'DO', 'FIX' 'ME', 'XX' 'X', 'HA' 'CK')) + r')\b|\b' + 'for' + r' now\b|not ' + 'implemented')
# A function of a header: return type, name, parenthesis; macros and typedefs do not look like this.
DECLARATION = re.compile(r'^(?:[A-Za-z_][\w ]*[ *]+)?\**((?:assay|adw|gtk)_\w+)\s*\((?!\))', re.M)
DEFINITION = re.compile(r'^(assay_\w+) \(', re.M)


def sources(root, suffixes):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.is_file() and path.suffix in suffixes and 'data/golden' not in str(path):
                yield path


def public_functions(header):
    text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
    text = re.sub(r'^\s*#.*?(?<!\\)$', '', text, flags=re.M | re.S)
    text = re.sub(r'static inline.*?^}', '', text, flags=re.M | re.S)
    return {m.group(1) for m in DECLARATION.finditer(text)}


def undocumented(root):
    """Public functions of core whose definition has no doc comment right above it."""
    documented, defined = set(), {}
    for path in (root / 'core').rglob('*.[ch]'):
        text = path.read_text()
        documented.update(re.findall(r'^ \* (assay_\w+):', text, re.M))
        if path.suffix == '.c':
            for match in DEFINITION.finditer(text):
                defined[match.group(1)] = path
    # Memory management and type functions say everything in their names.
    plain = re.compile(r'_(ref|unref|free|clear|get_type|quark)$')
    # Rows of a table share one signature, which is documented with the table.
    rows = re.compile(r'^assay_(shape_rule|fold)_')
    for header in sorted((root / 'core').rglob('*.h')):
        if header.stem.endswith('-private'):
            continue
        for name in sorted(public_functions(header)):
            if name not in documented and not plain.search(name) and not rows.match(name):
                yield f'{header.relative_to(root)}: {name} has no doc comment'


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found, lengths = list(undocumented(root)), []
    for path in sources(root, CODE):
        where = path.relative_to(root)
        lines = path.read_text().splitlines()
        if path.suffix == '.c' and where.parts[0] in ('app', 'core', 'ui'):
            lengths.append(len(lines))
        if len(lines) > MAX_LINES:
            found.append(f'{where}: {len(lines)} lines, at most {MAX_LINES}')
        if not any('SPDX-License-Identifier' in line for line in lines[:4]):
            found.append(f'{where}: no SPDX line')
        for number, line in enumerate(lines, 1):
            if WORDS.search(line):
                found.append(f'{where}:{number}: {line.strip()}')
            if path.suffix in ('.c', '.h') and len(line) > MAX_COLUMNS:
                found.append(f'{where}:{number}: {len(line)} columns, at most {MAX_COLUMNS}')
            if line != line.rstrip() or '\t' in line:
                found.append(f'{where}:{number}: tab or space at the end')
    if lengths and statistics.median(lengths) > MAX_MEDIAN:
        found.append(f'median length of the C files is {statistics.median(lengths):.0f} lines, at most {MAX_MEDIAN}')
    for line in found:
        print(line)
    print(f'{len(found)} complaints')
    return 1 if found else 0


sys.exit(main())
