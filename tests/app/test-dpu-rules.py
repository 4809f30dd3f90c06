#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever a rule of the DPU gives to an engine computes in integers: a node for each rule and each fusion of the target file.

All of them stand in one model, a branch each. A rule that has no branch here, a branch that another rule takes, and one that is left to
the host fail the test.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ASSAY, RULES = sys.argv.pop(1), json.loads(pathlib.Path(sys.argv.pop(1)).read_text())
TARGET = 'dpu_zdx8g_b4096'
SIX = {'alpha': 1 / 6, 'beta': 0.5}


class Branches:
    def __init__(self):
        self.draw = random.Random(3)
        self.constants, self.nodes, self.inputs, self.outputs, self.count = [], [], [], [], 0

    def name(self):
        self.count += 1
        return f'v{self.count}'

    def floats(self, *dims, values=None):
        values = values or [self.draw.uniform(-0.5, 0.5) for _ in range(math.prod(dims))]
        name = self.name()
        self.constants.append(f'  const %{name} : f32[{",".join(map(str, dims))}] = [{", ".join(map(repr, values))}]')
        return name

    def ints(self, *values):
        name = self.name()
        self.constants.append(f'  const %{name} : i64[{len(values)}] = [{", ".join(map(str, values))}]')
        return name

    def input(self, *dims):
        name = self.name()
        self.inputs.append(f'%{name} : f32[{",".join(map(str, dims))}]')
        return name

    def node(self, op, inputs, dims, label=None, kind='f32', **attributes):
        name = self.name()
        label = label or 'n_' + name
        written = ', '.join(f'{key} = ' + (f'"{value}"' if isinstance(value, str) else str(value)) for key, value in attributes.items())
        origin = len(self.nodes)
        self.nodes.append((f'origin {origin} "graph" {origin} {op} "{label}"',
                           f'  %{name} = {op}({", ".join("%" + i for i in inputs)}){" {" + written + "}" if written else ""} : '
                           f'{kind}[{",".join(map(str, dims))}] @ "{label}" from [{origin}]'))
        return name

    def end(self, value):
        self.outputs.append(value)

    def text(self):
        heads, lines = '\n'.join(n[0] for n in self.nodes), '\n'.join(n[1] for n in self.nodes)
        return ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\n'
                f'opset "" 17\n{heads}\nmain ({", ".join(self.inputs)}) {{\n' + '\n'.join(self.constants) + f'\n{lines}\n  return ' +
                ', '.join('%' + o for o in self.outputs) + '\n}\n')

    # Branches; what has the name of the rule is what the rule takes.

    def conv(self, label=None, x=None, bias=True):
        inputs = [x or self.input(1, 4, 6, 6), self.floats(8, 4, 3, 3)] + ([self.floats(8)] if bias else [])
        return self.node('Conv', inputs, (1, 8, 6, 6), label, kernel_shape=[3, 3], pads=[1, 1, 1, 1])

    def conv_like(self, label, op, x, weight, out, **attributes):
        self.end(self.node(op, [self.input(*x), self.floats(*weight), self.floats(out[1])], out, label, **attributes))

    def activation(self, label, x, which, dims=(1, 8, 6, 6)):
        more = {'Clip': lambda: [self.floats(values=[0.0]), self.floats(values=[6.0])], 'PRelu': lambda: [self.floats(8, 1, 1)]}
        attributes = {'LeakyRelu': {'alpha': 0.1}, 'HardSigmoid': SIX}
        return self.node(which, [x] + more.get(which, list)(), dims, label, **attributes.get(which, {}))

    def sum(self, op='Add'):
        return self.node(op, [self.conv(), self.conv()], (1, 8, 6, 6))

    def alone(self, label, op, dims, inputs=(), kind='f32', **attributes):
        self.end(self.node(op, [self.conv(), *inputs], dims, label, kind, **attributes))

    def products(self):
        self.conv_like('product', 'Gemm', (3, 10), (10, 8), (3, 8))
        # On either side, of either order, and of a matrix per image; all by the same rule.
        for op, x, weight, out, attributes in (('Gemm', (10, 3), (10, 8), (3, 8), {'transA': 1}), ('Gemm', (3, 10), (8, 10), (3, 8), {'transB': 1})):
            self.end(self.node(op, [self.input(*x), self.floats(*weight)], out, f'product#{len(self.nodes)}', **attributes))
        for left, x, weight, out in ((True, (10, 3), (8, 10), (8, 3)), (True, (2, 5, 6, 4), (7, 6), (2, 5, 7, 4)), (False, (2, 5, 6, 4), (4, 7), (2, 5, 6, 7)),
                                     (False, (2, 3, 4), (1, 4, 6), (2, 3, 6)), (True, (2, 3, 4), (1, 5, 3), (2, 5, 4))):
            pair = [self.input(*x), self.floats(*weight)]
            self.end(self.node('MatMul', pair[::-1] if left else pair, out, f'product#{len(self.nodes)}'))

    def rules(self):
        window = {'kernel_shape': [3, 3], 'pads': [1, 1, 1, 1]}
        self.conv_like('conv', 'Conv', (2, 4, 6, 6), (8, 4, 3, 3), (2, 8, 6, 6), **window)
        self.conv_like('depthwise', 'Conv', (1, 4, 6, 6), (8, 1, 3, 3), (1, 8, 6, 6), group=4, **window)
        self.conv_like('conv1d', 'Conv', (2, 4, 7), (8, 4, 3), (2, 8, 4), kernel_shape=[3], pads=[1, 1], strides=[2])
        self.conv_like('depthwise1d', 'Conv', (1, 4, 7), (4, 1, 3), (1, 4, 7), group=4, kernel_shape=[3], pads=[2, 2], dilations=[2])
        self.conv_like('transposed', 'ConvTranspose', (1, 4, 3, 3), (4, 8, 2, 2), (1, 8, 6, 6), kernel_shape=[2, 2], strides=[2, 2])
        self.conv_like('transposed-depthwise', 'ConvTranspose', (1, 4, 3, 3), (4, 1, 2, 2), (1, 4, 6, 6), group=4, kernel_shape=[2, 2], strides=[2, 2])
        self.products()
        self.alone('max-pool', 'MaxPool', (1, 8, 3, 3), kernel_shape=[2, 2], strides=[2, 2])
        self.alone('average-pool', 'AveragePool', (1, 8, 3, 3), kernel_shape=[2, 2], strides=[2, 2])
        self.alone('global-pool', 'GlobalMaxPool', (1, 8, 1, 1))
        pooled = lambda: self.node('MaxPool', [self.conv()], (1, 8, 5, 5), kernel_shape=[2, 2])
        self.end(self.activation('leaky-relu', pooled(), 'LeakyRelu', (1, 8, 5, 5)))
        self.end(self.activation('prelu', pooled(), 'PRelu', (1, 8, 5, 5)))
        self.end(self.activation('hard-sigmoid', pooled(), 'HardSigmoid', (1, 8, 5, 5)))
        self.end(self.node('BatchNormalization', [pooled(), *(self.floats(8, values=[abs(self.draw.uniform(0.5, 1)) for _ in range(8)]) for _ in range(4))],
                           (1, 8, 5, 5), 'batch-normalization'))
        self.end(self.node('Add', [self.conv(), self.conv()], (1, 8, 6, 6), 'add'))
        self.end(self.node('Mul', [self.conv(), self.conv()], (1, 8, 6, 6), 'mul'))
        self.end(self.node('Mul', [self.conv(), self.floats(8, 1, 1)], (1, 8, 6, 6), 'mul.constant'))
        self.end(self.node('Concat', [self.conv(), self.conv()], (1, 16, 6, 6), 'concat', axis=1))
        none = self.floats(0)
        for label, op, attributes in (('resize.nearest', 'Resize', {'mode': 'nearest', 'coordinate_transformation_mode': 'asymmetric', 'nearest_mode': 'floor'}),
                                      ('resize.half-pixel', 'Resize', {'mode': 'linear', 'coordinate_transformation_mode': 'half_pixel'}),
                                      ('resize.asymmetric', 'Resize', {'mode': 'linear', 'coordinate_transformation_mode': 'asymmetric'}),
                                      ('upsample.linear', 'Upsample', {'mode': 'linear'})):
            scales = self.floats(4, values=[1.0, 1.0, 2.0, 2.0])
            self.end(self.node(op, [self.conv()] + ([none, scales] if op == 'Resize' else [scales]), (1, 8, 12, 12), label, **attributes))
        self.alone('pad', 'Pad', (1, 8, 8, 8), [self.ints(0, 0, 1, 1, 0, 0, 1, 1)], mode='constant')
        self.alone('reshape', 'Flatten', (1, 288), axis=1)
        narrow = self.node('MaxPool', [self.conv()], (1, 8, 6, 1), kernel_shape=[1, 6])
        self.end(self.node('Transpose', [narrow], (1, 8, 1, 6), 'transpose.reshape', perm=[0, 1, 3, 2]))
        self.alone('transpose', 'Transpose', (1, 6, 6, 8), perm=[0, 2, 3, 1])
        self.alone('slice', 'Slice', (1, 8, 3, 6), [self.ints(0), self.ints(6), self.ints(2), self.ints(2)])
        self.alone('reduce-mean', 'ReduceMean', (1, 8, 1, 1), [self.ints(2, 3)], keepdims=1)
        self.alone('reduce-mean.reshape', 'ReduceMean', (1, 8), [self.ints(-1, -2)], keepdims=0)
        self.alone('reduce-max', 'ReduceMax', (1, 1, 6, 6), [self.ints(1)], keepdims=1)
        self.alone('reduce-max#spatial', 'ReduceMax', (1, 8, 1, 1), [self.ints(2, 3)], keepdims=1)
        self.alone('reduce-max.reshape', 'ReduceMax', (1, 6, 6), [self.ints(1)], keepdims=0)
        self.alone('argmax', 'ArgMax', (1, 1, 6, 6), kind='i64', axis=1)
        self.alone('depth-to-space', 'DepthToSpace', (1, 2, 12, 12), blocksize=2)

    def fusions(self):
        padded = self.node('Pad', [self.input(1, 4, 4, 4), self.ints(0, 0, 1, 1, 0, 0, 1, 1)], (1, 4, 6, 6), 'fuse.pad', mode='constant')
        self.end(self.conv(x=padded))
        names = {'relu': 'Relu', 'relu6': 'Clip', 'leaky-relu': 'LeakyRelu', 'prelu': 'PRelu', 'hard-sigmoid': 'HardSigmoid', 'hard-swish': 'HardSwish'}
        biased = lambda label=None: self.node('Add', [self.conv(bias=False), self.floats(8, 1, 1)], (1, 8, 6, 6), label)
        self.end(biased('fuse.bias'))
        for short, op in names.items():
            self.end(self.activation(f'fuse.{short}', self.conv(), op))
            self.end(self.activation(f'fuse.{short}.bias', biased(), op))
            if op != 'PRelu':
                self.end(self.activation(f'fuse.eltwise-{short}', self.sum(), op))
        self.end(self.activation('fuse.eltwise-relu#mul', self.sum('Mul'), 'Relu'))


class Clauses(Branches):
    """What the rules say of nodes at their limits, and beyond: the name of a node is what is expected, and a number."""

    def take(self, expected, op, inputs, dims, **attributes):
        value = self.node(op, inputs, dims, f'{expected}#{len(self.nodes)}', **attributes)
        self.end(value)
        return value

    def weight(self, dims, quantised):
        """A constant, or one in 8 bits with what makes floats of it."""
        if not quantised:
            return self.floats(*dims, values=[0.25] * math.prod(dims))
        bits, scale, zero = self.name(), self.floats(values=[0.25]), self.name()
        self.constants += [f'  const %{bits} : i8[{",".join(map(str, dims))}] = [{", ".join(["1"] * math.prod(dims))}]', f'  const %{zero} : i8[] = [0]']
        return self.node('DequantizeLinear', [bits, scale, zero], dims)

    def products(self):
        """Channels are those of the axis that is summed over, and of the one the constant brings; rows are no channels."""
        for quantised in (False, True):
            weight = lambda *dims: self.weight(dims, quantised)
            for expected, op, left, x, w, out, attributes in (
                    ('product.channels', 'Gemm', False, (5000, 2), (5000, 2), (2, 2), {'transA': 1}), ('product', 'Gemm', False, (2, 5000), (2, 2), (5000, 2), {'transA': 1}),
                    ('product.channels', 'Gemm', True, (2, 5000), (3, 5000), (3, 2), {'transB': 1}), ('product', 'Gemm', True, (5000, 2), (3, 2), (3, 5000), {'transB': 1}),
                    ('product.channels', 'MatMul', True, (5000, 2), (3, 5000), (3, 2), {}), ('product.channels', 'MatMul', True, (2, 3), (5000, 2), (5000, 3), {}),
                    ('product', 'MatMul', True, (2, 5000), (3, 2), (3, 5000), {}), ('product.batch', 'MatMul', False, (3, 2, 4), (3, 4, 5), (3, 2, 5), {}),
                    ('product.batch', 'MatMul', True, (3, 4, 2), (3, 5, 4), (3, 5, 2), {}), ('product', 'MatMul', True, (2, 5, 6, 4), (7, 6), (2, 5, 7, 4), {})):
                pair = [self.input(*x), weight(*w)]
                self.take(expected, op, pair[::-1] if left else pair, out, **attributes)

    def pads(self):
        def padded(expected, pads, dims, value=None, mode='constant'):
            extra = [self.floats(values=[value])] if value is not None else []
            return self.take(expected, 'Pad', [self.conv(), self.ints(*pads), *extra], dims, mode=mode)

        window = {'kernel_shape': [3, 3], 'pads': [1, 1, 1, 1]}
        for expected, pads, dims in (('fuse.pad', (0, 0, 1, 1, 0, 0, 1, 1), (1, 8, 8, 8)), ('pad', (0, 0, 2, 1, 0, 0, 1, 1), (1, 8, 9, 8)),
                                     ('pad.negative', (0, 0, -1, 0, 0, 0, 0, 0), (1, 8, 5, 6)), ('pad', (0, 1, 0, 0, 0, 0, 0, 0), (1, 9, 6, 6))):
            x = padded(expected, pads, dims)
            self.outputs.pop()
            self.take('conv', 'Conv', [x, self.floats(2, dims[1], 3, 3)], (1, 2, *dims[2:]), **window)
        for op, rule in (('MaxPool', 'max-pool'), ('AveragePool', 'average-pool')):
            x = padded('pad', (0, 0, 1, 1, 0, 0, 1, 1), (1, 8, 8, 8))
            self.outputs.pop()
            self.take(rule, op, [x], (1, 8, 6, 6), kernel_shape=[3, 3])
        padded('pad.value', (0, 0, 1, 1, 0, 0, 1, 1), (1, 8, 8, 8), 1.0)
        padded('pad.mode', (0, 0, 1, 1, 0, 0, 1, 1), (1, 8, 8, 8), None, 'reflect')

    def activations(self):
        for op, expected in (('Add', {'Relu': 'relu', 'Clip': 'relu6', 'LeakyRelu': 'leaky-relu', 'HardSigmoid': 'hard-sigmoid', 'HardSwish': 'hard-swish', 'PRelu': None}),
                             ('Mul', {'Relu': 'relu', 'Clip': None, 'LeakyRelu': None, 'HardSwish': None, 'PRelu': None})):
            own = {'Clip': 'activation.alone', 'LeakyRelu': 'leaky-relu', 'HardSwish': 'activation.alone', 'PRelu': 'prelu'}
            for which, rule in expected.items():
                label = f'fuse.eltwise-{rule}' if rule else own[which]
                self.end(self.activation(f'{label}#{len(self.nodes)}', self.sum(op), which))
        for dims, expected in (((8, 1, 1), 'fuse.prelu'), ((1,), 'fuse.prelu'), ((8, 6, 6), 'prelu.slope'), ((6,), 'prelu.slope')):
            self.take(expected, 'PRelu', [self.conv(), self.floats(*dims)], (1, 8, 6, 6))
        # Of what a convolution makes channels are axis 1 whatever the rank.
        row = lambda: self.node('Conv', [self.input(1, 4, 6), self.floats(8, 4, 1)], (1, 8, 6), kernel_shape=[1])
        self.take('fuse.prelu', 'PRelu', [row(), self.floats(8, 1)], (1, 8, 6))
        self.take('prelu.slope', 'PRelu', [row(), self.floats(6)], (1, 8, 6))
        self.take('fuse.bias', 'Add', [row(), self.floats(8, 1)], (1, 8, 6))
        self.take('mul.constant', 'Mul', [row(), self.floats(1, 8, 1)], (1, 8, 6))
        # Both readers of one result cannot be a part of what makes it.
        x = self.conv()
        self.take('activation.alone', 'Relu', [x], (1, 8, 6, 6))
        self.end(x)

    def others(self):
        relu = lambda x: self.node('Relu', [x], (1, 8, 6, 6))
        self.take('depth-to-space', 'DepthToSpace', [relu(self.conv())], (1, 2, 12, 12), blocksize=2)
        self.take('depth-to-space.context', 'DepthToSpace', [self.sum()], (1, 2, 12, 12), blocksize=2)
        narrow = lambda: self.node('MaxPool', [self.conv()], (1, 8, 1, 6), kernel_shape=[6, 1])
        self.take('transpose.reshape', 'Transpose', [narrow()], (1, 1, 8, 6), perm=[0, 2, 1, 3])
        self.take('transpose.perm', 'Transpose', [self.conv()], (1, 8, 6, 6), perm=[0, 1, 3, 2])
        for op, axes, keepdims, dims, expected in (
                ('ReduceMean', (2, 3), 0, (1, 8), 'reduce-mean.reshape'), ('ReduceMean', (-1, -2), 1, (1, 8, 1, 1), 'reduce-mean'),
                ('ReduceMean', (2,), 0, (1, 8, 6), 'reduce.axes'), ('ReduceMean', (1, 2), 1, (1, 1, 1, 6), 'reduce.axes'),
                ('ReduceMax', (1,), 0, (1, 6, 6), 'reduce-max.reshape'), ('ReduceMax', (3, 2), 0, (1, 8), 'reduce-max.reshape'),
                ('ReduceMax', (1,), 1, (1, 1, 6, 6), 'reduce-max'), ('ReduceMax', (3,), 1, (1, 8, 6, 1), 'reduce.axes')):
            self.take(expected, op, [self.conv(), self.ints(*axes)], dims, keepdims=keepdims)
        for last in (0, 1):
            self.take(('argmax', 'argmax.last')[last], 'ArgMax', [self.conv()], (1, 1, 6, 6), kind='i64', axis=1, select_last_index=last)


def run(*arguments):
    return subprocess.run([ASSAY, *map(str, arguments), '--target', TARGET, '--target-option', 'strided_slice=true'], capture_output=True, text=True)


class Rules(unittest.TestCase):
    def test_rules(self):
        branches = Branches()
        branches.rules()
        branches.fusions()
        with tempfile.TemporaryDirectory() as name:
            model, quantised, program = (pathlib.Path(name) / file for file in ('model.nnir', 'quantised.onnx', 'program'))
            model.write_text(branches.text())
            done = run('quantize', model, '--random', 2, '--costs', 0, '-o', quantised)
            self.assertEqual(done.returncode, 0, done.stderr)
            taken = {}
            for path in (model, quantised):
                for node in json.loads(run('check', path, '--json').stdout)['nodes']:
                    taken.setdefault(node['name'], []).append(node)
            compiled = run('compile', quantised, '-o', program)
            compared = json.loads(run('compare', quantised, '--json').stdout)

        wanted = [rule['id'] for rule in RULES['rules'] if 'engine' in rule] + [fusion['id'] for fusion in RULES['fusions']]
        for rule in wanted:
            # In a quantised model what rounds stands before some activations: those rules end like this.
            label = rule.replace('.quantized', '')
            with self.subTest(rule=rule):
                self.assertIn(rule, [node['rule'] for node in taken[label]], taken[label])
        for label, nodes in taken.items():
            self.assertNotIn('host', [node['verdict'] for node in nodes], nodes)
            # Nodes that round are named after what they round.
            if '#' in label and nodes[0]['op_type'] not in ('QuantizeLinear', 'DequantizeLinear'):
                self.assertIn(label.split('#')[0], [node['rule'] for node in nodes])
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        self.assertNotIn('dpu.', compiled.stdout + compiled.stderr)
        self.assertNotIn('unexplained', [rule['rule'] for rule in compared['rules']])
        # Nothing but roundings: pools have exact factors here.
        for tensor in compared['tensors']:
            if tensor['precision'] == 'int8':
                self.assertLessEqual(tensor['own_error'], 1, tensor)

    def test_clauses(self):
        clauses = Clauses()
        for add in (clauses.products, clauses.pads, clauses.activations, clauses.others):
            add()
        with tempfile.TemporaryDirectory() as name:
            model = pathlib.Path(name) / 'model.nnir'
            model.write_text(clauses.text())
            done = run('check', model, '--json')
            nodes = [node for node in json.loads(done.stdout)['nodes'] if '#' in node['name']]
        self.assertGreater(len(nodes), 50)
        for node in nodes:
            with self.subTest(node=node['name']):
                self.assertEqual(node['rule'], node['name'].split('#')[0], node['reason'])
                # A refusal says what is there, and what would be taken, which is something else.
                if node['verdict'] == 'host':
                    self.assertTrue(node['actual'] and node['allowed'], node)
                    self.assertNotEqual(node['actual'], node['allowed'])


if __name__ == '__main__':
    unittest.main()
