#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the page that Help opens out of the user guide.

usage: make-help.py GUIDE.md PAGE.html
"""
import html
import pathlib
import re
import sys

STYLE = ('body { font: 16px/1.5 sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em } table { border-collapse: collapse } '
         'td, th { border-bottom: 1px solid; padding: .3em .8em; text-align: left; vertical-align: top } '
         '@media (prefers-color-scheme: dark) { body { background: black; color: white } }')


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r'`([^`]+)`', r'<code>\1</code>', text)
    text = re.sub(r'\*\*([^*]+)\*\*', r'<b>\1</b>', text)
    # Other pages are not installed beside this one.
    return re.sub(r'\[([^\]]+)\]\([^)]+\)', r'<i>\1</i>', text)


def table(rows):
    cells = [[inline(cell.strip()) for cell in row.strip('|').split('|')] for row in rows]
    lines = ['<table>', '<tr>' + ''.join(f'<th>{cell}</th>' for cell in cells[0]) + '</tr>']
    lines += ['<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in cells[2:]]
    return '\n'.join(lines + ['</table>'])


def block(text):
    lines = text.split('\n')
    heading = re.match(r'(#+) (.*)', text)
    if heading:
        level = len(heading.group(1))
        return f'<h{level}>{inline(heading.group(2))}</h{level}>'
    if lines[0].startswith('|'):
        return table(lines)
    return f'<p>{inline(" ".join(lines))}</p>'


def main():
    guide = pathlib.Path(sys.argv[1]).read_text()
    body = '\n'.join(block(part) for part in guide.strip().split('\n\n'))
    page = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Using Assay</title><style>{STYLE}</style></head>\n' \
           f'<body>\n{body}\n</body></html>\n'
    pathlib.Path(sys.argv[2]).write_text(page)


main()
