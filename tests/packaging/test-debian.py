#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages, installs them in a fresh Debian, uses them there as users do, and purges them again.

The system is made with debootstrap from what apt of this computer is configured with. Where that, root or the network is
missing, this test is skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = ROOT / 'out' / 'deb'
KEYRING = pathlib.Path('/usr/share/keyrings/debian-archive-keyring.gpg')
# What the checks need beside our packages.
TOOLS = ['gcc', 'libc6-dev', 'pkg-config']
# What a program keeps for its user is not the package's: it goes to /tmp, which is left out of what is compared.
ENVIRONMENT = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/tmp', 'LC_ALL': 'C.UTF-8', 'DEBIAN_FRONTEND': 'noninteractive',
               'ORT_DISABLE_TELEMETRY': '1'}
# Mounts live as long as the command: no test leaves one behind.
ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$@"'
C_PROGRAM = """
#include <api/assay.h>
int main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayNnir) model = assay_nnir_from_onnx ("/usr/share/assay/examples/mlp.onnx", NULL,
                                                         &error);

  if (model == NULL)
    g_printerr ("%s\\n", error->message);
  return model != NULL ? 0 : 1;
}
"""
PYTHON_PROGRAM = """
import gi
gi.require_version('Assay', '1')
from gi.repository import Assay
import assay
report = assay.NNIR.from_onnx('/usr/share/assay/examples/many-refusals.onnx').check('ia_420f_c6b32')
assert Assay.Nnir and not report.clean
"""


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(77)


def run(*command, **options):
    print('$', *command, flush=True)
    return subprocess.run([str(part) for part in command], text=True, **options)


def repositories():
    """Returns URI, suite and component of each repository of Debian that apt of this computer knows."""
    form = '$(REPO_URI) $(CODENAME) $(COMPONENT) $(LABEL)'
    lines = subprocess.run(['apt-get', 'indextargets', '--format', form, 'Created-By: Packages'],
                           capture_output=True, text=True).stdout.splitlines()
    return sorted({tuple(line.split()[:3]) for line in lines if re.fullmatch(r'\S+ \S+ main Debian(-Security)?', line)})


def find_mirror():
    codename = re.search(r'^VERSION_CODENAME=(\w+)$', pathlib.Path('/etc/os-release').read_text(), re.M)
    found = [row for row in repositories() if codename and row[1] == codename[1]]
    if not found or not KEYRING.exists():
        skip('apt of this computer has no repository of Debian')
    for program in ('debootstrap', 'dpkg-buildpackage', 'lintian', 'unshare', 'wget'):
        if not shutil.which(program):
            skip(f'{program} is not installed')
    if os.geteuid() != 0 or subprocess.run(['unshare', '--mount', 'true'], stderr=subprocess.DEVNULL).returncode != 0:
        skip('a fresh system needs root, with the right to mount')
    uri, suite, _ = found[0]
    if subprocess.run(['wget', '-q', '-T', '20', '-t', '1', '-O', '/dev/null', f'{uri}dists/{suite}/Release']).returncode != 0:
        skip(f'no network to the repository of {suite}')
    return uri, suite


class System:
    """A fresh Debian in a folder."""

    def __init__(self, folder, uri, suite):
        self.folder = folder
        archives = ROOT / 'build-root' / 'archives'
        archives.mkdir(parents=True, exist_ok=True)
        run('debootstrap', '--variant=minbase', f'--include={",".join(TOOLS)}', f'--keyring={KEYRING}', f'--cache-dir={archives}',
            suite, folder, uri, check=True, stdout=subprocess.DEVNULL)
        lines = [f'deb [signed-by={KEYRING}] {" ".join(row)}\n' for row in repositories()]
        (folder / 'etc' / 'apt' / 'sources.list').write_text(''.join(lines))
        # Packages that were fetched once are kept for the next run.
        (folder / 'etc' / 'apt' / 'apt.conf.d' / 'keep').write_text('Binary::apt-get::APT::Keep-Downloaded-Packages "true";\n')
        for path in archives.glob('*.deb'):
            shutil.copy2(path, folder / 'var' / 'cache' / 'apt' / 'archives')
        self.archives = archives

    def keep_archives(self):
        for path in (self.folder / 'var' / 'cache' / 'apt' / 'archives').glob('*.deb'):
            if not path.name.startswith(('assay', 'libassay', 'gir1.2-assay', 'python3-assay')):
                shutil.copy2(path, self.archives)

    def command(self, *command, user=None):
        place = ['--userspec', f'{user}:nogroup', self.folder] if user else [self.folder]
        return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, self.folder, *place, *command]

    def run(self, *command, status=0, user=None, **options):
        result = run(*self.command(*command, user=user), env=ENVIRONMENT, capture_output=True, **options)
        if result.returncode != status:
            sys.exit(f'{command}: ended with {result.returncode}, expected {status}\n{result.stdout[-3000:]}{result.stderr[-3000:]}')
        return result.stdout

    def files(self):
        """Returns what is in the system, but what apt and dpkg note about packages."""
        noted = ('proc', 'tmp', 'packages', 'var/cache/apt', 'var/lib/apt', 'var/lib/dpkg', 'var/log')
        return {str(path) for path in (path.relative_to(self.folder) for path in self.folder.rglob('*'))
                if not any(path.is_relative_to(place) for place in noted)}


def check_installed(system, names):
    ours = {name: system.run('dpkg', '-L', name).splitlines() for name in names}
    programs = [pathlib.Path(path).name for paths in ours.values() for path in paths if path.startswith('/usr/bin/')]
    pages = {path for paths in ours.values() for path in paths if path.startswith('/usr/share/man/')}
    assert {'assay', 'assay-board', 'assay-workbench'} <= set(programs), programs
    for program in programs:
        assert f'/usr/share/man/man1/{program}.1.gz' in pages, f'{program} has no manual page'
    # Nothing of ours is started by the system.
    for paths in ours.values():
        for path in paths:
            assert not path.startswith('/etc') and '/systemd/' not in path and '/dbus-1/' not in path, path
    for user in (None, 'nobody'):
        said = system.run('assay', 'check', '/usr/share/assay/examples/many-refusals.onnx', '--target', 'ia_420f_c6b32', status=1,
                          user=user)
        assert 'rejected' in said, said
        system.run('python3', '-c', PYTHON_PROGRAM, user=user)
    # A picture needs Pango, a layout the helper.
    system.run('assay', 'show', '/usr/share/assay/examples/mlp.onnx', '--target', 'ia_420f_c6b32', '-o', '/tmp/graph.svg')
    assert '<svg' in (system.folder / 'tmp' / 'graph.svg').read_text()
    (system.folder / 'tmp' / 'program.c').write_text(C_PROGRAM)
    system.run('sh', '-c', 'cc -Werror /tmp/program.c -o /tmp/program $(pkg-config --cflags --libs assay-1) && /tmp/program')
    headers = [path.removeprefix('/usr/include/assay-1/') for path in ours['libassay-dev'] if '/assay-1/api/' in path]
    assert headers
    for header in headers:
        system.run('sh', '-c', f'echo "#include <{header}>" | cc -x c -fsyntax-only $(pkg-config --cflags assay-1) -')


def check_window(system):
    """The window opens, on a display of this computer."""
    if not shutil.which('Xvfb') or not shutil.which('xdotool'):
        print('no Xvfb or xdotool here: the window was not opened')
        return
    read_end, write_end = os.pipe()
    server = subprocess.Popen(['Xvfb', '-displayfd', str(write_end), '-ac', '-listen', 'tcp'], pass_fds=[write_end],
                              stderr=subprocess.DEVNULL)
    os.close(write_end)
    window = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            with os.fdopen(read_end) as number:
                display = number.readline().strip()
            assert display, 'Xvfb ended'
            environment = ENVIRONMENT | {'DISPLAY': f'127.0.0.1:{display}', 'GDK_BACKEND': 'x11', 'GSK_RENDERER': 'cairo'}
            log = open(pathlib.Path(folder) / 'log', 'w+')
            window = subprocess.Popen([str(part) for part in system.command('assay-workbench',
                                                                            '/usr/share/assay/examples/mlp.onnx')],
                                      env=environment, stdout=log, stderr=log)
            seen = run('timeout', '120', 'xdotool', 'search', '--sync', '--onlyvisible', '--name', 'mlp.onnx',
                       env=os.environ | {'DISPLAY': f':{display}'}, capture_output=True)
            log.seek(0)
            assert seen.returncode == 0 and window.poll() is None, f'no window:\n{log.read()}'
        finally:
            # `unshare --fork` ignores SIGTERM; its child dies with it.
            for process in (window, server):
                if process is not None:
                    process.kill()
                    process.wait()


def main():
    uri, suite = find_mirror()
    run('bash', 'tests/dev/package.sh', 'deb', cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(dir=ROOT / 'build-root' if (ROOT / 'build-root').is_dir() else None) as folder:
        system = System(pathlib.Path(folder) / 'debian', uri, suite)
        system.run('apt-get', 'update', '-q')
        names = sorted(path.name.split('_')[0] for path in PACKAGES.glob('*.deb'))
        (system.folder / 'packages').mkdir()
        for path in PACKAGES.glob('*.deb'):
            shutil.copy2(path, system.folder / 'packages')
        before = system.files()
        system.run('sh', '-c', 'apt-get install -q -y --no-install-recommends /packages/*.deb')
        system.keep_archives()
        print('installed:', *names)
        check_installed(system, names)
        check_window(system)
        system.run('apt-get', 'purge', '-q', '-y', *names)
        system.run('apt-get', 'autoremove', '--purge', '-q', '-y')
        left = sorted(system.files() - before)
        assert not [path for path in left if 'assay' in path.lower()], left
        print(f'purged; {len(left)} files of other packages are left')


main()
