#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reduces models through the command line, and runs what comes of it.

Arguments: the assay program, the folder of the built examples."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
EXAMPLES = pathlib.Path(sys.argv.pop(1))
TARGET = ('--target', 'ia_420f_c6b32')
TIGHT = {'schema': 'assay.tolerance/1', 'bf16': {'any': 4, 'rules': [{'op': ['Linear', 'MatMul', 'Conv', 'LSTM'], 'ulp': 0}]}, 'fp32': {'any': 0}}


def run(*arguments):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=1200)


class Reduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / 'it is here'
        self.tight = self.folder / 'tight.json'
        self.tight.write_text(json.dumps(TIGHT), encoding='utf-8')

    def reduce(self, model, *options):
        done = run('reduce', EXAMPLES / f'{model}.onnx', *options, '-o', self.out, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document['schema'], 'assay.reduce/1')
        self.assertTrue(document['is_least'])
        return document

    def again(self):
        """What the script says, as somebody else runs it: from elsewhere, after the folder was moved."""
        moved = self.folder / 'moved'
        self.out.rename(moved)
        return subprocess.run([moved / 'run.sh'], capture_output=True, text=True, timeout=1200, cwd='/', env={**os.environ, 'ASSAY': str(ASSAY)})

    def test_rejected(self):
        verdicts = json.loads(run('check', EXAMPLES / 'many-refusals.onnx', *TARGET, '--json').stdout)
        rules = {cause['rule'] for cause in verdicts['causes'] if cause['verdict'] == 'rejected'}
        self.assertGreater(len(rules), 2)
        for rule in sorted(rules):
            with self.subTest(rule=rule), tempfile.TemporaryDirectory() as folder:
                self.out = pathlib.Path(folder) / 'out'
                document = self.reduce('many-refusals', *TARGET, '--shows', f'rejected:{rule}')
                self.assertEqual(document['seen'], rule)
                self.assertLessEqual(document['nodes'], 2)
                self.assertGreater(document['nodes_before'], 4)
                done = run('check', self.out / 'model.onnx', *TARGET, '--json')
                self.assertIn(rule, {cause['rule'] for cause in json.loads(done.stdout)['causes']})

    def test_refused(self):
        document = self.reduce('mlp', *TARGET, '--bind', 'batch=1', '--depth', 'weight_store_depth=1', '--shows', 'refused')
        self.assertEqual((document['seen'], document['nodes']), ('allocation', 1))
        done = self.again()
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_outside(self):
        """What stands behind stays out, what stands before gives way to its values."""
        for model, options, op in (('mlp', ('--bind', 'batch=1'), 'Linear'),
                                   ('streaming-cnn', ('--streaming-transform', '2'), 'Conv'),
                                   ('lstm', ('--bind', 'steps=20', '--streaming-transform', '0'), 'LSTM'),
                                   ('transformer-block', ('--bind', 'batch=1', '--bind', 'seq=16', '--allow-dynamic-weights'), 'MatMul')):
            with self.subTest(model=model), tempfile.TemporaryDirectory() as folder:
                self.folder = pathlib.Path(folder)
                self.out = self.folder / 'out'
                document = self.reduce(model, *TARGET, *options, '--tolerance', self.tight, '--shows', f'outside:{op}')
                self.assertEqual(document['seen'], op)
                self.assertLessEqual(document['nodes'], 2)
                self.assertTrue(list((self.out / 'inputs').glob('*.npy')))
                done = self.again()
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(op, done.stdout)

    def test_command(self):
        """A command of somebody else, which looks for an operator."""
        command = f"! '{ASSAY}' show {{}} | grep -q Softmax"
        self.assertEqual(run('show', EXAMPLES / 'transformer-block.onnx').stdout.count('Softmax') > 0, True)
        document = self.reduce('transformer-block', '--shows', f'command:{command}')
        self.assertEqual((document['seen'], document['nodes']), ('status 1', 1))
        self.assertIn('Softmax', run('show', self.out / 'model.onnx').stdout)
        self.assertEqual(self.again().returncode, 1)

    def test_crash(self):
        document = self.reduce('mlp', '--shows', 'command:test -s {} && kill -SEGV $$')
        self.assertEqual((document['seen'], document['nodes']), ('signal 11', 1))

    def test_tries(self):
        done = run('reduce', EXAMPLES / 'many-refusals.onnx', *TARGET, '--shows', 'rejected', '--tries', 2, '-o', self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('--tries', done.stdout)

    def test_refusals(self):
        model = EXAMPLES / 'mlp.onnx'
        for options, words in ((('--shows', 'rejected'), '--target'),
                               (('--shows', 'nothing'), 'expected rejected'),
                               (('--shows', 'refused:x', *TARGET), 'expected rejected'),
                               (('--shows', 'command:true'), '{}'),
                               (('--shows', 'rejected', '-b', 'vm', *TARGET), '--shows outside'),
                               (('--shows', 'outside', '-b', 'no-such', *TARGET), 'no-such'),
                               (('--shows', 'rejected', '--bind', 'batch=1', *TARGET), 'does not show "rejected"'),
                               ((), '--shows')):
            done = run('reduce', model, *options, '-o', self.out)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.out.exists())
        self.out.mkdir()
        (self.out / 'mine').write_text('x', encoding='utf-8')
        done = run('reduce', EXAMPLES / 'many-refusals.onnx', *TARGET, '--shows', 'rejected', '-o', self.out)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual([path.name for path in self.out.iterdir()], ['mine'])


if __name__ == '__main__':
    unittest.main()
