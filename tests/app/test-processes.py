#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How programs start, what helpers are left with, and conversations that do not go on.

Arguments: assay, the library that counts calls, the board agent, the ONNX Runtime helper, the layout helper, and
`fortified` for builds that are optimised."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from driver import until
from processes import PATIENCE, TARGET, TORCH_TEXT, Run, save_case, save_model, save_refused, save_torch_helper, session_members

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
open(os.environ['ASSAY_TEST_SILENT'], 'w').close()
while True:
    signal.pause()
'''

# A runner that tries what a bad one would, and tells what it could do.
TRIES = '''#!/usr/bin/python3
import mmap, os, pathlib, socket, subprocess, sys, tempfile
def can(what):
    try:
        what()
        return 1
    except (OSError, MemoryError, subprocess.SubprocessError):
        return 0
def allocate():
    # 0x4000 is MAP_NORESERVE.
    mmap.mmap(-1, 2 * os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE'), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
outside = pathlib.Path('OUTSIDE')
print('ready', flush=True)
for line in sys.stdin:
    own = pathlib.Path(line.rstrip())
    print('error', 'own', can(lambda: (own / 'file').write_text('x')), 'temporary', can(lambda: tempfile.TemporaryFile().close()),
          'programs', can(lambda: subprocess.run(['true'], check=True)), 'outside', can(lambda: (outside / 'file').write_text('x')),
          'remove', can(lambda: (outside / 'kept').unlink()), 'link', can(lambda: (own / 'link').symlink_to(outside) or (own / 'link/file').write_text('x')),
          'child', can(lambda: subprocess.run(['sh', '-c', ': > OUTSIDE/other'], check=True, stderr=subprocess.DEVNULL)),
          'internet', can(lambda: socket.socket(socket.AF_INET)), 'unix', can(lambda: socket.socket(socket.AF_UNIX)),
          'session', can(os.setsid), 'allocate', can(allocate), flush=True)
'''
# Starts processes that do their best to stay, and then says nothing.
STAYS = '''#!/usr/bin/python3
import os, signal, sys
for i in range(20):
    if os.fork() == 0:
        for leave in (os.setsid, lambda: os.setpgid(0, 0)):
            try:
                leave()
            except OSError:
                pass
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execvp('sleep', ['sleep', 'NUMBER'])
while True:
    signal.pause()
'''
# At its end a program tries the same.
AT_END = '''#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__ ((destructor)) static void end (void)
{
  char own[4096];
  snprintf (own, sizeof own, "%s/file", getenv ("TMPDIR"));
  fprintf (stderr, "own %d outside %d socket %d exec %d\\n", open (own, O_CREAT | O_WRONLY, 0600) >= 0,
           open ("OUTSIDE/file", O_CREAT | O_WRONLY, 0600) >= 0, socket (AF_UNIX, SOCK_STREAM, 0) >= 0,
           execl ("/bin/true", "true", (char *) NULL) == 0);
}
'''


def needed(path):
    text = subprocess.run(['readelf', '-dW', path], capture_output=True, text=True, check=True).stdout
    return [line.split('[')[1].split(']')[0] for line in text.splitlines() if '(NEEDED)' in line]


def compile_model(folder):
    save_model(folder / 'model.onnx', 64, 2)
    program = folder / 'model.assayp'
    subprocess.run([ASSAY, 'compile', folder / 'model.onnx', '--target', TARGET, '-o', program], check=True,
                   capture_output=True, timeout=1200)
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
                self.assertIn(run.wait(), (0, 2))
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
        self.silent = self.folder / 'silent'
        self.environment = {'PATH': f'{ssh.parent}:{os.environ["PATH"]}', 'ASSAY_TEST_BOARD': BOARD, 'ASSAY_TEST_SILENT': str(self.silent)}

    def test_silent_board(self):
        """A board that has said hello and then nothing more can be cancelled, and is given up in time."""
        argv = [ASSAY, 'deploy', str(self.program), '--board', 'ssh:silent']
        with Run(argv, self.environment) as run:
            self.assertTrue(until(self.silent.exists), run.said())
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(PATIENCE), 130, run.said())
            self.assertEqual(run.left(), [])
        with Run([*argv, '--timeout', '1'], self.environment) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertIn('No answer from silent in 1 s', run.said())
            self.assertEqual(run.left(), [])


# Stages of a conversation with PyTorch: what stands in for assay-torch does, the status, and what is said. The third argument is
# the file that is to be written; those with status None do not end before their time.
TORCH_STAGES = {
    'writes': (f'cat > "$3" <<END\n{TORCH_TEXT}END\n', 0, ''),
    'never answers': ('sleep 600\n', None, ''),
    'heeds no signal': ("trap '' INT TERM HUP\nsleep 600 &\nwhile :; do sleep 600; done\n", None, ''),
    'floods its output': ('exec yes\n', None, ''),
    'floods its errors': ('yes >&2\n', None, ''),
    'floods both': ('yes >&2 &\nexec yes\n', None, ''),
    'writes and stays': (f'cat > "$3" <<END\n{TORCH_TEXT}END\nsleep 600\n', None, ''),
    'closes its output and stays': ('exec >&-\nsleep 600\n', 2, 'killed by signal 9'),
    'dies at once': ('exit 7\n', 2, 'exit status 7'),
    'crashes': ('kill -SEGV $$\n', 2, 'killed by signal 11'),
    'says why': ('echo no such class >&2\nexit 1\n', 2, 'exit status 1: no such class'),
    'steers the terminal': ("printf '\\033[2Jgone' >&2\nexit 1\n", 2, 'exit status 1:  [2Jgone'),
    'writes nothing': ('exit 0\n', 2, 'PyTorch has written no model'),
    'writes half': (f'printf "%s" "{TORCH_TEXT.splitlines()[0]}" > "$3"\n', 2, 'was expected'),
    'writes what is no text': ('head -c 5000 /dev/urandom > "$3"\n', 2, 'model.mlir'),
    'leaves a link': ('ln -s /etc/passwd "$3"\n', 2, 'PyTorch has written no model'),
    'leaves a folder': ('mkdir "$3"\n', 2, 'PyTorch has written no model'),
    'leaves a pipe': ('mkfifo "$3"\n', 2, 'PyTorch has written no model'),
}


class Torch(WithFolder):
    """Whatever assay-torch does, it is told, in time, and nothing is left of it."""

    def ask(self, script, *options):
        save_torch_helper(self.folder, script)
        return Run([ASSAY, 'run', 'python:net.pt', '--on', 'reference', '--random', '1', *options],
                   {'ASSAY_HELPERS': str(self.folder)})

    def test_stages(self):
        for name, (script, status, message) in TORCH_STAGES.items():
            with self.subTest(name), self.ask(script, '--timeout', '1') as run:
                self.assertEqual(run.wait(), 3 if status is None else status, run.said())
                self.assertIn('no answer in 1 s' if status is None else message, run.said())
                self.assertEqual(run.left(), [])

    def test_cancelled(self):
        for name, (script, status, _) in TORCH_STAGES.items():
            if status is not None:
                continue
            with self.subTest(name), self.ask(script) as run:
                until(lambda: any(b'assay-torch' in line or line.startswith(b'yes') for _, line in session_members(run.process.pid)))
                self.assertIsNone(run.process.poll(), run.said())
                run.process.send_signal(signal.SIGINT)
                self.assertEqual(run.wait(PATIENCE), 130, run.said())
                self.assertEqual(run.left(), [])


class Budgets(WithFolder):
    def test_fix(self):
        """A loop of 10^9 turns is not run to its end to compare fixes, and not once for each of them."""
        save_refused(self.folder / 'long.onnx', 10**9)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with Run([ASSAY, 'fix', str(self.folder / 'long.onnx'), '--target', TARGET]) as run:
            self.assertEqual(run.wait(), 1, run.said())
            self.assertIn('not compared: running it takes more than 4 s', run.said())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 60)


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
        self.skip_where_missing()
        self.assertRegex(self.check([BOARD, '--stdio']), r'Max file size +0 +0 ')
        self.assertRegex(self.check([LAYOUT, '512']), r'Max address space +536870912 +536870912 ')

    def write_runner(self, text):
        outside, script = self.folder / 'outside', self.folder / 'runner.py'
        outside.mkdir(exist_ok=True)
        (outside / 'kept').write_text('kept')
        script.write_text(text.replace('OUTSIDE', str(outside)))
        script.chmod(0o700)
        return script

    def skip_where_missing(self):
        missing = subprocess.run([ASSAY, '--version'], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
        if missing:
            self.skipTest(missing[0])

    def tried(self, text):
        found = re.search(r'((?:[a-z]+ [01] ){5,}[a-z]+ [01])', text)
        self.assertIsNotNone(found, text)
        words = found.group(1).split()
        return dict(zip(words[::2], map(int, words[1::2])))

    def test_commands(self):
        """A program of the user writes to its own folder and reaches nobody, unless it is run with all rights."""
        self.skip_where_missing()
        script, model = self.write_runner(TRIES), self.folder / 'model.onnx'
        save_model(model, 64, 2)
        allowed = {'own': 1, 'temporary': 1, 'programs': 1}
        refused = {'outside': 0, 'remove': 0, 'link': 0, 'child': 0, 'internet': 0, 'unix': 0, 'session': 0, 'allocate': 0}
        with Run([ASSAY, 'run', str(model), '--on', f'command:{script}', '--random', '1']) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertEqual(self.tried(run.said()), allowed | refused)
            self.assertEqual(run.left(), [])
        self.assertEqual([path.name for path in (self.folder / 'outside').iterdir()], ['kept'])
        with Run([ASSAY, 'run', str(model), '--on', f'unconfined:{script}', '--random', '1']) as run:
            self.assertEqual(run.wait(), 3, run.said())
            tried = self.tried(run.said())
            self.assertEqual({name for name, could in tried.items() if could}, set(allowed | refused) - {'session'})

    def test_way_out(self):
        self.skip_where_missing()
        script, model = self.write_runner('#!/bin/sh\n: > OUTSIDE/file || exit 1\necho ready\n'), self.folder / 'model.onnx'
        save_model(model, 64, 2)
        with Run([ASSAY, 'run', str(model), '--on', f'command:{script}', '--random', '1']) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertIn('unless it is run as unconfined:PATH', run.said())

    def test_nothing_stays(self):
        """Whatever a runner starts ends with it, also where it runs in the process of a case."""
        self.skip_where_missing()
        model, number = self.folder / 'model.onnx', f'{os.getpid()}000'
        save_model(model, 64, 2)
        save_case(self.folder / 'cases/case', model)

        def staying():
            return [path for path in pathlib.Path('/proc').glob('[0-9]*/cmdline') if number.encode() in self.read(path)]
        # Who has all rights can leave; who does not leave ends.
        for kind, leave in (('command', 'leave()'), ('unconfined', 'pass')):
            script = self.write_runner(STAYS.replace('NUMBER', number).replace('leave()', leave))
            for argv in (['run', str(model), '--random', '1'], ['conformance', str(self.folder / 'cases')]):
                with Run([ASSAY, *argv, '--on', f'{kind}:{script}', '--timeout', '1']) as run:
                    until(lambda: staying() or run.process.poll() is not None)
                    self.assertIn(run.wait(), (1, 3), run.said())
                    self.assertTrue(until(lambda: not staying(), PATIENCE), (kind, argv))
                    self.assertEqual(run.left(), [])

    @staticmethod
    def read(path):
        try:
            return path.read_bytes()
        except OSError:
            return b''

    def test_cases(self):
        """The process of a case, which may be from anywhere, has given up the same before it reads it."""
        self.skip_where_missing()
        model, own, source = self.folder / 'model.onnx', self.folder / 'own', self.folder / 'library.c'
        (self.folder / 'outside').mkdir()
        own.mkdir()
        save_model(model, 64, 2)
        save_case(self.folder / 'cases/case', model)
        source.write_text(AT_END.replace('OUTSIDE', str(self.folder / 'outside')))
        library = self.folder / 'library.so'
        subprocess.run(['cc', '-shared', '-fPIC', source, '-o', library], check=True)
        done = subprocess.run([ASSAY, 'conformance', '--one-case', '--on', 'reference', '--', own, self.folder / 'cases/case'],
                              capture_output=True, text=True, timeout=600, env=dict(os.environ, LD_PRELOAD=str(library)))
        self.assertEqual(done.stderr.strip(), 'own 1 outside 0 socket 0 exec 0', done.stdout)
        script = self.write_runner(TRIES)
        with Run([ASSAY, 'conformance', str(self.folder / 'cases'), '--on', f'command:{script}']) as run:
            self.assertEqual(run.wait(), 1, run.said())
            tried = self.tried(run.said())
            self.assertEqual([name for name in tried if tried[name]], ['own', 'temporary', 'programs'])
            self.assertEqual(run.left(), [])

    @unittest.skipUnless(RUNTIME, 'ONNX Runtime is not installed')
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
                              timeout=600, env={key: value for key, value in os.environ.items() if key != 'ORT_DISABLE_TELEMETRY'})
        said = dict(line.rsplit(' ', 1) for line in done.stderr.splitlines() if line.count(' ') == 1)
        self.assertEqual(said, {'telemetry': '1', 'own': '1', 'outside': '0', 'socket': '0', 'unix': '0', 'exec': '0'},
                         done.stderr)

    @unittest.skipUnless(RUNTIME, 'ONNX Runtime is not installed')
    def test_no_names(self):
        """Without a network everything goes as it does with one, and nothing asks for a name."""
        if subprocess.run(['unshare', '-n', 'true'], capture_output=True).returncode != 0:
            self.skipTest('no network namespace may be made here')
        save_model(self.folder / 'model.onnx', 64, 2)
        names = self.folder / 'names'
        argv = ['unshare', '-n', ASSAY, 'run', str(self.folder / 'model.onnx'), '--on', 'ort,reference', '--random', '1']
        with Run(argv, {'LD_PRELOAD': SHIM, 'FAULT_NAMES': str(names)}) as run:
            self.assertEqual(run.wait(), 0, run.said())
            self.assertEqual(run.left(), [])
        self.assertEqual(names.read_text(), '')


if __name__ == '__main__':
    unittest.main(verbosity=2)
