#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages that Help opens out of the documents: the first becomes index.html, links between them work.

usage: make-help.py FOLDER GUIDE.md PAGE.md...
"""
import html
import pathlib
import re
import sys

STYLE = ('body { font: 16px/1.5 sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em } table { border-collapse: collapse } '
         'td, th { border-bottom: 1px solid; padding: .3em .8em; text-align: left; vertical-align: top } '
         'pre { overflow-x: auto; padding: .5em 1em; border-left: 3px solid } '
         '@media (prefers-color-scheme: dark) { body { background: black; color: white } a { color: lightblue } }')
ITEM = re.compile(r'( *)(?:[-*]|(\d+)\.) +')


def anchor(heading):
    """The name of a heading in links, as GitHub makes it."""
    plain = re.sub(r'\[([^\]]+)\]\([^)]+\)', r'\1', heading).replace('`', '').lower()
    return re.sub(r'[^\w\- ]', '', plain).replace(' ', '-')


class Page:
    def __init__(self, files):
        self.files = files

    def link(self, match):
        text, target = match.groups()
        name, _, place = target.partition('#')
        if target.startswith(('http:', 'https:', '#')):
            return f'<a href="{target}">{text}</a>'
        if name in self.files:
            return f'<a href="{self.files[name]}{"#" + place if place else ""}">{text}</a>'
        # Other files are not installed beside this one.
        return f'<i>{text}</i>'

    def inline(self, text):
        # Nothing in code is markup: numbers are written in its place until the rest is done.
        codes = []

        def keep(match):
            codes.append(f'<code>{html.escape(match.group(2), quote=False)}</code>')
            return f'\0{len(codes) - 1}\0'

        text = html.escape(re.sub(r'(`+)(.+?)\1', keep, text), quote=False)
        text = re.sub(r'!\[[^\]]*\]\([^)]+\)', '', text)
        text = re.sub(r'\[([^\]]+)\]\(([^)\s]+)\)', self.link, text)
        text = re.sub(r'\*\*([^*]+)\*\*', r'<b>\1</b>', text)
        return re.sub('\0(\\d+)\0', lambda match: codes[int(match.group(1))], text)

    def table(self, rows):
        cells = [[self.inline(cell.strip().replace('\\|', '|')) for cell in re.split(r'(?<!\\)\|', row.strip()[1:-1])] for row in rows]
        lines = ['<table>', '<tr>' + ''.join(f'<th>{cell}</th>' for cell in cells[0]) + '</tr>']
        lines += ['<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in cells[2:]]
        return '\n'.join(lines + ['</table>'])

    def items(self, lines):
        """A list: the text of an item is indented as far as its first word, and is made of blocks again."""
        ordered = ITEM.match(lines[0]).group(2) is not None
        found = []
        for line in lines:
            start = ITEM.match(line)
            if start and len(start.group(1)) == len(ITEM.match(lines[0]).group(1)):
                found.append([line[start.end():]])
                indent = start.end()
            else:
                found[-1].append(line[min(indent, len(line) - len(line.lstrip())):])
        tag = 'ol' if ordered else 'ul'
        return f'<{tag}>' + '\n'.join(f'<li>{self.blocks(item)}</li>' for item in found) + f'</{tag}>'

    def blocks(self, lines):
        out = []
        i = 0

        def take(wanted):
            nonlocal i
            start = i
            while i < len(lines) and wanted(lines[i]):
                i += 1
            return lines[start:i]

        while i < len(lines):
            line = lines[i]
            heading = re.match(r'(#+) (.*)', line)
            if not line.strip():
                i += 1
            elif heading:
                level = len(heading.group(1))
                out.append(f'<h{level} id="{anchor(heading.group(2))}">{self.inline(heading.group(2))}</h{level}>')
                i += 1
            elif line.startswith('```'):
                i += 1
                code = take(lambda text: not text.startswith('```'))
                i += 1
                out.append('<pre>' + html.escape('\n'.join(code), quote=False) + '</pre>')
            elif line.startswith('    '):
                code = take(lambda text: text.startswith('    ') or not text.strip())
                out.append('<pre>' + html.escape('\n'.join(text[4:] for text in code).rstrip(), quote=False) + '</pre>')
            elif line.startswith('|'):
                out.append(self.table(take(lambda text: text.startswith('|'))))
            elif ITEM.match(line):
                # An empty line ends a list unless more of it, or of an item, comes after it.
                found = []
                while i < len(lines):
                    after = next((text for text in lines[i:] if text.strip()), '')
                    if not lines[i].strip() and not (ITEM.match(after) or after.startswith('  ')):
                        break
                    if lines[i].startswith(('#', '|', '```')):
                        break
                    found.append(lines[i])
                    i += 1
                out.append(self.items(found))
            else:
                out.append('<p>' + self.inline(' '.join(take(
                    lambda text: text.strip() and not text.startswith(('#', '|', '```')) and not ITEM.match(text)))) + '</p>')
        return '\n'.join(out)


def main():
    folder, sources = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    files = {path.name: path.stem + '.html' for path in sources}
    files[sources[0].name] = 'index.html'
    for path in sources:
        text = path.read_text()
        title = re.match(r'# (.*)', text).group(1)
        back = '' if path is sources[0] else '<p><a href="index.html">Using Assay</a></p>\n'
        (folder / files[path.name]).write_text(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style></head>\n'
            f'<body>\n{back}{Page(files).blocks(text.splitlines())}\n</body></html>\n')


main()
