#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How programs start, what helpers are left with, and conversations that do not go on.

Arguments: assay, the library that counts calls, the board agent, the ONNX Runtime helper, the layout helper, and
`fortified` for builds that are optimised."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from driver import until
from processes import TARGET, Run, save_model, save_refused

ASSAY, SHIM, BOARD, ORT, LAYOUT = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:6])
FORTIFIED = sys.argv[6:7] == ['fortified']
del sys.argv[1:7]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUNTIME = os.environ.get('ASSAY_ONNXRUNTIME')
# Answers the first message of the client with that of the agent, and nothing else ever.
SILENT_SSH = '''#!/usr/bin/python3
import os, signal, subprocess, sys
agent = subprocess.Popen([os.environ['ASSAY_TEST_BOARD'], '--stdio'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def frame(source, target):
    head = source.read(8)
    target.write(head + source.read(int.from_bytes(head[4:8], 'little')))
    target.flush()
frame(sys.stdin.buffer, agent.stdin)
frame(agent.stdout, sys.stdout.buffer)
while True:
    signal.pause()
'''


def needed(path):
    text = subprocess.run(['readelf', '-dW', path], capture_output=True, text=True, check=True).stdout
    return [line.split('[')[1].split(']')[0] for line in text.splitlines() if '(NEEDED)' in line]


def compile_model(folder):
    save_model(folder / 'model.onnx', 64, 2)
    program = folder / 'model.assayp'
    subprocess.run([ASSAY, 'compile', folder / 'model.onnx', '--target', TARGET, '-o', program], check=True,
                   capture_output=True, timeout=120)
    return program


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


class Start(WithFolder):
    def test_libraries(self):
        """What only products and pictures need is not there before them."""
        for program in (ASSAY, BOARD, ORT):
            found = [name for name in needed(program) if any(word in name for word in ('blas', 'cairo', 'pango', 'X11'))]
            self.assertEqual(found, [], program)

    def test_no_threads(self):
        for arguments in (['--version'], ['help'], ['targets']):
            path = self.folder / 'counts'
            with Run([ASSAY, *arguments], {'LD_PRELOAD': SHIM, 'FAULT_COUNT': str(path)}) as run:
                self.assertIn(run.wait(60), (0, 2))
            counts = dict(line.split() for line in path.read_text().splitlines())
            self.assertEqual(counts['thread'], '0', arguments)

    @unittest.skipUnless(shutil.which('readelf'), 'readelf is not installed')
    def test_hardened(self):
        for program in (ASSAY, BOARD, ORT, LAYOUT):
            text = subprocess.run(['readelf', '-hldW', '--dyn-syms', program], capture_output=True, text=True, check=True).stdout
            self.assertIn('DYN (', text, f'{program} is no PIE')
            self.assertIn('GNU_RELRO', text, program)
            self.assertRegex(text, r'BIND_NOW|Flags:.*NOW', program)
            self.assertIn('__stack_chk_fail', text, program)
            self.assertRegex(text, r'GNU_STACK\s+\S+ \S+ \S+ \S+ \S+ RW ', program)
            if FORTIFIED:
                self.assertRegex(text, r'__\w+_chk@', program)


class Conversations(WithFolder):
    def setUp(self):
        super().setUp()
        self.program = compile_model(self.folder)
        ssh = self.folder / 'bin' / 'ssh'
        ssh.parent.mkdir()
        ssh.write_text(SILENT_SSH)
        ssh.chmod(0o700)
        self.environment = {'PATH': f'{ssh.parent}:{os.environ["PATH"]}', 'ASSAY_TEST_BOARD': BOARD}

    def test_silent_board(self):
        """A board that has said hello and then nothing more can be cancelled, and is given up in time."""
        argv = [ASSAY, 'deploy', str(self.program), '--board', 'ssh:silent']
        with Run(argv, self.environment) as run:
            self.assertIsNone(run.wait(1.5), run.said())
            begin = time.monotonic()
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(10), 130, run.said())
            self.assertLess(time.monotonic() - begin, 2)
            self.assertEqual(run.left(), [])
        with Run([*argv, '--timeout', '1'], self.environment) as run:
            self.assertEqual(run.wait(20), 3, run.said())
            self.assertIn('No answer from silent in 1 s', run.said())
            self.assertEqual(run.left(), [])


class Budgets(WithFolder):
    def test_fix(self):
        """A loop of 10^9 turns is not run to its end to compare fixes, and not once for each of them."""
        save_refused(self.folder / 'long.onnx', 10**9)
        begin = time.monotonic()
        with Run([ASSAY, 'fix', str(self.folder / 'long.onnx'), '--target', TARGET]) as run:
            self.assertEqual(run.wait(120), 1, run.said())
            self.assertIn('not compared: running it takes more than 10 s', run.said())
        self.assertLess(time.monotonic() - begin, 60)


class Confined(WithFolder):
    def status_of(self, pid):
        return dict(line.split(':\t', 1) for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines() if ':\t' in line)

    def check(self, argv):
        """New privileges, calls, core files and the size of files: gone before the first message."""
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            until(lambda: self.status_of(process.pid)['Seccomp'].strip() == '2' or process.poll() is not None)
            status = self.status_of(process.pid)
            limits = pathlib.Path(f'/proc/{process.pid}/limits').read_text()
            process.kill()
            said = process.stderr.read().decode()
        self.assertEqual(status['NoNewPrivs'].strip(), '1', said)
        self.assertEqual(status['Seccomp'].strip(), '2', said)
        self.assertRegex(limits, r'Max core file size +0 +0 ')
        return limits

    def test_helpers(self):
        missing = subprocess.run([ASSAY, '--version'], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
        if missing:
            self.skipTest(missing[0])
        self.assertRegex(self.check([BOARD, '--stdio']), r'Max file size +0 +0 ')
        self.assertRegex(self.check([LAYOUT, '512']), r'Max address space +536870912 +536870912 ')

    @unittest.skipUnless(RUNTIME, 'no ONNX Runtime')
    def test_runtime(self):
        """It writes below its own folder alone, starts nothing and reaches nobody, and says what it cannot do."""
        folder, outside = self.folder / 'own', self.folder / 'outside'
        folder.mkdir()
        outside.mkdir()
        source = self.folder / 'library.c'
        # Stands in for the library: tries what a bad one would, when it is loaded.
        source.write_text('''#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__ ((constructor)) static void begin (void)
{
  fprintf (stderr, "telemetry %s\\n", getenv ("ORT_DISABLE_TELEMETRY"));
  fprintf (stderr, "own %d\\n", open ("own-file", O_CREAT | O_WRONLY, 0600) >= 0);
  fprintf (stderr, "outside %d\\n", open ("''' + str(outside) + '''/file", O_CREAT | O_WRONLY, 0600) >= 0);
  fprintf (stderr, "socket %d\\n", socket (AF_INET, SOCK_DGRAM, 0) >= 0);
  fprintf (stderr, "unix %d\\n", socket (AF_UNIX, SOCK_STREAM, 0) >= 0);
  execl ("/bin/true", "true", (char *) NULL);
  fprintf (stderr, "exec %d\\n", errno != EACCES);
}
''')
        library = self.folder / 'library.so'
        subprocess.run(['cc', '-shared', '-fPIC', source, '-o', library], check=True)
        done = subprocess.run([ORT, self.folder / 'none.onnx', folder, '1', library], input='', capture_output=True, text=True,
                              timeout=60, env={key: value for key, value in os.environ.items() if key != 'ORT_DISABLE_TELEMETRY'})
        said = dict(line.rsplit(' ', 1) for line in done.stderr.splitlines() if line.count(' ') == 1)
        self.assertEqual(said, {'telemetry': '1', 'own': '1', 'outside': '0', 'socket': '0', 'unix': '0', 'exec': '0'},
                         done.stderr)

    @unittest.skipUnless(RUNTIME, 'no ONNX Runtime')
    def test_no_names(self):
        """Without a network everything goes as it does with one, and nothing asks for a name."""
        if subprocess.run(['unshare', '-n', 'true'], capture_output=True).returncode != 0:
            self.skipTest('no network namespace may be made here')
        save_model(self.folder / 'model.onnx', 64, 2)
        names = self.folder / 'names'
        argv = ['unshare', '-n', ASSAY, 'run', str(self.folder / 'model.onnx'), '--on', 'ort,reference', '--random', '1']
        with Run(argv, {'LD_PRELOAD': SHIM, 'FAULT_NAMES': str(names)}) as run:
            self.assertEqual(run.wait(120), 0, run.said())
            self.assertEqual(run.left(), [])
        self.assertEqual(names.read_text(), '')


if __name__ == '__main__':
    unittest.main()
