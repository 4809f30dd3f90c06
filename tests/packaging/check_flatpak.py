#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Flatpak manifest as far as that goes without a network: what flatpak-builder needs, permissions, digests, and
that the files it installs are those of its application id. Each check has to find a fault that is put in."""
import copy
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print('python3-yaml is not installed')
    sys.exit(77)

ROOT = pathlib.Path(sys.argv.pop(1))
MANIFEST = ROOT / 'flatpak' / 'org.assay.Workbench.yaml'

KEYS = {'id', 'runtime', 'runtime-version', 'sdk', 'command', 'finish-args', 'cleanup', 'modules'}
MODULE_KEYS = {'name', 'buildsystem', 'config-opts', 'cleanup', 'sources', 'post-install'}
BUILD_SYSTEMS = {'meson', 'autotools', 'cmake-ninja'}
# A window, its pictures and a graphics processor. Files come through the document portal, the ssh of the host by a permission
# that the user adds.
PERMISSIONS = re.compile(r'--(socket=(wayland|fallback-x11)|share=ipc|device=dri)')


def text_faults(text):
    """Yields each permission whose line does not end with its reason."""
    block = re.search(r'^finish-args:\n((?:  .*\n)+)', text, re.M)
    for line in block[1].splitlines() if block else ['no finish-args']:
        if not re.fullmatch(r'  - --\S+ +# \w.*\w', line):
            yield f'no reason beside {line.strip()}'


def module_faults(module, is_last):
    name = module.get('name')
    if not name or module.get('buildsystem') not in BUILD_SYSTEMS or not module.get('sources'):
        yield f'module {name} is not complete'
    for key in module.keys() - MODULE_KEYS:
        yield f'module {name}: unknown key {key}'
    for source in module.get('sources', []):
        if is_last and source == {'type': 'dir', 'path': '..', 'skip': source.get('skip', [])}:
            continue
        if source.get('type') not in ('archive', 'git') or not source.get('url', '').startswith('https://'):
            yield f'module {name}: neither an archive nor a commit from a server'
        if source.get('type') == 'archive' and not re.fullmatch('[0-9a-f]{64}', source.get('sha256', '')):
            yield f'module {name}: an archive without a digest'
        if source.get('type') == 'git' and not re.fullmatch('[0-9a-f]{40}', source.get('commit', '')):
            yield f'module {name}: a source without a commit'


def manifest_faults(manifest, options):
    for key in sorted(KEYS ^ manifest.keys()):
        yield f'key {key}'
    if manifest.get('id') != MANIFEST.stem or manifest.get('command') != 'assay-workbench':
        yield f'id {manifest.get("id")}, command {manifest.get("command")}'
    if not re.fullmatch(r'\d+', str(manifest.get('runtime-version'))) or manifest.get('runtime') != 'org.gnome.Platform':
        yield f'runtime {manifest.get("runtime")} {manifest.get("runtime-version")}'
    for argument in manifest.get('finish-args', []):
        if not PERMISSIONS.fullmatch(argument):
            yield f'permission {argument}'
    modules = manifest.get('modules') or [{}]
    for module in modules:
        yield from module_faults(module, module is modules[-1])
    for option in modules[-1].get('config-opts', []):
        if not option.startswith('-D') or option[2:].split('=')[0] not in options:
            yield f'meson has no option {option}'
    if '-Ddevelopment=false' not in modules[-1].get('config-opts', []):
        yield 'the build is one for developers, whose id is another'


# What is put into a good manifest, and what is said about it then.
DAMAGE = [
    (lambda m: m.pop('sdk'), 'key sdk'),
    (lambda m: m.update({'id': 'org.assay.Workbench.Devel'}), 'id org.assay.Workbench.Devel'),
    (lambda m: m.update({'runtime-version': 'master'}), 'runtime org.gnome.Platform master'),
    (lambda m: m['finish-args'].append('--filesystem=host'), 'permission --filesystem=host'),
    (lambda m: m['finish-args'].append('--talk-name=org.freedesktop.Flatpak'), 'permission --talk-name'),
    (lambda m: m['finish-args'].append('--share=network'), 'permission --share=network'),
    (lambda m: m['finish-args'].append('--device=all'), 'permission --device=all'),
    (lambda m: m['modules'][-1].pop('buildsystem'), 'module assay is not complete'),
    (lambda m: m['modules'][0].update({'build-commands': []}), 'unknown key build-commands'),
    (lambda m: m['modules'][0]['sources'][0].pop('sha256'), 'an archive without a digest'),
    (lambda m: m['modules'][0]['sources'][0].update({'type': 'git'}), 'a source without a commit'),
    (lambda m: m['modules'][0]['sources'][0].update({'url': 'http://example.org/x'}), 'neither an archive'),
    (lambda m: m['modules'][0]['sources'].append({'type': 'dir', 'path': '..'}), 'neither an archive'),
    (lambda m: m['modules'][-1]['config-opts'].append('-Dmanual=true'), 'meson has no option'),
    (lambda m: m['modules'][-1]['config-opts'].remove('-Ddevelopment=false'), 'one for developers'),
]


class Flatpak(unittest.TestCase):
    def setUp(self):
        self.text = MANIFEST.read_text()
        self.manifest = yaml.safe_load(self.text)
        self.options = re.findall(r"^option\('([^']+)'", (ROOT / 'meson_options.txt').read_text(), re.M)

    def test_manifest(self):
        self.assertEqual(list(manifest_faults(self.manifest, self.options)), [])

    def test_faults_are_found(self):
        for damage, message in DAMAGE:
            bad = copy.deepcopy(self.manifest)
            damage(bad)
            self.assertIn(message, '\n'.join(manifest_faults(bad, self.options)))

    def test_every_permission_has_a_reason(self):
        self.assertEqual(list(text_faults(self.text)), [])
        for line in self.text.splitlines():
            if line.startswith('  - --') and '#' in line:
                bad = self.text.replace(line, line.split('#')[0].rstrip())
                self.assertNotEqual(list(text_faults(bad)), [])

    def test_docs_say_how_boards_are_allowed(self):
        command = f'flatpak override --user --talk-name=org.freedesktop.Flatpak {self.manifest["id"]}'
        self.assertIn(command, (ROOT / 'docs' / 'installing.md').read_text())

    def test_appstream_of_this_id(self):
        if not shutil.which('appstreamcli'):
            self.skipTest('appstreamcli is not installed')
        text = (ROOT / 'data' / 'org.assay.Workbench.metainfo.xml.in').read_text().replace('@app_id@', self.manifest['id'])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f'{self.manifest["id"]}.metainfo.xml'
            path.write_text(text)
            run = subprocess.run(['appstreamcli', 'validate', '--no-net', str(path)], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


unittest.main()
