#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the shipped files agree with each other: ids, icons, programs, keys of the flatpak manifest."""
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
BUILD = pathlib.Path(sys.argv.pop(1))
APP_ID = sys.argv.pop(1)
BASE_ID = APP_ID.removesuffix('.Devel')

MANIFEST_KEYS = {'id', 'runtime', 'runtime-version', 'sdk', 'command', 'finish-args', 'cleanup', 'modules'}
BUILD_SYSTEMS = {'meson', 'autotools', 'cmake', 'cmake-ninja', 'simple'}


def manifest_faults(manifest):
    """Yields what flatpak-builder would refuse, or what this program does not need."""
    for key in sorted(MANIFEST_KEYS - manifest.keys()):
        yield f'no {key}'
    for argument in manifest.get('finish-args', []):
        if not re.fullmatch(r'--(share|socket|device|talk-name)=[\w.-]+', argument):
            yield f'unexpected permission {argument}'
    for module in manifest.get('modules', []):
        if module.get('buildsystem') not in BUILD_SYSTEMS or not module.get('name') or not module.get('sources'):
            yield f'module {module.get("name")} is not complete'
        for source in module.get('sources', []):
            if source['type'] == 'git' and not re.fullmatch('[0-9a-f]{40}', source.get('commit', '')):
                yield f'module {module["name"]}: a source without a commit is not reproducible'
            if source['type'] == 'archive' and not re.fullmatch('[0-9a-f]{64}', source.get('sha256', '')):
                yield f'module {module["name"]}: an archive without a digest'


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

    def test_manifest(self):
        manifest = json.loads((ROOT / 'flatpak' / f'{BASE_ID}.Devel.json').read_text())
        self.assertEqual(list(manifest_faults(manifest)), [])
        self.assertEqual(manifest['id'], f'{BASE_ID}.Devel')
        self.assertEqual(manifest['command'], 'assay-workbench')

    def test_manifest_faults_are_found(self):
        manifest = json.loads((ROOT / 'flatpak' / f'{BASE_ID}.Devel.json').read_text())
        for damage in (lambda m: m.pop('runtime'),
                       lambda m: m['finish-args'].append('--filesystem=host'),
                       lambda m: m['modules'][-1].pop('buildsystem'),
                       lambda m: m['modules'][0]['sources'][0].pop('commit')):
            bad = json.loads(json.dumps(manifest))
            damage(bad)
            self.assertNotEqual(list(manifest_faults(bad)), [])


unittest.main()
