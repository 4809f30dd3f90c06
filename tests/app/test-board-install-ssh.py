#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the agent over a real sshd on this computer and removes it: what a board needs for it, what stops it, and what is
there after a copy that failed. A script takes the place of the shell of the user, who gets another home folder.

Arguments: the assay program, the board agent, the agent that is one file."""
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ALONE = pathlib.Path(sys.argv.pop(3)).resolve()
MACHINE = os.uname().machine
# The server, and the first two arguments.
spec = importlib.util.spec_from_file_location('test_sshd', pathlib.Path(__file__).with_name('test-sshd.py'))
test_sshd = importlib.util.module_from_spec(spec)
spec.loader.exec_module(test_sshd)
ASSAY = test_sshd.ASSAY

from dpu_models import Model  # noqa: E402
from driver import until  # noqa: E402
from processes import TARGET, save_model  # noqa: E402

# What a small board has; the digest is left to the agent.
SMALL = ('cat', 'chmod', 'head', 'kill', 'mkdir', 'mv', 'rm', 'sh', 'uname', 'wc')
PLACE = '.local/bin/assay-board'
# A program of an architecture that nothing here runs: the file is for a Z80.
FOREIGN = b'\x7fELF\x01\x01\x01' + bytes(9) + b'\x02\x00\xdc\x00\x01\x00\x00\x00' + bytes(200) + b"\n(')\n"
# Lets so many bytes through to the server, and cuts the connection when some of them are in the file that the agent is copied to.
RELAY = '''import glob, os, select, socket, sys
server = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
left, home = int(sys.argv[2]), sys.argv[3]
while left > 0:
    for end in select.select([0, server], [], [])[0]:
        data = os.read(0, min(left, 65536)) if end == 0 else server.recv(65536)
        if not data:
            sys.exit()
        if end == 0:
            server.sendall(data)
            left -= len(data)
        else:
            os.write(1, data)
while not any(map(os.path.getsize, glob.glob(home + '/* home/.local/bin/.assay-board.new.*'))):
    select.select([], [], [], 0.05)
'''


@unittest.skipUnless(test_sshd.SSHD and test_sshd.SSH, 'sshd is not installed')
class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.server = test_sshd.Server(cls.folder, '/usr/bin:/bin')
        cls.addClassCleanup(cls.server.end)
        assert until(cls.server.answers), 'sshd does not answer'
        key = (cls.folder / 'authorized').read_text()
        (cls.folder / 'authorized').write_text(f'command="{cls.folder}/login" {key}')
        (cls.folder / 'relay.py').write_text(RELAY)
        with open(cls.folder / 'ssh_config', 'a') as config:
            for name, proxy in (('cut', f'{sys.executable} {cls.folder}/relay.py {cls.server.port} 500000 {cls.folder}'),
                                ('gone', f'{sys.executable} {cls.folder}/relay.py {test_sshd.free_port()} 1 {cls.folder}')):
                config.write(f'Host {name}\n  User {test_sshd.getpass.getuser()}\n  IdentityFile {cls.folder}/user\n  IdentitiesOnly yes\n'
                             f'  HostKeyAlias [127.0.0.1]:{cls.server.port}\n  UserKnownHostsFile {cls.folder}/known\n'
                             f'  ProxyCommand {proxy} 2>/dev/null\n')
        save_model(cls.folder / 'model.onnx', 64, 2)
        (cls.folder / 'dpu.nnir').write_text(Model().text())
        for arguments in (['compile', cls.folder / 'model.onnx', '--target', TARGET, '-o', cls.folder / 'stream.assayprog'],
                          ['quantize', cls.folder / 'dpu.nnir', '--random', '2', '--costs', '0', '-o', cls.folder / 'q.onnx'],
                          ['compile', cls.folder / 'q.onnx', '--target', 'dpu_zdx8g_b4096', '-o', cls.folder / 'dpu.assayprog']):
            subprocess.run([ASSAY, *arguments], check=True, capture_output=True, timeout=300)

    def setUp(self):
        self.home = self.folder / f'{self.id()} home'
        self.home.mkdir()
        self.login()

    def login(self, lines='exec sh -c "$SSH_ORIGINAL_COMMAND"', path='/usr/bin:/bin', home=None):
        """The shell of the user on the board."""
        script = self.folder / 'login'
        script.unlink(missing_ok=True)
        script.write_text(f'#!/bin/sh\nexport HOME="{home or self.home}" PATH="{path}"\n{lines}\n')
        script.chmod(0o700)

    def small(self, *added, **programs):
        """A folder of programs for PATH: links, and scripts with these contents."""
        folder = self.home / 'programs'
        folder.mkdir(exist_ok=True)
        for name in {*SMALL, *added}:
            there = shutil.which(name)
            if there and name not in programs and not (folder / name).exists():
                (folder / name).symlink_to(there)
        for name, text in programs.items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).write_text('#!/bin/sh\n' + text)
            (folder / name).chmod(0o700)
        return str(folder)

    def assay(self, *arguments, status=0, environment=None):
        done = subprocess.run([ASSAY, *arguments], capture_output=True, text=True, timeout=300,
                              env={**os.environ, **self.server.environment, **(environment or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def boards(self, option, board='ssh:board', **options):
        return self.assay('boards', option, board, **options)

    def files(self):
        """Everything in the home folder of the board but its programs."""
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob('*')
                      if path.is_file() and 'programs' not in path.parts)

    def put_old(self, contents=b'#!/bin/sh\necho assay-board 0.0.1\n'):
        agent = self.home / PLACE
        agent.parent.mkdir(parents=True, exist_ok=True)
        agent.write_bytes(contents)
        agent.chmod(0o755)
        return agent

    def test_whole_way(self):
        text = self.boards('--check', status=3)
        self.assertIn('assay-board is not installed on board.', text)
        self.assertIn('assay boards --install ssh:board', text)

        done = json.loads(self.assay('boards', '--install', 'ssh:board', '--json'))
        self.assertEqual(done['schema'], 'assay.boards/1')
        digest = hashlib.sha256(ALONE.read_bytes()).hexdigest()
        version = self.assay('--version').split()[1]
        self.assertEqual({**done['installed'], 'file': pathlib.Path(done['installed']['file']).resolve()},
                         {'path': f'~/{PLACE}', 'agent': f'assay-board {version}', 'architecture': MACHINE, 'file': ALONE,
                          'bytes': ALONE.stat().st_size, 'sha256': digest, 'copied': True})
        self.assertEqual(self.files(), [PLACE])
        self.assertEqual((self.home / PLACE).read_bytes(), ALONE.read_bytes())
        self.assertEqual((self.home / PLACE).stat().st_mode & 0o777, 0o755)

        self.assertIn(f'assay-board {version} on {MACHINE}', self.boards('--check'))
        for name in ('stream', 'dpu'):
            report = json.loads(self.assay('deploy', self.folder / f'{name}.assayprog', '--board', 'ssh:board', '--runs', '3', '--json'))
            self.assertGreater(report['values'], 0)
            self.assertEqual((report['different'], report['inferences']), (0, 3), name)

        before = (self.home / PLACE).stat()
        done = json.loads(self.assay('boards', '--install', 'ssh:board', '--json'))
        self.assertEqual((done['installed']['copied'], done['installed']['before']), (False, f'assay-board {version}'))
        self.assertIn('already installed', self.boards('--install'))
        self.assertEqual((self.home / PLACE).stat(), before)

        self.assertEqual(self.boards('--remove'), f'removed ~/{PLACE} from board\n')
        self.assertEqual(self.files(), [])
        self.assertEqual(self.boards('--remove'), f'there is no ~/{PLACE} on board\n')
        self.assertFalse(json.loads(self.assay('boards', '--remove', 'ssh:board', '--json'))['removed'])
        self.boards('--check', status=3)

    def test_old_agent(self):
        agent = self.put_old()
        self.assertIn('in place of assay-board 0.0.1;', self.boards('--install'))
        self.assertEqual(agent.read_bytes(), ALONE.read_bytes())
        # One for another architecture, which a simple shell takes for a script.
        agent.unlink()
        self.put_old(FOREIGN)
        for shell in filter(shutil.which, ('dash', 'bash')):
            self.login(path=self.small(sh=f'exec {shutil.which(shell)} "$@"\n'))
            text = self.boards('--check', status=3)
            self.assertIn('assay-board on board cannot be run there.', text, shell)
        self.login()
        self.boards('--install')
        self.boards('--check')
        # What a link led to is left alone.
        other = self.home / 'other'
        other.write_bytes(b'#!/bin/sh\necho mine\n')
        agent.unlink()
        agent.symlink_to(other)
        self.boards('--install')
        self.assertFalse(agent.is_symlink())
        self.assertEqual(other.read_bytes(), b'#!/bin/sh\necho mine\n')

    def test_before_path(self):
        """The agent that was installed answers, not an older one that the path has."""
        self.login(path=self.small(**{'assay-board': 'echo assay-board 0.0.1\n'}))
        self.boards('--install')
        self.boards('--check')
        self.boards('--remove')
        self.boards('--check', status=3)

    def test_small_board(self):
        """Without sha256sum the agent says its digest."""
        self.login(path=self.small())
        self.assertIn('copied', self.boards('--install'))
        self.assertIn('already', self.boards('--install'))
        self.assertEqual(self.files(), [PLACE])

    def test_cut(self):
        """A connection that ends in the middle of the copy, with an old agent and without one."""
        ended = self.folder / 'ended'
        self.login(f'sh -c "$SSH_ORIGINAL_COMMAND"; echo >>"{ended}"')
        for contents in (None, b'#!/bin/sh\necho assay-board 0.0.1\n'):
            if contents:
                self.put_old(contents)
            before = self.files()
            text = self.boards('--install', 'ssh:cut', status=3)
            self.assertIn('The connection to cut was cut.', text)
            # The script that looks at the board has ended, and the one that it was copied to.
            self.assertTrue(until(lambda: ended.exists() and len(ended.read_text()) == 2), 'the script goes on')
            ended.unlink()
            self.assertEqual(self.files(), before)
            if contents:
                self.assertEqual((self.home / PLACE).read_bytes(), contents)
        self.login()
        # What a power cut has left goes with the next agent, what another copy is writing does not.
        left, other = (self.home / '.local/bin' / f'.assay-board.new.{number}' for number in (4194305, os.getpid()))
        for path in (left, other):
            path.write_bytes(b'half')
        self.boards('--install')
        self.assertEqual(self.files(), sorted([PLACE, str(other.relative_to(self.home))]))

    def test_damaged(self):
        self.put_old()
        self.login(path=self.small(head='cat | tr a b\n', cat='exec /bin/cat\n', tr='exec /usr/bin/tr "$@"\n', sha256sum='exec /usr/bin/sha256sum\n'))
        self.assertIn('board: the agent arrived with another digest than it was sent with', self.boards('--install', status=3))
        self.assertEqual(self.files(), [PLACE])
        self.login(path=self.small(head='exec /usr/bin/head -c 1000\n'))
        self.assertIn('board: only a part of the agent arrived', self.boards('--install', status=3))
        self.assertEqual(self.files(), [PLACE])
        self.assertIn(b'0.0.1', (self.home / PLACE).read_bytes())

    def test_no_room(self):
        self.login('ulimit -f 100; sh -c "$SSH_ORIGINAL_COMMAND"')
        self.assertIn('board: the agent cannot be written to ~/.local/bin', self.boards('--install', status=3))
        self.assertEqual(self.files(), [])
        # A disk of 64 KiB.
        disk = self.home / 'disk'
        disk.mkdir()
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest('a small disk cannot be mounted')
        self.addCleanup(subprocess.run, ['umount', disk], check=True)
        self.login(home=disk)
        self.assertRegex(self.boards('--install', status=3), 'board: the agent cannot be written to ~/.local/bin: .*[Nn]o space left')
        self.assertEqual(self.files(), [])

    def test_home(self):
        (self.home / '.local').write_text('')
        self.assertRegex(self.boards('--install', status=3), r'board: the folder ~/.local/bin cannot be made: mkdir: .*\n')
        self.login(home='/proc')
        self.assertRegex(self.boards('--install', status=3), r'board: the folder ~/.local/bin cannot be made: mkdir: .*\n')
        self.assertIn('there is no', self.boards('--remove'))
        (self.home / '.local').unlink()
        (self.home / PLACE).mkdir(parents=True)
        self.login()
        self.assertIn(f'board: ~/{PLACE} is a folder', self.boards('--install', status=3))
        self.assertRegex(self.boards('--remove', status=3), f'board: ~/{PLACE} cannot be removed: rm: .*\n')
        (self.home / PLACE).rmdir()
        if os.geteuid() != 0:
            (self.home / '.local/bin').chmod(0o500)
            self.assertRegex(self.boards('--install', status=3), 'the agent cannot be written to ~/.local/bin: .*ermission denied')
            (self.home / '.local/bin').chmod(0o700)

    def test_other_computers(self):
        said = {'riscv64': 'board is a computer of type riscv64; there are agents for x86_64 and aarch64',
                'Darwin': 'the system of board is Darwin; there are agents for Linux', '\33[1m;$(reboot)': 'there are agents for Linux'}
        other, loader = next(row for row in (('x86_64', '/lib64/ld-linux-x86-64.so.2'), ('aarch64', '/lib/ld-linux-aarch64.so.1'))
                             if row[0] != MACHINE)
        if not os.path.exists(loader):
            said[other] = f'board has no {loader}: the agent for {other} needs the GNU C library'
        for name, message in said.items():
            system = 'Linux' if name in ('riscv64', other) else name
            self.login(path=self.small(uname=f"case $1 in -s) echo '{system}' ;; *) echo '{name}' ;; esac\n"))
            text = self.boards('--install', status=3)
            self.assertIn(message, text)
            self.assertNotIn('\33', text)
        self.assertEqual(self.files(), [])

    def test_agent_that_does_not_run(self):
        self.put_old()
        helpers = self.folder / 'helpers'
        helpers.mkdir()
        (helpers / ALONE.name).write_text('#!/bin/sh\necho "libc.so.6: version GLIBC_9.9 not found" >&2\nexit 1\n')
        (helpers / ALONE.name).chmod(0o700)
        text = self.boards('--install', status=3, environment={'ASSAY_HELPERS': str(helpers)})
        self.assertIn('board: the agent cannot be run: libc.so.6: version GLIBC_9.9 not found', text)
        self.assertEqual(self.files(), [PLACE])
        self.assertIn(b'0.0.1', (self.home / PLACE).read_bytes())

    def test_shells(self):
        """Shells that greet, that restrict, of other families, and none."""
        # What a shell says before the scripts is passed over; it is in the way of the conversation with the agent.
        self.login('echo Welcome; printf "no end of a line"\nexec sh -c "$SSH_ORIGINAL_COMMAND"')
        self.assertIn('Expected a message of the board protocol, got `Welcome...`', self.boards('--install', status=3))
        self.assertEqual((self.home / PLACE).read_bytes(), ALONE.read_bytes())
        self.assertIn('removed', self.boards('--remove'))
        for shell, lines in (('bash', 'exec bash -r -c "$SSH_ORIGINAL_COMMAND"'),
                             ('csh', 'exec csh -c "$SSH_ORIGINAL_COMMAND"'), ('fish', 'exec fish -c "$SSH_ORIGINAL_COMMAND"'),
                             ('zsh', 'exec zsh -c "$SSH_ORIGINAL_COMMAND"'), ('busybox', 'exec busybox sh -c "$SSH_ORIGINAL_COMMAND"')):
            if not shutil.which(shell):
                continue
            with self.subTest(shell):
                self.login(lines)
                self.assertIn('copied', self.boards('--install'))
                self.boards('--check')
                self.assertIn('removed', self.boards('--remove'))
        self.login('echo This account is not available. >&2; exit 1')
        self.assertIn('board: no shell ran the commands: This account is not available.', self.boards('--install', status=3))
        self.login('exit 0')
        self.assertIn('board: no shell ran the commands', self.boards('--remove', status=3))

    def test_connections(self):
        for host, message in (('stranger', 'The key of stranger is not known here yet.'), ('gone', 'The connection to gone was cut.')):
            for option in ('--install', '--remove'):
                self.assertIn(message, self.boards(option, f'ssh:{host}', status=3))
        self.assertIn('ssh: could not be started', self.boards('--install', status=3, environment={'PATH': str(self.home)}))

    def test_names(self):
        for option in ('--install', '--remove'):
            for name in ('ssh:-oProxyCommand=touch', 'ssh:a;b', 'ssh:a b', 'ssh:$(id)', 'ssh:', 'vulkan', 'board', 'local'):
                self.assertIn('expected', self.boards(option, name, status=2))
        self.assertIn('expected one of', self.assay('boards', '--install', 'ssh:board', '--remove', 'ssh:board', status=2))
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    unittest.main(verbosity=2)
