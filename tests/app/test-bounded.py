#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""No command works for long on a small file: functions that call each other twice, long chains, wide sums.

Argument: the assay program."""
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
from onnx import TensorProto, helper

ASSAY = str(pathlib.Path(sys.argv.pop(1)).resolve())
# Seconds of processor time, for files of less than a megabyte.
MOST_SECONDS, MOST_BYTES = 20, 1 << 20
TARGETS = ('dpu_zdx8g_b4096', 'ia_420f_c6b32', 'vulkan-main')
# The arguments of each command beside the model; those of a dictionary are for one target alone.
COMMANDS = {
    'show': ['show', 'MODEL'], 'show nnir': ['show', 'MODEL', '--level', 'nnir'], 'json': ['show', 'MODEL', '--json'],
    'survey': ['survey', 'MODEL', '--target', 'ia_420f_c6b32'],
    'quantize': ['quantize', 'MODEL', '--target', 'dpu_zdx8g_b4096', '--random', '2', '-o', 'FOLDER/quantised.onnx'],
    'run': ['run', 'MODEL', '--on', 'reference', '--random', '1'],
    'compare': ['compare', 'MODEL', '--a', 'reference', '--b', 'reference', '--random', '1'],
    'inspect': ['inspect', 'MODEL', '--target', 'dpu_zdx8g_b4096'],
    'reduce': ['reduce', 'MODEL', '--target', 'vulkan-main', '--shows', 'rejected', '-o', 'FOLDER/reduced'],
}
for target in TARGETS:
    COMMANDS |= {f'{name} {target}': [*arguments, '--target', target] for name, arguments in {
        'check': ['check', 'MODEL'], 'fix': ['fix', 'MODEL'], 'best': ['fix', 'MODEL', '--best', '-o', 'FOLDER/fixed.onnx']}.items()}
COMMANDS['compile'] = ['compile', 'MODEL', '--target', 'ia_420f_c6b32', '-o', 'FOLDER/model.assayp']


def save(path, nodes, functions=()):
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('twice', 1)]
    ports = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, 4))] for name in 'xy']
    graph = helper.make_graph(nodes, 'small', *ports)
    text = helper.make_model(graph, opset_imports=imports, ir_version=8, functions=functions).SerializeToString()
    path.write_bytes(text)


def save_twice(path, depth, operations):
    """Each function calls the next one twice behind its own operations."""
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('twice', 1)]
    functions = []
    for level in range(depth):
        names = ['x', *(f'v{i}' for i in range(len(operations) + 2 * (level + 1 < depth)))]
        kinds = [*((op, '') for op in operations), *[(f'F{level + 1}', 'twice')] * (2 * (level + 1 < depth))]
        nodes = [helper.make_node(op, [names[i]], [names[i + 1]], domain=domain) for i, (op, domain) in enumerate(kinds)]
        nodes.append(helper.make_node('Identity', [names[-1]], ['y']))
        functions.append(helper.make_function('twice', f'F{level}', ['x'], ['y'], nodes, imports))
    save(path, [helper.make_node('F0', ['x'], ['y'], domain='twice')], functions)


def save_chain(path, n, operations):
    names = ['x', *(f'v{i}' for i in range(n)), 'y']
    save(path, [helper.make_node(operations[i % len(operations)] if i < n else 'Identity', [names[i]], [names[i + 1]])
                for i in range(n + 1)])


def save_wide(path, n, operation):
    save(path, [*(helper.make_node(operation, ['x'], [f'v{i}']) for i in range(n)),
                helper.make_node('Sum', [f'v{i}' for i in range(n)], ['y'])])


MODELS = {
    'twice': lambda path: save_twice(path, 13, ['Relu', 'Erf']),
    'chain': lambda path: save_chain(path, 6000, ['Erf', 'Relu', 'Softsign', 'Elu', 'Tan', 'Mish', 'Celu', 'Round', 'Sign']),
    'wide': lambda path: save_wide(path, 6000, 'Softsign'),
}


class Bounded(unittest.TestCase):
    def test_commands(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for model, make in MODELS.items():
                path = folder / f'{model}.onnx'
                make(path)
                self.assertLess(path.stat().st_size, MOST_BYTES)
                for command, arguments in COMMANDS.items():
                    argv = [ASSAY, *(word.replace('MODEL', str(path)).replace('FOLDER', f'{folder}/{model}') for word in arguments)]
                    (folder / model).mkdir(exist_ok=True)
                    with self.subTest(model=model, command=command):
                        self.try_one(argv)

    def try_one(self, argv):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(argv, capture_output=True, text=True, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f'{seconds:6.2f} s', done.returncode, *argv[1:], file=sys.stderr)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertNotIn('Usage', done.stderr)
        self.assertLess(seconds, MOST_SECONDS)


if __name__ == '__main__':
    unittest.main(verbosity=2)
