#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Constants of models through `assay show --tensor`: the .npy file and the statistics against NumPy.

Argument: the assay program."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy
from onnx import TensorProto, helper, numpy_helper

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
TYPES = ('float32', 'float64', 'float16', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'bool')


def arrays():
    generator = numpy.random.default_rng(11)
    made = {name: generator.normal(0, 60, (3, 5, 7)).astype(name) for name in TYPES}
    made['float32'][0, 0, :4] = numpy.nan, numpy.inf, -numpy.inf, 0
    made['scalar'] = numpy.array(2.5, numpy.float32)
    made['empty'] = numpy.zeros((0, 4), numpy.float32)
    made['vector'] = numpy.arange(19, dtype=numpy.int64)
    return made


def save_model(path, tensors):
    graph = helper.make_graph([helper.make_node('Identity', ['x'], ['y'])], 'tensors',
                              [helper.make_tensor_value_info('x', TensorProto.FLOAT, (1,))],
                              [helper.make_tensor_value_info('y', TensorProto.FLOAT, (1,))], tensors)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


class Tensors(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def show(self, *arguments, **options):
        return subprocess.run([str(ASSAY), 'show', 'model.onnx', *map(str, arguments)], capture_output=True, text=True,
                              timeout=600, cwd=self.folder, **options)

    def test_npy_and_statistics(self):
        made = arrays()
        save_model(self.folder / 'model.onnx', [numpy_helper.from_array(array, name) for name, array in made.items()])
        for name, array in made.items():
            with self.subTest(name):
                done = self.show('--tensor', name, '-o', 'out.npy', '--json')
                self.assertEqual(done.returncode, 0, done.stderr)
                numpy.testing.assert_array_equal(numpy.load(self.folder / 'out.npy'), array)
                self.assertEqual(numpy.load(self.folder / 'out.npy').dtype, array.dtype)
                document = json.loads(done.stdout)
                self.assertEqual(document['schema'], 'assay.tensor/1')
                self.assertEqual(document['shape'], list(array.shape))
                self.assertEqual(document['elements'], array.size)
                self.assertEqual(document['written'], 'out.npy')
                statistics = document['statistics']
                values = array.astype(numpy.float64).ravel()
                finite = values[numpy.isfinite(values)]
                self.assertEqual(statistics['nan'], int(numpy.isnan(values).sum()))
                self.assertEqual(statistics['inf'], int(numpy.isinf(values).sum()))
                self.assertEqual(statistics['zeros'], int((values == 0).sum()))
                self.assertEqual(sum(statistics['histogram']), finite.size)
                if finite.size == 0:
                    self.assertIsNone(statistics['min'])
                    continue
                self.assertEqual(statistics['min'], finite.min())
                self.assertEqual(statistics['max'], finite.max())
                numpy.testing.assert_allclose(statistics['mean'], finite.mean(), rtol=1e-12, atol=1e-12)
                numpy.testing.assert_allclose(statistics['std'], finite.std(), rtol=1e-12, atol=1e-12)
                if finite.max() > finite.min():
                    counts, _ = numpy.histogram(finite, bins=48)
                    self.assertLessEqual(numpy.abs(counts - statistics['histogram']).sum(), 2)

    def test_bf16(self):
        """NumPy has no bf16: the file is fp32 with the same values."""
        bits = numpy.array([0x3f80, 0xc010, 0x0001, 0x7f80, 0x8000, 0x4049], numpy.uint16)
        tensor = TensorProto(name='w', data_type=TensorProto.BFLOAT16, dims=[2, 3], raw_data=bits.tobytes())
        save_model(self.folder / 'model.onnx', [tensor])
        self.assertEqual(self.show('--tensor', 'w', '-o', 'w.npy').returncode, 0)
        array = numpy.load(self.folder / 'w.npy')
        self.assertEqual(array.dtype, numpy.float32)
        numpy.testing.assert_array_equal(array.view(numpy.uint32).ravel(), bits.astype(numpy.uint32) << 16)

    def test_large_external(self):
        """A weight of 1.5 GB outside of the model: its page and its file never need its size in memory."""
        size = 1536 << 20
        with open(self.folder / 'w.bin', 'wb') as file:
            file.truncate(size)
        tensor = TensorProto(name='w', data_type=TensorProto.FLOAT, dims=[size // 4096, 1024],
                             data_location=TensorProto.EXTERNAL)
        for key, value in (('location', 'w.bin'), ('length', str(size))):
            tensor.external_data.add(key=key, value=value)
        save_model(self.folder / 'model.onnx', [tensor])
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertEqual(self.show('--json').returncode, 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(max(after, before), 400 << 10)

    def test_mistakes(self):
        save_model(self.folder / 'model.onnx', [numpy_helper.from_array(numpy.zeros(3, numpy.float32), 'weight'),
                                                helper.make_tensor('words', TensorProto.STRING, [2], [b'a', b'b'])])
        done = self.show('--tensor', 'weigth')
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean `weight`', done.stderr)
        self.assertEqual(self.show('--tensor', 'weight', '--emit', 'dot').returncode, 2)
        done = self.show('--tensor', 'weight', '-o', 'nowhere/w.npy')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('nowhere/w.npy', done.stderr)
        done = self.show('--tensor', 'words')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('string[2]', done.stdout)
        self.assertEqual([path.name for path in self.folder.iterdir()], ['model.onnx'])

    def test_text(self):
        words = [b'a', '\u4e2d\u00e4'.encode(), b'plain text']
        save_model(self.folder / 'model.onnx', [helper.make_tensor('words', TensorProto.STRING, [3], words)])
        done = self.show('--tensor', 'words', '-o', 'words.npy')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([word.encode() for word in numpy.load(self.folder / 'words.npy')], words)


if __name__ == '__main__':
    os.environ.pop('DISPLAY', None)
    unittest.main()
