#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""test-docs.py ROOT: every path, link and symbol that a document names exists.

Checked are the documents that git tracks, or all where the tree is no checkout: links, and what is in backticks, inside
blocks of code too. `NAME`, `GROUP` and their kind (a word in capitals) and `*` stand for any text."""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

SUFFIXES = 'c|h|def|md|py|sh|in|ui|json|tsv|txt|nnir|build|comp|glsl|proto|css|mlir|supp'
TOP = ('app', 'core', 'data', 'docs', 'flatpak', 'resources', 'tests', 'ui')
PATH = re.compile(rf'(?:{"|".join(TOP)})/[\w.*/-]*|[\w*-][\w./*-]*\.(?:{SUFFIXES})')
SYMBOL = re.compile(r'(assay_[a-z0-9_]+|Assay[A-Z]\w+|ASSAY_[A-Z0-9_]+)(?: ?\(\))?')
PLACEHOLDER = re.compile(r'(NAME|GROUP|KIND|ID)')
LINK = re.compile(r'\]\(([^)#\s]+)(?:#[^)]*)?\)')
# Files of a user in examples, and suffixes.
EXAMPLES = {'model.nnir', 'model.mlir', 'assay-policy.json', 'run.json', 'result.json', '-private.h', '.sarif.json'}


def files_of(root):
    try:
        listed = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard'], capture_output=True, text=True,
                                check=True).stdout
        return [name for name in listed.split('\n') if name and (root / name).is_file()]
    except (OSError, subprocess.CalledProcessError):
        return [str(path.relative_to(root)) for path in root.rglob('*')
                if path.is_file() and not str(path.relative_to(root)).startswith(('build', '.git/', 'out/'))]


def pattern_of(path):
    """A word in capitals is a placeholder; those that files really have (README, DESIGN) match as well."""
    return re.sub(r'(?<![A-Za-z])[A-Z]{2,}(?![a-z])', '*', path.rstrip('/'))


def main():
    root = pathlib.Path(sys.argv[1])
    files = files_of(root)
    names = set(files)
    for name in files:
        names.update(str(parent) for parent in pathlib.PurePath(name).parents)
    ends = [f'/{name}' for name in names]
    sources = [name for name in files if name.endswith(('.c', '.h', '.def', '.py', '.in', '.build', '.sh', '.map'))]
    words = set()
    for name in sources:
        words.update(re.findall(r'\w+', (root / name).read_text(errors='replace')))
    # Names that macros make of a row of a table.
    made = re.compile(r'(assay_(?:kernel_op|shape_rule|op|type|dtype)_|ASSAY_(?:OP|SETTING|DTYPE)_)')

    wrong = []
    for name in files:
        if not name.endswith('.md'):
            continue
        folder = os.path.dirname(name)
        for number, line in enumerate((root / name).read_text().split('\n'), 1):
            def exists(path):
                pattern = pattern_of(path)
                beside = os.path.normpath(os.path.join(folder, pattern))
                return (any(fnmatch.fnmatch(other, pattern) or fnmatch.fnmatch(other, beside) for other in names)
                        or any(fnmatch.fnmatch(end, f'*/{pattern}') for end in ends))

            for link in LINK.findall(line):
                if '://' not in link and not exists(link):
                    wrong.append(f'{name}:{number}: the link {link} leads nowhere')
            for quoted in re.findall(r'`([^`]+)`', line):
                if PATH.fullmatch(quoted) and quoted not in EXAMPLES and not exists(quoted):
                    wrong.append(f'{name}:{number}: there is no {quoted}')
                symbol = SYMBOL.fullmatch(quoted)
                if symbol and symbol[1] not in words and not made.match(symbol[1]) and not PLACEHOLDER.search(symbol[1]):
                    wrong.append(f'{name}:{number}: no source has {symbol[1]}')
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
