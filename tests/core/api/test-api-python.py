#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module: every published name and signature, scripts of the published API with only their import changed, reports
as tables, exceptions with their fields, and the stub.

test-api-python.py STREAMING_CNN MLP LSTM MANY_REFUSALS
"""
import ast
import copy
import gc
import html.parser
import inspect
import json
import os
import pathlib
import pickle
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

try:
    import gi  # noqa: F401
    import numpy as np
except ModuleNotFoundError as e:
    print(f'skipped: python3-{e.name} is not installed')
    sys.exit(77)

import assay
from gi.repository import Assay, GLib

CNN, MLP, LSTM, REFUSALS = map(os.path.abspath, sys.argv[1:5])
PRESET = 'ia_420f_c6b32'
NOTHING = inspect.Parameter.empty

COMPILING = {'name': None, 'optimize_transforms': True, 'allow_dynamic_weights': False, 'allow_mixed_precision_fusion': True,
             'max_sparse_entries': 512, 'quick_compile': False, 'output_buffer_capacity': 64, 'write_queue_capacity': 32,
             'random_seeds': (0,), 'allow_unserializable': False, 'generate_state_reset': False}
COUNTING = {'write_queue_capacity': 32, 'output_buffer_capacity': 64, 'model_index': 0, 'spaced': True}

# Every call of the published pages, with its parameters; those without a default are given by position too.
PUBLISHED = {
    'Config': {'num_cores': NOTHING, 'block_size': NOTHING},
    'Config.ip_core': {'num_cores': NOTHING, 'block_size': NOTHING},
    'Config.save': {'path': NOTHING},
    'Config.load': {'path': NOTHING, 'check_version_matches': True},
    'NNIR.from_onnx': {'path': NOTHING, 'override_input_shapes': None},
    'NNIR.streaming_transform': {'axis': NOTHING},
    'NNIR.to_program': {'config': NOTHING, **COMPILING},
    'ProgramBuilder': {'config': NOTHING, 'remember_allocations': False},
    'ProgramBuilder.add_nnir': {'nnir': NOTHING, **COMPILING, 'core_indices': None},
    'ProgramBuilder.to_program': {},
    'Program.metrics': {}, 'Program.hw_config': {}, 'Program.num_models': {}, 'Program.pack': {},
    'Program.transform_to_io_only_test': {},
    **{f'Program.model_{name}': {'model_index': 0} for name in ('num_inputs', 'num_outputs', 'is_resettable')},
    **{f'Program.model_{port}_{what}': {'model_index': 0, f'{port}_index': 0}
       for port in ('input', 'output') for what in ('shape', 'streaming_dim', 'number_format')},
    'Program.io_only_test': {'config': NOTHING, 'in_values': NOTHING, 'out_values': NOTHING},
    'Program.cycle_count_per_inference': COUNTING,
    'Program.cycle_summary_per_inference': COUNTING,
    'Program.compute_duration_per_inference_us': {'clock_mhz': None, **COUNTING},
    'Program.save': {'path': NOTHING}, 'Program.load': {'path': NOTHING},
    'Program.save_bytes': {}, 'Program.load_bytes': {'data': NOTHING},
    'Program.to_vm': {'write_queue_capacity': 32, 'output_buffer_capacity': 64, 'bit_accurate': True, 'no_compute': False},
    'VM.run': {'inputs': NOTHING, 'model_index': 0, 'f32_round': True},
    'VM.run_flat': {'inputs': NOTHING, 'model_index': 0, 'f32_round': True},
    'VM.run_timesteps': {'inputs': NOTHING, 'input_axis': NOTHING, 'output_axis': NOTHING, 'model_index': 0,
                         'f32_round': True},
    'VM.run_flat_timesteps': {'inputs': NOTHING, 'input_axis': 0, 'output_axis': 0, 'model_index': 0, 'f32_round': True},
    'VM.reset': {'model_index': 0}, 'VM.metrics': {}, 'VM.cycle_count': {}, 'VM.compute_duration_us': {'clock_mhz': None},
}
FIELDS = {
    'Config': ['num_cores', 'block_size', 'tensor_ram_depth', 'tensor_descriptor_count', 'weight_store_depth',
               'accum_store_depth', 'cell_state_depth', 'clamp_store_depth', 'max_read_size', 'io_size', 'fabric', 'clock_mhz'],
    'Metrics': ['clamp_store_depth', 'clamp_store_used', 'tensor_ram_depth', 'tensor_ram_used', 'weight_store_depth',
                'weight_store_used', 'num_instrs', 'num_micro_instructions', 'input_bytes', 'output_bytes', 'model_names'],
}
PRESETS = {'bittware_ia420f_c6b32': (6, 32, 320), 'bittware_ia840f_c3b64': (3, 64, 320), 'bittware_ia840f_c2b64d': (2, 64, 320),
           'napatech_nt400d11_c6b32': (6, 32, 320), 'amd_v80_c6b32': (6, 32, 300), 'amd_v80ll_c6b32': (6, 32, 330),
           'silicom_artena_c8b32': (8, 32, None), 'silicom_artena_c8b32lstm': (8, 32, None),
           'artena_c8b32lstm': (8, 32, None), 'ia_420f': (6, 32, 320), 'ia_840f': (3, 64, 320),
           'ia_420f_c6b32': (6, 32, 320), 'ia_840f_c3b64': (3, 64, 320), 'ia_840f_c2b64d': (2, 64, 320),
           'nt400d11_c6b32': (6, 32, 320), 'v80_c6b32': (6, 32, 300), 'v80ll_c6b32': (6, 32, 330), 'artena_c8b32': (8, 32, None)}

# Scripts as the published pages have them, from an ONNX file on; only the import is another.
MLP_SCRIPT = '''
import {module} as compiler
input = np.random.default_rng(1).standard_normal((1, 64)).astype(np.float32)
nnir = compiler.NNIR.from_onnx(MLP, [[1, 64]])
config = compiler.Config.ia_420f_c6b32()
program = nnir.to_program(config)
program.save('mlp.program')
print(nnir)
print(program.metrics())
vm = program.to_vm()
output = vm.run(input)
print('cycle count:', program.cycle_count_per_inference())
print(f'latency (compute): {{program.compute_duration_per_inference_us():.1f}}us')
'''
CNN_SCRIPT = '''
import {module} as compiler
input = np.random.default_rng(1).standard_normal((1, 32, 64)).astype(np.float32)
nnir = compiler.NNIR.from_onnx(CNN)
(nnir, output_axis) = nnir.streaming_transform(2)
config = compiler.Config.amd_v80_c6b32()
program = nnir.to_program(config, 'cnn', generate_state_reset=True)
vm = program.to_vm()
outputs = []
for i in range(64):
    outputs.append(vm.run(input[:, :, i]))
output = np.stack(outputs, axis=output_axis)
vm.reset()
again = vm.run_timesteps(input, 2, output_axis)
'''
BUILDER_SCRIPT = '''
import {module} as compiler
builder = compiler.ProgramBuilder(compiler.Config.ia_840f_c3b64())
builder.add_nnir(compiler.NNIR.from_onnx(MLP, override_input_shapes=[(1, 64)]), 'mlp')
(streaming, axis) = compiler.NNIR.from_onnx(CNN, override_input_shapes=None).streaming_transform([2])
builder.add_nnir(streaming, name='cnn', core_indices=[0, 1])
program = builder.to_program()
again = compiler.Program.load_bytes(program.save_bytes())
vm = again.to_vm(write_queue_capacity=32, output_buffer_capacity=64, bit_accurate=False)
first = vm.run(np.ones((1, 64), np.float32), model_index=0)
second = vm.run(np.ones((1, 32), np.float32), model_index=1)
try:
    small = compiler.Config(num_cores=1, block_size=32)
    values = program.metrics().weight_store_used
    raised = None
    compiler.Program.load('missing')
except (compiler.AllocationError, compiler.SaveError, compiler.LoadError, OSError, Exception) as error:
    raised = error
'''


def parameters_of(name):
    kind, _, method = name.partition('.')
    thing = getattr(assay, kind)
    call = getattr(thing, method) if method else thing.__new__
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):
        return None
    found = [p for p in signature.parameters.values() if p.name not in ('self', 'cls', 'arguments', 'keywords')]
    return {p.name: p.default for p in found if p.kind != p.KEYWORD_ONLY}


class Names(unittest.TestCase):
    def test_signatures(self):
        for name, wanted in PUBLISHED.items():
            with self.subTest(name):
                found = parameters_of(name)
                if found is None:  # Not overridden: it takes nothing.
                    self.assertEqual(wanted, {})
                    continue
                self.assertEqual(list(found)[:len(wanted)], list(wanted))
                for parameter, default in wanted.items():
                    self.assertEqual(found[parameter], default, parameter)
                for parameter in list(found)[len(wanted):]:
                    self.assertIsNot(found[parameter], NOTHING, parameter)

    def test_fields(self):
        program = assay.NNIR.from_onnx(MLP, [1, 64]).to_program(assay.Config.ia_420f())
        for kind, made in (('Config', program.hw_config()), ('Metrics', program.metrics())):
            for field in FIELDS[kind]:
                self.assertIsNotNone(getattr(made, field), field)

    def test_presets(self):
        for name, (cores, size, clock) in PRESETS.items():
            config = getattr(assay.Config, name)()
            self.assertEqual((config.num_cores, config.block_size), (cores, size))
            self.assertTrue(clock is None or config.clock_mhz == clock)
        self.assertEqual(assay.Config.bittware_ia420f_c6b32(), assay.Config.ia_420f_c6b32())
        self.assertNotEqual(assay.Config.ia_420f(), assay.Config(2, 32))
        self.assertIn('num_cores=6', repr(assay.Config.ia_420f()))
        self.assertEqual(assay.Config.ip_core(num_cores=2, block_size=64).num_cores, 2)

    def test_stub(self):
        """What the stub says is there, and what is there the stub says."""
        stub = ast.parse(pathlib.Path(assay.__file__).with_name('__init__.pyi').read_text())
        classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
        public = {name for name in assay.__all__ if name != 'backend'}
        functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(set(classes) | functions, public)
        for name, node in classes.items():
            kind = getattr(assay, name)
            self.assertEqual(hasattr(kind, '_repr_html_'), '_repr_html_' in {getattr(member, 'name', '') for member in node.body}, name)
            for member in node.body:
                if isinstance(member, ast.AnnAssign):
                    self.assertTrue(hasattr(kind, member.target.id) or name.endswith('Error') or
                                    name.endswith('Exception'), f'{name}.{member.target.id}')
                    continue
                if not isinstance(member, ast.FunctionDef) or member.name == '__init__':
                    continue
                self.assertTrue(hasattr(kind, member.name), f'{name}.{member.name}')
                call = inspect.getattr_static(kind, member.name)
                if not isinstance(call, (staticmethod, classmethod)) and not inspect.isfunction(call):
                    continue
                call = getattr(call, '__func__', call)
                if call.__name__ == '<lambda>':  # the presets
                    continue
                known = [a.arg for a in member.args.args + member.args.kwonlyargs if a.arg not in ('self', 'cls')]
                real = [p.name for p in inspect.signature(call).parameters.values()
                        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in ('self', 'cls')]
                self.assertEqual(known, real, f'{name}.{member.name}')

    def test_backend_stub(self):
        """The module needs onnx, which is not everywhere, so that both are read."""
        folder = pathlib.Path(assay.__file__).parent
        said, made = (ast.parse((folder / name).read_text()) for name in ('backend.pyi', 'backend.py'))

        def calls(tree, in_class=''):
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    yield from calls(node, node.name + '.')
                elif isinstance(node, ast.FunctionDef) and (not node.name.startswith('_') or node.name == '__init__'):
                    yield in_class + node.name, [a.arg for a in node.args.args], [ast.unparse(d) for d in node.args.defaults]
                elif isinstance(node, ast.Assign) and not in_class and isinstance(node.value, ast.Attribute):
                    yield node.targets[0].id, ast.unparse(node.value)

        self.assertEqual(list(calls(said)), list(calls(made)))


NESTED = '''main (%s : seq<f32[2]>, %o : opt<f32[3]>, %q : opt<seq<f32[2]>>, %t : f32[2,2]) {
  %n = SequenceLength(%s) : i64[] @ "length"
  %h = OptionalHasElement(%o) : bool[] @ "has"
  %k = OptionalHasElement(%q) : bool[] @ "has_sequence"
  %m = ai.onnx.ml::ZipMap(%t) {classlabels_int64s=[7, 9]} : seq<map<i64,f32[]>> @ "zip"
  return %n, %h, %k, %s, %o, %q, %m
}
'''


def as_lists(value):
    """Arrays as lists, so that two values can be compared."""
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    if isinstance(value, dict):
        return {key: float(item) for key, item in value.items()}
    return value if value is None else value.tolist()


class Nested(unittest.TestCase):
    """Sequences, optionals and maps go in and come out as lists, None and dictionaries."""

    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'nested.nnir')
            path.write_text(text)
            return assay.NNIR.from_onnx(path)

    def test_values(self):
        model = self.read(NESTED)
        self.assertEqual([model.input_kinds(i) for i in range(4)],
                         [['sequence', 'tensor'], ['optional', 'tensor'], ['optional', 'sequence', 'tensor'], ['tensor']])
        self.assertEqual(model.output_kinds(6), ['sequence', 'map', 'tensor'])
        a, b, c = [1.0, 2.0], [3.0, 4.0], [5.0, 6.0, 7.0]
        for sequence in ([], [a], [a, b]):
            for optional in (None, c):
                for inner in (None, [], [b], [a, b, a]):
                    given = [[np.array(v, np.float32) for v in sequence], optional and np.array(optional, np.float32),
                             inner if inner is None else [np.array(v, np.float32) for v in inner],
                             np.array([a, b], np.float32)]
                    expected = [len(sequence), optional is not None, inner is not None, sequence, optional, inner,
                                [{7: 1.0, 9: 2.0}, {7: 3.0, 9: 4.0}]]
                    self.assertEqual(as_lists(model.run_on('reference', given)), expected)
                    report = model.compare('reference-fp64', inputs=given, outputs_only=True)
                    self.assertTrue(report.clean and len(report) >= 4, report)
        drawn = model.compare('reference-fp64', outputs_only=True)
        self.assertTrue(drawn.clean)
        self.assertIn('s[1]', [row['name'] for row in drawn])
        self.assertIn('sequence', repr(model))

    def test_only_input(self):
        """A single output is no list of one; what a single input is given as has no list around it either."""
        sequence = self.read('main (%s : seq<f32[?]>) {\n  return %s\n}\n')
        optional = self.read('main (%o : opt<f32[?]>) {\n  return %o\n}\n')
        a = np.array([1, 2], np.float32)
        for value in ([], [a], [a, a]):
            self.assertEqual(as_lists(sequence.run_on('reference', value)), as_lists(value))
            self.assertEqual(as_lists(sequence.run_on('reference', [value])), as_lists(value))
        for value in (None, a):
            self.assertEqual(as_lists(optional.run_on('reference', value)), as_lists(value))
            self.assertEqual(as_lists(optional.run_on('reference', [value])), as_lists(value))

    def test_maps(self):
        """No operator makes a map of tensors, and a model that takes one says so for whatever it is given."""
        for kind in ('map<string,f32[]>', 'map<i64,f32[]>', 'seq<map<string,f32[]>>', 'opt<map<i64,f32[]>>'):
            model = self.read('main (%%m : %s) {\n  return %%m\n}\n' % kind)
            for value in ({'a': 1.0}, {0: 1.0}, [{'a': 1.0}], [], np.ones(2, np.float32), None):
                with self.assertRaisesRegex(TypeError, 'input 0 of the model is or holds a map'):
                    model.run_on('reference', value)
            with self.assertRaisesRegex(TypeError, 'input 0 of the model is or holds a map'):
                model.compare('reference-fp64', inputs={'a': 1.0})
            with self.assertRaisesRegex(assay.UnsupportedError, 'map.*assay conformance alone'):
                model.compare('reference-fp64')

    def test_wrong(self):
        model = self.read(NESTED)
        a = np.ones(2, np.float32)
        self.assertRaises(ValueError, model.run_on, 'reference', [[a], None, None])
        self.assertRaises(TypeError, model.run_on, 'reference', [a, None, None, a])
        self.assertRaises(TypeError, model.run_on, 'reference', [None, None, None, a])
        self.assertRaises(TypeError, model.run_on, 'reference', [[a], None, a, a])
        self.assertRaises(IndexError, model.input_kinds, 4)
        self.assertRaises(IndexError, model.output_kinds, -1)
        for parts, tensors in ((['0.0'], []), (['0.0', '0.1'], [a]), (['x'], [a]), (['4'], [a]), (['0.x'], [a]), ([''], [a])):
            with self.assertRaises(GLib.Error) as caught:
                model.open_inputs(parts, [assay.Tensor(tensor) for tensor in tensors])
            self.assertTrue(caught.exception.matches(Assay.error_quark(), Assay.Error.INVALID), parts)


class Scripts(unittest.TestCase):
    def run_script(self, script):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            scope = {'np': np, 'MLP': MLP, 'CNN': CNN, 'print': lambda *a: self.printed.append(' '.join(map(str, a)))}
            self.printed = []
            try:
                exec(script, scope)
            finally:
                os.chdir(before)
        return scope

    def test_scripts(self):
        for module in ('assay', 'gi.repository.Assay'):
            mlp = self.run_script(MLP_SCRIPT.format(module=module))
            self.assertEqual(mlp['output'].shape, (1, 10))
            self.assertAlmostEqual(float(mlp['output'].sum()), 1, places=2)
            self.assertRegex(self.printed[0], 'MatMul|Gemm')
            self.assertIn('weight_store_used: [', self.printed[1])
            self.assertRegex(self.printed[3], r'^latency \(compute\): \d+\.\dus$')
            cnn = self.run_script(CNN_SCRIPT.format(module=module))
            self.assertEqual(cnn['output'].shape, (1, 8, 64))
            np.testing.assert_array_equal(cnn['output'], cnn['again'])
            both = self.run_script(BUILDER_SCRIPT.format(module=module))
            self.assertEqual((both['first'].shape, both['second'].shape), ((1, 10), (1, 8)))
            self.assertEqual(both['axis'], (2,))
            self.assertEqual(both['values'][2], 0)
            self.assertIsInstance(both['raised'], assay.FileError)
            self.assertEqual(both['raised'].path, 'missing')


class Objects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.config = assay.Config.ia_420f_c6b32()
        cls.cnn = assay.NNIR.from_onnx(CNN)
        cls.streaming, cls.axis = cls.cnn.streaming_transform(2)
        cls.program = cls.streaming.to_program(cls.config, 'cnn')
        cls.frames = np.random.default_rng(3).standard_normal((1, 32, 16)).astype(np.float32)

    def test_bad_indices(self):
        vm = self.program.to_vm()
        for call in (self.program.model_name, self.program.model_num_inputs, self.program.model_num_outputs,
                     self.program.model_input_shape, self.program.model_output_shape, self.program.model_is_resettable,
                     self.program.model_input_streaming_dim, self.program.model_output_streaming_dim,
                     self.program.model_input_number_format, self.program.model_output_number_format,
                     self.streaming.input_shape, self.streaming.output_shape, vm.reset, self.program.__getitem__,
                     self.program.memory_svg,
                     lambda i: self.program.cycle_count_per_inference(model_index=i),
                     lambda i: self.program.cycle_summary_per_inference(model_index=i),
                     lambda i: self.program.compute_duration_per_inference_us(model_index=i),
                     lambda i: self.program.run_on('vm', self.frames, i),
                     lambda i: vm.run(self.frames, i), lambda i: vm.run_flat(self.frames, i),
                     lambda i: vm.run_timesteps(self.frames, 2, 2, i), lambda i: vm.run_flat_timesteps(self.frames, model_index=i)):
            for index in (64, -1, 2**40):
                self.assertRaises(IndexError, call, index)
            self.assertRaises(TypeError, call, 'x')
            self.assertRaises(TypeError, call, 1.0)
        for call in (self.program.model_input_shape, self.program.model_output_number_format):
            self.assertRaises(IndexError, call, 0, 1)

    def test_counts(self):
        spaced = self.program.cycle_count_per_inference()
        summary = self.program.cycle_summary_per_inference()
        self.assertEqual(summary.last_output, spaced)
        self.assertEqual(tuple(summary), (summary.last_input, summary.first_output, summary.last_output))
        self.assertGreater(self.program.cycle_count_per_inference(spaced=False), spaced)
        low, high = self.program.cycle_range_per_inference()
        self.assertTrue(low < spaced < high)
        self.assertEqual(self.program[0]['cycles_range'], (low, high))
        self.assertGreaterEqual(self.program.cycle_count_per_inference(1, 1), spaced)
        self.assertAlmostEqual(self.program.compute_duration_per_inference_us(100), spaced / 100)
        self.assertRaises(ValueError, self.program.cycle_count_per_inference, 0)
        for clock in (0, -320):
            self.assertRaises(ValueError, self.program.compute_duration_per_inference_us, clock)
            self.assertRaises(ValueError, self.program.to_vm().compute_duration_us, clock)
        vm = self.program.to_vm(no_compute=True)
        self.assertFalse(vm.run(self.frames[:, :, 0]).any())
        self.assertEqual(vm.cycle_count(), spaced)
        self.assertAlmostEqual(vm.compute_duration_us(), spaced / 320)
        self.assertEqual(self.program.model_input_streaming_dim(), 2)
        self.assertIsNone(self.cnn.to_program(self.config).model_input_streaming_dim())
        self.assertEqual(vm.metrics().model_names, ['cnn'])

    def test_running(self):
        vm = self.program.to_vm()
        whole = vm.run_timesteps(self.frames, input_axis=2, output_axis=self.axis)
        flat = self.program.to_vm().run_flat_timesteps(self.frames[0].T)
        np.testing.assert_array_equal(whole[0].T, flat)
        np.testing.assert_array_equal(self.program.to_vm().run_flat_timesteps(self.frames[0], 1, 1), whole[0])
        np.testing.assert_array_equal(self.program.run_on('vm', self.frames), whole)
        np.testing.assert_array_equal(self.program.to_vm().run_timesteps(self.frames, -1, -1), whole)
        np.testing.assert_array_equal(self.program.to_vm().run_timesteps(self.frames, -1, -3), np.moveaxis(whole, 2, 0))
        self.assertRaises(ValueError, self.program.to_vm().run_timesteps, self.frames, -4, 2)
        self.assertRaises(ValueError, self.program.to_vm().run_timesteps, self.frames, 2, -4)
        last = self.program.to_vm().run_timesteps([self.frames], [2], None)
        np.testing.assert_array_equal(last, whole[:, :, -1])
        step = np.full((1, 32), 1 + 2**-8 + 2**-9, np.float32)
        rounded, cut = self.program.to_vm().run(step), self.program.to_vm().run(step, f32_round=False)
        np.testing.assert_array_equal(cut, self.program.to_vm().run(np.ones((1, 32))))
        np.testing.assert_array_equal(rounded, self.program.to_vm().run(np.full((1, 32), 1 + 2**-7)))
        np.testing.assert_array_equal(self.program.to_vm().run_flat(step.ravel(), f32_round=False), cut.ravel())
        self.assertTrue((rounded != cut).any())
        np.testing.assert_array_equal(self.program.to_vm().run(step.tolist()), rounded)
        self.assertRaises(ValueError, vm.run, [step, step])
        self.assertRaises(ValueError, vm.run, step[:, 1:])
        self.assertRaises(TypeError, vm.run, 3)
        self.assertRaises(TypeError, vm.run, np.zeros((1, 32), 'M8[s]'))
        self.assertRaises(ValueError, vm.run, np.zeros((1, 32), 'complex64'))
        self.assertRaises(ValueError, self.program.run_on, 'vm', self.frames.astype('complex128'))
        self.assertRaises(ValueError, vm.run, np.full((1, 32), 'a'))
        self.assertRaises(ValueError, vm.run_timesteps, self.frames, [2, 2], 2)
        self.assertRaises(assay.InvalidError, vm.reset)

    def test_tensors(self):
        values = {'float16': [1, -2], 'float32': [1.5], 'float64': [[1], [2]], 'int8': -1, 'uint64': [2**64 - 1], 'bool': [True],
                  'complex64': [1j], 'int64': np.zeros((0, 3))}
        for name, value in values.items():
            array = np.array(value, name)
            tensor = assay.Tensor(array)
            self.assertEqual((tensor.shape, tensor.numpy().dtype), (array.shape, array.dtype))
            np.testing.assert_array_equal(np.asarray(tensor), array)
        texts = [assay.Tensor(np.array([['a', 'bä'], ['', f'c{i}']])) for i in range(50)]
        gc.collect()
        self.assertEqual(texts[7].numpy().tolist(), [['a', 'bä'], ['', 'c7']])
        bits = assay.Tensor(np.array([0x3f80, 0xc000], np.uint16), assay.DType.BF16)
        self.assertEqual(bits.numpy().tolist(), [1.0, -2.0])
        swapped = np.arange(6, dtype='>i4').reshape(2, 3).T
        np.testing.assert_array_equal(assay.Tensor(swapped).numpy(), swapped)

    def test_copies(self):
        """Equal values are equal, and travel; of things there is one, and that is said."""
        def pickled(thing):
            return pickle.loads(pickle.dumps(thing))
        ways = (copy.copy, copy.deepcopy, pickled)
        program = self.streaming.to_program(self.config)
        report = self.streaming.check(PRESET)
        texts, bits = assay.Tensor(np.array(['a', 'bä'])), assay.Tensor(np.array([0x7fc1], np.uint16), assay.DType.BF16)
        other = assay.Config.amd_v80_c6b32()
        # A pair is two that are made alike, and one that is another.
        values = ((assay.Tensor(np.arange(4)), assay.Tensor(np.arange(4)), assay.Tensor(np.arange(4.0))),
                  (texts, assay.Tensor(np.array(['a', 'bä'])), assay.Tensor(np.array(['a', 'b']))),
                  (bits, assay.Tensor(np.array([0x7fc1], np.uint16), assay.DType.BF16), assay.Tensor(np.array([0x7fc1], np.uint16))),
                  (self.config, assay.Config.preset(PRESET), other),
                  (assay.Options(pins=['a=0']), assay.Options(pins=['a=0']), assay.Options(fp8_weights=True)),
                  (program, self.streaming.to_program(self.config), self.streaming.to_program(other)),
                  (program.metrics(), program.metrics(), self.streaming.to_program(other).metrics()),
                  (report, self.streaming.check(PRESET), self.streaming.check('vulkan-main')),
                  (program.cycle_summary_per_inference(), program.cycle_summary_per_inference(), (1, 2, 3)),
                  (assay.DType.F32, assay.DType(assay.DType.F32), assay.DType.F16))
        for value, same, another in values:
            with self.subTest(type(value).__name__):
                self.assertEqual(value, same)
                self.assertNotEqual(value, another)
                self.assertNotEqual(value, 'a')
                if not isinstance(value, assay.Options):
                    self.assertEqual(hash(value), hash(same))
                for way in ways:
                    if way is pickled and isinstance(value, (assay.Metrics, assay.Report)):
                        self.assertRaisesRegex(TypeError, 'cannot be pickled: keep its', way, value)
                    else:
                        self.assertEqual((way(value), type(way(value))), (value, type(value)))
        np.testing.assert_array_equal(pickled(program).to_vm().run(np.ones(program.model_input_shape(), 'f4')),
                                      program.to_vm().run(np.ones(program.model_input_shape(), 'f4')))
        options = copy.copy(values[4][0])
        options.props.fp8_weights = True
        self.assertNotEqual(options, values[4][0])
        self.assertRaises(TypeError, hash, options)

        for thing in (self.streaming, assay.ProgramBuilder(self.config), program.to_vm()):
            self.assertEqual(thing, thing)
            for way in ways:
                self.assertRaisesRegex(TypeError, 'cannot be (copied|pickled): ', way, thing)
        # Every class of the module was asked.
        asked = {type(value) for value, _, _ in values} | {assay.NNIR, assay.ProgramBuilder, assay.VM, assay.Program}
        for name in assay.__all__:
            kind = getattr(assay, name)
            if inspect.isclass(kind) and not issubclass(kind, (Exception, assay.Cancellable)):
                self.assertIn(kind, asked, name)

    def test_exceptions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'config.json')
            self.config.save(pathlib.Path(path))
            values = json.loads(pathlib.Path(path).read_text())
            pathlib.Path(path).write_text(json.dumps({**values, 'weight_store_depth': 1}))
            small = assay.Config.load(path)
            with self.assertRaises(assay.AllocationError) as caught:
                self.streaming.to_program(small)
            error = caught.exception
            self.assertEqual((error.store, error.depth, error.name), ('weight store', 1, 'ALLOCATION'))
            self.assertGreater(error.needed, error.available)
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), again.message, again.code, again.name, again.store, again.depth),
                             (type(error), error.message, error.code, error.name, error.store, error.depth))
            # Where weights have no room, it is at no step.
            self.assertLessEqual(set(error.FIELDS) - {'step', 'tensor', 'node'}, set(error.report()['error']))
            # Ways out are tried on the hardware that was given: no smaller input makes room for weights.
            with self.assertRaises(assay.AllocationError) as caught:
                self.cnn.to_program(small)
            self.assertFalse([way for way in caught.exception.ways_out if '--bind' in way.get('option', '')])
            pathlib.Path(path).write_text(json.dumps({**values, 'tensor_ram_depth': 4}))
            with self.assertRaises(assay.AllocationError) as caught:
                self.cnn.to_program(assay.Config.load(path))
            self.assertEqual((caught.exception.store, type(caught.exception.step)), ('tensor RAM', int))
            self.assertLessEqual(set(error.FIELDS), set(caught.exception.report()['error']))
            self.assertTrue(error.ways_out)
            self.assertIn(str(error), error.report().text)
            self.assertRaises(AttributeError, getattr, error, 'nothing')
            missing = os.path.join(folder, 'missing', 'file')
            for raised, call in ((assay.SaveError, self.program.save), (assay.SaveError, self.config.save)):
                with self.assertRaises(raised) as caught:
                    call(missing)
                self.assertEqual(caught.exception.path, missing)
            with self.assertRaises(assay.LoadError) as caught:
                assay.Program.load(path)
            self.assertEqual(caught.exception.path, path)
        self.assertRaises(assay.LoadError, assay.Program.load_bytes, b'nothing')
        self.assertEqual(repr(caught.exception), f'LoadError({caught.exception.message!r})')
        self.assertRaises(ValueError, assay.Config, 2, 60)
        self.assertRaises(ValueError, self.cnn.streaming_transform, 1)
        self.assertRaises(ValueError, self.cnn.streaming_transform, [2, 2])
        # From the end, and never silently none.
        for axis in (-1, [-1]):
            streaming, found = self.cnn.streaming_transform(axis)
            self.assertEqual((streaming.input_shape(), np.ravel(found).tolist()), ((1, 32), [2]))
        self.assertRaises(ValueError, self.cnn.streaming_transform, -2)
        self.assertRaises(ValueError, self.cnn.streaming_transform, -4)
        self.assertEqual(self.cnn.streaming_transform(None)[0].input_shape(), self.cnn.input_shape())
        self.assertRaises(ValueError, assay.NNIR.from_onnx(MLP).to_program, self.config)
        self.assertRaises(TypeError, self.streaming.to_program, self.config, no_such_option=1)
        for empty in (assay.NNIR, assay.VM, assay.Config, assay.ProgramBuilder, assay.Tensor):
            self.assertRaises(TypeError, empty)
        stop = assay.Cancellable()
        stop.cancel()
        self.assertRaises(assay.CancelledError, self.streaming.to_program, self.config, cancellable=stop)
        self.assertRaises(assay.CancelledError, self.cnn.check, PRESET, cancellable=stop)

    def test_options(self):
        versal = assay.Config.amd_v80_c6b32()
        small = self.streaming.to_program(versal, fp8_weights=True)
        self.assertLess(sum(small.metrics().weight_store_used),
                        sum(self.streaming.to_program(versal).metrics().weight_store_used))
        self.assertRaises(ValueError, self.streaming.to_program, self.config, core_indices=[])
        uses = self.streaming.to_program(self.config, core_indices=[3, 5]).metrics().weight_store_used
        self.assertEqual([uses[core] for core in (0, 1, 2, 4)], [0] * 4)
        self.assertEqual(self.streaming.to_program(self.config, quick_compile=True).num_models(), 1)
        kept = self.streaming.to_program(self.config, keep_fp32=['frames'])
        self.assertEqual(kept.model_input_number_format(), assay.DType.F32)
        options = assay.Options(fp8_weights=True)
        same = self.streaming.to_program(versal, options=options)
        self.assertEqual(same.save_bytes(), small.save_bytes())
        self.assertFalse(assay.Options().props.fp8_weights)

    def test_threads(self):
        vm, wrong = self.program.to_vm(), []
        step = np.zeros((1, 32), np.float32)

        def work():
            for _ in range(20):
                if vm.run(step).shape != (1, 8):
                    wrong.append(1)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])


class Page(html.parser.HTMLParser):
    """Fails where elements do not nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)


class Reports(unittest.TestCase):
    def check_table(self, report):
        self.assertTrue(all(isinstance(row, dict) for row in report))
        self.assertEqual(len(list(report)), len(report))
        try:
            import pandas
        except ImportError:
            return
        self.assertEqual(len(pandas.DataFrame(list(report))), len(report))

    def test_check(self):
        nnir = assay.NNIR.from_onnx(REFUSALS)
        report = nnir.check(PRESET)
        self.check_table(report)
        self.assertFalse(report.clean)
        self.assertEqual({row['verdict'] for row in report} & {'rejected', 'supported'}, {'rejected', 'supported'})
        self.assertEqual(sum(row['verdict'] == 'rejected' for row in report), report['summary']['rejected'])
        self.assertTrue(all(cause['reason'] and cause['count'] for cause in report.causes))
        self.assertIn('table', Page(report._repr_html_()).seen)
        self.assertIn('rejected', report._repr_html_())
        self.assertIn('SoftRank', str(report))
        self.assertTrue(assay.NNIR.from_onnx(CNN).check(PRESET).clean)
        self.assertRaises(assay.InvalidError, nnir.check, 'no-such-target')
        self.assertEqual(report[0], report.rows[0])

    def test_fixes(self):
        nnir = assay.NNIR.from_onnx(REFUSALS)
        before = nnir.check(PRESET)
        report = nnir.find_fixes(PRESET, n_runs=1)
        self.check_table(report)
        offer = next(row for row in report if row['rewrite'] == 'bind-shape')
        fixed, options = nnir.apply_fixes(offer)
        after = fixed.check(PRESET, options=options)
        self.assertEqual(after['summary']['rejected'], offer['after']['rejected'])
        self.assertLess(after['summary']['rejected'], before['summary']['rejected'])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'fixed.onnx')
            fixed.save_onnx(path)
            self.assertEqual(assay.NNIR.from_onnx(path).check(PRESET)['summary'], after['summary'])
        self.assertRaises(assay.InvalidError, nnir.apply_fixes, {'rewrite': 'no-such-rewrite'})
        Page(report._repr_html_())

    def test_compare(self):
        nnir = assay.NNIR.from_onnx(MLP, [1, 64])
        report = nnir.compare(target=PRESET)
        self.check_table(report)
        self.assertTrue(report.clean)
        self.assertIn('own_error', report[0])
        self.assertEqual(len(nnir.compare(target=PRESET, outputs_only=True)), 1)
        given = nnir.compare('reference-fp64', inputs=np.ones((1, 64), np.float32))
        self.assertTrue(given.clean)
        self.assertRaises(assay.InvalidError, nnir.compare)
        self.assertRaises(assay.InvalidError, nnir.compare, 'no-such-runner')
        Page(report._repr_html_())
        streaming, axes = assay.NNIR.from_onnx(LSTM, [20, 1, 32]).streaming_transform(0)
        report = streaming.compare(target=PRESET, outputs_only=True)
        self.assertEqual((axes, report['timesteps'] > 1, report.clean), (0, True, True))

    def test_targets(self):
        report = assay.targets()
        self.check_table(report)
        self.assertIn(PRESET, [row['id'] for row in report])
        Page(report._repr_html_())

    def test_program(self):
        program = assay.NNIR.from_onnx(MLP, [1, 64]).to_program(assay.Config.ia_420f())
        self.check_table(program.metrics().rows())
        self.assertEqual(len(program.metrics().rows()), 6)
        self.assertEqual([model['inputs'] for model in program], [[(1, 64)]])
        self.assertEqual(len(program), 1)
        picture = xml.etree.ElementTree.fromstring(program.memory_svg())
        self.assertTrue(picture.tag.endswith('svg'))
        self.assertLessEqual({'table', 'img'}, set(Page(program._repr_html_()).seen))
        self.assertIn('tensor', str(program).lower())
        Page(assay.NNIR.from_onnx(MLP)._repr_html_())
        # For people: a line for each node with the shapes of its constants, not their elements.
        text = str(assay.NNIR.from_onnx(MLP))
        self.assertLess(max(map(len, text.splitlines())), 400)
        self.assertIn('elided', text)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
