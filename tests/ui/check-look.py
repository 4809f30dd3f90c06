#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What of the look can be read in the sources: margins and spacings from one list, no colour by number outside the palette, no font by name,
at most one suggested button per surface.

usage: check-look.py SOURCE_ROOT
"""
import pathlib
import re
import sys

STEPS = {0, 3, 6, 9, 12, 18, 24, 36}
# The card keeps clear of the zoom buttons at the other side by their width.
WIDE_MARGINS = {('assay-graph-page.ui', 'margin-end', 230)}
LENGTH = re.compile(r'<property name="(margin-(?:start|end|top|bottom)|spacing|row-spacing|column-spacing)">(\d+)</property>')
CODE_LENGTH = re.compile(r'gtk_widget_set_margin_\w+ \(\w+, (\d+)\)|gtk_box_new \(GTK_ORIENTATION_\w+, (\d+)\)')
CSS_LENGTH = re.compile(r'\b(?:padding|margin)[a-z-]*: ([^;]*);')
COLOUR = re.compile(r'#[0-9a-fA-F]{3,8}\b|\brgba?\s*\(|gdk_rgba_parse|GdkRGBA\s*\)?\s*\{\s*[0-9.]')
FONT = re.compile(r'font-family|font-size|pango_font_description_(?:from_string|set_family)')
MANY = re.compile(r'%(?:\.\d)?[sgu][^"%a-z]*\bunits\b')
complaints = []


def complain(path, number, text):
    complaints.append(f'{path.name}:{number}: {text}')


def check_ui(path):
    text = path.read_text()
    for number, line in enumerate(text.split('\n'), 1):
        for name, value in LENGTH.findall(line):
            if int(value) not in STEPS and (path.name, name, int(value)) not in WIDE_MARGINS:
                complain(path, number, f'{name} {value} is not one of {sorted(STEPS)}')
        if COLOUR.search(line):
            complain(path, number, 'a colour by number')
    if text.count('suggested-action') > 1:
        complain(path, 1, 'two suggested buttons on one surface')


def check_code(path):
    for number, line in enumerate(path.read_text().split('\n'), 1):
        for groups in CODE_LENGTH.findall(line):
            value = int(next(group for group in groups if group))
            if value not in STEPS:
                complain(path, number, f'length {value} is not one of {sorted(STEPS)}')
        if path.name != 'assay-palette.c' and COLOUR.search(line):
            complain(path, number, 'a colour by number, which belongs to the palette')
        if FONT.search(line) and path.name not in ('assay-painter.c', 'assay-palette.c'):
            complain(path, number, 'a font that is not the one of the desktop')


def check_plurals(root):
    """A number that is written may be one."""
    for path in sorted([*root.glob('ui/*/*.c'), *root.glob('core/*/*.c')]):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if MANY.search(line):
                complain(path, number, 'units without assay_plural_of(), of what may be one')


def check_tables(root):
    """No table is forgotten by the test that looks at each at every width."""
    known = set(re.findall(r'"(Assay\w+)"', (root / 'tests/ui/look-checks.c').read_text()))
    for path in sorted((root / 'resources/ui').glob('*.ui')):
        if 'class="GtkColumnView"' in path.read_text():
            owner = re.search(r'<template class="(\w+)"', path.read_text())[1]
            if owner not in known:
                complain(path, 1, f'the table of {owner} is not in tests/ui/look-checks.c')
    for path in sorted((root / 'ui').rglob('*.c')):
        if 'gtk_column_view_new (' in path.read_text():
            owner = ''.join(word.capitalize() for word in path.stem.split('-'))
            if owner not in known:
                complain(path, 1, f'the table of {owner} is not in tests/ui/look-checks.c')


def check_choosers(root):
    """Where a file dialog starts and what name it proposes is decided in one place."""
    for path in sorted((root / 'ui').rglob('*.c')):
        if path.name != 'assay-file-choice.c' and 'gtk_file_chooser_' in path.read_text():
            complain(path, 1, 'a file dialog that is not an AssayFileChoice')


def check_css(path):
    for number, line in enumerate(path.read_text().split('\n'), 1):
        if COLOUR.search(line):
            complain(path, number, 'a colour by number')
        if FONT.search(line):
            complain(path, number, 'a font that is not the one of the desktop')
        for values in CSS_LENGTH.findall(line):
            for value in re.findall(r'(\d+)px', values):
                if int(value) not in STEPS:
                    complain(path, number, f'length {value} is not one of {sorted(STEPS)}')


def main():
    root = pathlib.Path(sys.argv[1])
    templates = sorted((root / 'resources' / 'ui').glob('*.ui'))
    sources = sorted((root / 'ui').rglob('*.c'))
    for path in templates:
        check_ui(path)
    for path in sources:
        check_code(path)
    check_css(root / 'resources' / 'style.css')
    check_plurals(root)
    check_tables(root)
    check_choosers(root)
    for complaint in complaints:
        print(complaint)
    print(f'{len(templates)} templates, {len(sources)} sources, {len(complaints)} complaints')
    return 1 if complaints or len(templates) < 20 or len(sources) < 40 else 0


sys.exit(main())
