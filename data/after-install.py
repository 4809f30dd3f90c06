# SPDX-License-Identifier: Apache-2.0
"""Runs at the end of `meson install`: after-install.py BINDIR LIBDIR DATADIR PYTHON.

A desktop is told of its new files if it looks into the prefix, and so is the loader. Lines that a profile has to have, so
that everything is found from elsewhere, are printed. Whoever makes a package (DESTDIR) does the same for it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PREFIX = pathlib.Path(os.environ['MESON_INSTALL_PREFIX'])
# What keeps an index of a folder below DATADIR. Icons have none until somebody makes one.
CACHES = [
    ('mime', ['update-mime-database'], None),
    ('applications', ['update-desktop-database', '-q'], None),
    ('icons/hicolor', ['gtk4-update-icon-cache', '-q', '-t', '-f'], 'icon-theme.cache'),
    ('glib-2.0/schemas', ['glib-compile-schemas'], 'gschemas.compiled'),
]


def find(program):
    return shutil.which(program, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')


def answer(*command):
    """What a program says, or nothing where it fails or is missing."""
    path = find(command[0])
    done = path and subprocess.run([path, *command[1:]], capture_output=True, text=True, cwd='/')
    return done.stdout if done and done.returncode == 0 else ''


def data_folders():
    home = os.environ.get('XDG_DATA_HOME') or os.path.expanduser('~/.local/share')
    return [home, *(os.environ.get('XDG_DATA_DIRS') or '/usr/local/share:/usr/share').split(':')]


def is_in(folder, folders):
    return any(other and os.path.realpath(folder) == os.path.realpath(other) for other in folders)


def refresh(data):
    """Makes the indices anew that exist, and those without which a desktop sees nothing."""
    for folder, command, index in CACHES:
        if (data / folder).is_dir() and (index is None or (data / folder / index).exists()) and find(command[0]):
            subprocess.run([find(command[0]), *command[1:], data / folder], check=False)


def missing(bindir, libdir, data, python):
    """Variables that need another folder, each with the folder."""
    if not is_in(bindir, os.environ.get('PATH', '').split(':')):
        yield 'PATH', bindir
    if not is_in(data, data_folders()):
        yield 'XDG_DATA_DIRS', data
    if not (libdir / 'libassay.so.0').exists():
        return
    loaded = re.findall(r'libassay\.so\.0 .*=> (\S+)', answer('ldconfig', '-p'))
    if not is_in(libdir / 'libassay.so.0', loaded) and not is_in(libdir, os.environ.get('LD_LIBRARY_PATH', '').split(':')):
        yield 'LD_LIBRARY_PATH', libdir
    if not is_in(libdir / 'pkgconfig', answer('pkg-config', '--variable=pcfiledir', 'assay-1').split('\n')):
        yield 'PKG_CONFIG_PATH', libdir / 'pkgconfig'
    if not (libdir / 'girepository-1.0' / 'Assay-1.typelib').exists():
        return
    found = answer(sys.executable, '-c', 'import sys; print("\\n".join(sys.path))').split('\n')
    if not is_in(python, found):
        yield 'PYTHONPATH', python
    search = 'import gi; gi.require_version("GIRepository", "2.0"); from gi.repository import GIRepository as g; print("\\n".join(g.Repository.get_search_path()))'
    if not is_in(libdir / 'girepository-1.0', answer(sys.executable, '-c', search).split('\n')):
        yield 'GI_TYPELIB_PATH', libdir / 'girepository-1.0'


def say(text):
    """Meson 1.0 keeps to itself what a script prints, so it is written where Meson writes."""
    try:
        with open(f'/proc/{os.getppid()}/fd/1', 'a') as output:
            output.write(text)
    except OSError:
        print(text, end='')


def main():
    if os.environ.get('DESTDIR'):
        return
    bindir, libdir, data, python = (PREFIX / name for name in sys.argv[1:])
    if is_in(data, data_folders()):
        refresh(data)
    if os.geteuid() == 0 and find('ldconfig'):
        subprocess.run([find('ldconfig')], check=False)
    lines = [f'  export {name}="{folder}${{{name}:+:${name}}}"' for name, folder in missing(bindir, libdir, data, python)]
    # The folders of the system are what such a variable has if it is not set.
    lines = [line.replace('${XDG_DATA_DIRS:+:$XDG_DATA_DIRS}', ':${XDG_DATA_DIRS:-/usr/local/share:/usr/share}') for line in lines]
    if lines:
        say('\n'.join([f'Assay is installed in {PREFIX}. For all of it to be found, add to ~/.profile:', *lines, '']))


main()
