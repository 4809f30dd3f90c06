#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares with runners that compute with integers of 8 bits in other ways, made here with NumPy.

Arguments: the assay program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy

ASSAY = pathlib.Path(sys.argv.pop(1))
SCALE, ZERO = numpy.float32(0.05), 128

# A runner that computes MatMul, Relu and Add in one, with an error of its own, when it shows none of the values between.
# Its first argument but one is what the error is times.
RUNNER = '''#!/usr/bin/python3
import json, pathlib, sys
import numpy
ERROR = {error}
print('ready', flush=True)
for line in sys.stdin:
    folder = pathlib.Path(line.rstrip('\\n'))
    task = json.loads((folder / 'run.json').read_text())
    x = numpy.load(folder / task['inputs'][0]['file'])
    shown = {{port['name'] for port in task.get('values', [])}}
    w = (numpy.arange(12).reshape(4, 3) % 5 - 2).astype(numpy.float32)
    results = {{'s': x + x}}
    results['p'] = results['s'] @ w
    results['r'] = numpy.maximum(results['p'], 0)
    results['q'] = results['r'] + numpy.float32(1)
    if not shown & {{'p', 'r'}}:
        results['q'] = results['q'] * numpy.float32(1 + ERROR)
    results['y'] = results['q'] * numpy.float32(2)
    for port in [*task['outputs'], *task.get('values', [])]:
        numpy.save(folder / port['file'], results[port['name']])
    print('ok', flush=True)
'''
CHAIN = '''nnir 1
graph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}
opset "" 17
main (%x : f32[2,4]) {
  const %w : f32[4,3] = [-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1]
  const %one : f32[] = [1]
  const %two : f32[] = [2]
  %s = Add(%x, %x) : f32[2,4] @ "sum"
  %p = MatMul(%s, %w) : f32[2,3] @ "product"
  %r = Relu(%p) : f32[2,3] @ "bend"
  %q = Add(%r, %one) : f32[2,3] @ "shift"
  %y = Mul(%q, %two) : f32[2,3] @ "double"
  return %y
}
'''


def numbers(array):
    return '[' + ', '.join(str(value) for value in numpy.asarray(array).ravel().tolist()) + ']'


def head(body):
    return ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\n'
            f'opset "" 17\nmain {body}\n')


def quantise(x, scale, zero, dtype):
    limits = numpy.iinfo(dtype)
    return numpy.clip(numpy.rint(x / scale) + zero, limits.min, limits.max).astype(numpy.int64)


def saturating(activations, weights, zero):
    """The sum over the last axis of both, of pairs that saturate at 16 bits; a zero point is taken away behind it. Integers."""
    products = activations[..., :, None, :] * weights
    if products.shape[-1] % 2:
        products = numpy.concatenate([products, numpy.zeros_like(products[..., :1])], axis=-1)
    pairs = numpy.clip(products[..., 0::2] + products[..., 1::2], -32768, 32767)
    return pairs.sum(axis=-1) - zero * weights.sum(axis=-1)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        self.random = numpy.random.default_rng(39)

    def compare(self, text, x, *arguments, status=1):
        (self.folder / 'model.nnir').write_text(text, encoding='utf-8')
        numpy.save(self.folder / 'x.npy', x)
        done = subprocess.run([str(ASSAY), 'compare', str(self.folder / 'model.nnir'), '--input', f'x={self.folder}/x.npy', '--json',
                               *map(str, arguments)], capture_output=True, text=True, timeout=1200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def recorded(self, text, x, y, status=1):
        recorded = self.folder / 'recorded'
        recorded.mkdir(exist_ok=True)
        numpy.save(recorded / 'y.npy', y)
        return self.compare(text, x, '--a', 'reference', '--b', f'files:{recorded}', status=status)

    def assert_cause(self, document, kind, words):
        row = document['tensors'][-1]
        self.assertEqual([cause['kind'] for cause in row['causes']][:1], [kind], row['causes'])
        cause = row['causes'][0]
        self.assertIn(words, cause['sentence'])
        self.assertEqual(cause['error'], row['own_error'] if row['own_error'] is not None else row['total_error'])
        self.assertLess(cause['error_without'], cause['error'] / 1000)


class Integers(Case):
    def product(self, dtype):
        """x goes through 8 bits into a product with weights of 8 bits, with a scale per channel."""
        x = self.random.uniform(2, 6, (4, 15)).astype(numpy.float32)
        weights = self.random.integers(-128, 128, (15, 5))
        scales = (self.random.integers(1, 9, 5) / 256).astype(numpy.float32)
        zero = ZERO if dtype is numpy.uint8 else 0
        name = 'u8' if dtype is numpy.uint8 else 'i8'
        text = head(f'''(%x : f32[4,15]) {{
  const %s : f32[] = [0.05]
  const %z : {name}[] = [{zero}]
  const %wq : i8[15,5] = {numbers(weights)}
  const %ws : f32[5] = {numbers(scales)}
  %xq = QuantizeLinear(%x, %s, %z) : {name}[4,15] @ "quantise"
  %xd = DequantizeLinear(%xq, %s, %z) : f32[4,15] @ "dequantise"
  %w = DequantizeLinear(%wq, %ws) {{axis = 1}} : f32[15,5] @ "weights"
  %y = MatMul(%xd, %w) : f32[4,5] @ "product"
  return %y
}}''')
        return text, x, quantise(x, SCALE, zero, dtype), weights, scales, zero

    def test_saturation(self):
        for dtype in (numpy.uint8, numpy.int8):
            text, x, integers, weights, scales, zero = self.product(dtype)
            # Signed numbers are moved into 0 to 255 first.
            moved = 128 if dtype is numpy.int8 else 0
            sums = saturating(integers + moved, weights.T, zero + moved)
            exact = (integers - zero) @ weights
            self.assertTrue((sums != exact).any())
            self.assert_cause(self.recorded(text, x, (sums * (SCALE * scales)).astype(numpy.float32)), 'saturation', '16 bits')
            document = self.recorded(text, x, (exact * (SCALE * scales)).astype(numpy.float32), status=0)
            self.assertIn(document['verdict'], ('exact', 'within'))

    def test_saturation_convolution(self):
        """A runtime adds up channels first, and pads with the zero point."""
        x = self.random.uniform(-6, 6, (1, 3, 6, 6)).astype(numpy.float32)
        weights = self.random.integers(-128, 128, (4, 3, 3, 3))
        integers = quantise(x, SCALE, ZERO, numpy.uint8)
        padded = numpy.pad(integers, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=ZERO)
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[0]
        rows = windows.transpose(1, 2, 3, 4, 0).reshape(6, 6, 27)
        kernel = weights.transpose(0, 2, 3, 1).reshape(4, 27)
        sums = saturating(rows, kernel, ZERO).transpose(2, 0, 1)[None]
        exact = ((rows - ZERO) @ kernel.T).transpose(2, 0, 1)[None]
        text = head(f'''(%x : f32[1,3,6,6]) {{
  const %s : f32[] = [0.05]
  const %z : u8[] = [{ZERO}]
  const %wq : i8[4,3,3,3] = {numbers(weights)}
  const %ws : f32[] = [0.01]
  %xq = QuantizeLinear(%x, %s, %z) : u8[1,3,6,6] @ "quantise"
  %xd = DequantizeLinear(%xq, %s, %z) : f32[1,3,6,6] @ "dequantise"
  %w = DequantizeLinear(%wq, %ws) : f32[4,3,3,3] @ "weights"
  %y = Conv(%xd, %w) {{pads = [1, 1, 1, 1]}} : f32[1,4,6,6] @ "node"
  return %y
}}''')
        step = SCALE * numpy.float32(0.01)
        self.assertTrue((sums != exact).any())
        self.assert_cause(self.recorded(text, x, (sums * step).astype(numpy.float32)), 'saturation', '16 bits')
        self.recorded(text, x, (exact * step).astype(numpy.float32), status=0)

    def test_dynamic(self):
        x = (self.random.uniform(-6, 9, (4, 64)) * [[1], [3], [0.5], [7]]).astype(numpy.float32)
        w = self.random.uniform(-1, 1, (64, 5)).astype(numpy.float32)
        text = head(f'''(%x : f32[4,64]) {{
  const %w : f32[64,5] = {numbers(w)}
  %y = MatMul(%x, %w) : f32[4,5] @ "node"
  return %y
}}''')
        wide = x.astype(numpy.float64)
        for span, words in (((4, 64), 'as a whole'), ((1, 64), 'per row'), ((1, 32), 'per block of 32')):
            for signed in (False, True):
                rounded = numpy.empty_like(wide)
                for i in range(0, 4, span[0]):
                    for j in range(0, 64, span[1]):
                        part = wide[i:i + span[0], j:j + span[1]]
                        low, high = min(part.min(), 0), max(part.max(), 0)
                        scale = max(-low, high) / 127 if signed else (high - low) / 255
                        zero = 0 if signed else numpy.rint(-low / scale)
                        limits = (-127, 127) if signed else (0, 255)
                        rounded[i:i + span[0], j:j + span[1]] = (
                            numpy.clip(numpy.rint(part / scale) + zero, *limits) - zero) * scale
                document = self.recorded(text, x, (rounded @ w).astype(numpy.float32))
                self.assert_cause(document, 'dynamic-quantisation', words + (', symmetrically' if signed else ', with a zero point'))

    def test_ties(self):
        """A step is within the limit of an operation that rounds to 8 bits, two are not; ties that are rounded otherwise are named."""
        x = ((numpy.arange(64) - 20) * 0.5).astype(numpy.float32).reshape(4, 16)
        text = head('''(%x : f32[4,16]) {
  const %s : f32[] = [1]
  const %z : u8[] = [30]
  %y = QuantizeLinear(%x, %s, %z) : u8[4,16] @ "node"
  return %y
}''')
        up = (numpy.floor(x + 0.5) + 30).astype(numpy.uint8)
        even = (numpy.rint(x) + 30).astype(numpy.uint8)
        self.assertTrue((up != even).any())
        document = self.recorded(text, x, up, status=0)
        self.assertEqual(document['verdict'], 'within')
        off = even.copy()
        off.flat[5] += 2
        self.assertEqual(self.recorded(text, x, off)['verdict'], 'outside')
        (self.folder / 'recorded').mkdir(exist_ok=True)
        numpy.save(self.folder / 'recorded' / 'y.npy', up)
        explained = self.compare(text, x, '--b', f'files:{self.folder}/recorded', '--explain', 1, status=0)
        self.assert_cause(explained, 'ties', 'half way')


class Observed(Case):
    def runner(self, error):
        path = self.folder / 'runner.py'
        path.write_text(RUNNER.format(error=error), encoding='utf-8')
        path.chmod(0o755)
        return f'command:{path}'

    def test_fused(self):
        """The unobserved outputs are judged, on both sides, and the nodes that are fused are named."""
        x = self.random.uniform(-1, 1, (2, 4)).astype(numpy.float32)
        for sides in (('--a', self.runner(0.25), '--b', 'reference'), ('--a', 'reference', '--b', self.runner(0.25))):
            document = self.compare(CHAIN, x, *sides)
            self.assertEqual(document['verdict'], 'outside')
            self.assertEqual(document['first_divergent'], 'y')
            self.assertEqual(document['unobserved']['runner'], 'Command')
            self.assertEqual(document['unobserved']['fused'], ['product', 'bend', 'shift'])
            rows = {row['name']: row for row in document['tensors']}
            self.assertEqual({name: row['verdict'] for name, row in rows.items()},
                             {'s': 'exact', 'p': 'exact', 'r': 'exact', 'q': 'exact', 'y': 'outside'})
            self.assertTrue(rows['y']['unobserved'])
            fusion = rows['y']['causes'][-1]
            self.assertEqual(fusion['kind'], 'fusion')
            self.assertEqual(fusion['sentence'], 'product, bend and shift are computed in one; one by one they agree')
            self.assertEqual((fusion['error'], fusion['error_without']), (rows['y']['total_error'], 0))
            alone = self.compare(CHAIN, x, *sides, '--outputs-only')
            self.assertEqual(alone['tensors'][0]['total_error'], rows['y']['total_error'])

    def test_changed(self):
        """A runner gets the file itself as long as nothing of it was overridden, else the model that is compared."""
        (self.folder / 'chain.nnir').write_text(CHAIN, encoding='utf-8')
        subprocess.run([str(ASSAY), 'show', str(self.folder / 'chain.nnir'), '--emit', 'onnx', '-o', str(self.folder / 'chain.onnx')],
                       check=True, capture_output=True, timeout=600)
        seen = self.folder / 'seen'
        runner = self.runner(0).partition(':')[2]
        script = pathlib.Path(runner)
        script.write_text(script.read_text(encoding='utf-8').replace(
            "print('ready'", f"import shutil; shutil.copy(sys.argv[1], {str(seen)!r})\nprint('ready'"), encoding='utf-8')
        for options, rows in (((), 2), (('--override-input-shapes', '5,4'), 5), (('--bind', 'x:0=3'), 3)):
            x = self.random.uniform(-1, 1, (rows, 4)).astype(numpy.float32)
            numpy.save(self.folder / 'x.npy', x)
            subprocess.run([str(ASSAY), 'compare', str(self.folder / 'chain.onnx'), '--b', f'unconfined:{script}', '--input',
                            f'x={self.folder}/x.npy', *options], check=True, capture_output=True, timeout=600)
            shown = subprocess.run([str(ASSAY), 'show', str(seen), '--emit', 'nnir'], check=True, capture_output=True, text=True, timeout=600)
            self.assertIn(f'%x : f32[{rows},4]', shown.stdout)
            same = seen.read_bytes() == (self.folder / 'chain.onnx').read_bytes()
            self.assertEqual(same, rows == 2)

    def test_undisturbed(self):
        """An error that is there anyway, and one of rounding, say nothing of observing."""
        x = self.random.uniform(-1, 1, (2, 4)).astype(numpy.float32)
        for error in (0, 2.0**-23):
            document = self.compare(CHAIN, x, '--b', self.runner(error), status=0)
            self.assertNotIn('unobserved', document)
            self.assertNotIn('unobserved', document['tensors'][-1])


@unittest.skipUnless(os.environ.get('ASSAY_ONNXRUNTIME'), 'ASSAY_ONNXRUNTIME names no library')
class Runtime(Case):
    def test_small_numbers(self):
        """ONNX Runtime is exact in absolute terms: the smallest results are within their limit, and those that are off by more are not."""
        x = numpy.linspace(-30, 0, 4096).astype(numpy.float32).reshape(64, 64)
        for op in ('Sigmoid', 'Elu', 'Celu', 'Selu'):
            for part in (x[:4], x[30:34], x):
                text = head(f"""(%x : f32[{part.shape[0]},64]) {{
  %y = {op}(%x) : f32[{part.shape[0]},64] @ "node"
  return %y
}}""")
                self.compare(text, part, '--b', 'ort', status=0)
                y = self.folder / 'recorded'
                y.mkdir(exist_ok=True)
                subprocess.run([str(ASSAY), 'run', str(self.folder / 'model.nnir'), '--on', 'ort', '--input', f'x={self.folder}/x.npy',
                                '--output-dir', str(y)], check=True, capture_output=True, timeout=600)
                numpy.save(y / 'y.npy', numpy.load(y / 'y.npy') + numpy.float32(2.0**-16))
                self.compare(text, part, '--b', f'files:{y}', status=1)

    def test_plain(self):
        """Without its optimisations ONNX Runtime computes each operation as the file has it, and says so."""
        x = self.random.uniform(-1, 1, (2, 4)).astype(numpy.float32)
        document = self.compare(CHAIN, x, '--a', 'ort:plain', '--b', 'reference', status=0)
        self.assertEqual(document['a'], 'ONNX Runtime without optimisations')
        library = os.environ['ASSAY_ONNXRUNTIME']
        named = self.compare(CHAIN, x, '--a', f'ort:plain:{library}', '--b', f'ort:{library}', status=0)
        self.assertEqual((named['a'], named['b']), ('ONNX Runtime without optimisations', 'ONNX Runtime'))

    def test_relative(self):
        """A relative path of the library is taken from the folder of the caller."""
        library = pathlib.Path(os.environ['ASSAY_ONNXRUNTIME'])
        x = self.random.uniform(-1, 1, (2, 4)).astype(numpy.float32)
        for name in (os.path.relpath(library, os.getcwd()), os.path.relpath(library.parent, os.getcwd())):
            os.environ['ASSAY_ONNXRUNTIME'] = name
            try:
                self.compare(CHAIN, x, '--b', 'ort', status=0)
            finally:
                os.environ['ASSAY_ONNXRUNTIME'] = str(library)


unittest.main()
