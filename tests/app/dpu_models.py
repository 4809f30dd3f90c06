# SPDX-License-Identifier: Apache-2.0
"""Models in float that the tests of the DPU quantise, and arrays in files."""
import math
import random
import struct


class Model:
    """A small network in float: convolutions with activations, a sum, a join, pools, a product, and Softmax, which the host does."""

    def __init__(self, weight=0.2):
        draw = random.Random(1)
        self.constants, self.nodes = [], []

        def constant(name, *dims):
            numbers = [draw.uniform(-weight, weight) for _ in range(math.prod(dims))]
            self.constants.append(f'  const %{name} : f32[{",".join(map(str, dims))}] = [{", ".join(map(repr, numbers))}]')
            return '%' + name

        def node(out, op, inputs, dims, attributes=''):
            self.nodes.append((out, op, f'  %{out} = {op}({", ".join(inputs)}){attributes} : f32[{dims}] @ "{out}" from [{len(self.nodes)}]'))
            return '%' + out

        window = ' {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}'
        a = node('a', 'Conv', ['%x', constant('wa', 8, 3, 3, 3), constant('ba', 8)], '1,8,12,12', window)
        a = node('a_relu', 'Relu', [a], '1,8,12,12')
        b = node('b', 'Conv', [a, constant('wb', 8, 1, 3, 3), constant('bb', 8)], '1,8,12,12', ' {group = 8, kernel_shape = [3, 3], pads = [1, 1, 1, 1]}')
        b = node('b_swish', 'HardSwish', [b], '1,8,12,12')
        s = node('s', 'Add', [a, b], '1,8,12,12')
        c = node('c', 'Concat', [s, a], '1,16,12,12', ' {axis = 1}')
        p = node('p', 'MaxPool', [c], '1,16,6,6', ' {kernel_shape = [2, 2], strides = [2, 2]}')
        g = node('g', 'GlobalAveragePool', [p], '1,16,1,1')
        f = node('f', 'Flatten', [g], '1,16')
        m = node('m', 'Gemm', [f, constant('wm', 16, 10), constant('bm', 10)], '1,10')
        node('y', 'Softmax', [m], '1,10')

    def text(self):
        origins = '\n'.join(f'origin {i} "graph" {i} {op} "{out}"' for i, (out, op, _) in enumerate(self.nodes))
        return ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\n'
                f'opset "" 17\n{origins}\nmain (%x : f32[1,3,12,12]) {{\n' + '\n'.join(self.constants) + '\n' +
                '\n'.join(line for _, _, line in self.nodes) + '\n  return %y\n}\n')


def save_array(path, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},)}}"
    head += ' ' * (-(len(head) + 11) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack(f'<{len(values)}f', *values))


def load_array(path):
    data = path.read_bytes()
    return [x[0] for x in struct.iter_unpack('<f', data[10 + struct.unpack('<H', data[8:10])[0]:])]


def uneven_model():
    """Layers whose channels differ by powers of two that the next layer takes back, through all that a factor passes."""
    draw = random.Random(4)
    factors = [2.0 ** draw.uniform(-6, 3) for _ in range(16)]
    constants, nodes = [], []

    def constant(name, *dims, rows=None, columns=None, inner=1):
        numbers = []
        for i in range(math.prod(dims)):
            factor = (rows[i // (math.prod(dims) // dims[0])] if rows else 1) / (columns[i // inner % 16] if columns else 1)
            numbers.append(draw.uniform(-0.3, 0.3) * factor)
        constants.append(f'  const %{name} : f32[{",".join(map(str, dims))}] = [{", ".join(map(repr, numbers))}]')

    def node(out, op, inputs, dims, attributes=''):
        origin = len(nodes)
        nodes.append((f'origin {origin} "graph" {origin} {op} "{out}"',
                      f'  %{out} = {op}({", ".join("%" + i for i in inputs)}){attributes} : f32[{dims}] @ "{out}" from [{origin}]'))

    other = [2.0 ** draw.uniform(-4, 4) for _ in range(16)]
    constant('w1', 16, 3, 3, 3, rows=factors)
    constant('b1', 16, rows=factors)
    constant('s', 16, 1, 1)
    constant('w2', 16, 1, 3, 3, rows=[b / a for a, b in zip(factors, other)])
    constant('b2', 16, rows=other)
    constant('w3', 16, 16, 1, 1, rows=factors, columns=other)
    constant('b3', 16, rows=factors)
    constant('w4', 16, 10, rows=[1 / f for f in factors])
    constant('b4', 10)
    node('c1', 'Conv', ['x', 'w1', 'b1'], '1,16,12,12', ' {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}')
    node('r1', 'PRelu', ['c1', 's'], '1,16,12,12')
    node('p1', 'MaxPool', ['r1'], '1,16,6,6', ' {kernel_shape = [2, 2], strides = [2, 2]}')
    node('c2', 'Conv', ['p1', 'w2', 'b2'], '1,16,6,6', ' {kernel_shape = [3, 3], pads = [1, 1, 1, 1], group = 16}')
    node('r2', 'Relu', ['c2'], '1,16,6,6')
    node('c3', 'Conv', ['r2', 'w3', 'b3'], '1,16,6,6', ' {kernel_shape = [1, 1]}')
    node('r3', 'LeakyRelu', ['c3'], '1,16,6,6', ' {alpha = 0.1}')
    node('g', 'GlobalAveragePool', ['r3'], '1,16,1,1')
    node('f', 'Flatten', ['g'], '1,16')
    node('y', 'Gemm', ['f', 'w4', 'b4'], '1,10')
    return ('nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\nopset "" 17\n' +
            '\n'.join(n[0] for n in nodes) + '\nmain (%x : f32[1,3,12,12]) {\n' + '\n'.join(constants) + '\n' +
            '\n'.join(n[1] for n in nodes) + '\n  return %y\n}\n')
