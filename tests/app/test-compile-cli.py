#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles, counts, dumps and runs through the command line.

Arguments: the assay program, the folder of the built examples."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_trace  # noqa: E402

ASSAY = pathlib.Path(sys.argv.pop(1))
EXAMPLES = pathlib.Path(sys.argv.pop(1))
TARGET = 'ia_420f_c6b32'
STORES = {'clamp_store': 'clamp_store_depth', 'tensor_ram': 'tensor_ram_depth', 'weight_store': 'weight_store_depth',
          'accum_store': 'accum_store_depth', 'cell_state': 'cell_state_depth',
          'tensor_descriptor': 'tensor_descriptor_count'}


def run(*arguments):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600)


def example(name):
    return EXAMPLES / f'{name}.onnx'


def save_chain(path, size, layers, name='chain', seed=1):
    """Writes a model of matrix products and returns its weights."""
    random = numpy.random.default_rng(seed)
    weights = [(random.standard_normal((size, size)) / size ** 0.5).astype(numpy.float32) for _ in range(layers)]
    nodes = [helper.make_node('MatMul', [f'v{i}', f'w{i}'], [f'v{i + 1}'], name=f'mm{i}') for i in range(layers)]
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info('v0', TensorProto.FLOAT, [2, size])],
                              [helper.make_tensor_value_info(f'v{layers}', TensorProto.FLOAT, [2, size])],
                              [numpy_helper.from_array(weight, f'w{i}') for i, weight in enumerate(weights)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), str(path))
    return weights


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.program = self.folder / 'model.assayp'

    def tearDown(self):
        self.temporary.cleanup()

    def compile(self, name, *options):
        done = run('compile', example(name), '-o', self.program, '--target', TARGET, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Choices(WithFolder):
    MLP = ('--override-input-shapes', '1,64')

    def program_json(self, *options, target=TARGET, model='mlp'):
        done = run('compile', example(model), '-o', self.program, '--target', target, *options, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def outputs(self, *options, target=TARGET, model='mlp'):
        folder = self.folder / 'out'
        done = run('run', example(model), '--target', target, '--random', '3', '--output-dir', folder, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.name: numpy.load(path) for path in folder.iterdir()}

    def test_pin(self):
        self.program_json(*self.MLP, '--pin', '/layers.0/Gemm=3-5', '--pin', '/layers.2/Gemm=0,2')
        dump = run('dump', self.program, '--placement').stdout
        section = dump[:dump.index('Core 0')]
        self.assertRegex(section, r'/layers.0/Gemm\n  \* cores 3-5 .*, pinned\n')
        self.assertRegex(section, r'/layers.2/Gemm\n  \* cores 0,2 .*, pinned\n')
        free = re.search(r'/layers.4/Gemm\n  \* cores (\S+) +(\d+) \(\d+ to \d+\) spaced +(\d+) \(\d+ to \d+\) contiguous\n', section)
        self.assertIsNotNone(free)
        rows = {core: re.findall(r'rows (\d+)\.\.(\d+) of 128, 64 inputs', part)
                for core, part in re.findall(r'Core (\d+), memory\n(.*?)(?=Core \d|\Z)', dump, re.S)}
        self.assertEqual({core for core, found in rows.items() if found}, {'3', '4', '5'})
        plain, pinned = self.outputs(*self.MLP), self.outputs(*self.MLP, '--pin', '/layers.0/Gemm=3-5')
        for name, value in plain.items():
            self.assertEqual(value.tobytes(), pinned[name].tobytes())

    def test_candidates(self):
        self.program_json(*self.MLP)
        dump = run('dump', self.program, '--placement').stdout
        spaced = json.loads(run('cycles', self.program, '--json').stdout)['models'][0]['spaced']
        section = dump[:dump.index('Core 0')]
        chosen = re.findall(r'\* cores \S+ +(\d+) \(\d+ to \d+\) spaced', section)
        others = re.findall(r'    cores \S+ +(\d+) \(\d+ to \d+\) spaced', section)
        self.assertEqual(chosen, [str(spaced)] * 3)
        self.assertGreater(len(others), 3)

    def test_unknown_names(self):
        done = run('compile', example('mlp'), '-o', self.program, '--target', TARGET, *self.MLP, '--pin', '/layers.0/Gem=0',
                   '--keep-fp32', 'layers.2', '--pin', '/layers.2/Gemm=6')
        self.assertEqual(done.returncode, 1)
        self.assertIn('did you mean `/layers.0/Gemm`?', done.stderr)
        self.assertIn('nodes are called `/layers.2/Gemm`', done.stderr)
        self.assertIn('expected numbers from 0 to 5', done.stderr)
        self.assertFalse(self.program.exists())
        done = run('compile', example('mlp'), '-o', self.program, '--target', TARGET, *self.MLP, '--pin', '/Softmax=0')
        self.assertEqual(done.returncode, 1)
        self.assertIn('no rows of weights', done.stderr)
        done = run('compile', example('mlp'), '-o', self.program, '--target', TARGET, *self.MLP, '--keep-fp32', '/Softmax')
        self.assertEqual(done.returncode, 1)
        self.assertIn('cannot be kept in fp32', done.stderr)

    def test_fp8(self):
        plain = self.program_json(*self.MLP, target='v80_c6b32')
        small = self.program_json(*self.MLP, '--fp8-weights', target='v80_c6b32')
        self.assertLess(sum(small['weight_store_used']), sum(plain['weight_store_used']))
        self.assertIn('.fp8', run('dump', self.program).stdout)
        bf16, fp8 = (self.outputs(*self.MLP, *more, target='v80_c6b32') for more in ([], ['--fp8-weights']))
        for name, value in bf16.items():
            self.assertNotEqual(value.tobytes(), fp8[name].tobytes())
            self.assertLess(numpy.abs(value - fp8[name]).max(), 0.05)
        done = run('compile', example('mlp'), '-o', self.program, '--target', TARGET, *self.MLP, '--fp8-weights')
        self.assertEqual(done.returncode, 2)
        self.assertIn('need a Versal card', done.stderr)

    def test_fp32(self):
        plain = self.program_json(*self.MLP)
        kept = self.program_json(*self.MLP, '--keep-fp32', 'input', '--keep-fp32', '/layers.1/Relu')
        self.assertEqual([2 * size for size in plain['input_bytes']], kept['input_bytes'])
        self.assertEqual(plain['output_bytes'], kept['output_bytes'])
        self.assertGreater(max(kept['tensor_ram_used']), max(plain['tensor_ram_used']))

    def test_reset(self):
        plain = self.program_json('--streaming-transform', '2', model='streaming-cnn')
        reset = self.program_json('--streaming-transform', '2', '--state-reset', model='streaming-cnn')
        self.assertGreater(sum(reset['num_instrs']), sum(plain['num_instrs']))
        self.assertIn('reset.f32.reset', run('dump', self.program).stdout)


class Ranges(WithFolder):
    def warnings(self, weight):
        path = self.folder / 'ranges.onnx'
        nodes = [helper.make_node('MatMul', ['x', 'w'], ['h'], name='mm'), helper.make_node('Softmax', ['h'], ['y'], name='sm')]
        graph = helper.make_graph(nodes, 'g', [helper.make_tensor_value_info('x', TensorProto.FLOAT, [1, 4])],
                                  [helper.make_tensor_value_info('y', TensorProto.FLOAT, [1, 3])],
                                  [numpy_helper.from_array(numpy.float32(weight), 'w')])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), str(path))
        done = run('compile', path, '-o', self.program, '--target', TARGET, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return {(found['node'], found['what']): found for found in json.loads(done.stdout)['ranges']['warnings']}

    def test_ranges(self):
        weight = numpy.ones((4, 3))
        self.assertEqual(self.warnings(weight), {})
        weight[1, 1] = 1e-42
        self.assertEqual(self.warnings(weight)[('mm', 'weights vanish')]['count'], 1)
        weight[1, 1] = 3.4e38
        self.assertEqual(set(self.warnings(weight)), {('mm', 'weights overflow'), ('mm', 'result may overflow')})
        weight[:] = 1e38
        self.assertEqual(set(self.warnings(weight)), {('mm', 'result may overflow')})
        weight[:] = 1e-41
        self.assertEqual(set(self.warnings(weight)), {('mm', 'weights vanish'), ('mm', 'result vanishes')})


class Several(WithFolder):
    @staticmethod
    def shapes(*shapes):
        return [argument for shape in shapes for argument in ('--override-input-shapes', shape)]

    def test_fewer_shapes_than_inputs(self):
        """Shapes are for the inputs of all models in order; models behind the last one keep theirs."""
        done = run('compile', example('mlp'), example('streaming-cnn'), '-o', self.folder / 'two.assayp', '--target', TARGET,
                   '--override-input-shapes', '1,64', '--streaming-transform', 'none,2')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('2 models', done.stdout)

    def test_several(self):
        done = run('compile', example('lstm'), example('streaming-cnn'), example('lstm'), '-o', self.program, '--target', TARGET,
                   '--streaming-transform', '0,2,0', *self.shapes('8,1,32', '1,32,64', '8,1,32'), '--model-name', 'first', '--model-name', 'second', '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        names = ['first', 'second', document['model_names'][2]]
        self.assertEqual(document['model_names'], names)
        self.assertEqual([model['name'] for model in document['models']], names)
        self.assertEqual(len(set(names)), 3)
        self.assertEqual(document['models'][0]['spaced'], document['models'][2]['spaced'])
        self.assertEqual(len(document['input_bytes']), 3)

        alone = self.folder / 'alone.assayp'
        run('compile', example('lstm'), example('streaming-cnn'), '-o', alone, '--target', TARGET, '--streaming-transform', '0,2',
            *self.shapes('8,1,32', '1,32,64'))
        less = json.loads(run('metrics', alone, '--json').stdout)
        self.assertEqual(less['weight_store_used'], document['weight_store_used'])

        cycles = json.loads(run('cycles', self.program, '--json').stdout)['models']
        self.assertEqual([model['name'] for model in cycles], names)
        trace = self.folder / 'trace.json'
        self.assertEqual(run('cycles', self.program, '--model', 'second', '--trace', trace).returncode, 0)
        self.assertTrue(json.loads(trace.read_text())['traceEvents'])
        dump = run('dump', self.program).stdout
        for name in names:
            self.assertIn(f'instructions of model {name}', dump)

        for index, (model, source, axis) in enumerate([('first', 'lstm', 0), ('second', 'streaming-cnn', 2), (names[2], 'lstm', 0)]):
            together, apart = self.folder / f'together{index}', self.folder / f'apart{index}'
            done = run('run', self.program, '--model', model, '--random', '7', '--timesteps', '5', '--output-dir', together)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run('run', example(source), '--target', TARGET, '--streaming-transform', axis, '--random', '7',
                       *([] if axis else self.shapes('8,1,32')),
                       '--timesteps', '5', '--output-dir', apart)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = sorted(path.name for path in apart.iterdir())
            self.assertTrue(files)
            for name in files:
                self.assertEqual((together / name).read_bytes(), (apart / name).read_bytes())

    def test_too_many_axes(self):
        done = run('compile', example('lstm'), example('lstm'), '-o', self.program, '--target', TARGET,
                   '--streaming-transform', '0,0,0', *self.shapes('8,1,32', '8,1,32'))
        self.assertEqual(done.returncode, 2)
        self.assertIn('more streaming axes', done.stderr)
        self.assertFalse(self.program.exists())


class Compile(WithFolder):
    def test_members(self):
        metrics = self.folder / 'metrics.json'
        done = json.loads(self.compile('mlp', '--bind', 'batch=1', '--json', '--metrics', metrics, '--model-name', 'me'))
        self.assertEqual(done['schema'], 'assay.compile/1')
        self.assertEqual(done['target'], TARGET)
        self.assertEqual(done['model_names'], ['me'])
        self.assertEqual(len(done['models']), 1)
        read = json.loads(run('metrics', self.program, '--json').stdout)
        written = json.loads(metrics.read_text())
        self.assertEqual(written['schema'], read['schema'])
        for store, depth in STORES.items():
            self.assertEqual(len(done[f'{store}_used']), 6)
            self.assertLessEqual(max(done[f'{store}_used']), done[depth])
            self.assertEqual(done[f'{store}_used'], read[f'{store}_used'])
            self.assertEqual(done[f'{store}_used'], written[f'{store}_used'])
        # 64 x 128, 128 x 128 and 128 x 10 in blocks of 32 by 32.
        self.assertEqual(sum(done['weight_store_used']), 2 * 4 + 4 * 4 + 1 * 4)
        self.assertGreater(sum(done['num_instrs']), 5)
        self.assertGreaterEqual(sum(done['num_micro_instrs']), 28)
        self.assertEqual(done['input_bytes'], [128])
        self.assertEqual(done['output_bytes'], [64])

    def test_io_only(self):
        """The same ports without computation: no weights, fewer cycles, and a run that gives one value."""
        whole = json.loads(self.compile('mlp', '--bind', 'batch=1', '--json'))
        done = json.loads(self.compile('mlp', '--bind', 'batch=1', '--json', '--io-only'))
        self.assertEqual(sum(done['weight_store_used']), 0)
        self.assertEqual(max(done['tensor_ram_used']), 2)
        for member in ('input_bytes', 'output_bytes', 'model_names', 'num_cores'):
            self.assertEqual(done.get(member), whole.get(member))
        self.assertLess(done['models'][0]['spaced'], whole['models'][0]['spaced'])
        values = self.folder / 'input.npy'
        numpy.save(values, numpy.arange(64, dtype=numpy.float32).reshape(1, 64))
        result = run('run', self.program, '-i', f'input={values}', '--output-dir', self.folder / 'out')
        self.assertEqual(result.returncode, 0, result.stderr)
        (output,) = (self.folder / 'out').glob('**/*.npy')
        self.assertEqual(numpy.load(output).flatten().tolist(), [32.0] * 10)
        self.assertEqual(run('compile', example('many-refusals'), '-o', self.folder / 'no', '--target', TARGET,
                             '--io-only').returncode, 1)

    def test_same_bytes(self):
        self.compile('mlp', '--bind', 'batch=1')
        first = self.program.read_bytes()
        self.compile('mlp', '--bind', 'batch=1')
        self.assertEqual(first, self.program.read_bytes())

    def test_text(self):
        text = self.compile('mlp', '--bind', 'batch=1')
        for word in (TARGET, 'core 5', 'depth', 'Spaced', 'us'):
            self.assertIn(word, text)

    def test_without_cores(self):
        """A device that is not made of cores has none that could be named."""
        for target, model in (('vulkan-main', 'streaming-cnn'), (TARGET, 'streaming-cnn')):
            texts = [run('compile', example(model), '-o', self.program, '--target', target).stdout]
            texts += [run(command, self.program).stdout for command in ('dump', 'metrics')]
            for text in texts:
                self.assertTrue(text)
                self.assertEqual(bool(re.search(r'\bcores?\b', text, re.I)), target == TARGET, text)

    def test_rejected(self):
        """A model that is refused gives the causes of a check, and no program."""
        done = run('compile', example('many-refusals'), '-o', self.program, '--target', TARGET)
        check = run('check', example('many-refusals'), '--target', TARGET)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, check.stdout)
        document = json.loads(run('compile', example('many-refusals'), '-o', self.program, '--target', TARGET, '--json').stdout)
        causes = json.loads(run('check', example('many-refusals'), '--target', TARGET, '--json').stdout)['causes']
        self.assertEqual(document['error']['code'], 'UNSUPPORTED')
        self.assertEqual(document['error']['causes'], causes)
        self.assertFalse(self.program.exists())

    def test_usage(self):
        model = example('mlp')
        for arguments, status in (((model, '--target', TARGET), 2), ((model, '-o', self.program), 2),
                                  (('-o', self.program, '--target', TARGET), 2),
                                  ((model, '-o', self.program, '--target', 'ia_420'), 2),
                                  ((model, '-o', self.program, '--target', 'dpu_zdx8g_b512'), 1),
                                  ((model, '-o', self.program, '--target', TARGET, '--model-name', 'a', '--model-name', 'b'), 2),
                                  ((model, '-o', '/nonexistent/x', '--target', TARGET, '--bind', 'batch=1'), 3)):
            with self.subTest(arguments=arguments):
                done = run('compile', *arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertTrue(done.stderr)

    def test_allocation(self):
        model = self.folder / 'large.onnx'
        save_chain(model, 1056, 4)
        done = run('compile', model, '-o', self.program, '--target', TARGET, '--json')
        self.assertEqual(done.returncode, 1)
        error = json.loads(done.stdout)['error']
        self.assertEqual(error['code'], 'ALLOCATION')
        self.assertEqual(error['store'], 'weight store')
        self.assertGreater(error['needed'], error['available'])
        self.assertEqual(sum(live['blocks'] for live in error['live']), error['needed'])
        ways = error['ways_out']
        self.assertEqual([way['blocks_freed'] for way in ways], sorted((way['blocks_freed'] for way in ways), reverse=True))
        self.assertIn(error['message'], done.stderr)
        # What is offered works.
        targets = [way['option'].split()[1] for way in ways if way.get('option', '').startswith('--target ')]
        self.assertIn('v80_c6b32', targets)
        self.assertNotIn(TARGET, targets)
        for target in targets:
            self.assertEqual(run('compile', model, '-o', self.program, '--target', target).returncode, 0)
        for way in ways:
            self.assertIn(way['action'], done.stderr)

    def test_ways_say_what_they_free(self):
        """Each of them, also where several free the same; what is deeper frees nothing."""
        done = run('compile', example('streaming-cnn'), '-o', self.program, '--target', TARGET, '--depth', 'tensor_ram_depth=100', '--json')
        ways = json.loads(done.stdout)['error']['ways_out']
        self.assertLess(len({way['blocks_freed'] for way in ways}), len(ways))
        for way in ways:
            word = 'adds' if '--depth' in way['option'] else 'frees'
            self.assertRegex(done.stderr, rf'{re.escape(way["action"])} +{word} {way["blocks_freed"]} blocks? +{re.escape(way["option"])}')
        self.assertIn(' adds ', done.stderr)

    def test_smaller_inputs(self):
        model = self.folder / 'wide.nnir'
        model.write_text('main (%x : f32[1,32,20000]) {\n  %a = Relu(%x) : f32[1,32,20000] @ "a"\n'
                         '  %y = Add(%a, %x) : f32[1,32,20000] @ "b"\n  return %y\n}\n')
        compile_with = lambda *arguments: run('compile', model, '-o', self.program, '--target', TARGET, *arguments)
        done = compile_with('--json')
        self.assertEqual(done.returncode, 1)
        ways = [way for way in json.loads(done.stdout)['error']['ways_out'] if '--bind' in way.get('option', '')]
        self.assertEqual(sorted(way['option'].split('=')[0] for way in ways), ['--bind x:1', '--bind x:2'])
        for way in ways:
            name, extent = way['option'].split()[1].split('=')
            self.assertIn(f': {extent} instead of', way['action'])
            self.assertEqual(compile_with('--bind', f'{name}={extent}').returncode, 0)
            # The largest that fits, where all that is smaller fits as well.
            self.assertEqual(compile_with('--bind', f'{name}={int(extent) + 1}').returncode, 1)
        # An axis of time is no larger than one step.
        done = compile_with('--json', '--streaming-transform', '1', '--depth', 'tensor_ram_depth=400')
        self.assertEqual(done.returncode, 1)
        self.assertIn('--bind x:2', done.stdout)
        self.assertNotIn('--bind x:1', done.stdout)


    def test_split(self):
        model = self.folder / 'large.onnx'
        save_chain(model, 1056, 4)
        compile_with = lambda path: run('compile', path, '-o', self.program, '--target', TARGET, '--json')
        done = compile_with(model)
        ways = [way for way in json.loads(done.stdout)['error']['ways_out'] if '--split' in way.get('option', '')]
        self.assertEqual([way['action'] for way in ways], ['split into 2 models, behind mm1'])
        self.assertEqual(ways[0]['option'], 'assay show --split mm1 -o part.onnx')
        # Another card with six cores has a deeper store, this one has not.
        self.assertNotIn('--depth', done.stdout)
        done = run('show', model, '--split', 'mm1', '-o', self.folder / 'part.onnx')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(r'part-[12]\.onnx: opset .* equal to the bit', done.stdout)), 2)
        first, second = self.folder / 'part-1.onnx', self.folder / 'part-2.onnx'
        self.assertEqual([compile_with(path).returncode for path in (first, second)], [0, 0])
        # One node more and the first part does not fit: it is the longest.
        run('show', model, '--split', 'mm2', '-o', self.folder / 'more.onnx')
        self.assertEqual(compile_with(self.folder / 'more-1.onnx').returncode, 1)
        # One after the other they compute what the model does.
        numpy.save(self.folder / 'v0.npy', numpy.random.default_rng(7).standard_normal((2, 1056)).astype(numpy.float32))
        self.evaluate(model, 'v0', self.folder / 'whole')
        self.evaluate(first, 'v0', self.folder)
        self.evaluate(second, 'v2', self.folder)
        self.assertEqual((self.folder / 'v4.npy').read_bytes(), (self.folder / 'whole' / 'v4.npy').read_bytes())

    def evaluate(self, model, name, folder):
        done = run('run', model, '--on', 'reference', '--input', f'{name}={self.folder / name}.npy', '--output-dir', folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_split_outputs(self):
        # An output on the way, a tensor that both parts read, and a constant that each makes for itself.
        model = self.folder / 'model.onnx'
        node = lambda op, name, output, *inputs: helper.make_node(op, inputs, [output], name=name)
        nodes = [node('Add', 'd', 'd', 'c', 'c'), node('Mul', 'a', 'a', 'x', 'd'), node('Relu', 'b', 'b', 'a'),
                 node('Mul', 'e', 'e', 'a', 'd'), node('Add', 'f', 'y', 'e', 'a')]
        value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
        graph = helper.make_graph(nodes, 'g', [value('x')], [value('b'), value('y')],
                                  [numpy_helper.from_array(numpy.float32(2), 'c')])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), str(model))
        done = run('show', model, '--split', 'b', '-o', self.folder / 'part.onnx')
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = (onnx.load(self.folder / f'part-{i}.onnx').graph for i in (1, 2))
        self.assertEqual([[value.name for value in values] for values in (first.input, first.output)], [['x'], ['b', 'a']])
        self.assertEqual([[value.name for value in values] for values in (second.input, second.output)], [['a'], ['y']])
        for options, words in ((['--split', 'g'], 'the main graph has no node "g"'), (['--split', 'f'], 'nothing would follow'),
                               (['--split', 'e', '--split', 'a'], 'behind it or a later one already')):
            done = run('show', model, *options, '-o', self.folder / 'none.onnx')
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.folder / 'none-1.onnx').exists())
        self.assertEqual(run('show', model, '--split', 'b').returncode, 2)


class Program(WithFolder):
    def test_damaged(self):
        self.compile('mlp', '--bind', 'batch=1')
        data = bytearray(self.program.read_bytes())
        data[len(data) // 2] ^= 1
        self.program.write_bytes(data)
        for command in ('metrics', 'cycles', 'dump', 'run'):
            done = run(command, self.program)
            self.assertEqual(done.returncode, 2)
            self.assertIn('digest', done.stderr)
        done = run('metrics', example('mlp'))
        self.assertEqual(done.returncode, 2)
        self.assertIn('Not a program file', done.stderr)
        self.assertEqual(run('cycles', self.folder / 'none').returncode, 2)
        self.assertEqual(run('cycles').returncode, 2)

    def test_cycles(self):
        built = json.loads(self.compile('lstm', '--bind', 'steps=1', '--streaming-transform', '0', '--json'))
        done = json.loads(run('cycles', self.program, '--json').stdout)
        self.assertEqual(done['models'], built['models'])
        model = done['models'][0]
        self.assertAlmostEqual(model['compute_us'], model['spaced'] / model['clock_mhz'])
        for name in ('spaced', 'contiguous'):
            low, high = model[name + '_range']
            self.assertTrue(low < model[name] < high)
        self.assertLess(model['last_input'], model['first_output'])
        self.assertLessEqual(model['first_output'], model['last_output'])
        # Whoever tells a count tells how far it may be off.
        trace = self.folder / 'range.json'
        self.assertEqual(run('cycles', self.program, '--trace', trace).returncode, 0)
        ran = json.loads(run('run', self.program, '--random', '1', '--json').stdout)
        for other in (json.loads(trace.read_text())['otherData'], ran):
            for name in ('spaced_range', 'contiguous_range'):
                self.assertEqual(other[name], model[name])
        self.assertGreaterEqual(model['contiguous'], model['spaced'])
        self.assertIn(str(model['spaced']), run('cycles', self.program).stdout)

    def test_dump(self):
        built = json.loads(self.compile('lstm', '--bind', 'steps=1', '--streaming-transform', '0', '--json'))
        text = run('dump', self.program).stdout
        memory = run('dump', self.program, '--placement').stdout
        for core in range(6):
            self.assertIn(f'Core {core}', text)
        self.assertEqual(len(re.findall(r'(?m)^ +\d+  .* ; step ', text)), sum(built['num_instrs']))
        self.assertNotIn(' ; step ', memory)
        self.assertIn('/lstm/LSTM_1', memory)
        # The map ends where the metrics say.
        for name, store in (('weight', 'weight_store'), ('tensor', 'tensor_ram'), ('accum', 'accum_store'), ('cell', 'cell_state')):
            sections = memory.split('\nCore ')[1:]
            for core, section in enumerate(sections):
                ends = [int(end) for end in re.findall(rf'(?m)^  {name} +\d+\.\.(\d+)', section)]
                self.assertEqual(max(ends, default=-1) + 1, built[f'{store}_used'][core])

    def test_trace(self):
        built = json.loads(self.compile('lstm', '--bind', 'steps=1', '--streaming-transform', '0', '--json'))
        path = self.folder / 'trace.json'
        self.assertEqual(run('cycles', self.program, '--trace', path).returncode, 0)
        events = json.loads(path.read_text())['traceEvents']
        complete = {event['args']['instruction']: event for event in events if event['ph'] == 'X'}
        self.assertGreater(len(complete), 5)
        self.assertEqual(max(event['ts'] + event['dur'] for event in complete.values()
                             if not event['args']['operation'].count('.next')), built['models'][0]['last_output'])
        tracks = {}
        for event in complete.values():
            tracks.setdefault((event['pid'], event['tid']), []).append(event)
            before = event['args']['waited_for']
            if before is not None:
                self.assertLessEqual(complete[before]['ts'], event['ts'])
                self.assertIn('node', event['args'])
        for track in tracks.values():
            track.sort(key=lambda event: event['ts'])
            for first, second in zip(track, track[1:]):
                self.assertLessEqual(first['ts'], second['ts'])
        critical = [event for event in complete.values() if event['args']['critical']]
        self.assertEqual(min(event['ts'] for event in critical), 0)
        self.assertEqual(max(event['ts'] + event['dur'] for event in critical), built['models'][0]['last_output'])
        starts = {event['id'] for event in events if event['ph'] == 's'}
        ends = {event['id'] for event in events if event['ph'] == 'f'}
        self.assertEqual(starts, ends)
        self.assertTrue(starts)
        names = {event['args']['name'] for event in events if event['ph'] == 'M'}
        self.assertLessEqual({'Core 0', 'matrix', 'Input and output'}, names)
        self.assertEqual(check_trace.faults(json.loads(path.read_text())), [])
        self.assertEqual(run('cycles', self.program, '--trace', '/nonexistent/x').returncode, 3)
        self.assertEqual(run('cycles', self.program, '--trace', path, '--model', 'none').returncode, 2)


    def test_sensitivity(self):
        self.compile('streaming-cnn', '--streaming-transform', '2')
        text = run('cycles', self.program, '--sensitivity').stdout
        model = json.loads(run('cycles', self.program, '--sensitivity', '--json').stdout)['models'][0]
        for parameter in model['sensitivity']:
            row = re.search(rf"(?m)^ *{parameter['name']} +(\d+) +(\d+) +(\d+)$", text)
            if row is None:
                self.assertEqual((parameter['spaced'], parameter['contiguous']), (0, 0))
            else:
                self.assertEqual([int(cell) for cell in row.groups()],
                                 [parameter['value'], parameter['spaced'], parameter['contiguous']])
        # What is counted cannot be more than all of the cycles.
        self.assertLessEqual(sum(one['value'] * one['spaced'] for one in model['sensitivity']), model['spaced'])
        self.assertGreater(sum(one['spaced'] for one in model['sensitivity']), 4)
        largest = max(model['sensitivity'], key=lambda one: one['value'] * one['spaced'])
        self.assertEqual(model['dominant'], largest['name'])
        self.assertIn(f"{largest['name']} dominates: {largest['value']} cycles each", text)
        self.assertNotIn('sensitivity', run('cycles', self.program, '--json').stdout)

    def test_trace_format(self):
        path = self.folder / 'trace.json'
        chain = self.folder / 'chain.onnx'
        save_chain(chain, 512, 2)
        cases = ((chain, 'v80_c6b32', ()), (example('mlp'), TARGET, ('--override-input-shapes', '5,64')),
                 (example('streaming-cnn'), 'v80_c6b32', ('--streaming-transform', '2')),
                 (example('lstm'), 'ia_840f_c3b64', ('--bind', 'steps=7')))
        for model, target, options in cases:
            with self.subTest(model=model.name, target=target):
                done = run('compile', model, '-o', self.program, '--target', target, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(run('cycles', self.program, '--trace', path).returncode, 0)
                document = json.loads(path.read_text())
                self.assertEqual(check_trace.faults(document), [])

        # What is wrong is found.
        slices = [event for event in document['traceEvents']
                  if event['ph'] == 'X' and event['name'] == 'matrix' and event['pid'] == 1]
        into_next = slices[1]['ts'] + 1 - slices[0]['ts']
        flow = next(event for event in document['traceEvents'] if event['ph'] == 'f')
        for broken, name, value in ((slices[0], 'dur', -1), (slices[0], 'dur', into_next), (slices[1], 'cname', 'pink'),
                                    (flow, 'ts', 10 ** 9), (flow, 'id', 10 ** 9), (flow, 'ph', 's')):
            kept = broken.get(name)
            broken[name] = value
            self.assertNotEqual(check_trace.faults(document), [], (name, value))
            broken[name] = kept
            if kept is None:
                del broken[name]
        self.assertEqual(check_trace.faults(document), [])


class Run(WithFolder):
    def test_numbers(self):
        model = self.folder / 'chain.onnx'
        weights = save_chain(model, 70, 2)
        x = numpy.random.default_rng(2).uniform(-1, 1, (2, 70)).astype(numpy.float32)
        numpy.save(self.folder / 'x.npy', x)
        (self.folder / 'x.pb').write_bytes(numpy_helper.from_array(x, 'v0').SerializeToString())
        numpy.save(self.folder / 'columns.npy', numpy.asfortranarray(x.astype('>f8')))
        results = []
        for number, name in enumerate(('x.npy', 'x.pb', 'columns.npy')):
            out = self.folder / str(number)
            done = run('run', model, '--target', TARGET, '--on', 'vm,vm-fp32', '--input', f'v0={self.folder / name}',
                       '--output-dir', out, '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual([output['runner'] for output in document['outputs']], ['vm', 'vm-fp32'])
            results.append(numpy.load(out / 'vm-fp32' / 'v2.npy'))
            half = numpy.load(out / 'vm' / 'v2.npy')
            self.assertEqual(document['outputs'][0]['file'], str(out / 'vm' / 'v2.npy'))
            self.assertAlmostEqual(document['outputs'][0]['max'], half.max(), places=6)
            self.assertAlmostEqual(document['outputs'][0]['mean'], half.mean(), places=6)
            self.assertEqual(document['outputs'][0]['shape'], [2, 70])
        expected = x.astype(float) @ weights[0] @ weights[1]
        for result in results:
            numpy.testing.assert_array_equal(result, results[0])
            numpy.testing.assert_allclose(result, expected, atol=1e-5)
        numpy.testing.assert_allclose(half, expected, atol=0.05)
        self.assertTrue((half != results[0]).any())

    def test_streaming(self):
        """Timesteps one by one are the whole sequence at once, and the axis of time comes back where it was."""
        outputs = []
        for number, options in enumerate(((), ('--streaming-transform', '2', '--timesteps', '64'))):
            done = run('run', example('streaming-cnn'), '--target', TARGET, '--random', '3', '--output-dir',
                       self.folder / str(number), *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs.append(numpy.load(self.folder / str(number) / 'scores.npy'))
        self.assertEqual(outputs[0].shape, (1, 8, 64))
        numpy.testing.assert_array_equal(outputs[0], outputs[1])
        # A program gives what the model gives; files may hold more timesteps than are asked for.
        self.compile('streaming-cnn', '--streaming-transform', '2')
        x = numpy.random.default_rng(5).uniform(-1, 1, (1, 32, 9)).astype(numpy.float32)
        numpy.save(self.folder / 'x.npy', x)
        for steps in (4, 9):
            done = run('run', self.program, '--input', f'frames={self.folder / "x.npy"}', '--timesteps', steps,
                       '--output-dir', self.folder / f's{steps}')
            self.assertEqual(done.returncode, 0, done.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.folder / 's9' / 'scores.npy')[:, :, :4],
                                         numpy.load(self.folder / 's4' / 'scores.npy'))

    def test_refusals(self):
        self.compile('streaming-cnn', '--streaming-transform', '2')
        numpy.save(self.folder / 'wrong.npy', numpy.zeros((1, 31, 4), numpy.float32))
        numpy.save(self.folder / 'right.npy', numpy.zeros((1, 32, 4), numpy.float32))
        (self.folder / 'cut.npy').write_bytes((self.folder / 'right.npy').read_bytes()[:90])
        right = f'frames={self.folder / "right.npy"}'
        for arguments, words in (((), 'frames has no value'), (('--input', 'nope=x'), 'inputs are frames'),
                                 (('--input', f'frames={self.folder / "wrong.npy"}'), '[1, 32, timesteps]'),
                                 (('--input', f'frames={self.folder / "cut.npy"}'), '.npy'),
                                 (('--input', right, '--timesteps', '5'), '4 timesteps'),
                                 (('--input', right, '--input', right), 'twice'),
                                 (('--random', 'x'), 'expected a number'), (('--random', '1', '--on', 'gpu'), 'vm'),
                                 (('--random', '1', '--model', 'none'), 'no model')):
            with self.subTest(arguments=arguments):
                done = run('run', self.program, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)


unittest.main()
