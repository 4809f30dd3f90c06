#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How programs start, what helpers are left with, and conversations that do not go on.

Arguments: assay, the library that counts calls, the board agent, the ONNX Runtime helper, the layout helper, and
`fortified` for builds that are optimised."""
import fcntl
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
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

# Numbers of system calls that Python has no function for.
CALLS = {'x86_64': {'clone': 56, 'clone3': 435, 'mount': 165, 'fsopen': 430, 'open_tree': 428, 'move_mount': 429, 'unshare': 272,
                    'setns': 308, 'shmget': 29, 'semget': 64, 'msgget': 68, 'ptrace': 101, 'io_uring_setup': 425, 'mq_open': 240,
                    'keyctl': 250, 'prlimit64': 302, 'pidfd_open': 434, 'pidfd_getfd': 438, 'userfaultfd': 323, 'bpf': 321,
                    'perf_event_open': 298, 'ioprio_set': 251, 'sched_setaffinity': 203, 'fchmodat2': 452, 'unknown': 900},
         'aarch64': {'clone': 220, 'clone3': 435, 'mount': 40, 'fsopen': 430, 'open_tree': 428, 'move_mount': 429, 'unshare': 97,
                     'setns': 268, 'shmget': 194, 'semget': 190, 'msgget': 186, 'ptrace': 117, 'io_uring_setup': 425, 'mq_open': 180,
                     'keyctl': 219, 'prlimit64': 261, 'pidfd_open': 434, 'pidfd_getfd': 438, 'userfaultfd': 282, 'bpf': 280,
                     'perf_event_open': 241, 'ioprio_set': 30, 'sched_setaffinity': 122, 'fchmodat2': 452, 'unknown': 900}}
# A runner that tries what a bad one would, and tells what it could do.
TRIES = """#!/usr/bin/python3
import ctypes, errno, fcntl, mmap, os, pathlib, signal, socket, subprocess, sys, tempfile, time
CALLS, PARENT, OTHER, PORT = NUMBERS, os.getppid(), STRANGER, SOCKETS
outside = pathlib.Path('OUTSIDE')
kept = outside / 'kept'
libc = ctypes.CDLL(None, use_errno=True)
def can(what):
    try:
        what()
        return 1
    except (OSError, MemoryError, subprocess.SubprocessError):
        return 0
def call(name, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(CALLS[name]), *[ctypes.c_long(value) if isinstance(value, int) else value for value in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    if name == 'clone' and result == 0:
        os._exit(0)
    return result
def allocate():
    # 0x4000 is MAP_NORESERVE.
    mmap.mmap(-1, 2 * os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE'), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
def clone(flags):
    return lambda: call('clone', flags | signal.SIGCHLD, 0, 0, 0, 0)
def kill_own():
    child = subprocess.Popen(['sleep', '600'])
    child.kill()
    child.wait()
def send(kind, to):
    def do():
        first, second = socket.socketpair(socket.AF_UNIX, kind)
        first.sendto(b'x', to)
    return do
def write(path):
    return lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
def tty(path, request):
    def do():
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY) if isinstance(path, str) else path
        fcntl.ioctl(fd, request, b'#')
    return do
def controlling():
    os.open('/dev/tty', os.O_RDWR)
def errno_of(what):
    try:
        what()
    except OSError as error:
        return error.errno
def attempts(own):
    limits = ctypes.create_string_buffer(16)
    unix = ctypes.create_string_buffer(1024)
    yield 'own', lambda: (own / 'file').write_text('x')
    yield 'temporary', lambda: tempfile.TemporaryFile().close()
    yield 'programs', lambda: subprocess.run(['true'], check=True)
    yield 'kill own', kill_own
    yield 'kill itself', lambda: os.kill(os.getpid(), 0)
    yield 'fork', clone(0)
    yield 'rename own', lambda: os.rename(own / 'file', own / 'other')
    yield 'link own', lambda: os.link(own / 'other', own / 'linked')
    yield 'truncate own', lambda: os.ftruncate(os.open(own / 'other', os.O_RDWR), 0)
    yield 'null', write('/dev/null')
    yield 'zero', write('/dev/zero')
    yield 'full', write('/dev/full')
    yield 'random', write('/dev/random')
    yield 'urandom', write('/dev/urandom')
    yield 'stream pair', lambda: [end.send(b'x') for end in socket.socketpair()]
    yield 'priority', lambda: os.setpriority(os.PRIO_PROCESS, 0, 1)
    yield 'limit itself', lambda: call('prlimit64', 0, 7, None, limits)
    yield 'unknown call', lambda: errno_of(lambda: call('unknown')) == errno.ENOSYS or os.stat('/none')
    yield 'without clone3', lambda: errno_of(lambda: call('clone3', None, 0)) == errno.ENOSYS or os.stat('/none')
    yield 'NOT outside', lambda: (outside / 'file').write_text('x')
    yield 'NOT link', lambda: (own / 'link').symlink_to(outside) or (own / 'link/file').write_text('x')
    yield 'NOT hard link', lambda: os.link(kept, own / 'hard') or (own / 'hard').write_text('x')
    yield 'NOT child', lambda: subprocess.run(['sh', '-c', ': > OUTSIDE/other'], check=True, stderr=subprocess.DEVNULL)
    yield 'NOT truncate', lambda: os.truncate(kept, 0)
    yield 'NOT chmod', lambda: os.chmod(kept, 0o600)
    yield 'NOT fchmod', lambda: os.fchmod(os.open(kept, os.O_RDONLY), 0o600)
    yield 'NOT fchmodat2', lambda: call('fchmodat2', -100, str(kept).encode(), 0o600, 0)
    yield 'NOT chown', lambda: os.chown(kept, os.geteuid(), os.getegid())
    yield 'NOT fchown', lambda: os.fchown(os.open(kept, os.O_RDONLY), os.geteuid(), os.getegid())
    yield 'NOT utime', lambda: os.utime(kept)
    yield 'NOT attribute', lambda: os.setxattr(kept, 'user.assay', b'x')
    yield 'NOT remove attribute', lambda: os.removexattr(kept, 'user.kept')
    # 0x40086602 is FS_IOC_SETFLAGS.
    yield 'NOT flags', lambda: fcntl.ioctl(os.open(kept, os.O_RDONLY), 0x40086602, ctypes.create_string_buffer(8))
    yield 'NOT internet', lambda: socket.socket(socket.AF_INET)
    yield 'NOT unix', lambda: socket.socket(socket.AF_UNIX)
    yield 'NOT netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    yield 'NOT datagram pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    yield 'NOT send to a path', send(socket.SOCK_DGRAM, str(outside / 'socket'))
    yield 'NOT send to a name', send(socket.SOCK_DGRAM, PORT)
    yield 'NOT connect', lambda: socket.socketpair()[0].connect(str(outside / 'socket'))
    yield 'NOT bind', lambda: socket.socketpair()[0].bind(str(own / 'bound'))
    yield 'NOT session', os.setsid
    yield 'NOT group', lambda: os.setpgid(0, 0)
    yield 'NOT allocate', allocate
    for name, flag in (('mount', 0x20000), ('user', 0x10000000), ('pid', 0x20000000), ('net', 0x40000000), ('ipc', 0x8000000),
                       ('uts', 0x4000000), ('cgroup', 0x2000000)):
        yield f'NOT clone {name}', clone(flag)
        yield f'NOT unshare {name}', lambda flag=flag: call('unshare', flag)
    yield 'NOT setns', lambda: call('setns', os.open(f'/proc/{PARENT}/ns/net', os.O_RDONLY), 0)
    yield 'NOT mount', lambda: call('mount', b'none', str(own).encode(), b'tmpfs', 0, None)
    yield 'NOT fsopen', lambda: call('fsopen', b'tmpfs', 0)
    yield 'NOT open_tree', lambda: call('open_tree', -100, b'/', 1)
    yield 'NOT move_mount', lambda: call('move_mount', -100, b'/', -100, str(own).encode(), 0)
    yield 'NOT kill parent', lambda: os.kill(PARENT, 0)
    yield 'NOT kill other', lambda: os.kill(OTHER, 0)
    yield 'NOT kill all', lambda: os.kill(-1, 0) or os.kill(OTHER, 0)
    yield 'NOT pidfd signal', lambda: signal.pidfd_send_signal(os.pidfd_open(OTHER), 0)
    yield 'NOT owner of a pipe', lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, OTHER)
    yield 'NOT limit other', lambda: call('prlimit64', OTHER, 7, limits, None)
    yield 'NOT priority of other', lambda: os.setpriority(os.PRIO_PROCESS, OTHER, 19)
    yield 'NOT priority of group', lambda: os.setpriority(os.PRIO_PGRP, 0, os.getpriority(os.PRIO_PGRP, 0))
    yield 'NOT io priority of other', lambda: call('ioprio_set', 1, OTHER, 3 << 13)
    yield 'NOT affinity of other', lambda: call('sched_setaffinity', OTHER, 8, ctypes.create_string_buffer(bytes([255]) * 8))
    yield 'NOT ptrace', lambda: call('ptrace', 16, OTHER, 0, 0)
    yield 'NOT pidfd_getfd', lambda: call('pidfd_getfd', os.pidfd_open(OTHER), 0, 0)
    yield 'NOT memory of other', lambda: os.close(os.open(f'/proc/{OTHER}/mem', os.O_RDWR))
    yield 'NOT shared memory', lambda: call('shmget', 0, 4096, 0o1600)
    yield 'NOT semaphores', lambda: call('semget', 0, 1, 0o1600)
    yield 'NOT messages', lambda: call('msgget', 0, 0o1600)
    yield 'NOT message queue', lambda: call('mq_open', b'assay-test', 0o102, 0o600, None)
    yield 'NOT dev shm', lambda: pathlib.Path(f'/dev/shm/assay-{os.getpid()}').write_text('x')
    yield 'NOT dev shm of others', write('SHARED')
    yield 'NOT io_uring', lambda: call('io_uring_setup', 1, ctypes.create_string_buffer(120))
    yield 'NOT keys', lambda: call('keyctl', 0, -3, 1)
    yield 'NOT userfaultfd', lambda: call('userfaultfd', 1)
    yield 'NOT bpf', lambda: call('bpf', 0, limits, 16)
    yield 'NOT perf', lambda: call('perf_event_open', limits, 0, -1, -1, 0)
    yield 'NOT device', lambda: os.mknod(own / 'disk', 0o60600, os.makedev(7, 0))
    yield 'NOT terminal', controlling
    # TIOCSTI, TIOCLINUX and TIOCSCTTY.
    yield 'NOT type', tty(TERMINAL, 0x5412)
    yield 'NOT paste', tty(TERMINAL, 0x541c)
    yield 'NOT take terminal', tty(TERMINAL, 0x540e)
    yield 'NOT rename', lambda: os.rename(kept, outside / 'moved')
    yield 'NOT remove', (outside / 'moved').unlink
    yield 'NOT type with high bits', lambda: libc.ioctl(0, ctypes.c_ulong(1 << 32 | 0x5412), b'#') < 0 and os.stat('/none')
print('ready', flush=True)
for line in sys.stdin:
    own = pathlib.Path(line.rstrip())
    listed = list(attempts(own))
    wrong = [name for name, what in listed if can(what) == name.startswith('NOT ')]
    print('error tried', len(listed), 'wrong:', ', '.join(wrong) + '.', flush=True)
"""
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
    def test_closed(self):
        """Whoever closes standard output is told that nothing can be written there; a file needs none."""
        for arguments, status in ((['--version'], 3), (['help'], 3), (['targets', 'list'], 3), (['targets', 'list', '-o', str(self.folder / 'list')], 0)):
            done = subprocess.run(['sh', '-c', 'exec "$0" "$@" >&-', ASSAY, *arguments], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, status, (arguments, done.stderr))
            self.assertEqual('standard output' in done.stderr, status == 3, done.stderr)

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


class Doctor(unittest.TestCase):
    def rows(self, environment=None):
        done = subprocess.run([ASSAY, 'doctor', '--json'], capture_output=True, text=True, timeout=300, env=dict(os.environ, **(environment or {})))
        document = json.loads(done.stdout)
        self.assertEqual(document['kernel'], os.uname().release)
        self.assertEqual(document['administrator'], os.geteuid() == 0)
        rows = {(row['part'], row['name']): row for row in document['rows']}
        missing = [row for row in document['rows'] if row['part'] == 'confinement' and not row['found']]
        self.assertEqual(done.returncode, 1 if missing else 0, done.stderr)
        self.assertEqual(bool([row for row in missing if row['name'] in ('files', 'system calls')]),
                         len(subprocess.run([ASSAY, '--version'], capture_output=True, text=True, check=True).stdout.splitlines()) > 1)
        return rows

    def test_rows(self):
        """Everything that is found is where doctor says, in that version; everything else is missing."""
        rows = self.rows()
        for (part, name), row in rows.items():
            if part == 'helper' and row['found']:
                self.assertTrue(os.access(row['text'], os.X_OK), row)
        self.assertEqual(rows['helper', 'assay-ort']['text'], ORT)
        self.assertEqual(rows['helper', 'assay-board']['text'], BOARD)
        self.assertEqual(rows['library', 'ONNX Runtime']['found'], bool(RUNTIME))
        self.assertEqual(rows['runner', 'ort']['found'], bool(RUNTIME))
        self.assertTrue(rows['board', 'local']['found'])
        if RUNTIME:
            self.assertRegex(rows['library', 'ONNX Runtime']['text'], r'^[0-9]+[.][0-9]+[.][0-9]+$')
        rows = self.rows({'ASSAY_ONNXRUNTIME': '/nowhere.so'})
        self.assertFalse(rows['library', 'ONNX Runtime']['found'])
        self.assertFalse(rows['runner', 'ort']['found'])


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

    def save_attempts(self, number, shared, terminal):
        text = TRIES.replace('NUMBERS', repr(CALLS[os.uname().machine])).replace('STRANGER', str(number))
        return self.write_runner(text.replace('SOCKETS', repr(self.name)).replace('SHARED', shared).replace('TERMINAL', repr(terminal)))

    def tried(self, text):
        """The attempts that ended otherwise than their names say."""
        text = re.sub(r'\s+', ' ', text)
        found = re.search(r'tried (\d+) wrong: (.*?)\.', text)
        self.assertIsNotNone(found, text)
        self.assertGreater(int(found.group(1)), 80)
        return [name for name in found.group(2).split(', ') if name]

    def attempt(self, options, nobody=False, terminal=False):
        """Has a runner try everything, with sockets, a process, shared memory and a terminal of others there to be reached;
        it is that of the program itself, if that is wanted."""
        self.folder.chmod(0o755)
        self.name = f'\0assay-test-{os.getpid()}-{nobody}'
        model, outside = self.folder / 'model.onnx', self.folder / 'outside'
        save_model(model, 64, 2)
        if not (self.folder / 'cases').exists():
            save_case(self.folder / 'cases/case', model)
        owner = ['--reuid=65534', '--regid=65534', '--clear-groups'] if nobody else []
        other = subprocess.Popen([*(['setpriv', *owner] if nobody else []), 'sleep', '600'])
        ours, theirs = os.openpty()
        shared = tempfile.NamedTemporaryFile(dir='/dev/shm', prefix='assay-test')
        path = os.ttyname(theirs)
        script = self.save_attempts(other.pid, shared.name, path)
        (outside / 'socket').unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as at_path, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as at_name:
            at_path.bind(str(outside / 'socket'))
            at_name.bind(self.name)
            if nobody:
                for place in (outside, outside / 'kept', outside / 'socket', shared.name, path):
                    os.chown(place, 65534, 65534)
            try:
                with Run([ASSAY, *(str(word) for word in options(model, script))], nobody=nobody, terminal=theirs if terminal else None) as run:
                    self.assertIn(run.wait(), (1, 3), run.said())
                    said = run.said()
                    self.assertEqual(run.left(), [])
            finally:
                other.kill()
                other.wait()
                os.close(ours)
                os.close(theirs)
                shared.close()
        return said

    def test_commands(self):
        """A program of the user writes to its own folder and reaches nobody, unless it is run with all rights."""
        self.skip_where_missing()
        ways = {'run': lambda model, script: ['run', model, '--on', f'command:{script}', '--random', '1'],
                'conformance': lambda model, script: ['conformance', self.folder / 'cases', '--on', f'command:{script}']}
        for nobody in (False, True) if os.geteuid() == 0 else (False,):
            for (name, options), terminal in itertools.product(ways.items(), (False, True)):
                with self.subTest(name, nobody=nobody, terminal=terminal):
                    self.assertEqual(self.tried(self.attempt(options, nobody, terminal)), [])
                    self.assertEqual(sorted(path.name for path in (self.folder / 'outside').iterdir()), ['kept', 'socket'])
        # The attempts are such that a process with all rights can: most do not fail for another reason.
        tried = self.tried(self.attempt(lambda model, script: ['run', model, '--on', f'unconfined:{script}', '--random', '1']))
        self.assertGreater(len(tried), 45, tried)

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

        # Who has all rights can leave; who does not leave ends.
        for kind, leave in (('command', 'leave()'), ('unconfined', 'pass')):
            script = self.write_runner(STAYS.replace('NUMBER', number).replace('leave()', leave))
            for argv in (['run', str(model), '--random', '1'], ['conformance', str(self.folder / 'cases')]):
                with Run([ASSAY, *argv, '--on', f'{kind}:{script}', '--timeout', '1']) as run:
                    until(lambda: self.staying(number) or run.process.poll() is not None)
                    self.assertIn(run.wait(), (1, 3), run.said())
                    self.assertTrue(until(lambda: not self.staying(number), PATIENCE), (kind, argv))
                    self.assertEqual(run.left(), [])

    def test_killed(self):
        """A program that is killed takes its children with it, and what they have started, and its temporary folders."""
        self.skip_where_missing()
        model, number = self.folder / 'model.onnx', f'{os.getpid()}001'
        save_model(model, 64, 2)
        for kind in ('command', 'unconfined'):
            script = self.write_runner(STAYS.replace('NUMBER', number).replace('leave()', 'pass'))
            with Run([ASSAY, 'run', str(model), '--on', f'{kind}:{script}', '--random', '1']) as run:
                self.assertTrue(until(lambda: len(self.staying(number)) == 20 or run.process.poll() is not None), run.said())
                self.assertTrue(list(run.temporary.iterdir()))
                run.process.kill()
                run.wait()
                self.assertTrue(until(lambda: not self.staying(number) and not list(run.temporary.iterdir()), PATIENCE), kind)
                self.assertEqual(run.left(), [])

    def test_sweep(self):
        """Folders that no process holds go at the next start, however deep they are, and no others."""
        model, runner = self.folder / 'model.onnx', self.folder / 'runner'
        save_model(model, 64, 2)
        runner.write_text('#!/bin/sh\nexit 1\n')
        runner.chmod(0o700)
        with Run([ASSAY, 'run', str(model), '--on', f'command:{runner}', '--random', '1'], start=False) as run:
            for name in ('assay-run-left', 'assay-run-held', 'assay-mine', 'other'):
                (run.temporary / name / 'closed').mkdir(parents=True)
                (run.temporary / name / 'closed/file').write_text('x')
                (run.temporary / name / 'link').symlink_to(self.folder)
                (run.temporary / name / 'closed').chmod(0o500)
                if name != 'assay-mine':
                    (run.temporary / name / '.assay-lock').touch()
            fd = os.open(run.temporary / 'assay-run-left', os.O_RDONLY)
            for _ in range(2000):
                os.mkdir('deep', dir_fd=fd)
                inner = os.open('deep', os.O_RDONLY, dir_fd=fd)
                os.close(fd)
                fd = inner
            os.close(fd)
            with open(run.temporary / 'assay-run-held/.assay-lock') as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                run.start()
                self.assertEqual(run.wait(), 3, run.said())
            self.assertEqual(sorted(path.name for path in run.temporary.iterdir()), ['assay-mine', 'assay-run-held', 'other'])
        self.assertTrue(model.exists())

    def staying(self, number):
        return [path for path in pathlib.Path('/proc').glob('[0-9]*/cmdline') if number.encode() in self.read(path)]

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
#include <signal.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__ ((constructor)) static void begin (void)
{
  int ends[2];
  fprintf (stderr, "telemetry %s\\n", getenv ("ORT_DISABLE_TELEMETRY"));
  fprintf (stderr, "own %d\\n", open ("own-file", O_CREAT | O_WRONLY, 0600) >= 0);
  fprintf (stderr, "outside %d\\n", open ("''' + str(outside) + '''/file", O_CREAT | O_WRONLY, 0600) >= 0);
  fprintf (stderr, "socket %d\\n", socket (AF_INET, SOCK_DGRAM, 0) >= 0);
  fprintf (stderr, "unix %d\\n", socket (AF_UNIX, SOCK_STREAM, 0) >= 0);
  fprintf (stderr, "datagrams %d\\n", socketpair (AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  fprintf (stderr, "stream %d\\n", socketpair (AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  fprintf (stderr, "mode %d\\n", chmod ("''' + str(outside) + '''", 0700) == 0);
  fprintf (stderr, "kill %d\\n", kill (getppid (), 0) == 0);
  fprintf (stderr, "priority %d\\n", setpriority (PRIO_PROCESS, getppid (), 0) == 0);
  fprintf (stderr, "memory %d\\n", shmget (IPC_PRIVATE, 4096, 0600) >= 0);
  fprintf (stderr, "terminal %d\\n", open ("/dev/tty", O_RDWR) >= 0);
  execl ("/bin/true", "true", (char *) NULL);
  fprintf (stderr, "exec %d\\n", errno != EACCES);
}
''')
        library = self.folder / 'library.so'
        subprocess.run(['cc', '-shared', '-fPIC', source, '-o', library], check=True)
        done = subprocess.run([ORT, self.folder / 'none.onnx', folder, '1', 'none', library], input='', capture_output=True, text=True,
                              timeout=600, env={key: value for key, value in os.environ.items() if key != 'ORT_DISABLE_TELEMETRY'})
        said = dict(line.rsplit(' ', 1) for line in done.stderr.splitlines() if line.count(' ') == 1)
        self.assertEqual(said, {'telemetry': '1', 'own': '1', 'outside': '0', 'socket': '0', 'unix': '0', 'exec': '0',
                                'datagrams': '0', 'stream': '1', 'mode': '0', 'kill': '0', 'priority': '0', 'memory': '0', 'terminal': '0'},
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
