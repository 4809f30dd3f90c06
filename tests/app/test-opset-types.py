#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the element types that operators take at an opset against ONNX Runtime's verdict on the same files.

Arguments: the assay program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import onnx
from onnx import TensorProto, helper

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path('/usr/share/libonnx-testdata/data/node')
F32, F16, BF16, I32, F64 = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT32,
                            TensorProto.DOUBLE)
# The first opset that ONNX Runtime takes without reserve.
LOWEST = 7


def model(op, opset, dtype, shapes, attributes=None, result=None):
    names = [f'x{i}' for i in range(len(shapes))]
    graph = helper.make_graph([helper.make_node(op, names, ['y'], **attributes or {})], op,
                              [helper.make_tensor_value_info(name, dtype, shape) for name, shape in zip(names, shapes)],
                              [helper.make_tensor_value_info('y', result or dtype, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset)], ir_version=10)


def old_versions(op):
    """The versions of an operator that a model of opset 7 to 12 may use."""
    since = sorted(schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
                   if schema.name == op and not schema.domain and not schema.deprecated)
    return sorted({max(LOWEST, version) for version, following in zip(since, since[1:] + [13])
                   if version < 13 and following > LOWEST})


def single_nodes():
    """The first model of each operator that is one node of tensors, without graphs inside."""
    seen = set()
    for path in sorted(DATA.glob('*/model.onnx')):
        loaded = onnx.load(path)
        nodes = loaded.graph.node
        if len(nodes) != 1 or nodes[0].domain or nodes[0].op_type in seen or any(a.type == 5 for a in nodes[0].attribute):
            continue
        seen.add(nodes[0].op_type)
        if all(port.type.HasField('tensor_type') for port in [*loaded.graph.input, *loaded.graph.output]):
            yield nodes[0].op_type, loaded


class Types(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = pathlib.Path(holder.name) / 'model.onnx'

    def run_assay(self, *arguments):
        return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)

    def errors(self, proto):
        """The rules of what is wrong with a model, and whether a target takes it."""
        self.path.write_bytes(proto.SerializeToString())
        document = json.loads(self.run_assay('check', '-t', 'ia_420f_c6b32', '--json', self.path).stdout)
        rejected = [node for node in document['nodes'] if node['verdict'] == 'rejected']
        return {f['rule'] for f in document['findings'] if f['severity'] == 'error'}, rejected

    def test_first_opset(self):
        """The last opset that refuses a type, and the first that takes it."""
        image, kernel = (1, 2, 4, 4), (2, 2, 1, 1)
        for op, first, dtype, shapes, attributes, result in (
                ('Conv', 22, BF16, (image, kernel), None, None), ('Relu', 14, I32, (image,), None, None),
                ('MaxPool', 22, BF16, (image,), {'kernel_shape': (1, 1)}, None),
                ('Cos', 22, BF16, (image,), None, None), ('Range', 27, F16, ((), (), ()), None, None),
                ('Pow', 15, BF16, (image, image), None, None), ('Add', 6, I32, (image, image), None, None),
                ('MatMul', 9, I32, ((2, 2), (2, 2)), None, None), ('Max', 12, I32, (image, image), None, None),
                ('Relu', 13, BF16, (image,), None, None)):
            with self.subTest(op=op):
                rules, rejected = self.errors(model(op, first - 1, dtype, shapes, attributes, result))
                self.assertIn('import.type', rules)
                self.assertTrue(rejected)
                ran = self.run_assay('run', '--on', 'reference', '--random', 1, self.path)
                self.assertEqual(ran.returncode, 2, ran.stdout)
                self.assertIn(f'opset {first - 1}', ran.stderr)
                self.assertNotIn('import.type', self.errors(model(op, first, dtype, shapes, attributes, result))[0])

    def test_outputs(self):
        """What comes out counts as what goes in: a cast to a type that came later."""
        for opset, refused in ((13, False), (18, True), (19, False)):
            dtype = BF16 if opset == 13 else TensorProto.FLOAT + 16  # FLOAT8E4M3FN is 17
            with self.subTest(opset=opset):
                proto = model('Cast', opset, F32, ((4,),), {'to': dtype}, dtype)
                self.assertEqual('import.type' in self.errors(proto)[0], refused)

    @unittest.skipUnless(DATA.is_dir() and 'ASSAY_ONNXRUNTIME' in os.environ, 'libonnx-testdata or ONNX Runtime is not installed')
    def test_onnx_runtime(self):
        """What ONNX Runtime runs is taken, and what its types refuse is an error."""
        n_refused = {True: 0, False: 0}
        for index, (op, loaded) in enumerate(single_nodes()):
            ports = [*loaded.graph.input, *loaded.graph.output]
            dtypes = sorted({port.type.tensor_type.elem_type for port in ports})
            old, new = dtypes[index % len(dtypes)], (BF16, I32, F64)[index % 3]
            if old == new:
                continue
            for port in ports:
                if port.type.tensor_type.elem_type == old:
                    port.type.tensor_type.elem_type = new
            earlier = old_versions(op)
            for opset in {max(loaded.opset_import[0].version, 13), *earlier[index % max(1, len(earlier)):][:1]}:
                loaded.opset_import[0].version = opset
                rules, _ = self.errors(loaded)
                answer = self.run_assay('run', '--on', 'ort', '--random', 1, self.path)
                n_refused[opset < 13] += 'import.type' in rules
                with self.subTest(op=op, opset=opset, old=old, new=new):
                    if 'import.type' in rules:
                        self.assertNotEqual(answer.returncode, 0)
                    # A function that it puts in the place of a node has inner names; what a file says of outputs is not
                    # this.
                    if 'of input parameter' in answer.stderr and '_inlfunc_' not in answer.stderr:
                        self.assertTrue(rules, answer.stderr)
        self.assertGreater(min(n_refused.values()), 20)


if __name__ == '__main__':
    unittest.main(verbosity=2)
