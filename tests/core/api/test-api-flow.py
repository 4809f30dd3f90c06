#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drives the published flow through introspection: model to graph, streaming, program, virtual machine, files, errors.

test-api-flow.py STREAMING_CNN MLP
"""
import json
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import gi
    import numpy as np
except ModuleNotFoundError as e:
    print(f'skipped: python3-{e.name} is not installed')
    sys.exit(77)

gi.require_version('Assay', '1')
# What other languages see: the Python module is what test-api-python.py tests.
sys.modules['gi.overrides.Assay'] = None
from gi.repository import Assay, Gio, GLib

CNN, MLP = sys.argv[1:3]
PRESET = 'ia_420f_c6b32'


def to_tensor(array, dtype=Assay.DType.F32):
    array = np.ascontiguousarray(array)
    return Assay.Tensor.new(dtype, list(array.shape), GLib.Bytes.new(array.tobytes()))


def to_array(tensor):
    return np.frombuffer(tensor.dup_bytes().get_data(), np.float32).reshape(tensor.dup_shape())


def random_array(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


class Flow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.config = Assay.Config.new_preset(PRESET)
        cls.whole = Assay.Nnir.from_onnx(CNN, None)
        cls.streaming, cls.output_axes = cls.whole.streaming_transform([2])
        cls.program = cls.streaming.to_program(cls.config, 'cnn')
        cls.resettable = cls.streaming.to_program_full(cls.config, 'cnn', Assay.Options(generate_state_reset=True), None)

    def fails(self, code, call, *arguments):
        with self.assertRaises(GLib.Error) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.domain, 'assay-error-quark')
        self.assertTrue(caught.exception.matches(Assay.error_quark(), code), caught.exception)
        return caught.exception.message

    def small_config(self, folder, **fields):
        path = os.path.join(folder, 'config.json')
        self.config.save(path)
        values = json.loads(pathlib.Path(path).read_text())
        values.update(fields)
        pathlib.Path(path).write_text(json.dumps(values))
        return Assay.Config.load(path)

    def test_config(self):
        self.assertEqual(self.config.props.num_cores, 6)
        self.assertEqual(self.config.props.block_size, 32)
        self.assertEqual(self.config.props.clock_mhz, 320)
        self.assertEqual(self.config.props.fabric, 'agilex')
        own = Assay.Config.new(2, 64)
        self.assertEqual((own.props.num_cores, own.props.block_size), (2, 64))
        self.fails(Assay.Error.INVALID, Assay.Config.new, 2, 60)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.small_config(folder, weight_store_depth=99).props.weight_store_depth, 99)
            self.fails(Assay.Error.SAVE, self.config.save, os.path.join(folder, 'missing', 'config.json'))

    def test_graph(self):
        self.assertEqual((self.whole.num_inputs(), self.whole.num_outputs()), (1, 1))
        self.assertEqual(self.whole.input_shape(0), [1, 32, 64])
        self.assertEqual(self.streaming.input_shape(0), [1, 32])
        self.assertEqual(self.streaming.output_shape(0), [1, 8])
        self.assertEqual(self.output_axes, [2])
        self.assertIn('Conv', self.whole.to_text())
        self.assertIn('frames', self.streaming.to_text())
        self.fails(Assay.Error.INVALID, self.whole.streaming_transform, [2, 2])
        self.fails(Assay.Error.INVALID, self.whole.streaming_transform, [5])
        self.fails(Assay.Error.INVALID, self.streaming.streaming_transform, [0])
        self.fails(Assay.Error.UNSUPPORTED, self.whole.streaming_transform, [1])

    def test_open_shapes(self):
        message = self.fails(Assay.Error.UNSUPPORTED, Assay.Nnir.from_onnx(MLP, None).to_program, self.config, None)
        self.assertIn('batch', message)
        self.assertEqual(Assay.Nnir.from_onnx(MLP, ['3,64']).input_shape(0), [3, 64])

    def test_program(self):
        program = self.program
        self.assertEqual(program.num_models(), 1)
        self.assertEqual(program.model_name(0), 'cnn')
        self.assertEqual((program.model_num_inputs(0), program.model_num_outputs(0)), (1, 1))
        self.assertEqual(program.model_input_shape(0, 0), [1, 32])
        self.assertEqual(program.model_output_shape(0, 0), [1, 8])
        self.assertEqual(program.model_input_streaming_dim(0, 0), 2)
        self.assertEqual(program.model_output_streaming_dim(0, 0), 2)
        spaced = program.cycle_count_per_inference(0, True)
        for idle in (True, False):
            known, low, high = program.cycle_range_per_inference(0, idle)
            self.assertTrue(known and low < program.cycle_count_per_inference(0, idle) < high)
        summary = program.cycle_summary_per_inference(0)
        self.assertTrue(0 < summary.last_input < summary.first_output <= summary.last_output == spaced)
        self.assertGreater(program.cycle_count_per_inference(0, False), spaced)
        self.assertAlmostEqual(program.compute_duration_per_inference_us(0, True, 0), spaced / 320)
        self.assertAlmostEqual(program.compute_duration_per_inference_us(0, True, 100), spaced / 100)
        same = Assay.Program.compile(self.streaming, self.config, 'cnn')
        self.assertEqual(same.save_bytes().get_data(), program.save_bytes().get_data())

    def test_metrics(self):
        metrics = self.program.metrics()
        for name in ('clamp_store', 'tensor_ram', 'weight_store', 'accum_store', 'cell_state'):
            depth = getattr(metrics, f'get_{name}_depth')()
            used = getattr(metrics, f'get_{name}_used')()
            self.assertEqual(depth, self.config.get_property(name.replace('_', '-') + '-depth'))
            self.assertEqual(len(used), 6)
            self.assertLessEqual(max(used), depth)
        self.assertEqual(metrics.get_tensor_descriptor_count(), self.config.props.tensor_descriptor_count)
        # Three layers of 64 outputs with 3 taps of 32, 64 and 64 inputs, and a head of 8 outputs: blocks of 32 x 32.
        self.assertEqual(sum(metrics.get_weight_store_used()), 3 * (2 * 1 + 2 * 2 + 2 * 2) + 2)
        self.assertEqual(max(metrics.get_cell_state_used()), 0)
        for counts in (metrics.get_tensor_descriptor_used(), metrics.get_tensor_ram_used(), metrics.get_num_instrs()):
            self.assertGreater(max(counts), 0)
        for few, many in zip(metrics.get_num_instrs(), metrics.get_num_micro_instrs()):
            self.assertLessEqual(few, many)
        self.assertEqual((metrics.get_input_bytes(), metrics.get_output_bytes()), ([64], [64]))
        self.assertEqual(metrics.get_model_names(), ['cnn'])
        skeleton = Assay.Program.io_only_test(self.config, 100, 40).metrics()
        self.assertEqual(skeleton.get_tensor_ram_used(), [4, 0, 0, 0, 0, 0])
        self.assertEqual((skeleton.get_input_bytes(), skeleton.get_output_bytes()), ([256], [128]))

    def test_streaming_equals_whole(self):
        frames = random_array(1, 32, 64)
        whole = self.whole.to_program(self.config, None)
        self.assertEqual(whole.model_input_streaming_dim(0, 0), -1)
        for bf16 in (True, False):
            expected = to_array(whole.to_vm(1, 64, bf16).run(0, [to_tensor(frames)])[0])
            vm = self.resettable.to_vm(1, 64, bf16)
            scores = to_array(vm.run_timesteps(0, [to_tensor(frames)], [2], self.output_axes)[0])
            self.assertEqual(scores.shape, (1, 8, 64))
            self.assertEqual(scores.tobytes(), expected.tobytes())
            self.assertTrue(np.isfinite(scores).all() and scores.std() > 0)

            vm.reset(0)
            flat = vm.run_flat_timesteps(0, 64, np.moveaxis(frames, 2, 0).flatten().tolist())
            self.assertEqual(np.float32(flat).reshape(64, 1, 8).tobytes(),
                             np.ascontiguousarray(np.moveaxis(expected, 2, 0)).tobytes())

    def test_state_and_reset(self):
        self.assertTrue(self.resettable.model_is_resettable(0))
        self.assertFalse(self.program.model_is_resettable(0))
        self.assertIn('generate-state-reset', self.fails(Assay.Error.INVALID, self.program.to_vm(1, 64, True).reset, 0))
        vm = self.resettable.to_vm(1, 64, True)
        frame = random_array(1, 32)
        first = to_array(vm.run(0, [to_tensor(frame)])[0])
        second = to_array(vm.run(0, [to_tensor(frame)])[0])
        self.assertNotEqual(first.tobytes(), second.tobytes())
        self.assertTrue(vm.reset(0))
        self.assertEqual(to_array(vm.run(0, [to_tensor(frame)])[0]).tobytes(), first.tobytes())
        vm.reset(0)
        self.assertEqual(np.float32(vm.run_flat(0, frame.flatten().tolist())).tobytes(), first.tobytes())

    def test_cycles_add_up(self):
        # With the capacities that the program itself counts with.
        vm = self.program.to_vm(32, 64, True)
        spaced = self.program.cycle_count_per_inference(0, True)
        contiguous = self.program.cycle_count_per_inference(0, False)
        frame = [to_tensor(random_array(1, 32))]
        self.assertEqual(vm.cycle_count(), 0)
        for n in range(4):
            vm.run(0, frame)
            self.assertEqual(vm.cycle_count(), n * contiguous + spaced)
        self.assertAlmostEqual(vm.compute_duration_us(0), vm.cycle_count() / self.config.props.clock_mhz)
        self.assertAlmostEqual(vm.compute_duration_us(640), vm.cycle_count() / 640)

    def test_mlp(self):
        nnir = Assay.Nnir.from_onnx(MLP, ['1,64'])
        program = nnir.to_program(self.config, None)
        rows = random_array(5, 64, seed=2)
        exact = program.to_vm(1, 64, True)
        fp32 = program.to_vm(1, 64, False)
        for row in rows:
            bf16 = to_array(exact.run(0, [to_tensor(row[None])])[0])
            full = to_array(fp32.run(0, [to_tensor(row[None])])[0])
            double = to_array(fp32.run(0, [to_tensor(row[None].astype(np.float64), Assay.DType.F64)])[0])
            self.assertEqual(full.tobytes(), double.tobytes())
            self.assertAlmostEqual(float(full.sum()), 1.0, places=4)
            self.assertLess(np.abs(bf16 - full).max(), 0.02)
        stacked = to_array(exact.run_timesteps(0, [to_tensor(rows[:, None])], [0], [0])[0])
        self.assertEqual(stacked.shape, (5, 1, 10))
        self.assertEqual(stacked[-1].tobytes(), bf16.tobytes())
        last = to_array(exact.run_timesteps(0, [to_tensor(rows[:, None])], [0], [-1])[0])
        self.assertEqual(last.tobytes(), bf16.tobytes())

    def test_io_only(self):
        program = Assay.Program.io_only_test(self.config, 100, 40)
        self.assertEqual(program.model_input_shape(0, 0), [100])
        self.assertEqual(program.model_output_shape(0, 0), [40])
        summary = program.cycle_summary_per_inference(0)
        self.assertGreater(summary.first_output, summary.last_input)
        again = Assay.Program.load_bytes(program.save_bytes())
        vm = again.to_vm(1, 64, True)
        self.assertEqual(vm.run_flat(0, [float(i) for i in range(100)]), [96.0] * 40)
        self.assertEqual(vm.cycle_count(), summary.last_output)
        self.fails(Assay.Error.INVALID, Assay.Program.io_only_test, self.config, 0, 40)
        message = self.fails(Assay.Error.ALLOCATION, Assay.Program.io_only_test, self.config, 32 * 4096 + 1, 40)
        self.assertIn('tensor RAM', message)

    def test_io_only_of_program(self):
        """The shell of a program: the same ports, sooner, without weights, and nothing out before all is in."""
        builder = Assay.ProgramBuilder.new(self.config)
        builder.add_nnir(self.streaming, 'cnn', Assay.Options(generate_state_reset=True, keep_fp32=['frames']))
        builder.add_nnir(Assay.Nnir.from_onnx(MLP, ['40,64']), 'mlp', None)
        program = builder.to_program(None)
        before = program.save_bytes().get_data()
        shell = program.transform_to_io_only_test()
        self.assertEqual(program.save_bytes().get_data(), before)
        again = Assay.Program.load_bytes(shell.save_bytes())
        vm = again.to_vm(1, 64, True)
        self.assertEqual(again.metrics().get_model_names(), ['cnn', 'mlp'])
        self.assertEqual(max(again.metrics().get_weight_store_used()), 0)
        self.assertEqual(again.metrics().get_input_bytes(), program.metrics().get_input_bytes())
        self.assertEqual(again.metrics().get_output_bytes(), program.metrics().get_output_bytes())
        for model in range(2):
            self.assertEqual(again.model_input_shape(model, 0), program.model_input_shape(model, 0))
            self.assertEqual(again.model_output_shape(model, 0), program.model_output_shape(model, 0))
            self.assertEqual(again.model_input_streaming_dim(model, 0), program.model_input_streaming_dim(model, 0))
            self.assertEqual(again.model_input_number_format(model, 0), program.model_input_number_format(model, 0))
            self.assertFalse(again.model_is_resettable(model))
            self.assertLess(again.cycle_count_per_inference(model, True), program.cycle_count_per_inference(model, True))
            summary, whole = again.cycle_summary_per_inference(model), program.cycle_summary_per_inference(model)
            self.assertEqual(summary.last_input, whole.last_input)
            self.assertGreater(summary.first_output, summary.last_input)
            values = [float(i) for i in range(int(np.prod(again.model_input_shape(model, 0))))]
            values[-32:] = [0.5] * 32
            self.assertEqual(vm.run_flat(model, values), [0.5] * int(np.prod(again.model_output_shape(model, 0))))

    def test_hw_config(self):
        config = self.program.hw_config()
        for field in self.config.list_properties():
            self.assertEqual(config.get_property(field.name), self.config.get_property(field.name), field.name)
        versal = self.whole.to_program(Assay.Config.new_preset('v80_c6b32'), None)
        self.assertEqual(Assay.Program.load_bytes(versal.save_bytes()).hw_config().props.fabric, 'versal-sg2')
        same = self.streaming.to_program(config, 'cnn')
        self.assertEqual(same.save_bytes().get_data(), self.program.save_bytes().get_data())

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'cnn.assay')
            self.program.save(path)
            loaded = Assay.Program.load(path)
            frame = [to_tensor(random_array(1, 32, seed=3))]
            self.assertEqual(to_array(loaded.to_vm(1, 64, True).run(0, frame)[0]).tobytes(),
                             to_array(self.program.to_vm(1, 64, True).run(0, frame)[0]).tobytes())
            self.assertEqual(loaded.cycle_count_per_inference(0, True), self.program.cycle_count_per_inference(0, True))

            data = bytearray(pathlib.Path(path).read_bytes())
            data[len(data) // 2] ^= 1
            pathlib.Path(path).write_bytes(data)
            self.assertIn('cnn.assay', self.fails(Assay.Error.LOAD, Assay.Program.load, path))
            self.fails(Assay.Error.LOAD, Assay.Program.load_bytes, GLib.Bytes.new(b'no program'))
            self.fails(Assay.Error.IO, Assay.Program.load, os.path.join(folder, 'missing'))
            self.fails(Assay.Error.SAVE, self.program.save, os.path.join(folder, 'missing', 'cnn.assay'))

    def test_options(self):
        frames = [to_tensor(random_array(1, 32, 64))]

        def run(program, bf16=True):
            return to_array(program.to_vm(1, 64, bf16).run_timesteps(0, frames, [2], self.output_axes)[0])

        def compiled(config=self.config, **options):
            return self.streaming.to_program_full(config, 'cnn', Assay.Options(**options), None)

        expected = run(self.program)
        self.assertTrue(Assay.Options().props.optimize_transforms)
        self.assertFalse(Assay.Options.new().props.allow_dynamic_weights)
        names = [line.split('@ "')[1].split('"')[0] for line in self.streaming.to_text().splitlines() if ' = Conv(' in line]
        pinned = compiled(pins=[f'{names[0]}=1-2', f'{names[1]}=5'])
        uses = compiled(core_indices='3,5').metrics().get_weight_store_used()
        self.assertEqual([uses[core] for core in (0, 1, 2, 4)], [0] * 4)
        self.assertGreater(uses[3], 0)
        self.assertGreater(pinned.metrics().get_weight_store_used()[5], 0)
        for program in (pinned, compiled(optimize_transforms=False), compiled(core_indices='3,5'), self.resettable,
                        compiled(allow_dynamic_weights=True)):
            self.assertEqual(run(program).tobytes(), expected.tobytes())

        self.assertEqual(self.program.model_input_number_format(0, 0), Assay.DType.BF16)
        kept = compiled(keep_fp32=['frames'])
        self.assertEqual(kept.model_input_number_format(0, 0), Assay.DType.F32)
        self.assertEqual(kept.model_output_number_format(0, 0), Assay.DType.BF16)
        self.assertEqual(kept.metrics().get_input_bytes(), [128])
        # The first layer takes bf16 whatever the input is.
        self.assertEqual(run(kept).tobytes(), expected.tobytes())

        versal = Assay.Config.new_preset('v80_c6b32')
        small, large = compiled(versal, fp8_weights=True), compiled(versal)
        self.assertLess(sum(small.metrics().get_weight_store_used()), sum(large.metrics().get_weight_store_used()))
        self.assertNotEqual(run(small).tobytes(), expected.tobytes())
        self.assertEqual(run(small, False).tobytes(), run(self.program, False).tobytes())

        self.assertIn('Versal', self.fails(Assay.Error.INVALID, lambda: compiled(fp8_weights=True)))
        self.assertIn('did you mean', self.fails(Assay.Error.INVALID, lambda: compiled(pins=[names[0] + 'x=0'])))
        self.fails(Assay.Error.INVALID, lambda: compiled(core_indices='6'))

    def test_cancel(self):
        cancellable = Gio.Cancellable()
        cancellable.cancel()
        self.fails(Assay.Error.CANCELLED, self.streaming.to_program_full, self.config, None, None, cancellable)

    def test_several_models(self):
        builder = Assay.ProgramBuilder.new(self.config)
        self.fails(Assay.Error.INVALID, builder.to_program, None)
        builder.add_nnir(self.streaming, 'cnn', None)
        builder.add_nnir(Assay.Nnir.from_onnx(MLP, ['1,64']), 'mlp', None)
        builder.add_nnir(self.streaming, 'again', Assay.Options(generate_state_reset=True))
        program = builder.to_program(None)
        self.assertEqual(program.num_models(), 3)
        self.assertEqual([program.model_name(i) for i in range(3)], ['cnn', 'mlp', 'again'])
        self.assertEqual(program.metrics().get_model_names(), ['cnn', 'mlp', 'again'])
        self.assertEqual(program.model_input_shape(1, 0), [1, 64])
        self.assertEqual([program.model_is_resettable(i) for i in range(3)], [False, False, True])
        self.assertEqual(program.cycle_count_per_inference(0, True), self.program.cycle_count_per_inference(0, True))
        vm = Assay.Program.load_bytes(program.save_bytes()).to_vm(1, 64, True)
        alone = self.program.to_vm(1, 64, True)
        for seed in range(3):
            frame = [to_tensor(random_array(1, 32, seed=seed))]
            expected = to_array(alone.run(0, frame)[0]).tobytes()
            self.assertEqual(to_array(vm.run(0, frame)[0]).tobytes(), expected)
            vm.run(1, [to_tensor(random_array(1, 64, seed=seed))])
            self.assertEqual(to_array(vm.run(2, frame)[0]).tobytes(), expected)
        vm.reset(2)
        with tempfile.TemporaryDirectory() as folder:
            small = Assay.ProgramBuilder.new(self.small_config(folder, weight_store_depth=8))
            small.add_nnir(self.streaming, 'cnn', None)
            small.to_program(None)
            small.add_nnir(Assay.Nnir.from_onnx(MLP, ['1,64']), 'mlp', None)
            self.assertIn('weight store', self.fails(Assay.Error.ALLOCATION, small.to_program, None))

    def test_runners(self):
        """A model runs without being compiled; a program on the machine and on a board gives the same bits."""
        frames = random_array(1, 32, 5)
        whole = Assay.Nnir.from_onnx(CNN, ['1,32,5'])
        expected = to_array(whole.run_on('reference', [to_tensor(frames)], None)[0])
        machine = to_array(self.program.run_on('vm', 0, [to_tensor(frames)], None)[0])
        board = to_array(self.program.run_on('board:local', 0, [to_tensor(frames)], None)[0])
        self.assertEqual(machine.shape, expected.shape)
        np.testing.assert_allclose(machine, expected, atol=0.01 * np.abs(expected).max())
        self.assertEqual(machine.tobytes(), board.tobytes())
        vm = self.program.to_vm(1, 64, True)
        steps = to_array(vm.run_timesteps(0, [to_tensor(frames)], [2], self.output_axes)[0])
        self.assertEqual(machine.tobytes(), steps.tobytes())
        self.assertIn('expected one of', self.fails(Assay.Error.INVALID, whole.run_on, 'gpu', [to_tensor(frames)], None))
        self.assertIn('name a target', self.fails(Assay.Error.INVALID, whole.run_on, 'vm', [to_tensor(frames)], None))
        self.assertIn('takes 1', self.fails(Assay.Error.INVALID, whole.run_on, 'reference', [], None))
        stopped = Gio.Cancellable()
        stopped.cancel()
        self.fails(Assay.Error.CANCELLED, self.program.run_on, 'vm', 0, [to_tensor(frames)], stopped)

    def test_allocation(self):
        with tempfile.TemporaryDirectory() as folder:
            config = self.small_config(folder, tensor_ram_depth=1)
            message = self.fails(Assay.Error.ALLOCATION, self.streaming.to_program, config, None)
            self.assertIn('tensor RAM', message)
            config = self.small_config(folder, weight_store_depth=1)
            self.assertIn('weight', self.fails(Assay.Error.ALLOCATION, Assay.Program.compile, self.streaming, config, None))

    def test_refusals(self):
        vm = self.program.to_vm(1, 64, True)
        frame = to_tensor(random_array(1, 32))
        self.fails(Assay.Error.INVALID, self.program.to_vm, 0, 64, True)
        self.fails(Assay.Error.INVALID, vm.run, 1, [frame])
        self.fails(Assay.Error.INVALID, vm.run, 0, [frame, frame])
        self.fails(Assay.Error.INVALID, vm.reset, 1)
        self.fails(Assay.Error.INVALID, vm.run_flat, 0, [0.0] * 31)
        self.fails(Assay.Error.INVALID, vm.run_flat_timesteps, 0, 2, [0.0] * 65)
        self.fails(Assay.Error.INVALID, vm.run_timesteps, 0, [frame], [2], [2])
        self.fails(Assay.Error.INVALID, vm.run_timesteps, 0, [frame], [-1], [2])
        self.fails(Assay.Error.INVALID, vm.run_timesteps, 0, [to_tensor(random_array(1, 32, 2))], [2], [3])
        message = self.fails(Assay.Error.INVALID, vm.run, 0, [to_tensor(random_array(1, 31))])
        self.assertIn('[1, 31]', message)
        self.assertIn('[1, 32]', message)
        self.assertEqual(vm.cycle_count(), 0)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'text.onnx')
            pathlib.Path(path).write_text('this is no model')
            self.assertIn('text.onnx', self.fails(Assay.Error.IMPORT, Assay.Nnir.from_onnx, path, None))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
