#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Qualifies a suite as a job array of Slurm on this machine, with tasks killed at random.

Slurm is started by this test, as the user who runs it, with everything in a folder of its own: no cgroups, no database,
no service. Slurm is the installed one, or the one that `./dev test all` unpacked; without it the test is skipped.

Arguments: the assay program, the top of the source tree."""
import json
import os
import pathlib
import pwd
import random
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import driver
import unpacked

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1))
PROGRAMS = {name: unpacked.program(name)
            for name in ('munged', 'slurmctld', 'slurmd', 'sbatch', 'scancel', 'squeue', 'sinfo')}
MISSING = [name for name, path in PROGRAMS.items() if path is None]
N_TASKS = 4
N_CASES = 300
N_KILLED = 5

CONFIGURATION = '''ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:2 State=UP
'''
# The plugins of a Slurm that was unpacked, and the program that slurmd starts for each task, are not where it was built for.
PLUGINS = unpacked.library('slurm-wlm') if not MISSING and unpacked.is_unpacked(PROGRAMS['slurmd']) else None
# Slurm looks for cgroups even if it uses none, and a container may have none: this plugin looks only when it uses them.
CGROUPS = 'CgroupPlugin=cgroup/v1\n'
# The task becomes assay, so that its number is that of what is to be killed.
SCRIPT = '''#!/bin/sh
echo $$ > {folder}/pid-$SLURM_ARRAY_TASK_ID
exec {assay} qualify {suite} --jobs 1 --log {folder}/log-$SLURM_ARRAY_TASK_ID.jsonl
'''
PROGRAM = '''func.func @forward(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {{
  %0 = torch.aten.{} %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}}
'''
# Extents, element type and bytes of a tensor of ONNX.
MINUS = b'\x08\x02\x10\x01\x4a\x08' + bytes.fromhex('000080bf000000c0')
PLUS = b'\x08\x02\x10\x01\x4a\x08' + bytes.fromhex('0000803f00000040')


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for each in sockets:
        each.bind(('127.0.0.1', 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@unittest.skipIf(MISSING, 'Slurm or munge is not installed')
class Slurm(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(temporary.cleanup)
        self.daemons = []
        self.addCleanup(self.stop)
        # munge wants its socket to be reachable for everybody, and its key for nobody else.
        self.folder.chmod(0o755)
        key = self.folder / 'munge.key'
        key.write_bytes(random.randbytes(1024))
        key.chmod(0o400)
        for name in ('state', 'spool'):
            (self.folder / name).mkdir()
        configuration = self.folder / 'slurm.conf'
        configuration.write_text((f'PluginDir={PLUGINS}\n' if PLUGINS else '') + CONFIGURATION.format(
            folder=self.folder, host=socket.gethostname().partition('.')[0], ports=free_ports(2),
            user=pwd.getpwuid(os.getuid()).pw_name))
        self.environment = {**os.environ, **unpacked.environment(), 'SLURM_CONF': str(configuration)}
        (self.folder / 'cgroup.conf').write_text(CGROUPS)
        self.start('munged', '--foreground', '--force', f'--key-file={key}', f'--socket={self.folder}/munge.socket',
                   f'--pid-file={self.folder}/munged.pid', f'--seed-file={self.folder}/munged.seed',
                   f'--log-file={self.folder}/munged.log')
        self.until('munge', lambda: (self.folder / 'munge.socket').exists())
        self.start('slurmctld', '-D', '-f', configuration)
        self.start('slurmd', '-D', '-f', configuration,
                   *(['-d', unpacked.program('slurmstepd')] if PLUGINS else []))
        self.until('the node', lambda: self.say('sinfo', '-h', '-o', '%T').strip() == 'idle')

    def start(self, name, *arguments):
        log = open(self.folder / f'{name}.out', 'wb')
        self.addCleanup(log.close)
        self.daemons.append(subprocess.Popen([PROGRAMS[name], *map(str, arguments)], stdout=log, stderr=log,
                                             env=self.environment))

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def until(self, what, done):
        def is_lost():
            return any(daemon.poll() is not None for daemon in self.daemons)

        if not driver.until(lambda: done() or is_lost(), 600) or is_lost():
            said = ''.join(path.read_text(errors='replace')[-2000:] for path in self.folder.glob('*.out'))
            self.fail(f'{what} was not there:\n{said}')

    def say(self, name, *arguments):
        done = subprocess.run([PROGRAMS[name], *map(str, arguments)], capture_output=True, text=True, timeout=600,
                              env=self.environment)
        return done.stdout if done.returncode == 0 else ''

    def submit(self):
        """The number of a new job array over the whole suite."""
        number = self.say('sbatch', '--parsable', f'--array=0-{N_TASKS - 1}', '--output=/dev/null',
                          self.folder / 'task.sh').strip()
        self.assertTrue(number.isdigit(), number)
        return number

    def qualify(self, *arguments):
        return subprocess.run([str(ASSAY), 'qualify', *map(str, arguments)], capture_output=True, text=True, timeout=3000)

    def test_array(self):
        """What tasks leave that are killed, cancelled and submitted again is the whole to the byte."""
        suite = self.folder / 'suite'
        for i in range(N_CASES):
            data = suite / f'case-{i:03}' / 'test_data_set_0'
            data.mkdir(parents=True)
            (data.parent / 'model.mlir').write_text(PROGRAM.format('abs' if i % 3 else 'relu'))
            (data / 'input_0.pb').write_bytes(MINUS)
            (data / 'output_0.pb').write_bytes(PLUS)
        (self.folder / 'task.sh').write_text(SCRIPT.format(folder=self.folder, assay=ASSAY, suite=suite))
        whole = self.qualify(suite, '--all')
        self.assertEqual(whole.returncode, 1, whole.stderr)
        self.assertIn(f'{N_CASES // 3} FAIL', whole.stdout)
        logs = [self.folder / f'log-{i}.jsonl' for i in range(N_TASKS)]

        def count():
            return sum(log.read_bytes().count(b'\n') for log in logs if log.exists())

        def is_over(job):
            return self.say('squeue', '-h', '-j', job).strip() == ''

        chance = random.Random(16)
        total = N_CASES + N_TASKS
        killed = 0
        # On a machine that is busy more is done by the time that somebody is killed, and all of it before the last.
        while killed < N_KILLED and count() < total:
            job = self.submit()
            enough = count() + chance.randint(2, 10)
            self.until('a task', lambda: count() >= enough or is_over(job))
            killed += count() < total
            # One task dies as if memory had run out, then the rest of the array is taken back.
            if killed % 2 == 1:
                for path in self.folder.glob('pid-*'):
                    self.kill(int(path.read_text()))
            self.say('scancel', '--signal=KILL', '--full', job)
            self.say('scancel', job)
            self.until('the end of the job', lambda: is_over(job))
            for path in self.folder.glob('pid-*'):
                path.unlink()
        self.assertGreater(killed, 0, 'nothing was left to kill')
        missing = self.qualify(*self.merge(logs))
        self.assertEqual(missing.returncode, 2 if count() < total else 1, missing.stderr)

        job = self.submit()
        self.until('the end of the job', lambda: is_over(job))
        names = [json.loads(line)['name'] for log in logs for line in log.read_text().splitlines()[1:]]
        self.assertEqual(len(names), N_CASES)
        self.assertEqual(len(set(names)), N_CASES)
        self.assertEqual(self.qualify(*self.merge(logs), '--all').stdout, whole.stdout)

    def kill(self, pid):
        try:
            if b'qualify' in pathlib.Path(f'/proc/{pid}/cmdline').read_bytes():
                os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass

    def merge(self, logs):
        return [word for log in logs if log.exists() for word in ('--merge', log)]


unittest.main(verbosity=2)
