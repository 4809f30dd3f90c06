#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The reference against ONNX Runtime on every form of RNN, GRU and LSTM: directions, lengths, clips, peepholes, activations.

Arguments: the assay program."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy
from onnx import TensorProto, helper, numpy_helper

ASSAY = pathlib.Path(sys.argv.pop(1))
GATES = {'RNN': 1, 'GRU': 3, 'LSTM': 4}
# The functions of a layer, if nobody says others.
FUNCTIONS = {'RNN': ['Tanh'], 'GRU': ['Sigmoid', 'Tanh'], 'LSTM': ['Sigmoid', 'Tanh', 'Tanh']}
OUTPUTS = {'RNN': ['Y', 'Y_h'], 'GRU': ['Y', 'Y_h'], 'LSTM': ['Y', 'Y_h', 'Y_c']}
# Every function of the specification, with parameters: none, and others than those that it has by itself.
ACTIVATIONS = {'Tanh': [()], 'Sigmoid': [()], 'Relu': [()], 'Softsign': [()], 'Softplus': [()], 'Affine': [(), (0.5, 0.2)],
               'LeakyRelu': [(), (0.3,)], 'ThresholdedRelu': [(), (0.1,)], 'ScaledTanh': [(), (0.7, 1.3)],
               'HardSigmoid': [(), (0.3, 0.4)], 'Elu': [(), (0.6,)]}
# Where ONNX Runtime takes 0 if nothing is given, the specification takes what the operator of the name has.
DEFAULTS = {'Affine': (1.0, 0.0), 'ThresholdedRelu': (1.0,), 'ScaledTanh': (1.0, 1.0)}
STEPS, BATCH, INPUTS, HIDDEN = 6, 3, 5, 4


class Layer:
    """One node with its weights; the same generator gives the same weights again."""

    def __init__(self, kind, name, seed, layout=0, direction='forward', lengths=None, states=False, peepholes=False, bias=True, activations=None,
                 parameters=((), ()), **attributes):
        generator = numpy.random.default_rng(seed)
        n, gates = (2 if direction == 'bidirectional' else 1), GATES[kind] * HIDDEN
        self.name, self.constants, self.outputs = name, [], [f'{name}.{output}' for output in OUTPUTS[kind]]
        state = (BATCH, n, HIDDEN) if layout else (n, BATCH, HIDDEN)
        inputs = ['x']
        for wanted, shape in ((True, (n, gates, INPUTS)), (True, (n, gates, HIDDEN)), (bias, (n, 2 * gates)), (lengths is not None, None),
                              (states, (n, BATCH, HIDDEN)), (states and kind == 'LSTM', (n, BATCH, HIDDEN)), (peepholes, (n, 3 * HIDDEN))):
            value = numpy.array(lengths or 0, numpy.int32) if shape is None else generator.normal(0, 0.4, shape).astype(numpy.float32)
            if layout and shape == (n, BATCH, HIDDEN):
                value = value.transpose(1, 0, 2).reshape(state)
            inputs.append(f'{name}.{len(inputs)}' if wanted else '')
            if wanted:
                self.constants.append(numpy_helper.from_array(numpy.ascontiguousarray(value), inputs[-1]))
        while not inputs[-1]:
            inputs.pop()
        attributes = {key: value for key, value in attributes.items() if value is not None}
        if layout:
            attributes['layout'] = layout
        if activations:
            attributes['activations'] = activations * n
        for key, values in zip(('activation_alpha', 'activation_beta'), parameters):
            if values:
                attributes[key] = list(values) * n
        self.node = helper.make_node(kind, inputs, self.outputs, name=name, direction=direction, hidden_size=HIDDEN, **attributes)


def save(path, layers, batch_first=False):
    shape = (BATCH, STEPS, INPUTS) if batch_first else (STEPS, BATCH, INPUTS)
    graph = helper.make_graph([layer.node for layer in layers], 'layers', [helper.make_tensor_value_info('x', TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for layer in layers for name in layer.outputs],
                              [constant for layer in layers for constant in layer.constants])
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 14)], ir_version=8).SerializeToString())


def forms(kind):
    """Every form that ONNX Runtime takes too: each attribute and input with each other one."""
    own = {'RNN': [{}], 'GRU': [{}, {'linear_before_reset': 1}],
           'LSTM': [dict(a, **b) for a in ({}, {'input_forget': 1}) for b in ({}, {'peepholes': True})]}[kind]
    for direction, lengths, clip, states, bias, more in itertools.product(('forward', 'reverse', 'bidirectional'), (None, (6, 6, 6), (6, 3, 1)),
                                                                         (None, 0.3), (False, True), (True, False), own):
        yield dict(more, direction=direction, lengths=lengths, clip=clip, states=states, bias=bias)


def with_activations(kind):
    """Every function in each place, in one direction and in two."""
    for place, name, direction in itertools.product(range(len(FUNCTIONS[kind])), ACTIVATIONS, ('forward', 'bidirectional')):
        for parameters in ACTIVATIONS[name]:
            names = list(FUNCTIONS[kind])
            names[place] = name
            yield name, parameters, dict(activations=names, direction=direction)


def split(parameters):
    return parameters[:1], parameters[1:]


@unittest.skipUnless('ASSAY_ONNXRUNTIME' in os.environ, 'ONNX Runtime is not installed')
class Recurrent(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.x = numpy.random.default_rng(7).normal(0, 1, (STEPS, BATCH, INPUTS)).astype(numpy.float32)

    def run_on(self, runner, layers, batch_first=False):
        """The outputs by the names of layer and output."""
        model, folder = self.folder / f'{runner}.onnx', self.folder / runner
        save(model, layers, batch_first)
        numpy.save(self.folder / 'x.npy', numpy.ascontiguousarray(self.x.transpose(1, 0, 2)) if batch_first else self.x)
        done = subprocess.run([ASSAY, 'run', model, '--on', runner, '--input', f'x={self.folder / "x.npy"}', '--output-dir', folder, '--json'],
                              capture_output=True, text=True, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {output['name']: numpy.load(output['file']) for output in json.loads(done.stdout)['outputs']}

    def agree(self, ours, theirs, layers):
        self.assertEqual(set(ours), {name for layer in layers for name in layer.outputs})
        for layer in layers:
            for name in layer.outputs:
                with self.subTest(layer=helper.printable_node(layer.node), output=name):
                    numpy.testing.assert_allclose(ours[name], theirs[name], rtol=1e-4, atol=1e-5)

    def test_forms(self):
        """All forms agree, and the comparison says so by itself."""
        for kind in GATES:
            layers = [Layer(kind, f'{kind}{i}', i, **form) for i, form in enumerate(forms(kind))]
            self.assertGreaterEqual(len(layers), 72)
            self.agree(self.run_on('reference', layers), self.run_on('ort', layers), layers)
            done = subprocess.run([ASSAY, 'compare', self.folder / 'ort.onnx', '--a', 'ort', '--b', 'reference', '--outputs-only', '--json'],
                                  capture_output=True, text=True, timeout=1200)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(json.loads(done.stdout)['tensors']), sum(len(layer.outputs) for layer in layers))

    def test_activations(self):
        """Every function in every place; a parameter that is not given is that of the operator of the name."""
        for kind in GATES:
            ours, theirs = [], []
            for i, (name, parameters, form) in enumerate(with_activations(kind)):
                ours.append(Layer(kind, f'{kind}{i}', i, parameters=split(parameters), **form))
                theirs.append(Layer(kind, f'{kind}{i}', i, parameters=split(parameters or DEFAULTS.get(name, ())), **form))
            self.agree(self.run_on('reference', ours), self.run_on('ort', theirs), ours)

    def test_parameters(self):
        """Functions take their parameters in order, each as many as it has; case does not count."""
        layers = [Layer('LSTM', 'mixed', 1, activations=['HardSigmoid', 'Tanh', 'LeakyRelu'], parameters=((0.3, 0.2), (0.4,))),
                  Layer('LSTM', 'cased', 2, activations=['hardsigmoid', 'SCALEDTANH', 'elu'], parameters=((0.3, 0.8, 0.5), (0.4, 1.2))),
                  Layer('GRU', 'ways', 3, activations=['Sigmoid', 'LeakyRelu'], parameters=((0.2,), ()), direction='bidirectional')]
        self.agree(self.run_on('reference', layers), self.run_on('ort', layers), layers)

    def test_layout(self):
        """ONNX Runtime takes time first only: batch first is the same with the axes exchanged."""
        for kind in GATES:
            some = [form for form in forms(kind) if form['bias'] and form['clip'] is None]
            ours = [Layer(kind, f'{kind}{i}', i, layout=1, **form) for i, form in enumerate(some)]
            theirs = [Layer(kind, f'{kind}{i}', i, **form) for i, form in enumerate(some)]
            got = self.run_on('reference', ours, batch_first=True)
            got = {name: value.transpose(1, 2, 0, 3) if name.endswith('.Y') else value.transpose(1, 0, 2) for name, value in got.items()}
            self.agree(got, self.run_on('ort', theirs), ours)

    def test_nothing_to_do(self):
        """A sequence of length 0 ends in the state that it began with. ONNX Runtime has zeros there, and the same for the others."""
        for kind in GATES:
            for direction in ('forward', 'reverse', 'bidirectional'):
                layer = Layer(kind, 'layer', 5, direction=direction, lengths=(0, 4, 6), states=True)
                ours, theirs = self.run_on('reference', [layer]), self.run_on('ort', [layer])
                states = {constant.name: numpy_helper.to_array(constant) for constant in layer.constants}
                for name, value in ours.items():
                    begin = {'layer.Y_h': states['layer.5'], 'layer.Y_c': states.get('layer.6')}.get(name)
                    numpy.testing.assert_allclose(value[..., 1:, :], theirs[name][..., 1:, :], rtol=1e-4, atol=1e-5)
                    numpy.testing.assert_array_equal(theirs[name][..., 0, :], 0)
                    numpy.testing.assert_array_equal(value[..., 0, :], 0 if begin is None else begin[:, 0, :])


unittest.main(verbosity=2)
