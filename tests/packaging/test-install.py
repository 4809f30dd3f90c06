#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into scratch prefixes and uses what is there: from another folder, as another user if this one is root.

One build serves every prefix: a second build folder is configured for it, and gets what the first one has built.

test-install.py SOURCE BUILD
"""
import ast
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
MESON = shutil.which('meson')
OPTIONS = {option['name']: option['value'] for option in json.loads((BUILD / 'meson-info' / 'intro-buildoptions.json').read_text())}
# Python as the meson file has found it, which programs in a prefix use too.
PYTHON = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
# What a desktop keeps of its folders; others add to it and take from it.
INDICES = re.compile(r'share/(applications/mimeinfo\.cache|mime/(?!packages/).*|icons/hicolor/icon-theme\.cache|glib-2\.0/schemas/gschemas\.compiled)$')
GIR = '{http://www.gtk.org/introspection/core/1.0}', '{http://www.gtk.org/introspection/c/1.0}'

SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix='assay-install-'))
HOME = SCRATCH / 'home'
NOBODY = {'user': 'nobody', 'group': 'nogroup', 'extra_groups': []} if os.geteuid() == 0 else {}


def run(*command, env=(), cwd='/', status=0, nobody=False):
    """Runs a command with nothing of this environment but what it needs, and returns what it prints."""
    bare = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': str(HOME), 'LC_ALL': 'C.UTF-8', 'ORT_DISABLE_TELEMETRY': '1', 'PYTHONDONTWRITEBYTECODE': '1'}
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**bare, **dict(env)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **(NOBODY if nobody else {}))
    if done.returncode != status:
        raise AssertionError(f'{" ".join(map(str, command))}: {done.returncode}\n{done.stdout}')
    return done.stdout


class Prefix:
    """A prefix: its build folder, and where its files are."""

    def __init__(self, prefix, destdir):
        self.prefix, self.destdir = prefix, destdir
        self.top = pathlib.Path(f'{destdir}{prefix}')
        # Beside what was built, so that files can be linked.
        self.build = pathlib.Path(tempfile.mkdtemp(prefix='install-', dir=BUILD / 'tests' / 'packaging'))
        same = [f'-D{name}={str(OPTIONS[name]).lower()}' for name in ('gui', 'gpu', 'introspection', 'libdir')]
        run(MESON, 'setup', self.build, SOURCE, f'--prefix={prefix}', '-Dbuildtype=release', '-Dtests=false', *same)
        plan = json.loads((self.build / 'meson-info' / 'intro-install_plan.json').read_text())
        for file in map(pathlib.Path, plan['targets']):
            file.parent.mkdir(parents=True, exist_ok=True)
            built = BUILD / file.relative_to(self.build)
            if file.suffix == '.pyc' and not built.exists():
                # The first one may be for a prefix without them.
                run('ninja', '-C', self.build, file.relative_to(self.build))
            else:
                os.link(built, file)
        self.said = self.install()

    def install(self):
        destdir = ['--destdir', self.destdir] if self.destdir else []
        return run(MESON, 'install', '--quiet', '--no-rebuild', '-C', self.build, *destdir)

    def files(self):
        top = pathlib.Path(self.destdir or self.prefix)
        return sorted(path for path in top.rglob('*')) if top.exists() else []

    def find(self, pattern):
        found = list(self.top.glob(pattern))
        assert found, f'{self.top} has no {pattern}'
        return found[0]

    @property
    def environment(self):
        """What is needed where the loader and Python do not look: a tree that is not in its place."""
        library = self.find('lib/**/libassay.so.0').parent
        return {'LD_LIBRARY_PATH': library, 'GI_TYPELIB_PATH': library / 'girepository-1.0',
                'PKG_CONFIG_PATH': library / 'pkgconfig', 'PYTHONPATH': self.find('lib/**/assay/__init__.py').parent.parent}


def setUpModule():
    SCRATCH.chmod(0o755)
    HOME.mkdir()
    global PREFIXES
    PREFIXES = [Prefix('/usr', f'{SCRATCH}/usr-image'), Prefix('/usr/local', f'{SCRATCH}/local-image'), Prefix(f'{HOME}/.local', '')]


def tearDownModule():
    for prefix in PREFIXES:
        shutil.rmtree(prefix.build)
    shutil.rmtree(SCRATCH)


def each(test):
    """Runs a test for each prefix."""
    def each_prefix(self):
        for prefix in PREFIXES:
            with self.subTest(prefix.prefix):
                test(self, prefix)
    return each_prefix


@unittest.skipUnless((BUILD / 'core/api/library/Assay-1.typelib').exists(), 'no typelib was built')
class Library(unittest.TestCase):
    def cc(self, prefix, *arguments):
        flags = run('pkg-config', '--cflags', '--libs', 'assay-1', env=prefix.environment).split()
        return run('cc', '-Wall', '-Wextra', '-Werror', *arguments, *flags, cwd=SCRATCH)

    @each
    def test_headers(self, prefix):
        """Each header compiles alone, so what it includes is installed too."""
        headers = sorted(prefix.top.glob('include/assay-1/**/*.h'))
        self.assertGreater(len(headers), 20)
        names = {f'{path.relative_to(prefix.top / "include/assay-1")}' for path in headers}
        sources = []
        for name in sorted(names):
            # A list of enumerators is a part of the header that includes it.
            if name.endswith('-names.h'):
                continue
            sources.append(SCRATCH / (name.replace('/', '_') + '.c'))
            sources[-1].write_text(f'#include <{name}>\n')
        self.cc(prefix, '-fsyntax-only', *sources)

    @each
    def test_functions(self, prefix):
        """Each function that an installed header declares is in the library."""
        declared = set()
        for path in prefix.top.glob('include/assay-1/**/*.h'):
            text = re.sub(r'/\*.*?\*/|^#.*?(?<!\\)$', '', path.read_text(), flags=re.S | re.M)
            declared |= set(re.findall(r'^\w[\w \n*]*?\b(assay_\w+) \((?=[^;{]*;)', text, re.M))
        library = prefix.find('lib/**/libassay.so.0')
        exported = set(re.findall(r' T (\w+)$', run('nm', '-D', library), re.M))
        self.assertGreater(len(declared), 100)
        self.assertEqual(declared - exported, set())

    @each
    def test_introspected(self, prefix):
        """Everything that other languages call can be called from C."""
        element, c = GIR
        tree = ElementTree.parse(prefix.find('share/gir-1.0/Assay-1.gir'))
        names = {node.get(f'{c}identifier') for kind in ('function', 'method', 'constructor') for node in tree.iter(element + kind)}
        self.assertGreater(len(names), 50)
        table = ',\n'.join(f'  (void (*) (void)) {name}' for name in sorted(names))
        source = SCRATCH / 'introspected.c'
        source.write_text(f'#include <api/assay.h>\nvoid (*functions[]) (void) = {{\n{table}\n}};\nint main (void) {{ return functions[0] == 0; }}\n')
        self.cc(prefix, source, '-o', SCRATCH / 'introspected', '-Wno-cast-function-type')
        run(SCRATCH / 'introspected', env=prefix.environment)

    @each
    def test_objects(self, prefix):
        self.cc(prefix, SOURCE / 'tests/packaging/objects.c', '-o', SCRATCH / 'objects')
        model = prefix.find('share/assay/examples/mlp.onnx')
        self.assertEqual(run(SCRATCH / 'objects', model, env=prefix.environment, nobody=True), 'ok\n')

    @each
    def test_parts(self, prefix):
        """The library finds files of its own prefix in a program of another one."""
        script = ('import ctypes, sys; library = ctypes.CDLL("libassay.so.0"); find = library.assay_installation_find; '
                  'find.restype = ctypes.c_char_p; print(*((find(i, name.encode()) or b"").decode() for i, name in enumerate(sys.argv[1:])), sep="\\n")')
        wanted = ['assay-ort', 'mlp.onnx', 'cli.html', 'gschemas.compiled'][:4 if OPTIONS['gui'] else 3]
        found = run(PYTHON, '-c', script, *wanted, env=prefix.environment).split('\n')[:-1]
        self.assertEqual([pathlib.Path(path).name for path in found], wanted)
        for path in found:
            self.assertIn(prefix.top, pathlib.Path(path).parents)

    @each
    def test_python(self, prefix):
        """The modules are where Python looks, and the library is found beside them."""
        script = 'import assay, numpy; model = assay.NNIR.from_onnx(r"%s", [1, 64]); print(assay.__file__, model.run_on("reference", numpy.zeros((1, 64), numpy.float32)).shape)'
        model = prefix.find('share/assay/examples/mlp.onnx')
        module = prefix.find('lib/**/assay/__init__.py')
        # A tree that is not in its place is named; a home is in its place, and may get bytecode.
        env = {'PYTHONPATH': module.parent.parent} if prefix.destdir else {'PYTHONDONTWRITEBYTECODE': ''}
        self.assertEqual(run(PYTHON, '-c', script % model, env=env), f'{module} (1, 10)\n')
        folders = run(PYTHON, '-c', 'import sys; print("\\n".join(sys.path))').split('\n')
        self.assertIn(str(module.parent.parent).removeprefix(prefix.destdir), folders)
        script = 'import gi; gi.require_version("Assay", "1"); from gi.repository import Assay; print(Assay.Config.new_preset("v80_c6b32").props.num_cores)'
        self.assertEqual(run(PYTHON, '-c', script, env=prefix.environment), '6\n')


class Programs(unittest.TestCase):
    def assay(self, prefix, *words, **options):
        return run(prefix.top / 'bin/assay', *words, nobody=True, **options)

    @each
    def test_assay(self, prefix):
        folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
        folder.chmod(0o777)
        model, target = prefix.find('share/assay/examples/mlp.onnx'), ('--target', 'ia_420f_c6b32', '--bind', 'batch=1')
        self.assertIn('supported', self.assay(prefix, 'check', model, *target))
        self.assay(prefix, 'compile', model, *target, '-o', folder / 'mlp.assayp')
        self.assertIn('Bit-exact', self.assay(prefix, 'deploy', folder / 'mlp.assayp', '--board', 'local'))
        self.assay(prefix, 'run', model, '--bind', 'batch=1', '--on', 'reference', '--random', '1', cwd=folder)
        self.assertIn('local', self.assay(prefix, 'boards'))
        # A helper that is missing says so; this one is found, and has no library.
        said = self.assay(prefix, 'run', model, '--bind', 'batch=1', '--on', f'ort:{folder}/none', '--random', '1', status=3)
        self.assertNotIn('assay-ort was not found', said)

    @each
    def test_moved(self, prefix):
        """A prefix can be moved."""
        moved = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH)) / 'moved'
        moved.parent.chmod(0o755)
        shutil.copytree(prefix.top, moved, symlinks=True)
        self.assertIn('Bit-exact', run(moved / 'bin/assay', 'deploy', moved / 'share/assay/examples/mlp.onnx', '--target', 'ia_420f_c6b32',
                                       '--bind', 'batch=1', '--board', 'local', nobody=True))

    @each
    def test_versions(self, prefix):
        version = json.loads((BUILD / 'meson-info' / 'intro-projectinfo.json').read_text())['version']
        for name in ('assay', 'assay-board', *(['assay-workbench'] if OPTIONS['gui'] else [])):
            self.assertIn(version, run(prefix.top / 'bin' / name, '--version', nobody=True), name)

    def test_build_folder(self):
        """Programs of a build folder find one another without a variable."""
        self.assertIn('Bit-exact', run(BUILD / 'app/cli/assay', 'deploy', BUILD / 'data/examples/mlp.onnx', '--target', 'ia_420f_c6b32',
                                       '--bind', 'batch=1', '--board', 'local'))
        if subprocess.run([PYTHON, '-c', 'import torch'], capture_output=True).returncode == 0:
            (SCRATCH / 'net.py').write_text('import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n'
                                            'example_inputs = [torch.zeros(2)]\n')
            self.assertIn('supported', run(BUILD / 'app/cli/assay', 'check', f'python:{SCRATCH}/net.py:Net', '--target', 'vulkan-main'))


class Files(unittest.TestCase):
    @each
    def test_modes(self, prefix):
        """Everybody can read every file, and nobody but the owner can change one."""
        for path in prefix.files():
            if not path.is_symlink():
                wanted = 0o755 if path.is_dir() or path.parent.name == 'bin' or 'libexec' in path.parts else None
                self.assertIn(path.stat().st_mode & 0o777, [wanted] if wanted else [0o644, 0o755], path)

    @each
    def test_names(self, prefix):
        """No file names the build folder or the sources, and a release has no other id."""
        for path in prefix.files():
            self.assertNotIn('Devel', path.name)
            if path.is_file() and path.suffix in ('.pc', '.desktop', '.xml', '.py', '.gir', '.h', '.1', '.html', '.fish', '.bash'):
                self.assertNotIn(str(SOURCE), path.read_text(), path)
        self.assertTrue((prefix.top / 'share/licenses/assay/LICENSE').exists())

    def options(self, prefix, name):
        """The long options of a program: of its help, or of the source where the help needs a module that may be missing."""
        path = prefix.top / 'bin' / name
        if path.read_bytes().startswith(b'#!'):
            calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
            return {word.value for call in calls if getattr(call.func, 'attr', '') == 'add_argument' for word in call.args
                    if isinstance(word, ast.Constant) and str(word.value).startswith('--')}
        return set(re.findall(r'^ +(?:-\w, )?(--[a-z0-9-]+)', run(path, '--help'), re.M))

    @each
    def test_manuals(self, prefix):
        """Every program has a page, which has each of its options and no mistake."""
        for path in sorted((prefix.top / 'bin').iterdir()):
            page = prefix.top / 'share/man/man1' / f'{path.name}.1'
            text = page.read_text().replace('\\-', '-')
            # Where the options of its commands are: tests/app/test-cli.py.
            wanted = self.options(prefix, path.name) - {'--help-all', '--help-gapplication', '--help-gtk', '--gapplication-service', '--display'}
            listed = text.split('.SH OPTIONS')[-1]
            self.assertEqual({option for option in wanted if not re.search(rf'^\.BI? .*{option}(?![\w-])', listed, re.M)}, set(), path.name)
            if shutil.which('groff'):
                self.assertEqual(run('groff', '-man', '-ww', '-Tutf8', '-z', page), '', path.name)

    @each
    def test_completions(self, prefix):
        """Each shell takes its file, which has every command and option of the help."""
        assay = prefix.top / 'bin/assay'
        commands = re.findall(r'^  (\S+) ', run(assay, '--help').split('\nCommands:\n')[1].split('\n\n')[0], re.M)
        options = {command: set(re.findall(r'(--[a-z0-9-]+)', run(assay, command, '--help').split('Options:\n', 1)[1])) for command in commands}
        for shell, name in (('bash', 'bash-completion/completions/assay.bash'), ('zsh', 'zsh/site-functions/_assay'),
                            ('fish', 'fish/vendor_completions.d/assay.fish')):
            file = prefix.top / 'share' / name
            text = file.read_text()
            for command, names in options.items():
                for option in names - {'--help', '--output'}:
                    self.assertIn(option if shell != 'fish' else f'-l {option[2:]} ', text + ' ', f'{shell}: {command}')
            if shutil.which(shell):
                run(shell, '-n', file)

    @each
    def test_help(self, prefix):
        """Pages of Help are whole, and every link leads somewhere."""
        folder = prefix.top / 'share/assay/help'
        texts = {path.name: path.read_text() for path in folder.iterdir()}
        self.assertIn('index.html', texts)
        for name, text in texts.items():
            Balance(self, name).feed(text)
            for link in re.findall(r'href="([^"]*)"', text):
                page, _, place = link.partition('#')
                if not page.startswith('http'):
                    self.assertIn(page or name, texts, name)
                    if place:
                        self.assertIn(f' id="{place}"', texts[page or name], f'{name}: {link}')


class Balance(html.parser.HTMLParser):
    """Fails a test for elements that are not closed in their order."""

    def __init__(self, test, name):
        super().__init__()
        self.test, self.name, self.open = test, name, []

    def handle_starttag(self, tag, attributes):
        if tag not in ('meta', 'br', '!doctype'):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.test.assertEqual(self.open.pop(), tag, f'{self.name}: {self.getpos()}')


class Messages(unittest.TestCase):
    def test_message(self):
        """Lines are printed for a home whose profile lacks them, none to who makes a package, and none when they are there."""
        usr, local, home = PREFIXES
        for prefix in (usr, local):
            self.assertNotRegex(prefix.said, '(?m)^ *export ')
        lines = re.findall(r'^  export .*$', home.said, re.M)
        self.assertIn('PATH', ''.join(lines))
        script = '\n'.join(lines)
        if (BUILD / 'core/api/library/Assay-1.typelib').exists():
            use = 'python3 -c \'import gi; gi.require_version("Assay", "1"); from gi.repository import Assay; print(Assay.Config.new_preset("v80_c6b32").props.num_cores)\''
            build = f'cc {SOURCE}/tests/packaging/objects.c -o {SCRATCH}/objects $(pkg-config --cflags --libs assay-1) && {SCRATCH}/objects {home.top}/share/assay/examples/mlp.onnx'
            self.assertEqual(run('bash', '-euc', f'{script}\n{use}\n{build}'), '6\nok\n')
        self.assertIn('Print the version', run('bash', '-euc', f'{script}\nassay --help'))
        # The script alone, with a shell that stays as who asks: Meson forgets the folders that an installation finds there already.
        library, python = (home.find(f'lib/**/{name}').parent.relative_to(home.top) for name in ('libassay.so.0', 'assay/__init__.py'))
        again = f'MESON_INSTALL_PREFIX={home.top} {PYTHON} {SOURCE}/data/after-install.py bin {library} share {python.parent} && true'
        self.assertEqual(re.findall(r'^  export .*$', run('bash', '-euc', again), re.M), lines)
        self.assertEqual(run('bash', '-euc', f'{script}\n{again}'), '')


class Uninstalling(unittest.TestCase):
    """Last by its name."""

    @each
    def test_uninstall(self, prefix):
        self.assertGreater(len(prefix.files()), 100)
        run('ninja', '-C', prefix.build, 'uninstall')
        left = [path for path in prefix.files() if not path.is_dir() or not any(path.iterdir())]
        self.assertEqual([path for path in left if not (prefix.destdir == '' and INDICES.search(str(path)))], [])


if MESON is None:
    print('meson is not on the path')
    sys.exit(77)
unittest.main()
