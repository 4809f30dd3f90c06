#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes models through the example backend (tests/example-backend) with the command line alone.

Arguments: the assay program, the folder of the example backend."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy
from onnx import TensorProto, helper

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
TARGET = pathlib.Path(sys.argv.pop(1)) / 'adder.json'


def save_model(path, dtype=TensorProto.INT32, ops=('Add', 'Add'), shape=(2, 3)):
    """y = (a + b) + a, with other operations if asked for."""
    values = [helper.make_tensor_value_info(name, dtype, shape) for name in 'aby']
    nodes = [helper.make_node(ops[0], ['a', 'b'], ['s'], 'first'), helper.make_node(ops[1], ['s', 'a'], ['y'], 'second')]
    graph = helper.make_graph(nodes, 'adder', values[:2], values[2:])
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


class Adder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.model = self.folder / 'add.onnx'
        save_model(self.model)

    def run_assay(self, *arguments, status=0):
        done = subprocess.run([str(ASSAY), *map(str, arguments), '--target', str(TARGET)], capture_output=True, text=True,
                              timeout=600, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def run_program(self, *arguments, status=0):
        done = subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout

    def verdicts(self, model, status=0):
        document = json.loads(self.run_assay('check', model, '--json', status=status).stdout)
        return [(node['op_type'], node['verdict'], node['reason']) for node in document['nodes']]

    def test_verdicts(self):
        self.assertEqual([verdict for _, verdict, _ in self.verdicts(self.model)], ['supported', 'supported'])
        save_model(self.model, ops=('Add', 'Mul'))
        self.assertEqual(self.verdicts(self.model, 1)[1], ('Mul', 'rejected', 'Mul has no rule in this target'))
        save_model(self.model, dtype=TensorProto.FLOAT)
        for _, verdict, reason in self.verdicts(self.model, 1):
            self.assertEqual(verdict, 'rejected')
            self.assertEqual(reason, 'Input 0 is f32, not i32')

    def test_program(self):
        """Program file, memory map, timeline."""
        program = self.folder / 'add.adder'
        self.assertIn('Store', self.run_assay('compile', self.model, '-o', program).stdout)
        metrics = json.loads(self.run_program('metrics', program, '--json'))
        self.assertEqual((metrics['depth'], metrics['store'], metrics['input_bytes']), (256, [24], [48]))
        cycles = json.loads(self.run_program('cycles', program, '--json'))['models'][0]
        self.assertEqual((cycles['spaced'], cycles['last_output'], cycles['clock_mhz']), (12, 12, 100))
        listing = self.run_program('dump', program)
        for words in ('store       0..5      activation      0..1     a', '0  add  first', '1  add  second'):
            self.assertIn(words, listing)

    def test_does_not_fit(self):
        save_model(self.model, shape=(20, 20))
        self.assertIn('up to 256 elements', self.run_assay('compile', self.model, '-o', 'x', status=1).stderr)

    def test_damaged(self):
        program = self.folder / 'add.adder'
        self.run_assay('compile', self.model, '-o', program)
        data = program.read_bytes()
        for damaged in (data.replace(b'Add', b'Mul'), data[:100], data[:17], data.replace(b'256', b'4'), b'adder program 1\n',
                        data.replace(b'Add(%s', b'Add(%y')):
            program.write_bytes(damaged)
            self.run_program('metrics', program, status=2)

    def test_run(self):
        first, second = numpy.arange(6, dtype='int32').reshape(2, 3), numpy.full((2, 3), -7, 'int32')
        numpy.save(self.folder / 'a.npy', first)
        numpy.save(self.folder / 'b.npy', second)
        inputs = ('--input', 'a=a.npy', '--input', 'b=b.npy')
        self.run_assay('run', self.model, '--on', 'vm,reference', *inputs, '--output-dir', 'out')
        for runner in ('vm', 'reference'):
            numpy.testing.assert_array_equal(numpy.load(self.folder / 'out' / runner / 'y.npy'), first + second + first)
        done = self.run_assay('compare', self.model, '--a', 'reference', '--b', 'vm', *inputs)
        self.assertIn('Bit-exact', done.stdout)
        self.assertIn('Machine fp32 against Reference fp32', done.stdout)
        self.assertIn('Errors in units of fp32', done.stdout)

    def test_pictures(self):
        for colour in ('core', 'cycles'):
            self.run_assay('show', self.model, '--emit', 'svg', '--colour-by', colour, '-o', 'picture.svg')

    def test_lacks(self):
        """It does not stream, and nothing of it is configured."""
        done = self.run_assay('check', self.model, '--streaming-transform', '0', status=2)
        self.assertIn('which adder is not', done.stderr)
        done = self.run_assay('compile', self.model, '-o', 'x', '--depth', 'tensor_ram_depth=4', status=2)
        self.assertIn('has no cores and depths to choose', done.stderr)


if __name__ == '__main__':
    unittest.main()
