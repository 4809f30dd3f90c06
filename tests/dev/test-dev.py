#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests ./dev and the scripts behind it: in the tree where they only read, and in a copy with doubles for ninja, the package
managers and the window where they build."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPTS = ROOT / 'tests' / 'dev'
# Programs that the scripts call and that are no package managers.
TOOLS = ('awk', 'bash', 'cat', 'cut', 'dirname', 'du', 'env', 'find', 'getconf', 'grep', 'head', 'id', 'mkdir', 'rm', 'sed',
         'tail', 'tee', 'touch', 'tr')

NINJA = r'''#!/bin/bash
case "$*" in
  *-n*) echo "[250/250] Linking" ;;
  *targets*) printf 'app/cli/assay: c_LINKER\ndata/gschemas.compiled: CUSTOM_COMMAND\ntests/core/test-json: c_LINKER\n' ;;
  *) echo "$*" >> ninja-calls; for ((i = 1; i <= ${STEPS:-250}; i++)); do echo "[$i/250] Compiling"; done
     if [ "${STEPS:-250}" -lt 250 ]; then echo 'FAILED: one.c'; echo 'one.c:1: error'; exit 1; fi ;;
esac
'''
SAYS_ARGUMENTS = '#!/bin/bash\nprintf "%s: %s\\n" "${0##*/}" "$*"\n'


def dev(*arguments, tree=ROOT, **options):
    return subprocess.run([str(tree / 'dev'), *arguments], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, **options)


def heads():
    """Returns for each script that is a command the lines of its head, without the licence."""
    commands = {}
    for path in sorted(SCRIPTS.glob('*.sh')):
        lines = path.read_text().split('\n')
        if lines[0].startswith('# ./dev '):
            comment = lines[:next(i for i, line in enumerate(lines) if not line.startswith('#'))]
            commands[path.stem] = [line.removeprefix('# ') for line in comment if 'SPDX' not in line]
    return commands


class Overview(unittest.TestCase):
    def test_every_way_to_ask(self):
        plain = dev()
        self.assertEqual(plain.returncode, 0, plain.stderr)
        for way in ('help', '-h', '--help'):
            run = dev(way)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (0, plain.stdout, ''))

    def test_every_script_is_listed_or_used_by_another(self):
        listed = re.findall(r'^  ([a-z]+)', dev().stdout, re.M)
        self.assertEqual(listed, list(heads()))
        texts = {path: path.read_text() for path in [*SCRIPTS.glob('*.sh'), SCRIPTS / 'meson.build', SCRIPTS.parent / 'README.md']}
        for path in SCRIPTS.glob('*.sh'):
            part = re.match(r'# Part of \./dev ([a-z]+): ', texts[path])
            if part:
                self.assertTrue(part[1] in listed and path.stem.startswith(f'{part[1]}-'), path)
            elif path.stem not in listed:
                self.assertTrue(any(path.name in text for other, text in texts.items() if other != path), path)

    def test_a_line_says_it(self):
        for line in dev().stdout.split('\n')[2:-3]:
            self.assertRegex(line, r'^  \S.*\.$', 'the first line of a head is one sentence')
            self.assertLess(len(line), 120, line)

    def test_help_of_a_command(self):
        for name, head in heads().items():
            for arguments in ((name, '--help'), (name, '-h'), ('help', name)):
                run = dev(*arguments)
                self.assertEqual((run.returncode, run.stdout.splitlines()), (0, head), arguments)

    def test_unknown_commands(self):
        for name in ('nonsense', 'common', 'check-format', '../dev', 'run.sh', 'r.n', '--version'):
            for arguments in ((name,), ('help', name)):
                run = dev(*arguments)
                self.assertEqual((run.returncode, run.stdout), (2, ''), arguments)
                self.assertIn(f'dev: unknown command: {name}\n', run.stderr)
                self.assertIn('  run [MODEL] ', run.stderr)


class Copy(unittest.TestCase):
    """A copy of the scripts that builds nothing."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tree = self.folder / 'tree'
        shutil.copytree(SCRIPTS, self.tree / 'tests' / 'dev')
        shutil.copy2(ROOT / 'dev', self.tree / 'dev')
        self.bin = self.folder / 'bin'
        self.bin.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        self.double('ninja', NINJA)
        self.environment = {'PATH': str(self.bin), 'HOME': str(self.folder)}

    def double(self, name, text, folder=None):
        path = (folder or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def dev(self, *arguments, cwd=None, **variables):
        return dev(*arguments, tree=self.tree, cwd=cwd or self.tree, env=self.environment | variables)


# System: its package manager, the double that says that nothing is installed, and the command that installs.
SYSTEMS = {
    'fedora': ('dnf', 'rpm', '#!/bin/bash\nexit 1\n', 'sudo dnf install'),
    'arch': ('pacman', 'pacman', '#!/bin/bash\nexit 127\n', 'sudo pacman -S --needed'),
    'brew': ('brew', 'brew', '#!/bin/bash\nexit 1\n', 'brew install'),
}
COLUMNS = ['debian', 'fedora', 'arch', 'brew']


def table():
    """Returns the rows of packages.tsv, without comments and the header."""
    lines = [line for line in (SCRIPTS / 'packages.tsv').read_text().splitlines() if not line.startswith('#')]
    return [line.split('\t') for line in lines]


def names(system, *groups):
    column = 1 + COLUMNS.index(system)
    return list(dict.fromkeys(row[column] for row in table()[1:] if row[0] in groups and row[column] != '-'))


class Table(unittest.TestCase):
    def test_rows(self):
        rows = table()
        self.assertEqual(rows[0], ['group', *COLUMNS, 'purpose'])
        for row in rows[1:]:
            self.assertEqual(len(row), 6, row)
            for name in row[1:5]:
                self.assertRegex(name, r'^(-|[A-Za-z0-9][A-Za-z0-9+._-]*)$')
            self.assertNotEqual(row[1], '-', row)
            self.assertTrue(row[5], row)
        debian = [(row[0], row[1]) for row in rows[1:]]
        self.assertEqual(len(set(debian)), len(debian))

    def test_debian_has_them(self):
        try:
            known = set(subprocess.run(['apt-cache', 'pkgnames'], capture_output=True, text=True, timeout=60).stdout.split())
        except OSError:
            known = set()
        if 'libc6' not in known or '\nID=debian\n' not in '\n' + pathlib.Path('/etc/os-release').read_text():
            self.skipTest('no package lists of Debian')
        self.assertEqual([row[1] for row in table()[1:] if row[1] not in known], [])

    def test_list(self):
        for system in COLUMNS:
            run = dev('setup', 'list', system)
            self.assertEqual((run.returncode, run.stdout.split()), (0, names(system, 'build', 'window')))
            run = dev('setup', 'list', system, 'test', 'fuzz')
            self.assertEqual((run.returncode, run.stdout.split()), (0, names(system, 'test', 'fuzz')))
        run = dev('setup', 'list', 'solaris')
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (3, '', 'dev: unknown system: solaris (debian, fedora, arch, brew)\n'))


class Setup(Copy):
    def setUp(self):
        super().setUp()
        self.double('meson', '#!/bin/bash\necho "$*" >> meson-calls\n[ "$1" != setup ] || { mkdir -p "$2"; '
                             'echo "build app/workbench/assay-workbench:" > "$2/build.ninja"; }\n')

    def configured(self, *, window):
        self.double('pkg-config', f'#!/bin/bash\nexit {0 if window else 1}\n')
        run = self.dev('setup', 'build')
        self.assertEqual((run.returncode, run.stdout), (0, ''), run.stderr)
        return run.stderr

    def meson_calls(self):
        return (self.tree / 'meson-calls').read_text().splitlines()

    def test_other_systems_are_told(self):
        for system, (manager, query, double, command) in SYSTEMS.items():
            self.double(manager, double)
            self.double(query, double)
            said = self.configured(window=True)
            self.assertIn(f'\n  {command} {" ".join(names(system, "build", "window"))}\n', said)
            # Nothing is said where nothing is missing.
            self.double(query, '#!/bin/bash\n')
            self.assertEqual(self.configured(window=True), '')
            (self.bin / manager).unlink()
            (self.bin / query).unlink(missing_ok=True)

    def test_unknown_system_is_told_all(self):
        said = self.configured(window=True)
        for system in COLUMNS:
            self.assertIn(' '.join(names(system, 'build', 'window')) + '\n', said)

    def test_without_the_window(self):
        said = self.configured(window=False)
        self.assertIn('GTK 4.8 or libadwaita 1.2 is missing: only the command line is built', said)
        self.assertEqual(self.meson_calls(), ['setup build -Db_pch=true -Dgui=false'])
        # The double writes the window into the build; it goes again, and stays where GTK is there.
        self.configured(window=False)
        self.assertEqual(self.meson_calls()[1:], ['configure build -Dgui=false'])
        self.configured(window=True)
        self.assertEqual(len(self.meson_calls()), 2)
        (self.tree / 'build' / 'build.ninja').write_text('')
        self.configured(window=True)
        self.assertEqual(self.meson_calls()[2:], ['configure build -Dgui=true'])

    def debian(self, missing):
        """A Debian where these packages are missing and nobody may install."""
        self.double('dpkg-query', '#!/bin/bash\ncase " %s " in *" ${@: -1} "*) exit 1 ;; esac; echo -n installed\n' % ' '.join(missing))
        self.double('id', '#!/bin/bash\necho 1000\n')

    def test_debian_without_rights(self):
        self.debian(['libgtk-4-dev', 'libadwaita-1-dev'])
        said = self.configured(window=False)
        self.assertIn('As root, run:\033[0m\n  apt-get update && apt-get install --no-install-recommends libgtk-4-dev libadwaita-1-dev\n',
                      said)
        self.debian(['libgtk-4-dev', 'glslc'])
        run = self.dev('setup', 'build')
        self.assertEqual((run.returncode, run.stdout), (3, ''))
        self.assertIn('apt-get install --no-install-recommends glslc libgtk-4-dev\n', run.stderr)


class Run(Copy):
    def setUp(self):
        super().setUp()
        self.double('setup.sh', '#!/bin/bash\n', self.tree / 'tests' / 'dev')
        self.double('assay-workbench', SAYS_ARGUMENTS, self.tree / 'build' / 'app' / 'workbench')
        self.double('assay', SAYS_ARGUMENTS, self.tree / 'build' / 'app' / 'cli')
        (self.folder / 'models').mkdir()
        (self.folder / 'models' / 'one.onnx').touch()

    def test_model_is_relative_to_the_caller(self):
        model = str(self.folder / 'models' / 'one.onnx')
        for cwd, argument in ((self.folder / 'models', 'one.onnx'), (self.folder, 'models/one.onnx'), (self.tree, model)):
            run = self.dev('run', argument, cwd=cwd, DISPLAY=':0')
            self.assertEqual((run.returncode, run.stdout), (0, f'assay-workbench: {model}\n'), run.stderr)

    def test_example_without_a_model(self):
        run = self.dev('run', cwd=self.folder, WAYLAND_DISPLAY='wayland-0')
        self.assertEqual(run.stdout, f'assay-workbench: {self.tree}/build/data/examples/many-refusals.onnx\n')

    def test_wrong_arguments_end_before_the_build(self):
        for arguments, message in ((('two.onnx',), f'dev: no such file: {self.folder}/two.onnx\n'),
                                   (('one', 'two'), 'dev: run takes one model, got 2: one two\n')):
            run = self.dev('run', *arguments, cwd=self.folder)
            self.assertEqual((run.returncode, run.stderr), (2, message))
        self.assertFalse((self.tree / 'ninja-calls').exists())

    def test_terminal_where_no_window_opens(self):
        run = self.dev('run', 'models/one.onnx', cwd=self.folder)
        self.assertIn('No display', run.stderr)
        self.assertIn(f'assay: check {self.folder}/models/one.onnx --target ', run.stdout)
        (self.tree / 'build' / 'app' / 'workbench' / 'assay-workbench').unlink()
        run = self.dev('run', 'models/one.onnx', cwd=self.folder, DISPLAY=':0')
        self.assertIn('Without GTK 4.8 and libadwaita 1.2 the window is not built.', run.stderr)
        self.assertIn(f'assay: check {self.folder}/models/one.onnx --target ', run.stdout)

    def test_build_says_what_it_does(self):
        run = self.dev('run', DISPLAY=':0')
        self.assertRegex(run.stderr, r'building build: 250 steps, about \d+ min on \d+ quiet processors and [1-9]\d* MB of disk; '
                                     r'the log is build/compile\.log')
        self.assertEqual(re.findall(r'^build: (\d+) of 250 steps, \d+ s$', run.stderr, re.M),
                         [str(25 * tenth) for tenth in range(1, 11)])
        self.assertRegex(run.stderr, r'built build: 250 steps in \d+ s, \d+ MB on disk')
        # Programs and data, and none of the tests; targets are listed after changed build files are read.
        self.assertEqual((self.tree / 'ninja-calls').read_text(),
                         '-C build build.ninja\n-k 0 -C build app/cli/assay data/gschemas.compiled\n')

    def test_build_that_fails(self):
        run = self.dev('run', DISPLAY=':0', STEPS='249')
        self.assertEqual((run.returncode, run.stdout), (3, ''))
        self.assertIn('FAILED: one.c\none.c:1: error\n', run.stderr)
        self.assertNotIn('built build', run.stderr)


unittest.main()
