#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that come quantised: the same numbers as each of AMD's tools writes them. All are taken, and give the same bits.

vai_q_onnx writes its operators into the domain ai.onnx.contrib, with numbers as strings and weights in float in front of them, and
later into com.vai.quantize; Quark into com.amd.quark, or QuantizeLinear of ONNX with activations in u8 around 128 and a bias in 32 bits;
vai_q_pytorch into vai, with bounds beside the scale.
"""
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

from dpu_models import Model, load_array, save_array
from wire import field, fields, node, tensor, varint

ASSAY = sys.argv.pop(1)
TARGET = 'dpu_zdx8g_b4096'
FLOAT, U8, I8, I32 = 1, 2, 3, 6


def run(*arguments):
    return subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True)


def attribute(name, value):
    """A string, as vai_q_onnx writes every number."""
    return field(1, name) + field(4, str(value)) + field(20, 3)


class Dialect:
    """Writes the nodes of a model with QuantizeLinear and DequantizeLinear in another way."""

    def __init__(self, data):
        self.rest, self.graph, self.nodes, self.constants = [], [], [], {}
        for number, value in fields(data):
            if number == 7:
                graph = value
            elif number != 8:
                self.rest.append(field(number, value))
        for number, value in fields(graph):
            if number == 1:
                parts = [(n, v) for n, v in fields(value)]
                text = lambda key: [v.decode() for n, v in parts if n == key]
                self.nodes.append((text(4)[0], text(1), text(2), (text(3) or [''])[0], value))
            elif number == 5:
                parts = [(n, v) for n, v in fields(value)]
                name = next(v.decode() for n, v in parts if n == 8)
                self.constants[name] = (next(v for n, v in parts if n == 2), [v for n, v in parts if n == 1], next((v for n, v in parts if n == 9), b''))
            elif number != 13:
                self.graph.append(field(number, value))
        self.out, self.more, self.count = [], {}, 0

    def scale(self, name):
        return struct.unpack('<f', self.constants[name][2])[0]

    def make(self, op, inputs, output, title, domain, *attributes):
        self.out.append(node(op, inputs, [output], title, domain, attributes))

    def new(self, kind, dims, data):
        name = f'made_{self.count}'
        self.count += 1
        self.constants[name] = (kind, dims, data)
        return name

    def number(self, form, value):
        return self.new({'i': I32, 'b': I8, 'f': FLOAT}[form], [], struct.pack('<' + form, value))

    def floats(self, name, scale):
        kind, dims, data = self.constants[name]
        assert kind == I8
        return self.new(FLOAT, dims, struct.pack(f'<{len(data)}f', *(x * scale for x in struct.unpack(f'<{len(data)}b', data))))

    def rewrite(self, how):
        """Hands each pair to `how`: what goes in, its scale and zero point, what comes out, the name, and whether it is a constant."""
        made = {n[2][0]: n for n in self.nodes}
        for op, inputs, outputs, title, data in self.nodes:
            if op == 'QuantizeLinear':
                continue
            if op != 'DequantizeLinear':
                self.out.append(field(1, data))
                continue
            constant = inputs[0] in self.constants
            how(self, inputs[0] if constant else made[inputs[0]][1][0], inputs[1], inputs[2], outputs[0], title, constant)
        used = b''.join(self.out)
        constants = b''.join(tensor(name, kind, dims, data) for name, (kind, dims, data) in self.constants.items() if name.encode() in used)
        domains = (('', 17), ('ai.onnx.contrib', 1), ('com.vai.quantize', 1), ('com.amd.quark', 1), ('vai', 1), ('vai.quantize', 1))
        return b''.join(self.rest) + field(7, used + constants + b''.join(self.graph)) + b''.join(
            field(8, field(1, domain) + field(2, version)) for domain, version in domains)


def pair(quantize, dequantize, domain, weights_in_float, *attributes):
    def write(self, value, scale, zero, out, title, constant):
        step = self.scale(scale)
        more = [attribute(name, -round(math.log2(step)) if name == 'pos' else 8) for name in attributes]
        if constant and weights_in_float:
            value = self.floats(value, step)
        if not constant or weights_in_float:
            self.make(quantize, [value, scale, zero], out + '_q', title + '_q', domain, *more)
            value = out + '_q'
        self.make(dequantize, [value, scale, zero], out, title, domain, *more)
    return write


def fix_neuron(domain):
    def write(self, value, scale, zero, out, title, constant):
        step = self.scale(scale)
        self.make('FixNeuron', [self.floats(value, step) if constant else value, scale, zero], out, title, domain,
                  attribute('bit_width', 8), attribute('pos', -round(math.log2(step))))
    return write


def fix_steps(self, value, scale, zero, out, title, constant):
    step = self.scale(scale)
    self.make('fix_neuron', [self.floats(value, step) if constant else value, self.number('i', 127), self.number('f', 1 / step), self.number('i', 2),
                             self.number('i', 0), self.number('i', 1)], out, title, 'vai')


def bounds(self, value, scale, zero, out, title, constant):
    step = self.scale(scale)
    value = self.floats(value, step) if constant else value
    self.make('QuantizeLinear', [value, self.number('i', -128), self.number('i', 127), scale, zero, self.number('b', 3), self.number('b', 1)], out + '_q', title + '_q', 'vai')
    self.make('DequantizeLinear', [out + '_q', scale, zero, self.number('b', 1)], out, title, 'vai')


def unsigned(domain='', prefix='', weights=False):
    """Activations in u8 around 128, and the weights too if asked for; a bias in 32 bits otherwise."""
    def write(self, value, scale, zero, out, title, constant):
        middle = self.new(U8, [], bytes([128]))
        if not constant:
            self.make(prefix + 'QuantizeLinear', [value, scale, middle], out + '_q', title + '_q', domain)
            self.make(prefix + 'DequantizeLinear', [out + '_q', scale, middle], out, title, domain)
        elif weights:
            kind, dims, data = self.constants[value]
            self.make(prefix + 'DequantizeLinear', [self.new(U8, dims, bytes(x ^ 0x80 for x in data)), scale, middle], out, title, domain)
        elif len(self.constants[value][1]) == 1:
            kind, dims, data = self.constants[value]
            wide = struct.pack(f'<{len(data)}i', *(x << 4 for x in struct.unpack(f'<{len(data)}b', data)))
            fine = self.new(FLOAT, [], struct.pack('<f', self.scale(scale) / 16))
            self.make(prefix + 'DequantizeLinear', [self.new(I32, dims, wide), fine, self.new(I32, [], bytes(4))], out, title, domain)
        else:
            self.make(prefix + 'DequantizeLinear', [value, scale, zero], out, title, domain)
    return write


DIALECTS = {
    'vai_q_onnx, FixNeuron': fix_neuron('ai.onnx.contrib'),
    'vai_q_onnx, FixNeuron of its own domain': fix_neuron('vai.quantize'),
    'vai_q_onnx, QDQ': pair('QuantizeLinear', 'DequantizeLinear', 'ai.onnx.contrib', True, 'bit_width', 'pos'),
    'vai_q_onnx, QDQ of ONNX': pair('QuantizeLinear', 'DequantizeLinear', '', True),
    'vai_q_onnx, VaiQuantize': pair('VaiQuantize', 'VaiDeQuantize', 'ai.onnx.contrib', True, 'bit_width', 'pos'),
    'vai_q_onnx, Vitis': pair('VitisQuantizeLinear', 'VitisDequantizeLinear', 'com.vai.quantize', False),
    'vai_q_pytorch, bounds': bounds,
    'vai_q_pytorch, fix_neuron': fix_steps,
    'Quark, XINT8': unsigned(),
    'Quark, extended': unsigned('com.amd.quark', 'Extended'),
    'all in u8': unsigned(weights=True),
}


class Vendors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        model = self.folder / 'model.nnir'
        model.write_text(Model().text())
        self.standard = self.folder / 'standard.onnx'
        done = run('quantize', model, '--random', '4', '-t', TARGET, '-o', self.standard)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.sample = self.folder / 'sample.npy'
        draw = random.Random(8)
        save_array(self.sample, (1, 3, 12, 12), [draw.uniform(-1, 1) for _ in range(432)])

    def outputs(self, model, runner, *options):
        out = self.folder / f'out_{runner}'
        done = run('run', model, '--target', TARGET, '--on', runner, '--input', f'x={self.sample}', '--output-dir', out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('dpu.host', done.stdout + done.stderr)
        return load_array(next(out.iterdir()))

    def engines(self, model):
        done = run('check', model, '--target', TARGET, '--json')
        self.assertIn(done.returncode, (0, 1), done.stderr)
        kinds = {}
        for entry in json.loads(done.stdout)['nodes']:
            if 'uantize' not in entry['op_type'] and entry['op_type'] != 'FixNeuron':
                kinds[entry['name']] = (entry['verdict'], entry.get('engine'), entry.get('positions'))
        return kinds

    def test_dialects(self):
        data = self.standard.read_bytes()
        self.assertEqual(varint(300), b'\xac\x02')
        expected = {runner: self.outputs(self.standard, runner) for runner in ('dpu', 'dpu-quantiser', 'reference')}
        engines = self.engines(self.standard)
        for name, how in DIALECTS.items():
            with self.subTest(name):
                path = self.folder / 'dialect.onnx'
                path.write_bytes(Dialect(data).rewrite(how))
                for runner, numbers in expected.items():
                    self.assertEqual(self.outputs(path, runner), numbers, runner)
                found = self.engines(path)
                self.assertEqual(sorted(found), sorted(engines))
                for node_, (verdict, engine, positions) in engines.items():
                    self.assertEqual(found[node_][:2], (verdict, engine), node_)
                    # A bias in 32 bits has another position, which is the only thing that may differ.
                    if positions and 'XINT8' not in name and 'extended' not in name:
                        self.assertEqual(found[node_][2], positions, node_)
                done = run('compare', path, '--target', TARGET, '--json')
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == '__main__':
    unittest.main()
