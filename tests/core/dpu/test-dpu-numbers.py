#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the DPU, written down a second time: all inputs, or all pairs, of each operation and shift."""
import hashlib
import itertools
import math
import operator
import struct
import subprocess
import sys
import unittest
from fractions import Fraction

PROGRAM = sys.argv.pop(1)
BYTES = range(-128, 128)
LINEAR, RELU, RELU6, LEAKY, PRELU = range(5)


def ask(lines):
    done = subprocess.run([PROGRAM], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=True)
    return done.stdout.split('\n')


def numbers(line):
    return [int(word) for word in line.split()]


def dpu_round(number, over):
    """What the vendor's reference calls DPURound, of number / over: saturate, then halves of negatives up, others as C."""
    if number >= 127 * over:
        return 127
    if number <= -128 * over:
        return -128
    if number < 0 and (-number) % over * 2 == over:
        return -(-number // over)
    half = (2 * abs(number) + over) // (2 * over)
    return half if number >= 0 else -half


def bounded(number, over, activation, cap):
    if activation in (RELU, RELU6):
        number = max(number, 0)
    return min(number, cap * over) if activation == RELU6 else number


def finished(number, over, activation, cap):
    if activation == LEAKY and number < 0:
        number, over = number * 26, over * 256
    return dpu_round(bounded(number, over, activation, cap), over)


def over_power(number, shift):
    """number / 2^shift as a numerator and a denominator."""
    return (number, 1 << shift) if shift >= 0 else (number << -shift, 1)


def sums(up, shift, activation, cap, narrow, bias, slope, slope_shift, first, last, step):
    """(2 sum + B) / 2^shift for a range of sums, the activation before rounding."""
    out = []
    for total in range(first, last + 1, step):
        number, over = over_power(2 * total * 2 ** up + bias, shift)
        if number < 0 and activation == PRELU:
            number, over = number * slope, over << slope_shift
        out.append(finished(number, over, activation, cap))
    return out


def factor(height, width):
    known = {(3, 3): (7, 6), (5, 5): (10, 8), (6, 6): (7, 8), (7, 7): (21, 10), (14, 14): (21, 12)}
    if (height, width) in known:
        return known[height, width]
    n = height * width
    best, found = None, None
    for shift in range(math.ceil(math.log2(128 * n))):
        multiplier = int(Fraction(1 << shift, n) + Fraction(1, 2))
        error = abs(Fraction(multiplier, 1 << shift) - Fraction(1, n))
        if best is None or error < best:
            best, found = error, (multiplier, shift)
    return found


def single(number):
    return struct.unpack('f', struct.pack('f', number))[0]


def round_float(number):
    number = min(max(number, -128.0), 127.0)
    if number < 0 and number - math.floor(number) == 0.5:
        return math.ceil(number)
    return math.floor(abs(number) + 0.5) * (1 if number >= 0 else -1)


class Draw:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) & 0xffffffff
        byte = self.state >> 24
        return byte - 256 if byte > 127 else byte


class Numbers(unittest.TestCase):
    def check(self, cases, expected):
        for case, line in zip(cases, ask([' '.join(map(str, case)) for case in cases])):
            with self.subTest(case=case):
                self.assertEqual(numbers(line), expected(*case[1:]))

    def test_add(self):
        """Two bits below the smallest position are kept of each operand, and the rest is cut off."""
        def expected(r0, r1, write, activation, cap):
            first = [(4 * a) >> r0 for a in BYTES]
            second = [(4 * b) >> r1 for b in BYTES]
            over = lambda s: over_power(s, write + 2)
            table = {s: finished(*over(s), activation, cap) for s in range(-1024, 1017)}
            return [table[a + b] for a in first for b in second]
        self.check([('add', *case) for case in (
            (0, 0, 0, LINEAR, 127), (0, 0, 1, LINEAR, 127), (1, 0, 0, LINEAR, 127), (0, 2, 0, RELU, 127), (3, 0, 1, LINEAR, 127),
            (0, 5, 0, LINEAR, 127), (0, 15, -1, LINEAR, 127), (9, 0, 2, RELU6, 96), (0, 0, -2, RELU6, 96), (0, 1, -3, LINEAR, 127),
            (0, 0, 15, LINEAR, 127), (4, 0, -15, RELU, 127), (0, 1, 1, LEAKY, 127), (3, 0, -2, LEAKY, 127))], expected)

    def test_multiply(self):
        def expected(shift, activation, cap):
            table = {}
            out = []
            for a in BYTES:
                for b in BYTES:
                    if a * b not in table:
                        table[a * b] = finished(*over_power(a * b, shift), activation, cap)
                    out.append(table[a * b])
            return out
        self.check([('multiply', shift, activation, 96) for shift, activation in
                    ((0, LINEAR), (1, LINEAR), (5, RELU), (7, LINEAR), (8, RELU6), (14, LINEAR), (16, RELU), (-2, LINEAR), (-9, RELU), (-30, LINEAR), (30, LINEAR), (3, LEAKY))], expected)

    def test_hard_sigmoid(self):
        def expected(position, shift):
            return [dpu_round(*over_power(min(2 ** 32, max(0, x * 2731 + 3 * 2731 * 2 ** position)), shift)) for x in BYTES]
        self.check([('sigmoid', position, 14 + position - result) for position in range(16) for result in (7, 8, 10)], expected)

    def test_hard_swish(self):
        def expected(position, shift):
            out = []
            for x in BYTES:
                gate = dpu_round(*over_power(min(2 ** 32, max(0, x * 2731 + 3 * 2731 * 2 ** position)), 14 + position - 7))
                out.append(dpu_round(*over_power(x * gate, shift)))
            return out
        self.check([('swish', position, position + 7 - result) for position in range(9) for result in range(position - 3, position + 8)],
                   expected)

    def test_moves(self):
        self.check([('move', shift) for shift in range(-12, 13)],
                   lambda shift: [dpu_round(*over_power(x, -shift)) for x in BYTES])
        self.check([('max', shift) for shift in range(-12, 13)],
                   lambda shift: [dpu_round(*over_power(x, -shift)) for x in BYTES])
        self.check([('leaky', shift) for shift in range(-12, 13)],
                   lambda shift: [dpu_round(*over_power(x * 26 if x < 0 else x * 256, 8 - shift)) for x in BYTES])

    def test_runs(self):
        """What stays beside each other is moved at once, to the same places."""
        def expected(*shifts):
            places = [-1 if i % 50 < 5 else (i // 16 * 53 + (0 if i // 16 % 3 == 1 else i % 16)) % 300 for i in range(300)]
            return [0 if at < 0 else dpu_round(*over_power(at * 7 % 256 - 128, -shifts[at // 100])) for at in places]
        self.check([('runs', *shifts) for shifts in ((0, 0, 0), (1, 0, -2), (-1, 3, 0))], expected)

    def test_slopes(self):
        """A PRelu that stands alone: three slopes in turns, before rounding."""
        def expected(shift, slope_shift):
            out = []
            for i, x in enumerate(BYTES):
                slope = (77, -128, 3)[i % 3]
                out.append(dpu_round(*over_power(x * slope if x < 0 else x, (slope_shift if x < 0 else 0) - shift)))
            return out
        self.check([('prelu', shift, slope_shift) for shift in range(-9, 10) for slope_shift in (0, 6, 11)], expected)

    def test_average(self):
        """The sum times a factor in single precision, for every sum; with the factors that are published."""
        def expected(height, width, shift):
            n = height * width
            multiplier, power = factor(height, width)
            scale = single(multiplier / 2 ** power)
            return [multiplier, power] + [round_float(single(single(s * scale) * 2.0 ** shift)) for s in range(-128 * n, 127 * n + 1)]
        self.check([('average', *case) for case in (
            (2, 2, 0), (3, 3, 0), (3, 3, 1), (5, 5, 0), (6, 6, 0), (7, 7, 0), (7, 7, -1), (2, 3, 0), (4, 4, 0), (8, 8, 0), (1, 9, 2))], expected)
        self.assertEqual(factor(14, 14), (21, 12))

    def test_products(self):
        """(2 sum + B) / 2^(cut + 1), the activation before rounding."""
        cases = []
        for shift in (1, 2, 5, 8, 12, 17):
            for activation in (LINEAR, RELU, RELU6, LEAKY, PRELU):
                reach = 160 << shift
                for narrow in (0, 1):
                    cases.append(('finish', 0, shift, activation, 96, narrow, 37, 77, 6, -reach // 2, reach // 2, max(1, reach // 2048)))
        cases.append(('finish', 3, 9, LEAKY, 127, 0, 5, 77, 6, -3000, 3000, 1))
        cases.append(('finish', 0, -2, LINEAR, 127, 0, 3, 0, 0, -100, 100, 1))
        self.check(cases, sums)

    def test_convolutions(self):
        """Every level of vectors gives the same sums, those of loops over all indices."""
        cases = [('conv', *case) for case in (
            (5, 6, 3, 5, 3, 3, 1, 1, 1, 1, 1, 12), (7, 5, 17, 33, 1, 1, 1, 1, 0, 0, 2, 14), (9, 9, 4, 8, 3, 3, 2, 1, 1, 1, 3, 13),
            (6, 7, 64, 16, 1, 1, 1, 1, 0, 0, 4, 15), (8, 8, 6, 70, 2, 3, 1, 2, 0, 1, 5, 13), (4, 4, 130, 9, 3, 3, 1, 1, 1, 1, 6, 16))]
        cases += [('depthwise', *case) for case in ((6, 6, 9, 9, 3, 3, 1, 1, 1, 1, 7, 11), (5, 7, 4, 8, 3, 2, 2, 1, 0, 1, 8, 11))]
        # Blocks of channels of every size, windows that lie inside and do not, more elements than the loops take at once.
        cases += [('depthwise', h, w, c, c, *rest) for h, w, c, *rest in (
            (5, 6, 16, 3, 3, 1, 1, 1, 1, 9, 11), (5, 9, 117, 3, 3, 1, 1, 1, 1, 10, 11), (7, 8, 64, 5, 5, 2, 1, 2, 2, 11, 12),
            (9, 9, 33, 3, 2, 1, 2, 0, 1, 12, 11), (3, 3, 96, 3, 3, 1, 1, 0, 0, 13, 11), (9, 10, 20, 8, 8, 1, 1, 3, 3, 14, 13),
            (10, 9, 17, 9, 9, 1, 1, 4, 4, 15, 13), (4, 20, 7, 1, 1, 1, 1, 0, 0, 16, 9))]
        lines = ask([' '.join(map(str, case)) for case in cases])
        for case in cases:
            h, w, c, oc, kh, kw, stride, dilation, top, left, seed, shift = case[1:]
            depthwise = case[0] == 'depthwise'
            draw = Draw(seed)
            image = [draw.next() for _ in range(h * w * c)]
            weights = [draw.next() for _ in range(kh * kw * oc * (1 if depthwise else c))]
            bias = [draw.next() * 64 for _ in range(oc)]
            oh = (h + 2 * top - (kh - 1) * dilation - 1) // stride + 1
            ow = (w + 2 * left - (kw - 1) * dilation - 1) // stride + 1
            out = []
            for y in range(oh):
                for x in range(ow):
                    for o in range(oc):
                        total = 0
                        for i in range(kh):
                            for j in range(kw):
                                iy, ix = y * stride + i * dilation - top, x * stride + j * dilation - left
                                if not (0 <= iy < h and 0 <= ix < w):
                                    continue
                                at = (iy * w + ix) * c
                                if depthwise:
                                    total += image[at + o // (oc // c)] * weights[(i * kw + j) * oc + o]
                                else:
                                    row = ((o * kh + i) * kw + j) * c
                                    total += sum(a * b for a, b in zip(image[at:at + c], weights[row:row + c]))
                        out.append(dpu_round(*over_power(2 * total + bias[o], shift)))
            seen = 0
            while lines[0]:
                level, _, rest = lines.pop(0).partition(' ')
                with self.subTest(case=case, level=level):
                    self.assertEqual(numbers(rest), out)
                seen += 1
            lines.pop(0)
            self.assertGreater(seen, 0)


def byte_table(values):
    return bytes(v & 255 for v in values)


class Enumerations(unittest.TestCase):
    """Every shift and position that an operation can have, over all inputs or all pairs: digests of what comes out."""

    def check(self, cases, expected):
        lines = ask(['digest ' + ' '.join(map(str, case)) for case in cases])
        for case, line in zip(cases, lines):
            with self.subTest(case=case):
                self.assertEqual(line, hashlib.sha1(expected(*case[1:])).hexdigest())

    def test_add(self):
        """All shifts that the device reads with, on either side, and writes with; each activation."""
        tables, indices = {}, {}

        def expected(r0, r1, write, activation, cap):
            key = write, activation, cap
            if key not in tables:
                tables[key] = byte_table(finished(*over_power(s, write + 2), activation, cap) for s in range(-1024, 1017))
            if r1 not in indices:
                indices[r1] = operator.itemgetter(*((4 * b >> r1) + 512 for b in BYTES))
            table, pick = tables[key], indices[r1]
            return b''.join(bytes(pick(table[512 + (4 * a >> r0):1537 + (4 * a >> r0)])) for a in BYTES)
        reads = [(r, 0) for r in range(16)] + [(0, r) for r in range(1, 16)]
        some = [(0, 0), (1, 0), (0, 3), (15, 0)]
        self.check([('add', *read, write, activation, cap) for activation, cap in ((LINEAR, 127), (RELU, 127), (RELU6, 96), (RELU6, 48), (LEAKY, 127))
                    for read in (reads if activation == LINEAR else some) for write in range(-15, 16)], expected)

    def test_multiply(self):
        picks = [operator.itemgetter(*(a * b + 16384 for b in BYTES)) for a in BYTES]
        products = {a * b for a in BYTES for b in BYTES}

        def expected(shift, activation, cap):
            table = bytearray(32769)
            for p in products:
                table[p + 16384] = finished(*over_power(p, shift), activation, cap) & 255
            return b''.join(bytes(pick(table)) for pick in picks)
        self.check([('multiply', shift, activation, 96) for activation in (LINEAR, RELU, RELU6, LEAKY)
                    for shift in (range(-15, 31) if activation == LINEAR else range(-2, 16, 3))], expected)

    def test_hard(self):
        def gate(x, position, shift):
            return dpu_round(*over_power(min(2 ** 32, max(0, x * 2731 + 3 * 2731 * 2 ** position)), shift))
        self.check([('sigmoid', position, 14 + position - result) for position in range(16) for result in range(7, 16)],
                   lambda position, shift: byte_table(gate(x, position, shift) for x in BYTES))
        self.check([('swish', position, position + 7 - result) for position in range(16) for result in range(position - 8, position + 8)],
                   lambda position, shift: byte_table(dpu_round(*over_power(x * gate(x, position, position + 7), shift)) for x in BYTES))

    def test_alone(self):
        """What is moved, the largest of a window, and activations that stand alone."""
        for what, scaled in (('move', lambda x: (x, 0)), ('max', lambda x: (x, 0)), ('leaky', lambda x: (x * 26, 8) if x < 0 else (x, 0))):
            self.check([(what, shift) for shift in range(-15, 16)],
                       lambda shift: byte_table(dpu_round(*over_power(scaled(x)[0], scaled(x)[1] - shift)) for x in BYTES))
        self.check([('argmax',)], lambda: bytes(int(b > a) for a in BYTES for b in BYTES))

    def test_fix(self):
        """Floats on every quarter of a step, and what is infinite or no number."""
        self.check([('fix', position) for position in range(-20, 21)],
                   lambda position: byte_table([*(dpu_round(i, 4) for i in range(-1200, 1201)), 127, -128, 0]))

    def test_factors(self):
        """Of each kernel: those that are published, and the best one for the others."""
        kernels = [*itertools.product(range(1, 17), repeat=2), *((n, 1) for n in range(17, 257)), (31, 8), (256, 256), (17, 19)]
        for kernel, line in zip(kernels, ask(['factor %d %d' % kernel for kernel in kernels])):
            with self.subTest(kernel=kernel):
                self.assertEqual(tuple(numbers(line)), factor(*kernel))

    def test_products(self):
        """Each shift of a sum, with a bias that is finer than it by some bits too."""
        self.check([('finish', 0, cut + 1, activation, 96, narrow, bias, -77, 6, -(160 << cut) // 2, (160 << cut) // 2, max(1, (160 << cut) // 600))
                    for cut in range(17) for activation in (LINEAR, RELU, RELU6, LEAKY, PRELU) for narrow in (0, 1) for bias in (-3, 90)] +
                   [('finish', up, cut + 1 + up, activation, 127, 0, bias, 5, 3, -(200 << cut) // 2, (200 << cut) // 2, max(1, (200 << cut) // 300))
                    for up in range(1, 9) for cut in (0, 3, 8) for activation in (LINEAR, LEAKY, PRELU) for bias in (-1, 255)],
                   lambda *case: byte_table(sums(*case)))

    def source(self, i, extent, out, half_pixel):
        """Place and weight of the second neighbour, as fractions."""
        at = Fraction(2 * i + 1, 2) * extent / out - Fraction(1, 2) if half_pixel else Fraction(i * extent, out)
        at = min(max(at, 0), extent - 1)
        return int(at), at - int(at)

    def test_resize(self):
        """All pairs of neighbours at each place between them: weights are whole sixteenths, so that single precision is exact."""
        def expected(scale, half_pixel, shift):
            rows = []
            for i in range(2 * scale):
                at, part = self.source(i, 2, 2 * scale, half_pixel)
                second = 16 * part if at == 0 else 16
                first = 16 - second
                table = byte_table(dpu_round(*over_power(t, 4 - shift)) for t in range(-2048, 2033))
                pick = operator.itemgetter(*(int(second * b) + 2048 for b in BYTES))
                rows += [bytes(pick(table[int(first * a):] if first * a >= 0 else bytes(-int(first * a)) + table)) for a in BYTES]
            return b''.join(rows)
        modes = ((2, 1), (4, 1), (2, 0), (4, 0), (8, 0))
        self.check([('resize', *mode, shift) for mode in modes for shift in range(-4, 5)], expected)

        def square(scale, half_pixel, shift, seed):
            draw, out = Draw(seed), []
            image = [draw.next() for _ in range(256)]
            for y in range(2 * scale):
                for x in range(2 * scale):
                    (y0, fy), (x0, fx) = self.source(y, 2, 2 * scale, half_pixel), self.source(x, 2, 2 * scale, half_pixel)
                    y1, x1 = min(y0 + 1, 1), min(x0 + 1, 1)
                    for c in range(64):
                        upper = image[(2 * y0 + x0) * 64 + c] * (1 - fx) + image[(2 * y0 + x1) * 64 + c] * fx
                        lower = image[(2 * y1 + x0) * 64 + c] * (1 - fx) + image[(2 * y1 + x1) * 64 + c] * fx
                        total = int((upper * (1 - fy) + lower * fy) * 256)
                        out.append(dpu_round(*over_power(total, 8 - shift)))
            return byte_table(out)
        self.check([('square', *mode, shift, 5 + shift) for mode in modes for shift in (-1, 0, 1)], square)


if __name__ == '__main__':
    unittest.main()
