#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a rule of a target file whose source nobody has looked at, or whose section in docs does not exist.

tests/data/targets/sources.txt is the reviewed table: a page per line, and behind a tab the rows or sections of it that rules name.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
REVIEWED = ROOT / 'tests' / 'data' / 'targets' / 'sources.txt'


def reviewed():
    """page -> its rows"""
    pages = {}
    for line in REVIEWED.read_text().splitlines():
        if line and not line.startswith('#'):
            page, _, row = line.partition('\t')
            pages.setdefault(page, set()).add(row)
    return pages


def objects(value):
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from objects(member)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


def cited(source):
    """(page, row) for each page that a source names; rows stand in quotation marks behind the page."""
    for part in source.split('; '):
        page, quote, rest = part.partition('"')
        page = page.strip().rstrip(',')
        if not quote:
            yield page, ''
        for row in re.findall(r'"([^"]*)"', quote + rest):
            yield page, row


def sections(path):
    """heading -> text below it"""
    parts = re.split(r'^#+ (.*)$', path.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def own_operations():
    """What only this tree's machine computes is what published-only refuses."""
    rules = json.loads((ROOT / 'data' / 'targets' / 'block-streaming.json').read_text())['rules']
    refused = {op for rule in rules if rule['id'] == 'unpublished' for op in rule['op']}
    for rule in rules:
        ops = [rule['op']] if isinstance(rule['op'], str) else rule['op']
        own = all(page.startswith('docs/') for page, _ in cited(rule['source']))
        for op in ops if own and rule.get('verdict') != 'removed' else []:
            if op not in refused:
                yield f'{rule["id"]}: no vendor lists {op}, and the rule "unpublished" does not refuse it'


def complaints():
    pages = reviewed()
    used = set()
    for path in sorted((ROOT / 'data' / 'targets').glob('*.json')):
        for rule in objects(json.loads(path.read_text())):
            if not isinstance(rule.get('source'), str):
                continue
            where = f'{path.name}: {rule.get("id", "?")}'
            for page, row in cited(rule['source']):
                used.add((page, row))
                if row not in pages.get(page, ()):
                    yield f'{where}: {page} "{row}" is not in {REVIEWED.name}; look whether it exists, and add it'
                if not page.startswith('docs/'):
                    continue
                text = sections(ROOT / page).get(row)
                if text is None:
                    yield f'{where}: {page} has no section "{row}"'
                    continue
                ops = rule.get('op', [])
                ops = [ops] if isinstance(ops, str) else ops
                others = [other for other, _ in cited(rule['source']) if other != page]
                missing = [op for op in ops if f'`{op}`' not in text]
                if missing and not others:
                    yield f'{where}: {page} "{row}" says nothing of {", ".join(missing)}'
    yield from own_operations()
    for page, rows in pages.items():
        for row in rows:
            if (page, row) not in used:
                yield f'{REVIEWED.name}: no rule cites {page} "{row}"'


found = list(complaints())
print('\n'.join(found) or 'every source is one that was looked at')
sys.exit(1 if found else 0)
