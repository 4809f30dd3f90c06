#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The agent that is one file: the libraries and versions that it needs, and that it runs programs bit-exactly; that for arm64
under an emulator.

Arguments: the assay program, the agent of this machine, the top of the tree."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from dpu_models import Model
from processes import TARGET, save_model

ASSAY, ALONE, ROOT = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
del sys.argv[1:4]
HERE = os.uname().machine
MACHINES = ('x86_64', 'aarch64')
# The C library of Debian 12.
FLOOR = (2, 36)
LIBRARIES = re.compile(r'(libc|libm|ld-linux-x86-64|ld-linux-aarch64)\.so\.[126]$')


class AgentFile(unittest.TestCase):
    def find(self, machine):
        """The agent, and the words that run it here."""
        name = f'assay-board-{machine}'
        if machine == HERE:
            return ALONE, []
        path = ALONE.with_name(name)
        if not path.exists():
            path = ROOT / 'out' / name
        if not path.exists():
            self.skipTest(f'{name} is not built (./dev package agent)')
        emulator, root = shutil.which(f'qemu-{machine}'), f'/usr/{machine}-linux-gnu'
        if emulator is None or not os.path.exists(root):
            self.skipTest(f'qemu-{machine} or the C library for it is not installed')
        return path, [emulator, '-L', root]

    def check(self, machine):
        path, words = self.find(machine)
        text = subprocess.run(['readelf', '-dlVW', path], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r'\(NEEDED\)\s+Shared library: \[(.*?)\]', text)
        self.assertIn('libc.so.6', needed)
        self.assertEqual([name for name in needed if not LIBRARIES.match(name)], [])
        self.assertNotRegex(text, r'\((RPATH|RUNPATH)\)')
        self.assertRegex(text, r'FLAGS_1\).*NOW.*PIE')
        self.assertIn('GNU_RELRO', text)
        self.assertRegex(text, r'GNU_STACK .* RW ')
        versions = {tuple(map(int, version.split('.'))) for version in re.findall(r'GLIBC_([\d.]+)', text)}
        self.assertLessEqual(max(versions), FLOOR)
        self.assertGreater(len(versions), 3)
        self.assertLess(path.stat().st_size, 8 << 20)

        def ask(option):
            return subprocess.run([*words, path, option], capture_output=True, text=True, timeout=60, check=True).stdout

        self.assertRegex(ask('--version'), r'^assay-board \d+\.\d+\.\d+\n$')
        if not words:
            self.assertEqual(ask('--digest'), hashlib.sha256(path.read_bytes()).hexdigest() + '\n')

        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            agent = folder / 'assay-board'
            agent.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "{path}" "$@"\n')
            agent.chmod(0o700)
            save_model(folder / 'model.onnx', 64, 2)
            (folder / 'dpu.nnir').write_text(Model().text())
            for arguments in (['compile', folder / 'model.onnx', '--target', TARGET, '-o', folder / 'stream.assayprog'],
                              ['quantize', folder / 'dpu.nnir', '--random', '2', '--costs', '0', '-o', folder / 'q.onnx'],
                              ['compile', folder / 'q.onnx', '--target', 'dpu_zdx8g_b4096', '-o', folder / 'dpu.assayprog']):
                subprocess.run([ASSAY, *arguments], check=True, capture_output=True, timeout=300)
            for name in ('stream', 'dpu'):
                done = subprocess.run([ASSAY, 'deploy', folder / f'{name}.assayprog', '--runs', '3', '--json'], capture_output=True, text=True,
                                      timeout=300, env={**os.environ, 'ASSAY_HELPERS': holder})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                report = json.loads(done.stdout)
                self.assertGreater(report['values'], 0)
                self.assertEqual((report['different'], report['inferences']), (0, 3))
                if not words:
                    self.assertEqual(report['architecture'], machine)

    def test_x86_64(self):
        self.check('x86_64')

    def test_aarch64(self):
        self.check('aarch64')


if __name__ == '__main__':
    unittest.main(verbosity=2)
