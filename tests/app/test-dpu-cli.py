#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The way of a model to a DPU as a person goes it: inspect, quantise, compile, run, compare."""
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from dpu_models import Model, load_array, save_array, uneven_model

ASSAY = sys.argv.pop(1)
TARGET = 'dpu_zdx8g_b4096'


def run(*arguments):
    return subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True)


def document(*arguments):
    done = run(*arguments, '--json')
    return json.loads(done.stdout)


class Flow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / 'model.nnir'
        self.model.write_text(Model().text())
        samples = self.folder / 'samples'
        samples.mkdir()
        draw = random.Random(2)
        for i, shape in enumerate(((1, 3, 12, 12), (3, 12, 12), (2, 3, 12, 12))):
            save_array(samples / f'{i}.npy', shape, [draw.uniform(-1, 1) for _ in range(math.prod(shape))])
        self.samples = samples
        self.quantised = self.folder / 'q.onnx'

    def quantise(self, *options):
        done = run('quantize', self.model, '--calibration', self.samples, '-o', self.quantised, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_whole_way(self):
        report = document('quantize', self.model, '--calibration', self.samples, '-o', self.quantised)
        self.assertEqual(report['samples'], 4)
        self.assertFalse(report['random'])
        # Input, convolution, the one before the hard swish, swish, sum, join, two pools, product.
        self.assertEqual(report['activations'], 9)
        self.assertEqual(report['constants'], 6)
        self.assertEqual(len(report['costs']), 8)
        self.assertEqual(sum('float_gain_db' in cost for cost in report['costs']), 5)
        own = [cost['own_db'] for cost in report['costs'] if cost['own_db'] is not None]
        self.assertEqual(own, sorted(own))
        self.assertTrue(all(10 < db < 120 for db in own), own)

        # What rounds is named after what it rounds, so that it stands in the same scope.
        nodes = [(node['op_type'], node['name']) for node in document('check', self.quantised, '--target', TARGET)['nodes']]
        others = [name for op, name in nodes if 'quantize' not in op.lower()] + ['x']
        for op, name in nodes:
            if 'quantize' in op.lower():
                self.assertIn(re.sub(rf'_{op}(_\d+)?$', '', name), others)

        program = self.folder / 'program'
        done = run('compile', self.quantised, '--target', TARGET, '-o', program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('estimated', done.stdout)
        self.assertNotIn('nine models of ten', done.stdout)
        self.assertNotIn('Ranges', done.stdout)
        self.assertNotIn('dpu.', done.stdout + done.stderr)
        listing = run('dump', program).stdout
        for words in ('convolution convolution', 'depthwise   depthwise convolution', 'hard swish', 'elementwise add', 'max pool', 'average pool', 'host'):
            self.assertIn(words, listing)

        outs = []
        for what in ((program,), (self.quantised, '--target', TARGET, '--on', 'dpu')):
            out = self.folder / f'out{len(outs)}'
            done = run('run', *what, '--random', '3', '--output-dir', out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('MHz, estimated', done.stdout)
            outs.append(next(out.iterdir()).read_bytes())
        self.assertEqual(outs[0], outs[1])

        report = document('compare', self.quantised, '--target', TARGET)
        self.assertEqual(report['b'], 'DPU')
        self.assertEqual(report['precision'], 'int8')
        # A join and a pool only move: they are the same to the bit.
        kinds = {row['op_type']: row for row in report['tensors']}
        self.assertEqual(kinds['MaxPool']['own_error'], 0)
        self.assertEqual(kinds['Concat']['own_error'], 0)
        self.assertLessEqual(max(row['own_error'] for row in report['tensors'] if row['precision'] == 'int8'), 1)

        # Operations that are not seen round too, and a board computes what its program does.
        for options in (('--outputs-only',), ('--b', 'board:local')):
            outputs = document('compare', self.quantised, '--target', TARGET, *options)
            self.assertEqual((outputs['precision'], outputs['verdict']), ('int8', 'within'), outputs)

        self.check_costs(report)
        self.assertNotIn('output_db', document('compare', self.quantised, '--target', TARGET, '--costs', '0'))
        self.assertIn('What 8 bits cost most, SQNR against float', run('compare', self.quantised, '--target', TARGET).stdout)
        report = document('compare', self.quantised, '--target', TARGET, '-a', 'dpu-quantiser', '-b', 'dpu')
        self.assertEqual(report['a'], 'DPU quantiser')

    def check_costs(self, report):
        """Own and total SQNR of every operation against float, and gains of the five that cost most, which the outputs bear out."""
        costs = [(row['op_type'], row['against_float']) for row in report['tensors'] if 'against_float' in row]
        # Every activation but the input.
        self.assertEqual(len(costs), 8)
        self.assertEqual(sum('float_gain_db' in cost for _, cost in costs), 5)
        least = sorted(cost['own_db'] for _, cost in costs if cost['own_db'] is not None)[4]
        self.assertTrue(all((cost['own_db'] or 1e9) <= least for _, cost in costs if 'float_gain_db' in cost))

        # The model without what puts values into 8 bits is the one that is measured against.
        text = run('show', self.quantised, '--emit', 'nnir', '--level', 'onnx').stdout
        made = dict(re.findall(r'^  (%\S+) = QuantizeLinear\((%[^,]+),', text, re.M))
        undone, n = re.subn(r'DequantizeLinear\((%[^,]+), [^)]*\)', lambda m: f'Identity({made[m.group(1)]})' if m.group(1) in made else m.group(0), text)
        self.assertGreater(n, 8)
        paths = self.folder / 'undone.nnir', self.folder / 'sample.npy'
        paths[0].write_text(undone)
        draw = random.Random(9)
        save_array(paths[1], (1, 3, 12, 12), [draw.uniform(-1, 1) for _ in range(432)])
        exact, numbers = self.reference(paths[0], paths[1]), self.reference(self.quantised, paths[1])
        db = 10 * math.log10(sum(a * a for a in exact) / sum((a - b) ** 2 for a, b in zip(exact, numbers)))
        self.assertAlmostEqual(document('compare', self.quantised, '--target', TARGET, '--input', f'x={paths[1]}')['output_db'], db, places=3)

    def test_runtime(self):
        """ONNX Runtime loads what is written, and computes what the reference does."""
        if 'ASSAY_ONNXRUNTIME' not in os.environ:
            self.skipTest('ONNX Runtime is not installed')
        self.quantise()
        report = document('compare', self.quantised, '--a', 'reference', '--b', 'ort', '--outputs-only')
        self.assertEqual(report['tensors'][-1]['verdict'] in ('exact', 'within'), True, report)

    def reference(self, model, sample):
        out = self.folder / f'out_{model.name}'
        done = run('run', model, '--on', 'reference', '--input', f'x={sample}', '--output-dir', out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return load_array(next(out.iterdir()))

    def test_options(self):
        """Equalisation and correction are measured, and the model stays the same one: its outputs are those of the model as it was."""
        self.model.write_text(uneven_model())
        sample = self.folder / 'sample.npy'
        draw = random.Random(6)
        save_array(sample, (1, 3, 12, 12), [draw.uniform(-1, 1) for _ in range(432)])
        exact = self.reference(self.model, sample)

        def worth(*options):
            report = document('quantize', self.model, '--calibration', self.samples, '-o', self.quantised, '--costs', '0', *options)
            outputs = self.reference(self.quantised, sample)
            noise = sum((a - b) ** 2 for a, b in zip(exact, outputs))
            return report, 10 * math.log10(sum(a * a for a in exact) / noise)

        plain, plain_db = worth()
        self.assertEqual((plain['equalized'], plain['corrected'], plain['without']), (0, 0, []))
        self.assertNotIn('output_db', plain)
        report, db = worth('--equalize')
        self.assertEqual((report['equalized'], report['corrected']), (3, 0))
        self.assertEqual([trial['name'] for trial in report['without']], ['no equalisation'])
        self.assertGreater(report['output_db'], report['without'][0]['output_db'] + 10)
        self.assertGreater(db, plain_db + 10)
        self.assertGreater(db, 25)
        report, db = worth('--equalize', '--correct-bias')
        self.assertEqual([trial['name'] for trial in report['without']], ['neither', 'equalisation alone'])
        self.assertGreater(db, 25)
        self.assertIn('dB with neither', run('quantize', self.model, '--calibration', self.samples, '-o', self.quantised, '--equalize',
                                             '--correct-bias').stdout)

    def test_correction(self):
        """Of inputs whose mean is not zero a product is off by what its weights are off, unless the bias takes that back."""
        draw = random.Random(7)
        weights = [draw.uniform(-1, 1) * (16 if i == 0 else 1) for i in range(8 * 48)]
        self.model.write_text(
            'nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\nopset "" 17\n'
            'origin 0 "graph" 0 Conv "y"\nmain (%x : f32[1,3,12,12]) {\n'
            f'  const %w : f32[8,3,4,4] = [{", ".join(map(repr, weights))}]\n  const %b : f32[8] = [{", ".join(["0.25"] * 8)}]\n'
            '  %y = Conv(%x, %w, %b) {kernel_shape = [4, 4]} : f32[1,8,9,9] @ "y" from [0]\n  return %y\n}\n')
        sample = self.folder / 'sample.npy'
        for path in (sample, *self.samples.iterdir()):
            save_array(path, (1, 3, 12, 12), [draw.uniform(0.8, 1) for _ in range(432)])
        exact = self.reference(self.model, sample)

        def off(*options):
            report = document('quantize', self.model, '--calibration', self.samples, '-o', self.quantised, *options)
            difference = [a - b for a, b in zip(exact, self.reference(self.quantised, sample))]
            return report, max(abs(sum(difference[i:i + 81])) / 81 for i in range(0, 648, 81))

        report, without = off()
        report, corrected = off('--correct-bias')
        self.assertEqual((report['equalized'], report['corrected']), (0, 1))
        self.assertLess(corrected, without / 2)
        self.assertGreater(report['output_db'], report['without'][0]['output_db'])

    def test_tools(self):
        """Each tool rounds in its own way; weights of some differ."""
        files = []
        for tool in ('pytorch', 'tensorflow2', 'onnx'):
            self.quantise('--quantizer', tool)
            files.append(self.quantised.read_bytes())
        self.assertEqual(len(files[0]), len(files[1]))
        done = run('quantize', self.model, '--random', '1', '-o', self.quantised, '--quantizer', 'abacus')
        self.assertEqual(done.returncode, 2)
        self.assertIn('pytorch, tensorflow2, onnx', done.stderr)

    def test_moved(self):
        """A position that the device has no shift for moves, and the cost is told."""
        self.model.write_text(Model(weight=1e-6).text())
        self.assertIn('quantize.moved', self.quantise())

    def test_floor(self):
        """What a hard sigmoid makes stays at position 7, whatever is tied to it behind: there one is the most that 8 bits hold."""
        self.model.write_text(
            'nnir 1\ngraph "g" {level = onnx, ir_version = 8, producer = "", producer_version = "", doc = "", main = "g"}\nopset "" 17\n'
            'origin 0 "graph" 0 HardSigmoid "h"\norigin 1 "graph" 1 Resize "r"\nmain (%x : f32[1,3,12,12]) {\n'
            '  const %none : f32[0] = []\n  const %scales : f32[4] = [1, 1, 2, 2]\n'
            '  %h = HardSigmoid(%x) {alpha = 0.16666667} : f32[1,3,12,12] @ "h" from [0]\n'
            '  %r = Resize(%h, %none, %scales) {mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"} : '
            'f32[1,3,24,24] @ "r" from [1]\n  return %r\n}\n')
        for i in range(3):
            save_array(self.samples / f'{i}.npy', (1, 3, 12, 12), [9.0] * 432)
        self.quantise()
        nodes = {node['name']: node for node in document('check', self.quantised, '--target', TARGET)['nodes']}
        self.assertIn('result 7', nodes['h']['positions'])
        self.assertIn('result 7', nodes['r']['positions'])
        self.assertNotIn('notes', nodes['h'])

    def test_refusals(self):
        program = self.folder / 'program'
        done = run('compile', self.model, '--target', TARGET, '-o', program)
        self.assertEqual(done.returncode, 1)
        self.assertIn('assay quantize', done.stderr)
        self.assertFalse(program.exists())

        self.quantise()
        text = run('show', self.quantised, '--emit', 'nnir', '--level', 'onnx').stdout
        odd = self.folder / 'odd.nnir'
        self.assertIn('f32[] = [0.001953125]', text)
        odd.write_text(text.replace('f32[] = [0.001953125]', 'f32[] = [0.0018]'))
        done = run('compile', odd, '--target', TARGET, '-o', program)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'the nearest is 2\^-9 = 0.001953125, where its numbers have \d\d\.\d dB of SQNR')
        # Of what is computed there are no numbers, but steps and reach.
        for scale, words in (('0.007', 'whose steps are 1.12 times as coarse (-1.0 dB of SQNR)'),
                             ('0.009', 'whose steps are 1.15 times as fine (+1.2 dB of SQNR), and whose numbers end at 0.9922 instead of 1.143')):
            lines = text.splitlines()
            at = next(i for i, line in enumerate(lines) if ' = QuantizeLinear(' in line)
            name = re.search(r'QuantizeLinear\([^,]*, (%"[^"]*"|%\w+)', lines[at]).group(1)
            odd.write_text('\n'.join(lines[:at] + [f'  const %odd : f32[] = [{scale}]', lines[at].replace(name + ',', '%odd,')] + lines[at + 1:]) + '\n')
            done = run('compile', odd, '--target', TARGET, '-o', program)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn(f'Its scale is {scale} (the nearest is 2^-7, ', run('check', odd, '--target', TARGET).stdout)

        done = run('quantize', self.quantised, '--random', '1', '-o', self.folder / 'twice.onnx')
        self.assertEqual(done.returncode, 1)
        self.assertIn('quantised already', done.stderr)

        done = run('run', self.quantised, '--target', TARGET, '--on', 'vm', '--random', '1')
        self.assertEqual(done.returncode, 2)
        self.assertIn('that is dpu', done.stderr)
        for arguments in ((), ('--calibration', self.folder / 'nothing'), ('--calibration', self.folder), ('--random', '-1')):
            self.assertNotEqual(run('quantize', self.model, '-o', self.quantised, *arguments).returncode, 0)
        wrong = self.folder / 'wrong.npy'
        save_array(wrong, (3, 11, 12), [0.0] * 396)
        done = run('quantize', self.model, '-o', self.quantised, '--calibration', wrong)
        self.assertEqual(done.returncode, 2)
        self.assertIn('has shape', done.stderr)

    def test_positions(self):
        """What an engine takes of a quantised model says where its numbers are, and which shifts it does not have."""
        def nodes(path):
            return [node for node in document('check', path, '--target', TARGET)['nodes'] if node['verdict'] == 'supported' and node['op_type'] != 'Flatten']

        self.assertFalse([node for node in nodes(self.model) if 'positions' in node])
        self.quantise()
        said = {node['op_type']: node['positions'] for node in nodes(self.quantised)}
        self.assertLessEqual({'Conv', 'Add', 'Concat', 'MaxPool', 'GlobalAveragePool', 'Gemm'}, set(said))
        for op, line in said.items():
            self.assertNotIn('the device has', line, op)
        self.assertRegex(said['Conv'], r'input -?\d+, weights -?\d+, bias -?\d+, result -?\d+; sum shifted by \d+ \(0 to 16\); bias shifted by')

        text = run('show', self.quantised, '--emit', 'nnir', '--level', 'onnx').stdout
        far = self.folder / 'far.nnir'
        far.write_text(text.replace('f32[] = [0.0078125]', f'f32[] = [{2.0 ** -40!r}]'))
        told = [node for node in nodes(far) if 'and the device has 0 to 16 alone' in node.get('positions', '')]
        self.assertTrue(told)
        for node in told:
            self.assertIn('compile: ' + node['positions'], node['notes'])
        self.assertIn('positions: input', run('inspect', self.quantised, '--target', TARGET, '--all', '--no-help').stdout)

    def test_survey(self):
        """All eight sizes, the slowest first; a faster one never takes more cycles here."""
        self.quantise()
        report = document('survey', self.quantised, '--target', TARGET, '--rate', '1')
        self.assertEqual(len(report['targets']), 8)
        rates = [entry['per_second'] for entry in report['targets']]
        self.assertEqual(rates, sorted(rates))
        self.assertTrue(all(entry['meets'] and 'estimated' in entry['estimate'] for entry in report['targets']))
        # A layer takes as long as its engine or memory; memory is the same for all, and engines only get faster.
        for entry in report['targets']:
            self.assertEqual(sum(max(layer['computing'], layer['moving']) for layer in entry['layers']), entry['cycles'])
            for layer in entry['layers']:
                self.assertEqual(layer['bound'], 'memory' if layer['moving'] > layer['computing'] else 'engine')
        bounds = [sum(layer['bound'] == 'memory' for layer in entry['layers']) for entry in report['targets']]
        self.assertLess(bounds[0], bounds[-1])
        self.assertIn('* where memory takes longer', run('survey', self.quantised, '--target', TARGET).stdout)
        done = run('survey', self.model, '--target', TARGET)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('assay quantize', done.stdout)

    def test_damaged(self):
        """A program file is from anywhere: what is cut off or changed is refused."""
        self.quantise()
        program = self.folder / 'program'
        self.assertEqual(run('compile', self.quantised, '--target', TARGET, '-o', program).returncode, 0)
        good = program.read_bytes()
        no_pixels = re.sub(rb'(true|false), \(\d+, ', rb'\1, (0, ', good, count=1)
        for bad in (good[:30], good[:200], good[:-40], no_pixels, good.replace(b'pytorch', b'abacus ')):
            self.assertNotEqual(bad, good)
            program.write_bytes(bad)
            done = run('run', program, '--random', '1')
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_inspect(self):
        picture = self.folder / 'picture.dot'
        report = document('inspect', self.model, '--target', TARGET, '--dot', picture)
        self.assertEqual(report['on_cpu'], 1)
        self.assertEqual([node['op_type'] for node in report['nodes'] if node['device'] == 'CPU'], ['Softmax'])
        self.assertEqual([(t['to'], t['bytes']) for t in report['transitions']], [('DPU', 432), ('CPU', 10)])
        self.assertIn('digraph', picture.read_text())
        text = run('inspect', self.model, '--target', TARGET, '--all').stdout
        self.assertIn('10 nodes on the DPU, in 1 subgraph; 1 on the CPU', text)
        self.assertIn('2 transitions, 442 bytes\n', text)

    def test_inspect_open(self):
        """What an open size leaves unknown is not counted as nothing."""
        model = self.folder / 'open.nnir'
        model.write_text('main (%x : f32[?,3,8,8]) {\n  %y = Add(%x, %x) @ "add"\n  %z = Exp(%y) @ "exp"\n  return %z\n}\n')
        report = document('inspect', model, '--target', TARGET)
        self.assertTrue(report['transitions'])
        self.assertFalse([t for t in report['transitions'] if 'bytes' in t])
        text = run('inspect', model, '--target', TARGET).stdout
        self.assertIn(f'{len(report["transitions"])} transitions, 0 bytes and {len(report["transitions"])} of open sizes, which --bind gives\n', text)


if __name__ == '__main__':
    unittest.main(verbosity=2)
