#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares runs through the command line.

Arguments: the assay program, the folder of the built examples."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy

ASSAY = pathlib.Path(sys.argv.pop(1))
EXAMPLES = pathlib.Path(sys.argv.pop(1))
TARGET = ('--target', 'ia_420f_c6b32')
MODELS = {
    'mlp': ('--override-input-shapes', '1,64'),
    'streaming-cnn': ('--streaming-transform', '2'),
    'lstm': ('--bind', 'steps=20', '--streaming-transform', '0'),
    'transformer-block': ('--bind', 'batch=1', '--bind', 'seq=16', '--allow-dynamic-weights'),
}
MEMBERS = {'name', 'shape', 'max_abs', 'max_rel', 'max_ulp_bf16', 'cosine', 'sqnr_db', 'nan', 'inf', 'worst_index', 'own_error',
           'inherited_error', 'limit', 'expected', 'certified', 'verdict'}


def run(*arguments):
    return subprocess.run([str(ASSAY), 'compare', *map(str, arguments)], capture_output=True, text=True, timeout=1200)


def example(name):
    return EXAMPLES / f'{name}.onnx'


class Compare(unittest.TestCase):
    def test_examples(self):
        for name, options in MODELS.items():
            done = run(example(name), *TARGET, *options, '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(document['schema'], 'assay.compare/1')
            self.assertEqual(document['verdict'], 'within')
            self.assertIsNone(document['first_divergent'])
            self.assertTrue(any(tensor['output'] for tensor in document['tensors']))
            for tensor in document['tensors']:
                self.assertLessEqual(MEMBERS, set(tensor))
                self.assertLessEqual(tensor['own_error'], tensor['limit'])
                self.assertLessEqual(tensor['own_error'], tensor['certified'])
                self.assertLessEqual(tensor['expected'], tensor['certified'])
                self.assertEqual(sum(tensor['histogram_bf16']), numpy.prod(tensor['shape']))

    def test_exact(self):
        done = run(example('mlp'), *TARGET, *MODELS['mlp'], '--a', 'vm', '--b', 'board:local')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('Bit-exact', done.stdout)

    def test_tolerance(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'tight.json'
            path.write_text(json.dumps({'schema': 'assay.tolerance/1', 'bf16': {'any': 0.25}, 'fp32': {'any': 0}}), encoding='utf-8')
            done = run(example('mlp'), *TARGET, *MODELS['mlp'], '--tolerance', path)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('First divergence: Relu /layers.1/Relu, own error', done.stdout)
            path.write_text('{"schema": "assay.tolerance/1",\n "bf16": {"any": "x"}, "fp32": {"any": 0}}', encoding='utf-8')
            done = run(example('mlp'), *TARGET, *MODELS['mlp'], '--tolerance', path)
            self.assertEqual(done.returncode, 2)
            self.assertIn('tight.json', done.stderr)

    def test_recorded(self):
        """What another stack has computed is a runner too, and one number that is off is found."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(ASSAY), 'run', str(example('mlp')), *MODELS['mlp'], '--on', 'reference', '--random', '0',
                            '--output-dir', folder], check=True, capture_output=True, timeout=600)
            done = run(example('mlp'), *MODELS['mlp'], '--b', f'files:{folder}')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            path = next(pathlib.Path(folder).glob('*.npy'))
            values = numpy.load(path)
            values.flat[3] += 1
            numpy.save(path, values)
            done = run(example('mlp'), *MODELS['mlp'], '--b', f'files:{folder}', '--json')
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(json.loads(done.stdout)['tensors'][0]['worst_index'], [0, 3])

    def test_constant_output(self):
        """An output that no input changes has the limit of what makes it; one that nothing computes is moved, not rounded."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / 'm.nnir').write_text(
                'main (%x : f32[4]) {\n  const %c : f32[4] = [0.1, 0.2, 0.3, 0.4]\n  const %d : f32[4] = [0.5, 0.6, 0.7, 0.8]\n'
                '  %s = Sigmoid(%c) @ "s"\n  %h = Mul(%s, %c) @ "h"\n  %y = Relu(%x) @ "r"\n  return %y, %h, %d\n}\n')
            done = subprocess.run([str(ASSAY), 'run', folder / 'm.nnir', '--on', 'reference', '--random', '1', '--output-dir', folder / 'out'],
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name, verdict in (('h', 'within'), ('d', 'outside')):
                path = folder / 'out' / f'{name}.npy'
                exact = numpy.load(path)
                numpy.save(path, numpy.nextafter(exact, numpy.float32(9)))
                done = run(folder / 'm.nnir', '--random', '1', '--b', f'files:{folder / "out"}', '--json')
                document = json.loads(done.stdout)
                self.assertEqual(done.returncode, verdict == 'outside', done.stderr)
                verdicts = {row['name']: row['verdict'] for row in document['tensors'] if row['output']}
                self.assertEqual(verdicts[name], verdict)
                self.assertNotIn('outside', [verdicts[other] for other in verdicts if other != name])
                numpy.save(path, exact)

    def test_explain(self):
        """Keeping nodes in fp32 is measured, and what cannot be kept says why."""
        name = 'transformer-block'
        done = run(example(name), *TARGET, *MODELS[name], '--explain', 4, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        last, _, normalization, sum_ = json.loads(done.stdout)['keep_fp32']
        self.assertEqual(last['node'], '/encoder/layer.0/Add_1')
        self.assertGreater(last['gain_db'], 1)
        self.assertIn('cannot be kept in fp32', normalization['refusal'])
        self.assertEqual(normalization['gain_db'], 0)
        self.assertGreater(sum_['cycles'], 0)
        self.assertGreater(sum_['blocks'], 0)
        causes = [cause for tensor in json.loads(done.stdout)['tensors'] for cause in tensor.get('causes', [])]
        self.assertIn('rounding', {cause['kind'] for cause in causes})
        self.assertTrue(all(cause['rms_without'] < cause['rms'] for cause in causes))
        self.assertEqual(run(example('mlp'), *MODELS['mlp'], '--explain', -1).returncode, 2)

    def test_remedy(self):
        """What a setting undoes is compiled anew and measured; what the target has no choice in says so."""
        found = {}
        with tempfile.NamedTemporaryFile('w', suffix='.nnir') as moves:
            moves.write('main (%x : f32[8,8]) {\n  %y = Relu(%x) : f32[8,8] @ "bound"\n  return %y\n}\n')
            moves.flush()
            runs = [run(model, '--target', 'v80_c6b32', *options, '--explain', 3, '--json') for model, options in (
                (example('mlp'), (*MODELS['mlp'], '--fp8-weights')), (example('streaming-cnn'), MODELS['streaming-cnn']), (moves.name, ()))]
        for done in runs:
            self.assertEqual(done.returncode, 0, done.stderr)
            causes = [cause for tensor in json.loads(done.stdout)['tensors'] for cause in tensor.get('causes', [])]
            self.assertTrue(causes)
            for cause in causes:
                what = cause['remedy'].get('what')
                if what is None:
                    what = cause['remedy']['refusal'].split(':')[0]
                else:
                    self.assertLess(cause['remedy']['error_with'], cause['remedy']['error'])
                found[what] = cause['remedy']
        self.assertLessEqual({'not available on this target', 'with weights in bf16', 'with its result in fp32'}, set(found))
        self.assertGreater(found['with weights in bf16']['blocks'], 0)
        self.assertGreater(found['with its result in fp32']['cycles'], 0)
        done = run(example('mlp'), '--target', 'v80_c6b32', *MODELS['mlp'], '--fp8-weights', '--explain', 3)
        self.assertRegex(done.stdout, r'with weights in bf16 [0-9.]+ units in the place of [0-9.]+, [+-]\d+ cycles, \+\d+ blocks')

    def test_cause(self):
        """What somebody else did to a model is named, and that nothing that was tried explains it too."""
        with tempfile.TemporaryDirectory() as folder:
            model, wrong = pathlib.Path(folder, 'right.nnir'), pathlib.Path(folder, 'wrong.nnir')
            text = 'main (%x : f32[1,2,9]) {\n  const %w : f32[2,2,3] = [1, 2, -3, 4, 5, -6, 7, 8, 9, -1, 0.5, 2]\n' \
                   '  %y = Conv(%x, %w) {pads = [PADS]} : f32[1,2,9] @ "conv"\n  return %y\n}\n'
            model.write_text(text.replace('PADS', '1, 1'))
            wrong.write_text(text.replace('PADS', '2, 0'))
            values = pathlib.Path(folder, 'x.npy')
            numpy.save(values, numpy.random.default_rng(3).normal(size=(1, 2, 9)).astype(numpy.float32))
            given = ['--input', f'x={values}']
            subprocess.run([ASSAY, 'run', wrong, *given, '--on', 'reference', '--output-dir', f'{folder}/out'], check=True, capture_output=True)
            done = run(model, *given, '--b', f'files:{folder}/out', '--json')
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('pads are [2, 0] where the model has [1, 1]', json.loads(done.stdout)['headline'])
            path = next(pathlib.Path(folder, 'out').glob('*.npy'))
            numpy.save(path, numpy.random.default_rng(4).normal(size=(1, 2, 9)).astype(numpy.float32))
            done = run(model, *given, '--b', f'files:{folder}/out')
            self.assertIn('trials removes it', done.stdout)

    def test_units(self):
        """Sums that cancel, narrow tensors and narrow weights are judged by what was added up and rounded."""
        generator = numpy.random.default_rng(7)
        numbers = ', '.join(f'{number:.6f}' for number in generator.normal(0, 0.125, 64 * 64))
        weights = f'const %w : TYPE[64,64] = [{numbers}]'
        cancels = ('main (%x : f32[4,64]) {\n  const %big : f32[] = [1000.0]\n  const %a : i64[1] = [1]\n  '
                   '%t = Add(%x, %big) @ "shift"\n  %m = ReduceMean(%t, %a) {keepdims = 1} @ "mean"\n  '
                   '%y = Sub(%t, %m) @ "center"\n  return %y\n}\n')
        product = (f'main (%x : TYPE[4,64]) {{\n  {weights}\n  %a = MatMul(%x, %w) @ "product"\n  %y = Relu(%a) @ "relu"\n  '
                   'return %y\n}\n')
        cases = (
            (cancels, TARGET, 'bf16', 'center'),
            (product.replace('TYPE', 'f32'), ('--target', 'v80_c6b32', '--fp8-weights'), 'fp8e4m3', 'relu'),
            (product.replace('TYPE', 'f16'), (*TARGET, '--a', 'reference-fp64', '--b', 'reference'), 'fp16', 'product'),
            (product.replace('TYPE', 'bf16'), (*TARGET, '--a', 'reference-fp64', '--b', 'reference'), 'bf16', 'product'),
        )
        with tempfile.TemporaryDirectory() as folder:
            for text, options, unit, node in cases:
                path = pathlib.Path(folder) / 'model.nnir'
                path.write_text(text, encoding='utf-8')
                done = run(path, *options, '--random', '1', '--json')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                units = {tensor['node']: tensor['precision'] for tensor in json.loads(done.stdout)['tensors']}
                self.assertEqual(units[node], unit)

    def test_mistakes(self):
        self.assertEqual(run(example('mlp')).returncode, 2)
        done = run(example('mlp'), *TARGET, '--b', 'vmm')
        self.assertEqual(done.returncode, 2)
        self.assertIn('vmm', done.stderr)
        done = run('missing.onnx', *TARGET, '--json')
        self.assertIn('error', json.loads(done.stdout))


def has_device():
    done = subprocess.run([str(ASSAY), 'boards', '--json'], capture_output=True, text=True, timeout=1200)
    return bool(json.loads(done.stdout).get('devices'))


class Halves(unittest.TestCase):
    """A delegate that is asked for halves computes in them, and what that costs is named with what undoes it."""
    DELEGATE = ('--target', 'vulkan-main', *MODELS['mlp'])

    def setUp(self):
        if not has_device():
            self.skipTest('no graphics processor')

    def test_remedy(self):
        for asked, precision in (('true', 'fp16'), ('false', 'fp32')):
            done = run(example('mlp'), *self.DELEGATE, '--b', 'vulkan', '--target-option', f'force_fp16={asked}', '--explain', '3', '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(document['precision'], precision)
            remedies = [cause['remedy'] for tensor in document['tensors'] for cause in tensor.get('causes', []) if 'what' in cause.get('remedy', {})]
            self.assertEqual({remedy['what'] for remedy in remedies}, {'without force_fp16'} if asked == 'true' else set())
            for remedy in remedies:
                self.assertLess(remedy['error_with'], remedy['error'] / 100)
            for tensor in document['tensors']:
                self.assertLessEqual(tensor['own_error'], tensor['certified'])

    def test_file(self):
        """A program file keeps that it is in halves: the same bits as without the file, and others than in floats."""
        outputs = {}
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            for asked in ('true', 'false'):
                options = [example('mlp'), *self.DELEGATE, '--target-option', f'force_fp16={asked}']
                program = folder / asked
                subprocess.run([ASSAY, 'compile', *options, '-o', program], check=True, capture_output=True, timeout=1200)
                for what, arguments in (('model', options), ('file', [program])):
                    place = folder / f'{asked}-{what}'
                    subprocess.run([ASSAY, 'run', *arguments, '--on', 'vulkan', '--random', '1', '--output-dir', place], check=True,
                                   capture_output=True, timeout=1200)
                    (path,) = place.glob('*.npy')
                    outputs[asked, what] = numpy.load(path)
        for asked in ('true', 'false'):
            numpy.testing.assert_array_equal(outputs[asked, 'model'], outputs[asked, 'file'])
        half, whole = outputs['true', 'model'], outputs['false', 'model']
        self.assertFalse(numpy.array_equal(half, whole))
        numpy.testing.assert_allclose(half, whole, atol=1e-2)
        numpy.testing.assert_array_equal(half.astype(numpy.float16).astype(numpy.float32), half)


if __name__ == '__main__':
    unittest.main(verbosity=2)
