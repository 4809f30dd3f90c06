# SPDX-License-Identifier: Apache-2.0
"""Every place that prints a predicted count of cycles says between which counts the accelerator's own lies."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ASSAY, EXAMPLES = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
MODEL = ('--target', 'v80_c6b32', '--streaming-transform', '2')

# What tells predicted counts of a model: the words behind the command, and whether it takes --json. Where a new command tells
# them it belongs here; test_commands holds the list against those that there are.
COMMANDS = {
    'compile': (('compile', '{model}', *MODEL, '-o', '{folder}/again'), True),
    'cycles': (('cycles', '{program}'), True),
    'cycles --sensitivity': (('cycles', '{program}', '--sensitivity'), True),
    'run': (('run', '{program}', '--on', 'vm', '--random', '1'), True),
    'survey': (('survey', '{model}', *MODEL), True),
    'dump': (('dump', '{program}'), False),
    'fix': (('fix', '{refused}', '--target', 'v80_c6b32'), True),
}
# These tell no count of a model: verdicts, sizes and uses, tensors and errors, what a board has measured, or where to find help.
SILENT = {'check', 'show', 'inspect', 'quantize', 'metrics', 'compare', 'reduce', 'conformance', 'qualify', 'deploy', 'boards', 'targets',
          'doctor', 'help', 'version'}
# An offer tells by how many cycles it changes a model; the whole count only where there was none before.
DIFFERENCES = {'fix'}
RANGE = re.compile(r'(\d+) \((\d+) to (\d+)\)')


def run(*arguments):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=1200)


def members(value):
    """Every object of a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from members(inner)


class CycleRanges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = pathlib.Path(cls.folder.name, 'program')
        cls.model = EXAMPLES / 'streaming-cnn.onnx'
        # One convolution that the target takes, behind a node that it does not.
        cls.refused = pathlib.Path(cls.folder.name, 'refused.nnir')
        cls.refused.write_text('main (%x : f32[1,64,8]) {\n  %a = Abs(%x) : f32[1,64,8] @ "size"\n'
                               '  %y = Relu(%a) : f32[1,64,8] @ "bound"\n  return %y\n}\n', encoding='utf-8')
        done = run('compile', cls.model, *MODEL, '-o', cls.program)
        assert done.returncode == 0, done.stderr
        models = json.loads(run('cycles', cls.program, '--json').stdout)['models']
        cls.counts = {models[0][name]: models[0][f'{name}_range'] for name in ('spaced', 'contiguous')}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def words(self, name):
        return [word.format(model=self.model, program=self.program, folder=self.folder.name, refused=self.refused)
                for word in COMMANDS[name][0]]

    def test_commands(self):
        told = {line.split()[0] for line in run('--help').stdout.splitlines() if re.match(r'  [a-z]+  ', line)}
        self.assertEqual(told, {name.split()[0] for name in COMMANDS} | SILENT)

    def test_width(self):
        for count, (low, high) in self.counts.items():
            self.assertLess(low, count)
            self.assertLess(count, high)

    def test_text(self):
        """No count without its range, wherever the number stands."""
        for name in COMMANDS:
            with self.subTest(name):
                text = run(*self.words(name)).stdout
                ranges = {int(count): [int(low), int(high)] for count, low, high in RANGE.findall(text)}
                self.assertTrue(ranges or name in DIFFERENCES, text[:400])
                for count in self.counts.keys() & ranges:
                    self.assertEqual(ranges[count], self.counts[count])
                if name not in DIFFERENCES:
                    self.assertTrue(self.counts.keys() & ranges, text[:400])
                for line in text.splitlines():
                    rest = RANGE.sub('', line)
                    # Shares of a count that stands above are told of it once more.
                    if re.search('cycles|spaced|contiguous', line) and 'of the' not in line:
                        self.assertFalse([count for count in self.counts if re.search(rf'\b{count}\b', rest)], f'{name}: {line}')

    def test_json(self):
        """Beside each such member stands its range."""
        for name, (_, has_json) in COMMANDS.items():
            if not has_json:
                continue
            with self.subTest(name):
                document = json.loads(run(*self.words(name), '--json').stdout)
                found = 0
                for value in members(document):
                    for key in ('spaced', 'contiguous', 'cycles', 'cycles_before', 'cycles_after'):
                        # Of a parameter or a layer a share of the count is told.
                        if not isinstance(value.get(key), int) or 'value' in value or 'layers' in value:
                            continue
                        low, high = value[f'{key}_range']
                        self.assertLess(low, value[key])
                        self.assertGreater(high, value[key])
                        found += 1
                self.assertGreater(found, 0)

    def test_trace(self):
        path = pathlib.Path(self.folder.name, 'trace.json')
        self.assertEqual(run('cycles', self.program, '--trace', path).returncode, 0)
        trace = next(value for value in members(json.loads(path.read_text(encoding='utf-8'))) if 'spaced' in value)
        self.assertEqual({trace[name]: trace[f'{name}_range'] for name in ('spaced', 'contiguous')}, self.counts)


if __name__ == '__main__':
    os.environ['NO_COLOR'] = '1'
    unittest.main()
