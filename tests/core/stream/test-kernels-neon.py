#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The NEON kernels of the machine against the scalar ones: neon-agrees.c, built by a cross compiler and run by an emulator.

Arguments: the top of the source tree."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILER, CONFIG = shutil.which('aarch64-linux-gnu-gcc'), shutil.which('pkg-config')
EMULATOR = shutil.which('qemu-aarch64') or shutil.which('qemu-aarch64-static')


def main():
    if not COMPILER or not EMULATOR or not CONFIG:
        print('1..0 # SKIP aarch64-linux-gnu-gcc or qemu-aarch64 is not installed')
        return 0
    root = pathlib.Path(sys.argv[1])
    # Only types of GLib are needed, and they are the same on both processors.
    flags = subprocess.run([CONFIG, '--cflags', 'glib-2.0'], check=True, capture_output=True, text=True).stdout.split()
    kernels = root / 'core/backend/stream/machine/kernels'
    sources = [root / 'tests/core/stream/neon-agrees.c', kernels / 'assay-kernels-scalar.c', kernels / 'assay-kernels-neon.c']
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'neon-agrees'
        subprocess.run([COMPILER, '-static', '-O2', '-std=gnu11', '-ffp-contract=off', '-fno-strict-aliasing', '-Wno-psabi',
                        f'-I{root / "core"}', *flags, *map(str, sources), '-lm', '-o', str(program)], check=True)
        return subprocess.run([EMULATOR, str(program)]).returncode


if __name__ == '__main__':
    sys.exit(main())
