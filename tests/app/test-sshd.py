#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Deploys over a real sshd on this computer: keys, the way there and back, an agent that is not there, and a connection
that is cut. sshd is the installed one, or the one that `./dev test all` unpacked; without it the test is skipped.

Arguments: the assay program, the board agent."""
import getpass
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import unpacked
from dpu_models import Model
from driver import until
from processes import PATIENCE, TARGET, Run, save_model

ASSAY, BOARD = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
del sys.argv[1:3]
SSHD, SSH = unpacked.program('sshd'), unpacked.program('ssh')
CHANGE_ROOT = pathlib.Path('/run/sshd')
USER = 'sshd'


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Server:
    """An sshd that lets this user in with one key, and finds programs on the path that is given."""

    def __init__(self, folder, path):
        self.port = free_port()
        for name in ('host', 'user'):
            subprocess.run([unpacked.program('ssh-keygen'), '-q', '-t', 'ed25519', '-N', '', '-f', folder / name], check=True,
                           env={**os.environ, **unpacked.environment()})
        shutil.copy(folder / 'user.pub', folder / 'authorized')
        (folder / 'known').write_text(f'[127.0.0.1]:{self.port} {(folder / "host.pub").read_text()}')
        (folder / 'sshd_config').write_text(f'''Port {self.port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv PATH={path}
''')
        (folder / 'ssh_config').write_text(f'''Host board
  HostName 127.0.0.1
  Port {self.port}
  User {getpass.getuser()}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
Host stranger
  HostName 127.0.0.1
  Port {self.port}
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking yes
''')
        ssh = folder / 'bin' / 'ssh'
        ssh.parent.mkdir()
        libraries = unpacked.environment().get('LD_LIBRARY_PATH', '')
        ssh.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {SSH} -F {folder}/ssh_config "$@"\n')
        ssh.chmod(0o700)
        self.made = os.geteuid() == 0 and not CHANGE_ROOT.exists()
        if self.made:
            CHANGE_ROOT.mkdir()
        self.environment = {'PATH': f'{ssh.parent}:{os.environ["PATH"]}'}
        self.log = open(folder / 'sshd.out', 'wb')
        self.process = subprocess.Popen([SSHD, '-D', '-e', '-f', folder / 'sshd_config'], stderr=self.log,
                                        env={**os.environ, **unpacked.environment(), **self.users(folder)})

    @staticmethod
    def users(folder):
        """The user that sshd of root becomes exists only where its package is installed."""
        wrapper = unpacked.library('libnss_wrapper.so')
        if os.geteuid() != 0 or wrapper is None or any(user.pw_name == USER for user in pwd.getpwall()):
            return {}
        users, groups = folder / 'passwd', folder / 'group'
        users.write_text(pathlib.Path('/etc/passwd').read_text() + f'{USER}:x:65534:65534::{CHANGE_ROOT}:/usr/sbin/nologin\n')
        shutil.copy('/etc/group', groups)
        return {'LD_PRELOAD': str(wrapper), 'NSS_WRAPPER_PASSWD': str(users), 'NSS_WRAPPER_GROUP': str(groups)}

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(('127.0.0.1', self.port)) == 0

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        if self.made:
            CHANGE_ROOT.rmdir()


@unittest.skipUnless(SSHD and SSH, 'sshd is not installed')
class OverSsh(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        save_model(self.folder / 'model.onnx', 64, 2)
        self.program = self.folder / 'model.assayp'
        subprocess.run([ASSAY, 'compile', self.folder / 'model.onnx', '--target', TARGET, '-o', self.program], check=True,
                       capture_output=True, timeout=1200)

    def serve(self, path):
        server = Server(self.folder, path)
        self.addCleanup(server.end)
        self.assertTrue(until(server.answers), 'sshd does not answer: ' + (self.folder / 'sshd.out').read_text())
        return server

    def test_deploy(self):
        server = self.serve(f'{pathlib.Path(BOARD).parent}:/usr/bin:/bin')
        with Run([ASSAY, 'deploy', str(self.program), '--board', 'ssh:board', '--runs', '20'], server.environment) as run:
            self.assertEqual(run.wait(), 0, run.said())
            self.assertIn('Bit-exact', run.said())
            self.assertEqual(run.left(), [])
        with Run([ASSAY, 'boards', '--check', 'ssh:board'], server.environment) as run:
            self.assertEqual(run.wait(), 0, run.said())
        with Run([ASSAY, 'deploy', str(self.program), '--board', 'ssh:stranger'], server.environment) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertIn('key', run.said())

    def test_dpu(self):
        """A program of another machine goes the same way, its text and its constants whole."""
        model, program = self.folder / 'dpu.nnir', self.folder / 'dpu.assayprog'
        model.write_text(Model().text())
        for arguments in (['quantize', model, '--random', '2', '--costs', '0', '-o', self.folder / 'q.onnx'],
                          ['compile', self.folder / 'q.onnx', '--target', 'dpu_zdx8g_b4096', '-o', program]):
            subprocess.run([ASSAY, *arguments], check=True, capture_output=True, timeout=1200)
        server = self.serve(f'{pathlib.Path(BOARD).parent}:/usr/bin:/bin')
        with Run([ASSAY, 'deploy', str(program), '--board', 'ssh:board', '--runs', '20', '--json'], server.environment) as run:
            self.assertEqual(run.wait(), 0, run.said())
            report = json.loads(run.said())
            self.assertEqual(run.left(), [])
        self.assertGreater(report['values'], 100)
        self.assertEqual((report['different'], report['inferences'], report['bytes']), (0, 20, program.stat().st_size))

    def test_no_agent(self):
        server = self.serve('/usr/bin:/bin')
        with Run([ASSAY, 'deploy', str(self.program), '--board', 'ssh:board'], server.environment) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertIn('assay-board', run.said())

    def test_interrupt(self):
        """The agent there ends too."""
        server = self.serve(f'{pathlib.Path(BOARD).parent}:/usr/bin:/bin')
        with Run([ASSAY, 'deploy', str(self.program), '--board', 'ssh:board', '--runs', '1000000'],
                 server.environment) as run:
            self.assertTrue(until(lambda: self.agents(server)), run.said())
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(PATIENCE), 130, run.said())
            self.assertEqual(run.left(), [])
            self.assertTrue(until(lambda: not self.agents(server), PATIENCE), 'the agent lives on')

    @staticmethod
    def agents(server):
        """Those that this server has started: other tests have agents of their own."""
        found, port = [], f' {server.port}\0'.encode()
        for entry in pathlib.Path('/proc').iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / 'exe') == BOARD and port in (entry / 'environ').read_bytes():
                    found.append(entry.name)
            except OSError:
                pass
        return found


if __name__ == '__main__':
    unittest.main(verbosity=2)
