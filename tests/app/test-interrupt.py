#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts every command at random moments: it ends within two seconds with status 130, or as it does anyway, and leaves
nothing behind.

Arguments: the assay program."""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from driver import until
from processes import (PATIENCE, TARGET, Run, commands, long_commands, save_case, save_chain, save_model, save_refused, session_members,
                       session_work, table)

ASSAY = str(pathlib.Path(sys.argv.pop(1)).resolve())
ROUNDS = int(os.environ.get('ASSAY_INTERRUPTS', '3'))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Never answers, does not end when its input does, and has children of its own.
STUBBORN = '''#!/bin/sh
trap '' INT TERM HUP
echo ready
sleep 600 &
while :; do sleep 600; done
'''


class Interrupts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.holder.name)
        cls.model, cls.refused, cls.program = folder / 'model.onnx', folder / 'refused.onnx', folder / 'model.assayp'
        cls.runner = folder / 'stubborn'
        cls.runner.write_text(STUBBORN)
        cls.runner.chmod(0o700)
        save_model(cls.model, 1024, 8)
        save_refused(cls.refused)
        for i in range(8):
            save_case(folder / f'cases/case{i}', cls.model)
        small = folder / 'small.onnx'
        save_model(small, 64, 2)
        subprocess.run([ASSAY, 'compile', small, '--target', TARGET, '-o', cls.program], check=True, capture_output=True,
                       timeout=1200)
        cls.commands = commands(cls.model, cls.refused, cls.program, folder / 'cases')
        cls.long, cls.stuck = folder / 'long.onnx', folder / 'stuck.onnx'
        save_chain(cls.long, 30000)
        save_chain(cls.stuck, 15000, refused=True)
        cls.cases = folder / 'many'
        cls.cases.mkdir()
        for i in range(300):
            (cls.cases / f'case{i}').symlink_to(folder / 'cases/case0')
        (folder / 'bin').mkdir()
        (folder / 'bin/ssh').symlink_to(cls.runner)
        cls.path = f'{folder / "bin"}:{os.environ["PATH"]}'
        cls.random = random.Random(int(os.environ.get('ASSAY_SEED', time.time_ns())))

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def interrupt(self, argv, number, delay, cpus, whole):
        """Statuses other than 130 are those of a command that had ended, or had not begun."""
        with Run(argv, cpus=cpus) as run:
            if run.wait(delay) is not None:
                return
            run.process.send_signal(number)
            status = run.wait(PATIENCE)
            where = f'{" ".join(argv[1:4])} after {delay:.3f} s, signal {number}, {cpus}: status {status}, {run.said()}'
            self.assertIn(status, (130, -number, *whole), where)
            self.assertEqual(run.left(), [], where)
            if status == 130 and '-o' in argv:
                self.assertEqual(run.outputs(), {}, where)

    def test_every_command(self):
        """Each row of the table stands in the table here."""
        self.assertEqual(set(table(ASSAY)), set(self.commands))
        for name, arguments in self.commands.items():
            argv = [ASSAY, name, *arguments]
            with Run(argv) as run:
                begin = time.monotonic()
                status = run.wait()
                lasts = time.monotonic() - begin
                self.assertIn(status, (0, 1, 2), f'{name}: {run.said()}')
                self.assertEqual(run.left(), [], name)
            for i in range(ROUNDS):
                with self.subTest(name, i=i):
                    self.interrupt(argv, SIGNALS[i % 3], self.random.uniform(0, min(lasts, 4)), {0} if i % 2 else None,
                                   (status,))

    def test_long_work(self):
        """What takes long is stopped in the middle of it; a command that is new says whether it has such work."""
        rows = long_commands(self.long, self.stuck, self.program, self.cases)
        self.assertEqual(set(table(ASSAY)), set(rows))
        for name, arguments in rows.items():
            for part in (0.02, 0.3) if arguments else ():
                with self.subTest(name, part=part), Run([ASSAY, name, *arguments], {'PATH': self.path}) as run:
                    self.wait_work(run, arguments, part)
                    run.process.send_signal(signal.SIGINT)
                    status = run.wait(PATIENCE)
                    where = f'{name} after {part} s of work: status {status}, {run.said()}'
                    self.assertEqual(status, 130, where)
                    self.assertEqual(run.left(), [], where)
                    self.assertEqual([path for path in run.outputs() if path != 'log.json'], [], where)

    def test_twice(self):
        """Whoever asks a second time waits for nothing, and is told all the same."""
        for name, arguments in long_commands(self.long, self.stuck, self.program, self.cases).items():
            if arguments is None:
                continue
            with self.subTest(name), Run([ASSAY, name, *arguments], {'PATH': self.path}) as run:
                self.wait_work(run, arguments, 0.3)
                run.process.send_signal(signal.SIGTERM)
                run.process.send_signal(signal.SIGINT)
                self.assertEqual(run.wait(PATIENCE), 130, run.said())
                self.assertRegex(run.said(), rf'assay {name}: cancelled(, in the middle of its work)?\n')
                self.assertEqual(run.left(), [])

    def wait_work(self, run, arguments, part):
        """Until there was so much work; one that waits for others does not get so far."""
        waits = '--check' in arguments
        until(lambda: run.process.poll() is not None or session_work(run.process.pid) >= part or
              (waits and 'sleep' in str(session_members(run.process.pid))))
        self.assertIsNone(run.process.poll(), f'{arguments} has ended: {run.said()}')

    def test_stubborn_runner(self):
        for arguments in (['run', self.model, '--on', f'command:{self.runner}', '--random', '1'],
                          ['compare', self.model, '-a', 'reference', '-b', f'command:{self.runner}']):
            with self.subTest(arguments[0]):
                self.interrupt([ASSAY, *map(str, arguments)], signal.SIGINT, 1.0, None, ())

    def test_ignored(self):
        """What whoever started it has said is to be ignored is no end."""
        with Run(['nohup', ASSAY, 'run', str(self.model), '--on', 'reference', '--random', '1']) as run:
            until(lambda: pathlib.Path(f'/proc/{run.process.pid}/cmdline').read_bytes().startswith(ASSAY.encode()))
            run.process.send_signal(signal.SIGHUP)
            self.assertEqual(run.wait(), 0, run.said())

    def test_runner_in_time(self):
        """One that gives no answer is ended after the time that is told, with what it has started."""
        with Run([ASSAY, 'run', str(self.model), '--on', f'command:{self.runner}', '--random', '1', '--timeout', '1']) as run:
            self.assertEqual(run.wait(), 3, run.said())
            self.assertIn('no answer in 1 s', run.said())
            self.assertEqual(run.left(), [])


if __name__ == '__main__':
    unittest.main()
