#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the shipped files agree with each other: ids, icons, programs."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
BUILD = pathlib.Path(sys.argv.pop(1))
APP_ID = sys.argv.pop(1)
BASE_ID = APP_ID.removesuffix('.Devel')


class Ids(unittest.TestCase):
    def test_desktop(self):
        text = (BUILD / 'data' / f'{APP_ID}.desktop').read_text()
        self.assertIn(f'\nIcon={APP_ID}\n', text)
        self.assertIn('\nExec=assay-workbench %U\n', text)
        mime = (ROOT / 'data' / f'{BASE_ID}.mime.xml').read_text()
        for name in re.search(r'^MimeType=(.*);$', text, re.M).group(1).split(';'):
            self.assertIn(f'<mime-type type="{name}">', mime)

    def test_metainfo(self):
        text = (BUILD / 'data' / f'{APP_ID}.metainfo.xml').read_text()
        self.assertIn(f'<id>{APP_ID}</id>', text)
        self.assertIn(f'>{APP_ID}.desktop</launchable>', text)
        version = re.search(r"^  version: '([^']+)'", (ROOT / 'meson.build').read_text(), re.M).group(1)
        self.assertIn(f'<release version="{version}"', text)

    def test_icons(self):
        icons = ROOT / 'data' / 'icons' / 'hicolor'
        for name in (BASE_ID, f'{BASE_ID}.Devel'):
            self.assertTrue((icons / 'scalable' / 'apps' / f'{name}.svg').is_file())
        self.assertTrue((icons / 'symbolic' / 'apps' / f'{BASE_ID}-symbolic.svg').is_file())

    def test_schema(self):
        text = (ROOT / 'data' / f'{BASE_ID}.gschema.xml').read_text()
        self.assertIn(f'<schema id="{BASE_ID}" path="/{BASE_ID.replace(".", "/")}/">', text)


unittest.main()
