#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a system runs out of: the n-th large allocation, open, read, write, map, fork, thread, sync and rename of a command
fails, and every command runs under every limit. Each ends by itself, in words, with all of its output or none. A call that
is interrupted, or that does half of what was asked, changes nothing.

Arguments: the assay program, the library that makes calls fail. ASSAY_FAULTS=1 takes every n instead of some."""
import concurrent.futures
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

from processes import TARGET, TORCH_TEXT, Run, commands, save_case, save_model, save_refused, save_torch_helper, table

ASSAY = str(pathlib.Path(sys.argv.pop(1)).resolve())
SHIM = str(pathlib.Path(sys.argv.pop(1)).resolve())
KINDS = ('alloc', 'open', 'read', 'write', 'mmap', 'fork', 'thread', 'fsync', 'rename')
# Other ways to fail, and those that callers do not notice.
WAYS = (('write', 'quota'), ('rename', 'quota'))
HARMLESS = (('read', 'interrupted'), ('read', 'short'), ('write', 'interrupted'), ('write', 'short'))
MOST = 10**9 if os.environ.get('ASSAY_FAULTS') else 6
WORKING = ('check', 'compile', 'run', 'compare', 'fix', 'deploy', 'quantize', 'qualify', 'reduce')
LIMITS = ('--as=40000000', '--as=80000000', '--as=150000000', '--as=300000000', '--data=1000000', '--data=8000000',
          '--data=100000000', '--fsize=0', '--fsize=100', '--nofile=4', '--nofile=5', '--nofile=8', '--nofile=12', '--nproc=1', '--nproc=2', '--nproc=4')
# Address space in MB: too little for a start at the beginning, enough at the end.
MEMORY = range(20, 321, 1 if os.environ.get('ASSAY_FAULTS') else 20)
FILLING = ('check', 'compile', 'run', 'compare', 'fix', 'conformance', 'qualify', 'version')
# What the dynamic loader says before there is a program.
LOADER = 127
STATUSES = (0, 1, 2, 3)
# Of a command whose output nobody reads, and those that write nothing else than their file.
UNREAD = 141
# Options that name a folder, and one that only a graphics processor has something for.
TIMED = {('run', '--trace')}
FOLDERS = {('run', '--output-dir'), ('reduce', '--output')}
MAKING = ('compile', 'quantize', 'reduce')


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.holder.name)
        folder.chmod(0o755)
        model, refused, program = folder / 'model.onnx', folder / 'refused.onnx', folder / 'model.assayp'
        save_model(model, 192, 3)
        save_refused(refused)
        save_case(folder / 'cases/case', model)
        subprocess.run([ASSAY, 'compile', model, '--target', TARGET, '-o', program], check=True, capture_output=True,
                       timeout=1200)
        cls.helpers = str(folder)
        save_torch_helper(folder, 'cat > "$3" <<END\n' + TORCH_TEXT + 'END\n')
        cls.commands = commands(model, refused, program, folder / 'cases')

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def check(self, run, where, whole, statuses=STATUSES):
        status = run.wait()
        said = run.said()
        self.assertIn(status, statuses, f'{where}: {said}')
        self.assertEqual(run.left(), [], f'{where}: {said}')
        if status in (2, 3):
            self.assertNotEqual(said.strip(), '', f'{where}: status {status} and no word')
        for name, data in run.outputs().items():
            # Times and temporary paths differ from run to run, but never so much.
            self.assertGreaterEqual(len(data), len(whole.get(name, data)) * 0.6, f'{where}: {name} is not whole')

    def count(self, name):
        """How many calls of each kind a command makes, and what it writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'counts')
            with Run([ASSAY, name, *self.commands[name]], {'LD_PRELOAD': SHIM, 'FAULT_COUNT': str(path)}) as run:
                self.check(run, name, {})
                return {kind: int(count) for kind, count in (line.split() for line in path.read_text().splitlines())}, run.outputs()

    def runs(self, name, count, kind, way, most):
        """The command with some of the calls of a kind failing, or all of them."""
        for n in range(1, count + 1, max(1, count // most)):
            with self.subTest(name, kind=kind, way=way, n=n), \
                 Run([ASSAY, name, *self.commands[name]], {'LD_PRELOAD': SHIM, 'FAULT': f'{kind}:{n}:{way}'}) as run:
                yield run, f'{name} with {kind} {n} of {count} {way}'

    def test_calls(self):
        for name in WORKING:
            counts, whole = self.count(name)
            self.assertEqual(set(counts), set(KINDS))
            self.assertGreater(counts['open'], 3, name)
            for kind, way, most in [*((kind, '', MOST) for kind in KINDS), *((*row, max(2, MOST // 3)) for row in WAYS)]:
                for run, where in self.runs(name, counts[kind], kind, way, most):
                    self.check(run, where, whole)

    def test_harmless(self):
        for name in WORKING:
            counts, whole = self.count(name)
            for kind, way in HARMLESS:
                for run, where in self.runs(name, counts[kind], kind, way, max(2, MOST // 3)):
                    self.check(run, where, whole, (0, 1))
                    self.assertEqual(set(run.outputs()), set(whole), where)

    def test_no_threads(self):
        """A comparison runs in two threads; that there are none is no fault of the command line."""
        statuses = set()
        for n in range(1, 9):
            with Run([ASSAY, 'compare', *self.commands['compare']], {'LD_PRELOAD': SHIM, 'FAULT': f'thread:{n}'}) as run:
                self.check(run, f'compare without thread {n}', {}, (0, 3))
                statuses.add(run.process.returncode)
        self.assertIn(3, statuses)

    def test_limits(self):
        """No command hangs or is killed; what is too little for the dynamic loader is its to say."""
        self.assertEqual(set(table(ASSAY)), set(self.commands))
        with Run([ASSAY, 'version'], nobody=True) as run:
            another = run.wait() == 0
        for name, arguments in self.commands.items():
            for limit in LIMITS:
                # No limit on processes holds root.
                other = limit.startswith('--nproc')
                with self.subTest(name, limit=limit):
                    if other and not another:
                        self.skipTest('another user cannot run the program: CAP_DAC_OVERRIDE or setpriv is missing')
                    with Run(['prlimit', limit, ASSAY, name, *arguments], nobody=other) as run:
                        self.check(run, f'{name} under {limit}', {}, (*STATUSES, LOADER))

    def test_memory(self):
        """Wherever memory ends, in whatever thread, it is said; with enough of it all goes well."""
        for name in FILLING:
            statuses = []
            for size in MEMORY:
                with self.subTest(name, size=size), Run(['prlimit', f'--as={size}000000', ASSAY, name, *self.commands[name]]) as run:
                    self.check(run, f'{name} in {size} MB', {}, (*STATUSES, LOADER))
                    statuses.append(run.process.returncode)
            self.assertIn(3, statuses, name)
            self.assertIn(statuses[-1], (0, 1), name)

    def writers(self):
        """Every option that names what is written, as the commands tell them, with arguments that work beside it."""
        for name, arguments in self.commands.items():
            text = subprocess.run([ASSAY, name, '--help'], capture_output=True, text=True, timeout=600).stdout
            for option, told in re.findall(r'^  (?:-\w, )?(--[a-z-]+)=\S+ +(.*)', text, re.M):
                if option.startswith('--output') or told.startswith('Write '):
                    own = ('-o', '--output') if option == '--output' else (option,)
                    yield name, option, [argument for i, argument in enumerate(arguments) if argument not in own and arguments[i - 1] not in own]

    def write(self, row, place):
        name, option, arguments = row
        with Run([ASSAY, name, *arguments, f'{option}={place}']) as run:
            status = run.wait()
            where = f'{name} {option}={place}: status {status}, {run.said()}'
            self.assertIn(status, STATUSES, where)
            self.assertEqual(run.left(), [], where)
            self.assertTrue(status < 2 or run.said().strip(), where)
            return status, where

    def test_places(self):
        """What is written goes where it can, and what cannot be written to is said: no pipe is waited for, no device replaced."""
        folder = pathlib.Path(self.helpers) / 'places'
        folder.mkdir()
        device, there, lost = folder / 'device', folder / 'there', folder / 'lost'
        try:
            os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 7))
        except PermissionError:
            device = pathlib.Path('/dev/full')
        there.mkdir()
        lost.symlink_to('none/file')
        rows = list(self.writers())
        # One for each: what a command may have written before is read first, by --log, and a reader would do for all.
        fifos = [folder / f'fifo{i}' for i in range(len(rows))]
        for fifo in fifos:
            os.mkfifo(fifo)
        self.assertLessEqual({('qualify', '--log'), ('qualify', '--write-xfail'), ('compile', '--metrics'), ('fix', '--save-fixes'),
                              ('compile', '--output'), *FOLDERS}, {row[:2] for row in rows})
        self.assertGreaterEqual({row[0] for row in rows}, set(self.commands) - {'help', 'version'})

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [(row, place, pool.submit(self.write, row, place)) for row, fifo in zip(rows, fifos)
                     for place in (fifo, device, lost, '/proc/none', *([] if row[:2] in FOLDERS else [there]))]
        for row, place, future in asked:
            status, where = future.result()
            self.assertIn(status, (2, 3), where)
            if place in fifos and row[:2] not in {*FOLDERS, *TIMED, ('qualify', '--log')}:
                self.assertRegex(where, 'nobody reads it|only a file can be replaced')
        self.assertTrue(all(stat.S_ISFIFO(fifo.stat().st_mode) for fifo in fifos))
        self.assertTrue(stat.S_ISCHR(device.stat().st_mode))
        for i, row in enumerate(rows):
            link, aim = folder / f'link{i}', folder / f'aim{i}'
            link.symlink_to(aim.name)
            status, where = self.write(row, link)
            with self.subTest(where):
                self.assertTrue(link.is_symlink())
                self.assertEqual(aim.exists(), row[:2] not in {*FOLDERS, *TIMED})

    def test_together(self):
        """Of several files of one command all are written or none: each in turn goes to a device that is full. Only a log is
        there from the start, for the next run to go on with."""
        several = {}
        for name, option, arguments in self.writers():
            several.setdefault(name, []).append((option, arguments))
        several = {name: rows for name, rows in several.items() if len(rows) > 1}
        self.assertLessEqual({'compile', 'cycles', 'fix', 'inspect', 'qualify', 'run'}, set(several))
        for name, rows in several.items():
            options = [option for option, _ in rows if (name, option) not in TIMED]
            # What is named by two options goes out of the arguments of both.
            base = [argument for argument in rows[0][1] if all(argument in arguments for _, arguments in rows)]
            for full in (None, *options):
                asked = [f'{option}={"/dev/full" if option == full else f"out/to{option}.json"}' for option in options]
                with self.subTest(name, full=full), Run([ASSAY, name, *base, *asked]) as run:
                    status = run.wait()
                    where = f'{name} {asked}: status {status}, {run.said()}'
                    self.assertIn(status, (0, 1) if full is None else (2, 3), where)
                    self.assertEqual(run.left(), [], where)
                    written = {path for path in run.outputs() if not path.startswith('to--log')}
                    self.assertEqual(bool(written), full is None, f'{where}: {written}')
        with Run([ASSAY, 'run', *self.commands['run'], '--trace', 'out/trace.json']) as run:
            self.assertEqual(run.wait(), 2, run.said())
            self.assertIn('none of the runners tells', run.said())
            self.assertEqual(run.outputs(), {})

    def test_unread(self):
        """Nobody reads what a command says, as behind `| head -c1`: it ends with the status that shells know, without a word,
        and leaves nothing. A model that is made first lies in a temporary folder meanwhile."""
        rows = [(name, [argument for i, argument in enumerate(arguments)
                        if name in MAKING or '-o' not in (argument, arguments[i - 1])]) for name, arguments in self.commands.items()]
        rows += [('show', ['--help']), ('show', ['--json', 'none.onnx']), ('nothing', ['--json']),
                 ('check', ['python:net.pt', '--target', TARGET])]
        for name, arguments in rows:
            read, write = os.pipe()
            os.close(read)
            with self.subTest(name, arguments=arguments), Run([ASSAY, name, *arguments], {'ASSAY_HELPERS': self.helpers}, stdout=write) as run:
                os.close(write)
                self.assertEqual(run.wait(), UNREAD, run.said())
                self.assertEqual(run.left(), [])
                self.assertNotIn('ipe', run.said())


if __name__ == '__main__':
    unittest.main()
