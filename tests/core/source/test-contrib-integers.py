#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the outputs of sums of products of 8 bits in integers and fractions, and holds tests/data/contrib/integers.nnir against them:
test-contrib-integers.py SOURCE. ASSAY_REGENERATE=1 writes the outputs anew.

`exact` is what the operators are defined as. `paired` adds the products of u8 and i8 two by two in 16 bits, saturated, as ONNX Runtime does on
x86 without VNNI. A rounding that is close to a tie would depend on the order of the operations: no case may have one. Cases whose outputs come
from ONNX Runtime alone (cases.nnir) have weights that saturate nowhere."""
import math
import os
import pathlib
import re
import struct
import sys
from fractions import Fraction

CONSTANT = re.compile(r'const %(\w+) : (\w+)\[([\d,]*)\] = \[([^\]]*)\]')
CALL = re.compile(r'%y = com\.microsoft::(\w+)\(([^)]*)\)(?: \{([^}]*)\})? : (\w+)\[')
# Two products of u8 and a weight of this many bits fit into 16.
WEIGHT_BITS = 7


def single(value):
    """The float32 next to a number."""
    return Fraction(struct.unpack('<f', struct.pack('<f', value))[0])


class Constant:
    def __init__(self, dtype, shape, numbers):
        self.dtype = dtype
        self.shape = [int(extent) for extent in shape.split(',') if extent]
        self.numbers = [single(float(number)) if dtype == 'f32' else int(number) for number in numbers.split(',')]

    def rows(self, turned=False):
        columns = self.shape[-1]
        rows = [self.numbers[i:i + columns] for i in range(0, len(self.numbers), columns)]
        return [list(row) for row in zip(*rows)] if turned else rows

    def at(self, column):
        """Of a number for all columns, or of one for each."""
        return self.numbers[column if len(self.numbers) > 1 else 0]


ZERO = Constant('f32', '', '0')


def nearest(value):
    """Rounds a number that is not close to a tie."""
    assert abs(value - math.floor(value) - Fraction(1, 2)) > Fraction(1, 10000), f'{float(value)} is close to a tie'
    return math.floor(value + Fraction(1, 2))


def quantize(x):
    """A tensor in u8, its scale and its zero point, as DynamicQuantizeLinear defines them."""
    low, high = min(0, *x.numbers), max(0, *x.numbers)
    scale = single(float((high - low) / 255))
    zero = nearest(-low / scale)
    quantized = Constant('u8', ','.join(map(str, x.shape)), '0')
    quantized.numbers = [min(255, max(0, nearest(number / scale) + zero)) for number in x.numbers]
    return quantized, scale, zero


def add_exactly(row, column):
    return sum(a * b for a, b in zip(row, column))


def add_in_pairs(row, column):
    products = [a * b for a, b in zip(row, column)] + [0]
    return sum(max(-1 << 15, min((1 << 15) - 1, products[i] + products[i + 1])) for i in range(0, len(products) - 1, 2))


def multiply(a, zero, b, zeros, add, turn_a=False, turn_b=False):
    """Rows of sums of (a - zero) * (b - zeros of the column), made of sums of a * b as processors make them."""
    return [[add(row, column) - zero * sum(column) - zeros.at(j) * sum(row) + len(row) * zero * zeros.at(j)
             for j, column in enumerate(b.rows(not turn_b))] for row in a.rows(turn_a)]


def matmul_integer_to_float(inputs, attributes, add):
    a, b, a_scale, b_scale, a_zero, b_zero, bias = inputs
    sums = multiply(a, a_zero.at(0), b, b_zero, add)
    return [value * a_scale.at(0) * b_scale.at(j) + bias.at(j) for row in sums for j, value in enumerate(row)]


def dynamic_quantize_matmul(inputs, attributes, add):
    x, b, b_scale, b_zero, bias = inputs[:5]
    a, scale, zero = quantize(x)
    sums = multiply(a, zero, b, b_zero, add)
    return [value * scale * b_scale.at(j) + bias.at(j) for row in sums for j, value in enumerate(row)]


def qgemm(inputs, attributes, add):
    a, a_scale, a_zero, b, b_scale, b_zero, bias, y_scale, y_zero = inputs[:9]
    alpha = single(float(attributes.get('alpha', 1)))
    sums = multiply(a, a_zero.at(0), b, b_zero, add, 'transA' in attributes, 'transB' in attributes)
    values = [(value + bias.at(j)) * alpha * a_scale.at(0) * b_scale.at(j) for row in sums for j, value in enumerate(row)]
    if y_scale is ZERO:
        return values
    return [min(255, max(0, nearest(value / y_scale.at(0)) + y_zero.at(0))) for value in values]


OPERATORS = {
    'MatMulIntegerToFloat': (matmul_integer_to_float, 1),
    'DynamicQuantizeMatMul': (dynamic_quantize_matmul, 1),
    'QGemm': (qgemm, 3),
}


def compute(text):
    """The outputs of a case by each rule, as text."""
    constants = {name: Constant(*rest) for name, *rest in CONSTANT.findall(text)}
    name, names, attributes, dtype = CALL.search(text).groups()
    function, weight = OPERATORS[name]
    inputs = [constants[each.strip()[1:]] for each in names.split(',')]
    inputs += [ZERO] * (9 - len(inputs))
    attributes = dict(each.split(' = ') for each in (attributes or '').split(', ') if each)
    if name == 'MatMulIntegerToFloat':
        inputs = inputs[:7]

    def write(add):
        return ' '.join(f'{float(value):.9g}' for value in function(inputs, attributes, add))

    exact = write(add_exactly)
    # Without a sign nothing saturates: those products are added in 32 bits.
    paired = write(add_in_pairs) if inputs[weight].dtype == 'i8' else exact
    return f'exact: {exact}\n' + (f'paired: {paired}\n' if paired != exact else '')


def find_wide(text):
    """Cases whose weights in i8 are so large that a pair of products may saturate."""
    limit = 1 << WEIGHT_BITS - 1
    for case in text.split('\n// ')[1:]:
        for name, dtype, shape, numbers in CONSTANT.findall(case):
            call = CALL.search(case)
            if (dtype == 'i8' and call and call.group(1) in (*OPERATORS, 'QLinearConv', 'QAttention') and
                    any(abs(int(number)) > limit for number in numbers.split(','))):
                yield f'{case.splitlines()[0]}: a weight of %{name} has more than {WEIGHT_BITS} bits'


def main():
    folder = pathlib.Path(sys.argv[1]) / 'tests' / 'data' / 'contrib'
    path = folder / 'integers.nnir'
    text = path.read_text()
    bare = re.sub(r'(?m)^(exact|paired): .*\n', '', text)
    head, *cases = bare.split('\n// ')
    computed = '\n// '.join([head, *(re.sub(r'\n}\n', lambda _: '\n}\n' + compute(case), case) for case in cases)])
    if os.environ.get('ASSAY_REGENERATE'):
        path.write_text(computed)
        text = computed
    wrong = list(find_wide((folder / 'cases.nnir').read_text()))
    wrong += [f'integers.nnir, line {i}: {old!r}, computed {new!r}'
              for i, (old, new) in enumerate(zip(text.splitlines(), computed.splitlines()), 1) if old != new]
    if len(text.splitlines()) != len(computed.splitlines()):
        wrong.append('integers.nnir: lines of outputs are missing or too many')
    for name in OPERATORS:
        if not any(f'::{name}(' in case and '\npaired: ' in case for case in computed.split('\n// ')):
            wrong.append(f'{name}: no case saturates')
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
