#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes models of other sources than ONNX through every command: NNIR text, and the example of tests/example-source.

Arguments: the assay program, the folder of the built examples, the folder of this source tree's example source."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
EXAMPLES = pathlib.Path(sys.argv.pop(1)).resolve()
LAYERS = pathlib.Path(sys.argv.pop(1)).resolve() / 'small.layers'
TARGET = 'ia_420f_c6b32'
SHAPES = ('--override-input-shapes', '1,64')
MODELS = ('mlp', 'lstm', 'streaming-cnn', 'transformer-block', 'many-refusals')


def run(*arguments, **options):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=1200, **options)


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def nnir(self, name):
        path = self.folder / f'{name}.nnir'
        done = run('show', EXAMPLES / f'{name}.onnx', '--emit', 'nnir', '-o', path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def good(self, *arguments, status=0):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout


class Nnir(WithFolder):
    def test_round_trip(self):
        """What was written opens again as the same graph, with the same verdicts."""
        for name in MODELS:
            with self.subTest(model=name):
                path = self.nnir(name)
                self.assertEqual(self.good('show', path, '--emit', 'nnir'), path.read_text())
                both = [json.loads(run('check', model, '-t', TARGET, '--json').stdout)
                        for model in (EXAMPLES / f'{name}.onnx', path)]
                for document in both:
                    del document['model']
                    document['findings'] = [f for f in document['findings'] if not f['rule'].startswith('import.')]
                self.assertEqual(*both)

    def test_canonical(self):
        """So does the canonical form, whose operations are partly our own."""
        for name in MODELS:
            with self.subTest(model=name):
                path = self.folder / 'canonical.nnir'
                self.good('show', EXAMPLES / f'{name}.onnx', '--level', 'nnir', '-o', path)
                self.assertIn('level = nnir', path.read_text())
                self.assertEqual(self.good('show', path, '--emit', 'nnir'), path.read_text())
        self.good('show', EXAMPLES / 'mlp.onnx', '--level', 'nnir', '-o', path)
        self.good('check', path, '-t', TARGET, *SHAPES)

    def test_program(self):
        """The program is the one that the ONNX file gives, and runs with the same bits."""
        programs = []
        for model in (EXAMPLES / 'mlp.onnx', self.nnir('mlp')):
            program = self.folder / f'{model.suffix[1:]}.assayp'
            self.good('compile', model, '-t', TARGET, *SHAPES, '-o', program)
            out = self.folder / f'{model.suffix[1:]}-out'
            self.good('run', program, '--on', 'vm', '--random', '7', '--output-dir', out)
            programs.append([path.read_bytes() for path in sorted(out.iterdir())])
        self.assertEqual(*programs)

    def test_run(self):
        path = self.nnir('mlp')
        self.assertIn('within', self.good('compare', path, '-t', TARGET, *SHAPES, '--json'))
        self.good('run', path, '--on', 'reference', '--random', '1', *SHAPES)

    @unittest.skipUnless('ASSAY_ONNXRUNTIME' in os.environ, 'ONNX Runtime is not installed')
    def test_onnxruntime(self):
        """A program that takes ONNX gets the model written as ONNX."""
        done = self.good('compare', self.nnir('mlp'), '--a', 'ort', '--b', 'reference', *SHAPES, '--json')
        self.assertEqual(json.loads(done)['verdict'], 'within')

    def test_command(self):
        """The program of a user gets it too, and nothing is left behind."""
        script = self.folder / 'runner.sh'
        script.write_text(f'#!/bin/sh\necho "$1" > {self.folder}/seen\ncp "$1" {self.folder}/seen.onnx\necho ready\nread folder\necho error no\n')
        script.chmod(0o700)
        run('run', self.nnir('mlp'), '--on', f'unconfined:{script}', '--random', '1', *SHAPES)
        seen = pathlib.Path((self.folder / 'seen').read_text().strip())
        self.assertEqual(seen.name, 'model.onnx')
        self.assertFalse(seen.parent.exists())
        self.assertIn('Gemm', self.good('show', self.folder / 'seen.onnx'))

    def test_fix(self):
        path = self.nnir('many-refusals')
        fixed = self.folder / 'fixed.onnx'
        run('fix', path, '-t', TARGET, '--best', '-o', fixed, '--no-cycles')
        self.assertTrue(fixed.exists())
        self.good('show', fixed)

    def test_conformance(self):
        case = self.folder / 'cases' / 'mlp'
        case.mkdir(parents=True)
        self.nnir('mlp').rename(case / 'model.nnir')
        done = json.loads(run('conformance', self.folder / 'cases', '--on', 'reference', '--json').stdout)
        self.assertEqual([(c['name'], c['rule']) for c in done['cases']], [('mlp', 'data')])

    def test_broken(self):
        """Each broken line is told of, with its place; the first is the error."""
        path = self.folder / 'broken.nnir'
        path.write_text('nnir 1\nmain (%x : f32[2]) {\n  %y = (%x)\n  return %y %\n}\n')
        for command in (('check', '-t', TARGET), ('show',)):
            done = run(*command, path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'{path}: line 3, column 8: ', done.stderr)
            self.assertIn('line 4, column 13', done.stderr)


class Layers(WithFolder):
    """The example source: nothing that it goes through knows of it."""

    def test_check(self):
        document = json.loads(self.good('check', LAYERS, '-t', TARGET, '--bind', 'batch=2', '--json'))
        self.assertTrue(document['summary']['clean'])
        self.assertEqual([node['op_type'] for node in document['nodes']], ['Linear', 'Relu', 'Linear', 'Tanh', 'Linear'])

    def test_program(self):
        program = self.folder / 'small.assayp'
        self.good('compile', LAYERS, '-t', TARGET, '--bind', 'batch=1', '-o', program)
        self.good('run', program, '--on', 'vm', '--random', '1')
        self.assertIn('within', self.good('compare', LAYERS, '-t', TARGET, '--bind', 'batch=1', '--json'))

    def test_wrong(self):
        path = self.folder / 'wrong.layers'
        path.write_text('layers 1\ninput 2 8\ndense 4 gelu\n')
        done = run('check', path, '-t', TARGET)
        self.assertEqual(done.returncode, 2)
        self.assertIn('line 3: relu, tanh or sigmoid was expected, not "gelu"', done.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
