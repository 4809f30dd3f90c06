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

from onnx import TensorProto, helper

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
TARGET = pathlib.Path(sys.argv.pop(1)) / 'adder.json'


def save_model(path, dtype=TensorProto.INT32, ops=('Add', 'Add')):
    """y = (a + b) + a, with other operations if asked for."""
    values = [helper.make_tensor_value_info(name, dtype, [2, 3]) for name in 'aby']
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
                              timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

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
            self.assertEqual(reason, 'input 0 has element type f32; allowed: i32')

    def test_lacks(self):
        """It does not stream, and nothing of it is configured."""
        done = self.run_assay('check', self.model, '--streaming-transform', '0', status=2)
        self.assertIn('which adder is not', done.stderr)


if __name__ == '__main__':
    unittest.main()
