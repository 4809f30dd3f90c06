# SPDX-License-Identifier: Apache-2.0
"""Programs that tests start as services: those that are installed, or else those of packages that `./dev test all` unpacked into
the folder that ASSAY_UNPACKED names."""
import os
import pathlib
import shutil

ROOT = pathlib.Path(os.environ.get('ASSAY_UNPACKED', '/nonexistent'))
# Daemons are in sbin, which is not on the path of everybody.
PATH = ':'.join([os.environ['PATH'], '/usr/sbin', '/sbin', *(str(ROOT / folder) for folder in ('usr/bin', 'usr/sbin', 'bin', 'sbin'))])


def program(name):
    """The path of a program, or None. Programs of Slurm have their own name only once they are installed."""
    return shutil.which(name, path=PATH) or shutil.which(name + '-wlm', path=PATH)


def is_unpacked(path):
    return ROOT in pathlib.Path(path).parents


def library(pattern):
    """The first file or folder of that name among the unpacked libraries, or None."""
    return next((path for folder in ('usr/lib', 'lib') for path in sorted(ROOT.glob(f'{folder}/*-linux-gnu*/{pattern}'))), None)


def environment():
    """Variables with which these programs find each other and their libraries."""
    folders = [str(path) for path in (ROOT / 'usr/lib', ROOT / 'lib') for path in path.glob('*-linux-gnu*')]
    own = library('slurm-wlm')
    folders += [str(own)] if own else []
    return {'PATH': PATH, **({'LD_LIBRARY_PATH': ':'.join(folders)} if folders else {})}
