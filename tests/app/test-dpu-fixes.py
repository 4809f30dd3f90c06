#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `assay inspect` proposes for what a DPU does not take: for each kind of limit a model that is over it, the proposal, and that
the model with the proposal is on the DPU as a whole, with the same outputs but for rounding."""
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ASSAY = sys.argv.pop(1)
# The smallest size, whose limits take the smallest models: 2,048 channels.
TARGET = 'dpu_zdx8g_b512'
IMAGE = (1, 8, 6, 6)


def text(nodes, constants, inputs):
    """A model of nodes (name, operation, inputs, attributes, dims), the last of which is the output."""
    draw = random.Random(5)
    shape = lambda dims: ','.join(map(str, dims))
    lines = []
    for name, value in constants.items():
        if isinstance(value, tuple):
            # The numbers of millions are drawn once and come again, in no row at the same place.
            value, dims = [round(draw.uniform(-0.5, 0.5), 3) for _ in range(min(math.prod(value), 99991))], value
        else:
            dims = (len(value),) if isinstance(value, list) else ()
            value = value if isinstance(value, list) else [value]
        words = itertools.islice(itertools.cycle(list(map(str, value))), math.prod(dims))
        lines.append(f'  const %{name} : {"i64" if isinstance(value[0], int) else "f32"}[{shape(dims)}] = [{", ".join(words)}]')
    heads = '\n'.join(f'origin {i} "graph" {i} {node[1]} "{node[0]}"' for i, node in enumerate(nodes))
    lines += [f'  %{name} = {op}({", ".join("%" + i for i in reads)}){attributes and " {" + attributes + "}"} : f32[{shape(dims)}] @ "{name}" from [{i}]'
              for i, (name, op, reads, attributes, dims) in enumerate(nodes)]
    return ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\nopset "" 17\n'
            f'{heads}\nmain (%x : f32[{shape(inputs)}]) {{\n' + '\n'.join(lines) + f'\n  return %{nodes[-1][0]}\n}}\n')


WEIGHTS = {'w': (8, 8, 1, 1)}
CONV = ('c', 'Conv', ['x', 'w'], '', IMAGE)
OTHER = ('d', 'Conv', ['x', 'w'], '', IMAGE)
POOL = ('p', 'MaxPool', ['c'], 'kernel_shape = [1, 1]', IMAGE)
NUMBERS = {'zero': 0.0, 'one': 1.0, 'three': 3.0, 'six': 6.0, 'sixth': 0.16666667, 'half': 0.5}


def activation(*nodes, **constants):
    return text([CONV, *nodes], {**WEIGHTS, **constants}, IMAGE)


def numbers(*names):
    return {name: NUMBERS[name] for name in names}


# What it is, the model, words of the proposal, and whether the outputs are the same: not of another model, nor where zero times infinity is no number.
CASES = [
    ('slope, as it is', activation(('y', 'LeakyRelu', ['c'], 'alpha = 0.3', IMAGE)), 'LeakyRelu by PRelu', True),
    ('slope 26/256', activation(('y', 'LeakyRelu', ['c'], 'alpha = 0.3', IMAGE)), 'the slope 26/256, which is another model', False),
    ('padding of a convolution', text([('c', 'Conv', ['x', 'w'], 'kernel_shape = [3, 3], pads = [4, 4, 3, 3]', (1, 8, 11, 11)), ('y', 'Relu', ['c'], '', (1, 8, 11, 11))],
                                      {'w': (8, 8, 3, 3)}, IMAGE), 'Pad and a convolution with less padding', True),
    ('padding of a depthwise convolution', text([('y', 'Conv', ['x', 'w'], 'group = 8, kernel_shape = [3, 3], pads = [0, 3, 0, 2]', (1, 8, 4, 9))],
                                                {'w': (8, 1, 3, 3)}, IMAGE), 'Pad and a convolution with less padding', True),
    ('padding of a mean', text([('c', 'Conv', ['x', 'w'], '', (1, 8, 6, 40)), ('y', 'AveragePool', ['c'], 'kernel_shape = [1, 20], pads = [0, 17, 0, 3], count_include_pad = 1',
                                                                              (1, 8, 6, 41))], WEIGHTS, (1, 8, 6, 40)), 'Pad and a pool without padding', True),
    ('keepdims of a mean of other axes', activation(('y', 'ReduceMean', ['c', 'axes'], 'keepdims = 0', (1, 8)), axes=[2, 3]), None, True),
    ('keepdims of a maximum', activation(('y', 'ReduceMax', ['c', 'axes'], 'keepdims = 0', (1, 8)), axes=[2, 3]), None, True),
    ('output channels', text([('c', 'Conv', ['x', 'w', 'b'], '', (1, 2100, 6, 6)), ('y', 'Relu', ['c'], '', (1, 2100, 6, 6))],
                             {'w': (2100, 8, 1, 1), 'b': (2100,)}, IMAGE), 'Split output channels into 2', True),
    ('input channels', text([('c', 'Conv', ['x', 'w', 'b'], '', IMAGE), ('y', 'Relu', ['c'], '', IMAGE)],
                            {'w': (8, 2100, 1, 1), 'b': (8,)}, (1, 2100, 6, 6)), 'split input channels into 2', True),
    ('dilated channels', text([('y', 'Conv', ['x', 'w'], 'dilations = [3, 3], kernel_shape = [2, 2]', (1, 8, 3, 3))], {'w': (8, 700, 2, 2)}, (1, 700, 6, 6)),
     'split input channels into 2', True),
    ('entries of the weight banks', text([('y', 'Conv', ['x', 'w'], 'kernel_shape = [6, 6]', (1, 8, 3, 3))], {'w': (8, 600, 6, 6)}, (1, 600, 8, 8)),
     'split input channels into 2', True),
    ('channels of a depthwise convolution', text([('y', 'Conv', ['x', 'w'], 'group = 2100, kernel_shape = [3, 3]', (1, 2100, 2, 2))], {'w': (2100, 1, 3, 3)}, (1, 2100, 4, 4)),
     'split groups into 2', True),
    ('channels of a product', text([('y', 'Gemm', ['x', 'w', 'b'], '', (1, 2200))], {'w': (2100, 2200), 'b': (2200,)}, (1, 2100)),
     'split input channels into 2, output channels into 2', True),
    ('channels of a product of rows', text([('y', 'MatMul', ['x', 'w'], '', (3, 2200))], {'w': (16, 2200)}, (3, 16)), 'Split output channels into 2', True),
    ('groups', text([('c', 'Conv', ['x', 'w', 'b'], 'group = 4, kernel_shape = [3, 3], pads = [1, 1, 1, 1]', IMAGE), ('y', 'Relu', ['c'], '', IMAGE)],
                    {'w': (8, 2, 3, 3), 'b': (8,)}, IMAGE), 'a convolution of one group with zeros between the groups', False),
    ('slope of a hard sigmoid', activation(('y', 'HardSigmoid', ['c'], 'alpha = 0.2, beta = 0.5', IMAGE)), 'Mul and a HardSigmoid of slope 1/6', True),
    ('hard sigmoid, divided', activation(POOL, ('a', 'Add', ['p', 'three'], '', IMAGE), ('k', 'Clip', ['a', 'zero', 'six'], '', IMAGE), ('y', 'Div', ['k', 'six'], '', IMAGE),
                                         **numbers('zero', 'three', 'six')), 'Div by the HardSigmoid that it ends', True),
    ('hard sigmoid, multiplied', activation(('m', 'Mul', ['c', 'sixth'], '', IMAGE), ('a', 'Add', ['m', 'half'], '', IMAGE), ('y', 'Clip', ['a', 'zero', 'one'], '', IMAGE),
                                            **numbers('zero', 'one', 'sixth', 'half')), 'Clip by the HardSigmoid that it ends', True),
    ('hard swish alone', activation(POOL, ('y', 'HardSwish', ['p'], '', IMAGE)), 'a depthwise convolution that changes nothing, and HardSwish', True),
    ('hard swish of a hard sigmoid', activation(('a', 'HardSigmoid', ['c'], 'alpha = 0.16666667, beta = 0.5', IMAGE), ('y', 'Mul', ['c', 'a'], '', IMAGE)), None, True),
    ('hard swish, divided', activation(('a', 'Add', ['c', 'three'], '', IMAGE), ('k', 'Clip', ['a', 'zero', 'six'], '', IMAGE), ('m', 'Mul', ['c', 'k'], '', IMAGE),
                                       ('y', 'Div', ['m', 'six'], '', IMAGE), **numbers('zero', 'three', 'six')), None, True),
    ('ReLU6 behind a sum', activation(OTHER, ('a', 'Add', ['c', 'd'], '', IMAGE), ('y', 'Clip', ['a', 'zero', 'six'], '', IMAGE), **numbers('zero', 'six')), None, True),
    ('ReLU6 behind a sum, of Relu and Min', activation(OTHER, ('a', 'Add', ['c', 'd'], '', IMAGE), ('r', 'Relu', ['a'], '', IMAGE), ('y', 'Min', ['r', 'six'], '', IMAGE),
                                                       **numbers('six')), 'Min by Clip with both bounds', True),
    ('ReLU6 behind a sum, of Max and Min', activation(OTHER, ('a', 'Add', ['c', 'd'], '', IMAGE), ('r', 'Max', ['a', 'zero'], '', IMAGE), ('y', 'Min', ['six', 'r'], '', IMAGE),
                                                      **numbers('zero', 'six')), 'Min by Clip with both bounds', True),
    ('ReLU6 behind a product', activation(OTHER, ('a', 'Mul', ['c', 'd'], '', IMAGE), ('y', 'Clip', ['a', 'zero', 'six'], '', IMAGE), **numbers('zero', 'six')),
     'a depthwise convolution that changes nothing, and Clip', True),
    ('ReLU6 alone', activation(POOL, ('y', 'Clip', ['p', 'zero', 'six'], '', IMAGE), **numbers('zero', 'six')), 'a depthwise convolution that changes nothing, and Clip', True),
]


def run(*arguments):
    return subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True)


class Fixes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def inspect(self, model, *options):
        done = run('inspect', model, '--target', TARGET, '--json', *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_each(self):
        self.assertEqual(len({case[0] for case in CASES}), len(CASES))
        for name, model, words, same in CASES:
            with self.subTest(name):
                path, fixed, fixes = self.folder / 'model.nnir', self.folder / 'fixed.onnx', self.folder / 'fixes.json'
                path.write_text(model)
                report = self.inspect(path)
                if words is None:
                    self.assertEqual(report['on_cpu'], 0)
                    continue
                self.assertGreater(report['on_cpu'], 0)
                done = run('inspect', path, '--target', TARGET)
                self.assertIn(words, done.stdout)

                # The one that is proposed, once applied, leaves nothing to the CPU, and what it says of the outputs holds.
                line = next(line for line in done.stdout.splitlines() if words in line)
                done = run('fix', path, '--target', TARGET, '--apply', line.split()[0], '--no-cycles', '--save-fixes', fixes, '-o', fixed)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                options = ('--target-option', 'strided_slice=true') if 'strided_slice' in fixes.read_text() else ()
                self.assertEqual(self.inspect(fixed, '--no-help', *options)['on_cpu'], 0, done.stdout)
                if same:
                    self.assertRegex(line, 'bit-identical|the same up to rounding')
                    self.assertNotIn('no number', line)
                else:
                    self.assertRegex(line, 'no number where an input is infinite' if name == 'groups' else 'outputs differ')

    def test_costs(self):
        """What goes between host and device is told in bytes, with a fix and without."""
        path, fixed = self.folder / 'model.nnir', self.folder / 'fixed.onnx'
        path.write_text(activation(('m', 'MaxPool', ['c'], 'kernel_shape = [1, 1]', IMAGE), ('l', 'LeakyRelu', ['m'], 'alpha = 0.3', IMAGE), ('y', 'Conv', ['l', 'w'], '', IMAGE)))
        size = math.prod(IMAGE)
        self.assertEqual([(t['to'], t['bytes']) for t in self.inspect(path, '--no-help')['transitions']],
                         [('DPU', size), ('CPU', size), ('DPU', size), ('CPU', size)])
        done = run('fix', path, '--target', TARGET, '--best', '-o', fixed)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(t['to'], t['bytes']) for t in self.inspect(fixed, '--no-help')['transitions']], [('DPU', size), ('CPU', size)])


if __name__ == '__main__':
    unittest.main()
