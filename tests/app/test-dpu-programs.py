#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random quantised programs on the DPU's machine against the vendor's formulae, written down a second time.

Each program is a chain of operations with random positions, as NNIR text; the machine runs it whole, and what it gives
must be the same to the bit. The positions include shifts that the device does not have: the formulae hold there too.
"""
import importlib.util
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ASSAY = sys.argv.pop(1)
SPEC = importlib.util.spec_from_file_location('numbers', pathlib.Path(__file__).parent.parent / 'core' / 'dpu' / 'test-dpu-numbers.py')
sys.argv.insert(1, '')
formulae = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(formulae)
dpu_round, over_power, finished, factor, single, round_float = (
    formulae.dpu_round, formulae.over_power, formulae.finished, formulae.factor, formulae.single, formulae.round_float)
LINEAR, RELU, RELU6, LEAKY, PRELU = range(5)
TARGET = 'dpu_zdx8g_b4096'


class Map:
    """A feature map: numbers of 8 bits by (channel, row, column), and their position."""

    def __init__(self, name, shape, position, numbers):
        self.name, self.shape, self.position, self.numbers = name, shape, position, numbers

    def at(self, c, y, x):
        return self.numbers[(c * self.shape[1] + y) * self.shape[2] + x]


class Program:
    def __init__(self, seed, options=()):
        self.random = random.Random(seed)
        self.lines, self.constants, self.count, self.options, self.outputs = [], [], 0, dict(options), []
        self.constant('zero', 'i8[]', [0])

    def name(self, what):
        self.count += 1
        return f'{what}{self.count}'

    def constant(self, name, kind, numbers):
        self.constants.append(f'  const %{name} : {kind} = [{", ".join(map(str, numbers))}]')
        return name

    def node(self, op, inputs, kind, attributes=''):
        out = self.name(op.lower())
        origin = len(self.lines)
        self.lines.append((f'origin {origin} "graph" {origin} {op} "n_{out}"',
                           f'  %{out} = {op}({", ".join("%" + i for i in inputs)}){attributes} : {kind} @ "n_{out}" from [{origin}]'))
        return out

    def scale(self, position):
        name = self.name('scale')
        return self.constant(name, 'f32[]', [repr(2.0 ** -position)])

    def weights(self, shape, position, reach=127):
        n = math.prod(shape)
        numbers = [self.random.randint(-reach - 1, reach) for _ in range(n)]
        dims = ','.join(map(str, shape))
        name = self.constant(self.name('w'), f'i8[{dims}]', numbers)
        return self.node('DequantizeLinear', [name, self.scale(position), 'zero'], f'f32[{dims}]'), numbers

    def quantize(self, value, shape, position):
        dims = '1,' + ','.join(map(str, shape))
        scale = self.scale(position)
        bits = self.node('QuantizeLinear', [value, scale, 'zero'], f'i8[{dims}]')
        return self.node('DequantizeLinear', [bits, scale, 'zero'], f'f32[{dims}]')

    def kind(self, shape):
        return 'f32[1,' + ','.join(map(str, shape)) + ']'

    def input(self, shape, position=None):
        position = self.random.randint(0, 6) if position is None else position
        values = [self.random.uniform(-150, 150) * 2.0 ** -position for _ in range(math.prod(shape))]
        values = [single(v) for v in values]
        numbers = [round_float(v * 2.0 ** position) for v in values]
        name = self.name('in')
        self.inputs.append((name, shape, values))
        return Map(self.quantize(name, shape, position), shape, position, numbers)

    def cap(self, position):
        if self.options.get('exact_relu6') == 'true':
            return math.floor(6 * 2.0 ** position)
        return 96 if position <= 4 else 127

    def activation(self, value, shape, choices):
        which = self.random.choice(choices)
        if which == RELU:
            value = self.node('Relu', [value], self.kind(shape))
        elif which == RELU6:
            low, high = (self.constant(self.name('c'), 'f32[]', [x]) for x in (0.0, 6.0))
            value = self.node('Clip', [value, low, high], self.kind(shape))
        elif which == LEAKY:
            value = self.node('LeakyRelu', [value], self.kind(shape), ' {alpha = 0.1}')
        elif which == PRELU:
            self.slope_shift = self.random.randint(4, 9)
            name, self.factors = self.weights((shape[0], 1, 1), self.slope_shift)
            value = self.node('PRelu', [value, name], self.kind(shape))
        return value, which

    def conv(self, x, depthwise=False, transposed=False, choices=(LINEAR, RELU, RELU6, LEAKY, PRELU)):
        c, h, w = x.shape
        kh, kw, stride, dilation = (self.random.choice(k) for k in ((1, 2, 3), (1, 3), (1, 2), (1, 1, 2)))
        pads = [self.random.randint(0, (kh - 1) * dilation), self.random.randint(0, (kw - 1) * dilation)] * 2
        if h + 2 * pads[0] <= (kh - 1) * dilation or w + 2 * pads[1] <= (kw - 1) * dilation or transposed:
            kh = kw = stride = 2 if transposed else 1
            dilation, pads = 1, [0, 0, 0, 0]
            if transposed:
                kh, kw = 3, 2
                pads = [1, 0, 1, 0]
        oc = c * self.random.choice((1, 2)) if depthwise and not transposed else c if depthwise else self.random.choice((1, 3, 8, 17))
        shape = (c if transposed else oc, 1 if depthwise else (oc if transposed else c), kh, kw)
        pw, py = self.random.randint(4, 9), self.random.randint(-1, 7)
        pb = self.random.randint(0, 9)
        w_name, weights = self.weights(shape, pw)
        b_name, bias = self.weights((oc,), pb)
        if transposed:
            oh, ow = (h - 1) * stride + kh - 2 * pads[0], (w - 1) * stride + kw - 2 * pads[1]
        else:
            oh = (h + 2 * pads[0] - (kh - 1) * dilation - 1) // stride + 1
            ow = (w + 2 * pads[1] - (kw - 1) * dilation - 1) // stride + 1
        out = (oc, oh, ow)
        lists = f'strides = [{stride}, {stride}], dilations = [{dilation}, {dilation}], pads = {pads}, kernel_shape = [{kh}, {kw}]'
        y = self.node('ConvTranspose' if transposed else 'Conv', [x.name, w_name, b_name], self.kind(out),
                      f' {{group = {c if depthwise else 1}, {lists}}}')
        y, activation = self.activation(y, out, choices)
        cut, bias_shift = x.position + pw - py, x.position + pw - pb
        exact = self.options.get('exact_bias') == 'true'
        numbers = []
        for o in range(oc):
            for i in range(oh):
                for j in range(ow):
                    total = 0
                    for a in range(kh):
                        for b in range(kw):
                            if transposed:
                                iy, ix = i + pads[0] - a, j + pads[1] - b
                                if iy % stride or ix % stride:
                                    continue
                                iy, ix = iy // stride, ix // stride
                            else:
                                iy, ix = i * stride + a * dilation - pads[0], j * stride + b * dilation - pads[1]
                            if not (0 <= iy < h and 0 <= ix < w):
                                continue
                            for k in range(c):
                                if depthwise and k != o // (oc // c):
                                    continue
                                at = (k * (1 if depthwise else oc) + (0 if depthwise else o)) if transposed else (
                                    o if depthwise else o * c + k)
                                total += x.at(k, iy, ix) * weights[(at * kh + a) * kw + b]
                    up = 0
                    if bias_shift + 1 >= 0:
                        added = bias[o] << (bias_shift + 1)
                    elif exact:
                        up, added = -(bias_shift + 1), bias[o]
                    else:
                        added = bias[o] >> -(bias_shift + 1)
                    number, over = over_power((2 * total << up) + added, cut + 1 + up)
                    if number < 0 and activation == PRELU:
                        number, over = number * self.factors[o], over << self.slope_shift
                    numbers.append(finished(number, over, activation, self.cap(py)))
        return Map(self.quantize(y, out, py), out, py, numbers)

    def pool(self, x, largest):
        c, h, w = x.shape
        k = min(self.random.choice((2, 3)), h, w)
        stride = self.random.choice((1, 2))
        out = (c, (h - k) // stride + 1, (w - k) // stride + 1)
        py = x.position + self.random.choice((0, 0, 1, -1))
        y = self.node('MaxPool' if largest else 'AveragePool', [x.name], self.kind(out), f' {{kernel_shape = [{k}, {k}], strides = [{stride}, {stride}]}}')
        multiplier, power = factor(k, k)
        numbers = []
        for o in range(c):
            for i in range(out[1]):
                for j in range(out[2]):
                    window = [x.at(o, i * stride + a, j * stride + b) for a in range(k) for b in range(k)]
                    if largest:
                        numbers.append(dpu_round(*over_power(max(window), x.position - py)))
                    else:
                        numbers.append(round_float(single(single(sum(window) * single(multiplier / 2 ** power)) * 2.0 ** (py - x.position))))
        return Map(self.quantize(y, out, py), out, py, numbers)

    def combine(self, x, op):
        other = self.input(x.shape)
        y = self.node(op, [x.name, other.name], self.kind(x.shape))
        y, activation = self.activation(y, x.shape, (LINEAR, RELU, RELU6, LEAKY) if op == 'Add' else (LINEAR,))
        py = self.random.randint(-1, 6)
        least = min(x.position, other.position)
        numbers = []
        for a, b in zip(x.numbers, other.numbers):
            if op == 'Add':
                number, over = over_power((4 * a >> (x.position - least)) + (4 * b >> (other.position - least)), least - py + 2)
            else:
                number, over = over_power(a * b, x.position + other.position - py)
            numbers.append(finished(number, over, activation, self.cap(py)))
        return Map(self.quantize(y, x.shape, py), x.shape, py, numbers)

    def slopes(self, x, on_host):
        """PRelu that stands alone: a slope per channel, or one per element, which the host multiplies with in float."""
        c, h, w = x.shape
        pw, py = self.random.randint(4, 9), x.position + self.random.randint(-2, 3)
        name, slopes = self.weights((c, h, w) if on_host else (c, 1, 1), pw)
        y = self.node('PRelu', [x.name, name], self.kind(x.shape))
        numbers = []
        for i, n in enumerate(x.numbers):
            slope = slopes[i if on_host else i // (h * w)]
            number, over = over_power(n * (slope if n < 0 else 1), x.position - py + (pw if n < 0 else 0))
            numbers.append(dpu_round(number, over))
        return Map(self.quantize(y, x.shape, py), x.shape, py, numbers)

    def largest(self, x):
        c, h, w = x.shape
        if c < 2:
            return x
        py = x.position + self.random.choice((0, 1, -1))
        axis = self.constant(self.name('axis'), 'i64[1]', [1])
        y = self.node('ReduceMax', [x.name, axis], self.kind((1, h, w)), ' {keepdims = 1}')
        numbers = [dpu_round(*over_power(max(x.at(k, i, j) for k in range(c)), x.position - py)) for i in range(h) for j in range(w)]
        return Map(self.quantize(y, (1, h, w), py), (1, h, w), py, numbers)

    def product(self, x):
        """The constant on either side: it is summed over columns, or over rows."""
        c, h, w = x.shape
        left, n = self.random.random() < 0.5, self.random.choice((1, 3, 9))
        pw, py = self.random.randint(4, 9), self.random.randint(-1, 7)
        out = (c, n, w) if left else (c, h, n)
        name, weights = self.weights((n, h) if left else (w, n), pw)
        y = self.node('MatMul', [name, x.name] if left else [x.name, name], self.kind(out))
        numbers = []
        for k in range(c):
            for i in range(out[1]):
                for j in range(out[2]):
                    total = (sum(weights[i * h + a] * x.at(k, a, j) for a in range(h)) if left else
                             sum(x.at(k, i, a) * weights[a * n + j] for a in range(w)))
                    numbers.append(dpu_round(*over_power(2 * total, x.position + pw - py + 1)))
        return Map(self.quantize(y, out, py), out, py, numbers)

    def line(self, x):
        """A convolution of rank 3, over what is one row after another."""
        c, h, w = x.shape
        oc, k, pw, pb, py = self.random.choice((1, 5)), self.random.choice((1, 3)), self.random.randint(4, 9), self.random.randint(0, 9), self.random.randint(-1, 7)
        flat, out = (c, h * w), (oc, h * w)
        shape = self.constant(self.name('shape'), 'i64[3]', [1, *flat])
        back = self.constant(self.name('shape'), 'i64[4]', [1, oc, h, w])
        w_name, weights = self.weights((oc, c, k), pw)
        b_name, bias = self.weights((oc,), pb)
        y = self.node('Reshape', [x.name, shape], self.kind(flat))
        y = self.node('Conv', [y, w_name, b_name], self.kind(out), f' {{kernel_shape = [{k}], pads = [{k // 2}, {k // 2}]}}')
        y, activation = self.activation(y, out, (LINEAR, RELU, LEAKY))
        y = self.quantize(y, out, py)
        y = self.node('Reshape', [y, back], self.kind((oc, h, w)))
        shift = x.position + pw - pb + 1
        numbers = []
        for o in range(oc):
            for i in range(h * w):
                total = sum(x.numbers[a * h * w + i + b - k // 2] * weights[(o * c + a) * k + b]
                            for a in range(c) for b in range(k) if 0 <= i + b - k // 2 < h * w)
                added = bias[o] << shift if shift >= 0 else bias[o] >> -shift
                number, over = over_power(2 * total + added, x.position + pw - py + 1)
                if shift < 0 and self.options.get('exact_bias') == 'true':
                    number, over = over_power((2 * total << -shift) + bias[o], x.position + pw - py + 1 - shift)
                numbers.append(finished(number, over, activation, self.cap(py)))
        return Map(y, (oc, h, w), py, numbers)

    def join(self, x):
        other = self.input((self.random.choice((1, 3)),) + x.shape[1:])
        out = (x.shape[0] + other.shape[0],) + x.shape[1:]
        py = min(x.position, other.position)
        y = self.node('Concat', [x.name, other.name], self.kind(out), ' {axis = 1}')
        numbers = [dpu_round(*over_power(n, part.position - py)) for part in (x, other) for n in part.numbers]
        return Map(self.quantize(y, out, py), out, py, numbers)

    def hard(self, x, op):
        if not 0 <= x.position <= 15:
            return x
        py = self.random.choice((7, 8)) if op == 'HardSigmoid' else x.position + self.random.randint(-2, 7)
        conv = self.conv(x, choices=(LINEAR,))
        if not 0 <= conv.position <= 15:
            return conv
        y = self.node(op, [conv.name], self.kind(conv.shape), ' {alpha = 0.16666667}' if op == 'HardSigmoid' else '')
        position = conv.position
        numbers = []
        for n in conv.numbers:
            gate = lambda shift: dpu_round(*over_power(min(2 ** 32, max(0, n * 2731 + 3 * 2731 * 2 ** position)), shift))
            if op == 'HardSigmoid':
                numbers.append(gate(14 + position - py))
            else:
                numbers.append(dpu_round(*over_power(n * gate(14 + position - 7), position + 7 - py)))
        return Map(self.quantize(y, conv.shape, py), conv.shape, py, numbers)

    def write_all(self):
        """One after another what differs from the model for some numbers alone: an average over nine, and a hard sigmoid of fine steps."""
        self.inputs = []
        x = self.input((16, 9, 9), position=12)
        y = self.node('HardSigmoid', [x.name], self.kind(x.shape), ' {alpha = 0.16666667}')
        self.outputs.append(self.quantize(y, x.shape, 7))
        y = self.node('AveragePool', [x.name], self.kind((16, 3, 3)), ' {kernel_shape = [3, 3], strides = [3, 3]}')
        return self.text(Map(self.quantize(y, (16, 3, 3), 13), (16, 3, 3), 13, []))

    def write(self, steps):
        self.inputs = []
        x = self.input((self.random.choice((3, 4, 16)), self.random.randint(4, 7), self.random.randint(4, 7)))
        rules = [self.conv, self.conv, lambda x: self.conv(x, depthwise=True), lambda x: self.pool(x, True), lambda x: self.pool(x, False),
                 lambda x: self.combine(x, 'Add'), lambda x: self.combine(x, 'Mul'), self.join, lambda x: self.conv(x, transposed=True),
                 lambda x: self.conv(x, depthwise=True, transposed=True), lambda x: self.hard(x, 'HardSigmoid'),
                 lambda x: self.hard(x, 'HardSwish'), lambda x: self.slopes(x, False), lambda x: self.slopes(self.conv(x), True), self.largest,
                 self.product, self.line]
        for _ in range(steps):
            if math.prod(x.shape) > 1500:
                x = self.pool(x, True)
            x = self.random.choice(rules)(x)
        return self.text(x)

    def text(self, x):
        heads = '\n'.join(line[0] for line in self.lines)
        names = ', '.join(f'%{name} : {self.kind(shape)}' for name, shape, _ in self.inputs)
        body = '\n'.join(line[1] for line in self.lines)
        text = ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\n'
                f'opset "" 17\n{heads}\nmain ({names}) {{\n' + '\n'.join(self.constants) + f'\n{body}\n  return {", ".join("%" + o for o in [x.name, *self.outputs])}\n}}\n')
        return text, x


def save_array(path, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},)}}"
    head += ' ' * (-(len(head) + 11) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack(f'<{len(values)}f', *values))


def load_array(path):
    data = path.read_bytes()
    return [x[0] for x in struct.iter_unpack('<f', data[10 + struct.unpack('<H', data[8:10])[0]:])]


RULES = {'half up', 'guard bits', 'pool factor', '2731 for a sixth', 'hard sigmoid in 8 bits', 'slope 26/256', '96 steps for six'}


BOUNDED = {'Add', 'AveragePool', 'Clip', 'Concat', 'Conv', 'ConvTranspose', 'HardSigmoid', 'HardSwish', 'LeakyRelu', 'MatMul', 'MaxPool', 'Mul', 'PRelu',
           'QuantizeLinear', 'ReduceMax', 'Relu'}


class Programs(unittest.TestCase):
    def start(self, program, text, options, folder, *command):
        model = folder / 'model.nnir'
        model.write_text(text)
        arguments = []
        for key, value in options:
            arguments += ['--target-option', f'{key}={value}']
        for name, shape, values in program.inputs:
            save_array(folder / f'{name}.npy', (1,) + shape, values)
            arguments += ['--input', f'{name}={folder / name}.npy']
        return subprocess.run([ASSAY, command[0], model, '--target', TARGET, *command[1:], *arguments], capture_output=True, text=True)

    def run_program(self, seed, steps, options=()):
        program = Program(seed, options)
        text, result = program.write(steps)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = self.start(program, text, options, folder, 'run', '--on', 'dpu', '--output-dir', folder / 'out')
            self.assertEqual(done.returncode, 0, done.stderr + text)
            got = load_array(next((folder / 'out').iterdir()))
        self.assertEqual([n * 2.0 ** -result.position for n in result.numbers], got, text[-3000:])

    def test_random(self):
        for seed in range(60):
            with self.subTest(seed=seed):
                self.run_program(seed, 1 + seed % 4)

    def check_bounds(self, tensor):
        """What a device makes of the same operands is never beyond what is certified, and no limit is tighter than what is expected."""
        certified = math.inf if tensor['certified'] is None else tensor['certified']
        self.assertLessEqual(tensor['own_error'], certified, tensor)
        self.assertLessEqual(tensor['expected'], tensor['limit'], tensor)
        self.assertEqual(tensor['verdict'], 'exact' if tensor['total_error'] == 0 else 'within', tensor)
        self.assertEqual(tensor['distance_unit'], 'steps')
        for element in tensor.get('worst', []):
            self.assertEqual(element['distance'], element['error'])
        # Two that round the same number to the same steps are one step apart at most.
        if tensor['op_type'] in ('MaxPool', 'ReduceMax', 'Concat', 'QuantizeLinear'):
            self.assertLess(certified, 1.01, tensor)

    def test_explained(self):
        """Each element that differs from what the model says has a rule that takes it there, and all rules occur."""
        seen, bounded, sources = {}, set(), set()
        for seed in range(200, 300):
            program = Program(seed)
            text, _ = program.write_all() if seed == 200 else program.write(1 + seed % 4)
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                done = self.start(program, text, (), pathlib.Path(name), 'compare', '--json')
                report = json.loads(done.stdout)
                counts = {rule['rule']: rule['elements'] for rule in report.get('rules', [])}
                self.assertNotIn('unexplained', counts, text[-2000:])
                # What differs by itself has a rule, and nothing else has.
                for tensor in report['tensors']:
                    if tensor['precision'] == 'int8':
                        self.assertEqual('rules' in tensor, tensor['own_error'] > 0, tensor)
                        self.check_bounds(tensor)
                        bounded.add(tensor['op_type'])
                        sources.add(tensor['limit_source'])
                for rule, n in counts.items():
                    seen[rule] = seen.get(rule, 0) + n
        self.assertLessEqual(RULES, set(seen), seen)
        self.assertLessEqual(BOUNDED, bounded)
        self.assertEqual(sources, {'tolerance', 'expected'})

    def test_options(self):
        for seed in range(100, 108):
            with self.subTest(seed=seed):
                self.run_program(seed, 2, (('exact_relu6', 'true'), ('exact_bias', 'true')))


if __name__ == '__main__':
    unittest.main()
