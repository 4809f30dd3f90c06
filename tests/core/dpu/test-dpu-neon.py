#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The level of the DPU's product for aarch64, built by a cross compiler and run by an emulator: test-dpu-neon.py SOURCE. Skipped where Debian's
gcc-aarch64-linux-gnu or qemu-user (or qemu-user-static) is not installed."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def main():
    root = pathlib.Path(sys.argv[1])
    compiler, config = shutil.which('aarch64-linux-gnu-gcc'), shutil.which('pkg-config')
    emulator = shutil.which('qemu-aarch64') or shutil.which('qemu-aarch64-static')
    if not compiler or not emulator or not config:
        print('skipped: aarch64-linux-gnu-gcc or qemu-aarch64 is not installed')
        return SKIP
    # Of GLib only types are needed, which are the same on both processors.
    flags = subprocess.run([config, '--cflags', 'glib-2.0'], check=True, capture_output=True, text=True).stdout.split()
    machine = root / 'core' / 'backend' / 'dpu' / 'machine'
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / 'levels'
        sources = [root / 'tests' / 'core' / 'dpu' / 'dpu-levels.c', machine / 'assay-dpu-level-base.c', machine / 'assay-dpu-level-neon.c']
        subprocess.run([compiler, '-std=gnu11', '-O3', '-fwrapv', '-static', f'-I{root / "core"}', *flags, *map(str, sources), '-o', str(program)], check=True)
        done = subprocess.run([emulator, str(program)], capture_output=True, text=True)
    print(done.stdout + done.stderr, end='')
    # Both levels have to have been there.
    return done.returncode or (0 if done.stdout.count(' products\n') == 2 and 'neon: ' in done.stdout else 1)


if __name__ == '__main__':
    sys.exit(main())
