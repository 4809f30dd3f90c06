#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models on every runner, deploys to boards and checks them, through the command line.

Arguments: the assay program, the top of the source tree."""
import hashlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy
from onnx import TensorProto, helper, numpy_helper

import check_trace
from driver import until

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
# Beside the program in a build folder, or where emulated programs are.
AGENT = next(path for path in (pathlib.Path(folder) / 'assay-board' for folder in
                               [*filter(None, os.environ.get('ASSAY_HELPERS', '').split(':')), ASSAY.parent.parent / 'board']) if path.exists())
ROOT = pathlib.Path(sys.argv.pop(1))
TARGET = 'ia_420f_c6b32'
MLP = ('mlp.onnx',)
# Stands in for ssh, and for the home folder with its configuration.
ENVIRONMENT = dict(os.environ, HOME=str(ROOT / 'tests/data/board/home'),
                   PATH=f'{ROOT / "tests/data/board"}:{AGENT.parent}:{os.environ["PATH"]}')


def save_model(path):
    """Two layers, whose output depends on every input."""
    generator = numpy.random.default_rng(3)
    weights = [generator.normal(0, 0.5, shape).astype(numpy.float32) for shape in ((64, 32), (32, 10))]
    nodes = [helper.make_node('MatMul', ['input', 'w0'], ['a']), helper.make_node('Relu', ['a'], ['b']),
             helper.make_node('MatMul', ['b', 'w1'], ['probabilities'])]
    graph = helper.make_graph(nodes, 'mlp', [helper.make_tensor_value_info('input', TensorProto.FLOAT, (2, 64))],
                              [helper.make_tensor_value_info('probabilities', TensorProto.FLOAT, (2, 10))],
                              [numpy_helper.from_array(array, f'w{i}') for i, array in enumerate(weights)])
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        save_model(self.folder / 'mlp.onnx')
        self.x = numpy.random.default_rng(4).uniform(-1, 1, (2, 64)).astype(numpy.float32)

    def run_assay(self, *arguments, **environment):
        return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600,
                              env=dict(ENVIRONMENT, XDG_CACHE_HOME=str(self.folder / 'cache'), **environment), cwd=self.folder)

    def script(self, text, kind='command'):
        path = self.folder / 'runner.sh'
        path.write_text('#!/bin/sh\n' + text)
        path.chmod(0o700)
        return f'{kind}:{path}'

    def load(self, *names):
        return [numpy.load(self.folder / name / 'probabilities.npy') for name in names]


class Runners(WithFolder):
    def test_several(self):
        """Every runner has its folder, a board has the bits of the machine, and recorded files are what they were."""
        out = self.folder / 'out'
        done = self.run_assay('run', *MLP, '--target', TARGET, '--on', 'vm,vm-fp32,board:local,board:ssh:good', '--random', 1,
                   '--output-dir', out, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([(row['runner'], row['label'], row['inferences']) for row in document['runners']],
                         [('vm', 'Machine bf16', 1), ('vm-fp32', 'Machine fp32', 1), ('board:local', 'This computer (software)', 1),
                          ('board:ssh:good', 'good', 1)])
        vm, wide, local, ssh = self.load('out/vm', 'out/vm-fp32', 'out/board_local', 'out/board_ssh_good')
        self.assertEqual(vm.tobytes(), local.tobytes())
        self.assertEqual(vm.tobytes(), ssh.tobytes())
        self.assertNotEqual(vm.tobytes(), wide.tobytes())
        numpy.testing.assert_allclose(vm, wide, atol=0.5)
        done = self.run_assay('run', *MLP, '--on', f'files:{out / "vm"}', '--random', 1, '--output-dir', self.folder / 'again')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.load('again')[0].tobytes(), vm.tobytes())

    def test_onnxruntime(self):
        done = self.run_assay('run', *MLP, '--target', TARGET, '--on', 'vm-fp32,ort', '--random', 1, '--output-dir', self.folder)
        if 'was not found' in done.stderr:
            self.assertEqual(done.returncode, 3)
            self.assertIn('ASSAY_ONNXRUNTIME=FILE', done.stderr)
            self.skipTest('ONNX Runtime is not installed')
        self.assertEqual(done.returncode, 0, done.stderr)
        a, b = self.load('vm-fp32', 'ort')
        numpy.testing.assert_allclose(a, b, atol=1e-4)
        # The library is kept from writing into the home folder.
        self.assertFalse((ROOT / 'tests/data/board/home/.cache').exists())
        self.assertFalse((self.folder / 'cache').exists())

    def test_onnxruntime_absent(self):
        done = self.run_assay('run', *MLP, '--on', 'ort:/nonexistent/libonnxruntime.so', '--random', 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn('/nonexistent/libonnxruntime.so', done.stderr)
        self.assertIn('npm package onnxruntime-node', done.stderr)
        done = self.run_assay('run', *MLP, '--on', 'ort:/lib/x86_64-linux-gnu/libc.so.6', '--random', 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn('not ', done.stderr)

    def test_command(self):
        """A program of one's own gets what goes in as .npy and gives back what comes out."""
        numpy.save(self.folder / 'x.npy', self.x)
        answer = numpy.arange(20, dtype=numpy.float32).reshape(2, 10)
        numpy.save(self.folder / 'answer.npy', answer)
        spec = self.script(f'echo ready; read -r f; cp $f/run.json $f/input-0.npy {self.folder}; '
                           f'cp {self.folder}/answer.npy $f/output-0.npy; echo ok\n', 'unconfined')
        done = self.run_assay('run', *MLP, '--on', spec, '--input', f'input={self.folder / "x.npy"}', '--output-dir', self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.folder / 'probabilities.npy'), answer)
        numpy.testing.assert_array_equal(numpy.load(self.folder / 'input-0.npy'), self.x)
        task = json.loads((self.folder / 'run.json').read_text())
        self.assertEqual(task, {'schema': 'assay.runner/1', 'values': [], 'outputs': [{'name': 'probabilities', 'file': 'output-0.npy'}],
                                'inputs': [{'name': 'input', 'file': 'input-0.npy', 'dtype': 'f32'}]})

        numpy.save(self.folder / 'answer.npy', answer[:, :9])
        done = self.run_assay('run', *MLP, '--on', spec, '--random', 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn('output probabilities: shape [2, 9], expected [2, 10]', done.stderr)

    def test_ranges(self):
        """What bf16 does not hold is told of weights and of what the reference computes on the same inputs."""
        done = self.run_assay('run', *MLP, '--on', 'reference', '--random', 1, '--ranges')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('Nothing overflows or vanishes.', done.stdout)
        x = numpy.full((2, 64), 1e38, numpy.float32)
        x[0, 0] = 1e-43
        numpy.save(self.folder / 'x.npy', x)
        done = self.run_assay('run', *MLP, '--on', 'reference', '--input', 'input=x.npy', '--ranges', '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        ranges = {row['name']: row for row in json.loads(done.stdout)['ranges']}
        self.assertEqual([ranges[name]['kind'] for name in ('w0', 'w1', 'b')], ['weight', 'weight', 'activation'])
        self.assertEqual(ranges['w0']['overflow'] + ranges['w0']['vanish'], 0)
        self.assertGreater(ranges['b']['overflow'], 0)
        done = self.run_assay('run', *MLP, '--on', 'reference', '--input', 'input=x.npy', '--ranges')
        self.assertRegex(done.stdout, r'warning: b: [0-9]+ of its elements overflow')

    def test_interrupt(self):
        """Ctrl-C ends a program that hangs, and its folder is gone."""
        spec = self.script(f'echo ready; read -r f; echo $f > {self.folder}/where; echo $$ > {self.folder}/pid; exec sleep 600\n', 'unconfined')
        child = subprocess.Popen([str(ASSAY), 'run', *map(str, MLP), '--on', spec, '--random', '1'], stderr=subprocess.PIPE, cwd=self.folder)
        pid = self.folder / 'pid'
        self.assertTrue(until(lambda: pid.exists() and pid.read_text().endswith('\n')))
        child.send_signal(signal.SIGINT)
        message = child.communicate(timeout=600)[1]
        self.assertEqual(child.returncode, 130)
        self.assertIn(b'cancelled', message)
        self.assertFalse(pathlib.Path((self.folder / 'where').read_text().strip()).exists())
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / 'pid').read_text()), 0)

    def test_nothing_finite(self):
        """Where no value is finite there is no least one, no mean."""
        (self.folder / 'log.nnir').write_text('main (%x : f32[3]) {\n  %y = Log(%x)\n  return %y\n}\n')
        for value, counts in ((-1, '3, 0'), (0, '0, 3')):
            done = self.run_assay('run', 'log.nnir', '--on', 'reference', '--input', f'x=@constant:{value}')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf'y +reference +3 +- +- +- +- +{counts}\n')

    def test_inputs(self):
        """The same numbers in every kind of file give the same outputs; a seed gives the same values everywhere."""
        numpy.save(self.folder / 'x.npy', self.x)
        numpy.savez(self.folder / 'stored.npz', other=self.x + 1, input=self.x)
        numpy.savez_compressed(self.folder / 'packed.npz', input=self.x.astype('>f8'))
        self.x.tofile(self.folder / 'x.raw')
        expected = None
        for number, value in enumerate(('input=x.npy', 'input=stored.npz', 'input=stored.npz:input', 'packed.npz', 'input=packed.npz',
                                        'input=x.raw:f32:2x64')):
            with self.subTest(value=value):
                done = self.run_assay('run', *MLP, '--target', TARGET, '--input', value, '--output-dir', str(number))
                self.assertEqual(done.returncode, 0, done.stderr)
                result = self.load(str(number))[0].tobytes()
                expected = expected or result
                self.assertEqual(result, expected)
        for number, value in enumerate(('@uniform', '@uniform:-1:1', '@normal:0:1', '@normal', '@constant:0.5', '@integers:-3:3')):
            done = self.run_assay('run', *MLP, '--target', TARGET, '--input', f'input={value}', '--random', 9, '--output-dir', f'd{number}')
            self.assertEqual(done.returncode, 0, done.stderr)
        drawn = [self.load(f'd{number}')[0] for number in range(6)]
        self.assertEqual(drawn[0].tobytes(), drawn[1].tobytes())
        self.assertEqual(drawn[2].tobytes(), drawn[3].tobytes())
        self.assertEqual(len({array.tobytes() for array in drawn}), 4)
        numpy.testing.assert_array_equal(drawn[4][0], drawn[4][1])

    def test_refusals(self):
        numpy.save(self.folder / 'x.npy', self.x)
        program = self.folder / 'p.assayprog'
        self.assertEqual(self.run_assay('compile', *MLP, '--target', TARGET, '-o', program).returncode, 0)
        for arguments, words in ((('--on', 'reference'), 'runs models, this is a program'), (('--on', 'vm,vm2'), 'expected one of vm,'),
                                 (('--input', 'input=x.bin'), 'FILE:TYPE:SHAPE'), (('--input', 'x.npy'), 'expected NAME=FILE'),
                                 (('--input', 'input=x.npy:f32:2x64'), 'which is not 2x64 of f32'),
                                 (('--input', 'input=@normal:1'), '@normal:MEAN:DEVIATION'), (('--input', 'input=@odd'), '@constant'),
                                 (('--input', 'input=none.npy'), 'none.npy'), (('--random', 1, '--timesteps', 3), 'does not stream')):
            with self.subTest(arguments=arguments):
                done = self.run_assay('run', program, *arguments)
                self.assertIn(done.returncode, (2, 3))
                self.assertIn(words, done.stderr)
        done = self.run_assay('run', 'mlp.onnx', '--on', 'reference,vm', '--random', 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--target', done.stderr)


class Boards(WithFolder):
    def test_deploy(self):
        program = self.folder / 'p.assayprog'
        self.assertEqual(self.run_assay('compile', *MLP, '--target', TARGET, '-o', program).returncode, 0)
        for arguments, label in ((('local',), 'This computer (software)'), (('ssh:good',), 'good')):
            done = self.run_assay('deploy', program, '--board', *arguments, '--runs', 30, '--json')
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual((document['label'], document['inferences'], document['values'], document['different']), (label, 30, 600, 0))
            self.assertEqual(document['bytes'], program.stat().st_size)
        text = self.run_assay('deploy', *MLP, '--target', TARGET).stdout
        self.assertRegex(text, r'runs on This computer \(software\): assay-board \S+')
        self.assertIn('Bit-exact with the machine, 20 of 20 values', text)
        self.assertIn('of this computer, not of a board', text)

    def test_troubles(self):
        program = self.folder / 'p.assayprog'
        self.assertEqual(self.run_assay('compile', *MLP, '--target', TARGET, '-o', program).returncode, 0)
        for host, words in (('off', 'No answer from off in 5 s. Check cable and power.'), ('locked', 'locked refused your keys.'),
                            ('changed', 'If you reinstalled it, remove the old key: ssh-keygen -R changed'),
                            ('bare', 'assay-board is not installed on bare. Install it: assay boards --install ssh:bare')):
            done = self.run_assay('deploy', program, '--board', f'ssh:{host}')
            self.assertEqual(done.returncode, 3)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.run_assay('deploy', program, '--board', 'ssh:-oProxyCommand=true').returncode, 2)

    def test_trace(self):
        # Of a device where there is one: nodes, copies and the host follow each other. Of others there is none.
        trace = self.folder / 'trace.json'
        done = self.run_assay('run', *MLP, '--on', 'reference', '--random', '1', '--trace', trace)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('none of the runners tells how long its parts take', done.stderr)
        if 'vulkan:0' not in self.run_assay('boards').stdout:
            self.skipTest('no graphics processor')
        done = self.run_assay('run', *MLP, '--target', 'vulkan-main', '--on', 'vulkan', '--random', '1', '--trace', trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(trace.read_text())
        self.assertEqual(check_trace.faults(document), [])
        events = [event for event in document['traceEvents'] if event['ph'] == 'X']
        self.assertEqual([event['cat'] for event in events], ['upload', 'device', 'device', 'device', 'download'])
        for before, event in zip(events, events[1:]):
            self.assertGreaterEqual(event['ts'], before['ts'])

    def test_no_driver(self):
        # Where drivers were looked for belongs to what is missing; what needs none works.
        if 'vulkan:0' not in self.run_assay('boards').stdout:
            self.skipTest('no graphics processor')
        for value, said in (('/nonexistent.json', 'no driver was found; VK_DRIVER_FILES is /nonexistent.json'),
                            (__file__, f'VK_DRIVER_FILES is {__file__}')):
            done = self.run_assay('run', *MLP, '--target', 'vulkan-main', '--on', 'vulkan', '--random', '1', VK_DRIVER_FILES=value)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(said, done.stderr)
            done = self.run_assay('compile', *MLP, '--target', 'vulkan-main', '-o', 'mlp.assayprog', VK_DRIVER_FILES=value)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_branch(self):
        # What a branch that is not taken asks for of sizes that it was not made for keeps no program from being made.
        model = self.folder / 'branch.nnir'
        program = self.folder / 'branch.assayprog'
        lines = ['main (%c : bool[], %x : f32[2,3]) {', 'const %axes : i64[1] = [0]', '%a = Neg(%x)',
                 '%y = If(%c) {then_branch = region "t" () {', '%t = Relu(%a)', 'return %t',
                 '}, else_branch = region "e" () {', '%e = Squeeze(%a, %axes)', '%f = Relu(%e)', 'return %f', '}}']
        model.write_text('\n'.join(['nnir 1', *lines, 'return %y', '}', '']))
        done = self.run_assay('compile', model, '--target', 'vulkan-main', '-o', program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('28 bytes in, an unknown number of bytes out', done.stdout)
        self.assertEqual(json.loads(self.run_assay('metrics', program, '--json').stdout)['output_bytes'], [None])
        self.assertRegex(self.run_assay('dump', program).stdout, r'dispatch +aten.neg(.|\n)*host +If')
        # What reads the result on the device has to know how large it is.
        model.write_text('\n'.join(['nnir 1', *lines, '%z = Neg(%y)', 'return %z', '}', '']))
        done = self.run_assay('compile', model, '--target', 'vulkan-main', '-o', program)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r'undecided +1 +Neg +rank +The rank is unknown')

    def test_told_once(self):
        # Metrics have no member twice, which readers take the last of; a listing has no heading with nothing below it.
        def members(pairs):
            self.assertEqual(len({name for name, _ in pairs}), len(pairs), pairs)
            return dict(pairs)

        program = self.folder / 'once.assayprog'
        for options in (['ia_420f_c6b32'], ['vulkan-main'], ['vulkan-main', '--target-option', 'storage_type_override=texture']):
            done = self.run_assay('compile', *MLP, '--target', *options, '-o', program)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            told = json.loads(self.run_assay('metrics', program, '--json').stdout, object_pairs_hook=members)
            if options[0] != 'ia_420f_c6b32':
                self.assertEqual(told['memory'], [told['memory_depth']])
            listing = self.run_assay('dump', program).stdout
            self.assertNotRegex(listing, r'\n\nPlace[^\n]*\n\n')

    def test_device_profile(self):
        # Profiles that ship, a device of this computer, and neither.
        check = ('check', *MLP, '--target', 'vulkan-main', '--device-profile')
        self.assertEqual(self.run_assay(*check, 'mobile').returncode, 0)
        done = self.run_assay(*check, 'teapot')
        self.assertEqual(done.returncode, 2)
        self.assertIn('device profile teapot: expected one of lavapipe, mobile, vulkan[:DEVICE], or a file', done.stderr)
        # What does not fit the memory of a device is a finding, as it is of other targets.
        poor = self.folder / 'poor.json'
        poor.write_text(json.dumps({'VkPhysicalDeviceProperties': {'deviceName': 'poor', 'limits': {'maxImageDimension3D': 2048, 'maxStorageBufferRange': 1 << 27}},
                                    'VkPhysicalDeviceMemoryProperties': {'memoryHeaps': [{'size': 9000}]}}))
        done = self.run_assay('compile', *check[1:], poor, '-o', self.folder / 'poor.assayprog')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r'the memory of poor is too small: the program takes \d+ bytes of it, .* it has 9000')
        self.assertFalse((self.folder / 'poor.assayprog').exists())
        # One that has no room for any shader leaves all to the host, which the listing tells with the reason.
        poor.write_text(json.dumps({'VkPhysicalDeviceProperties': {'limits': {'maxImageDimension3D': 2048, 'maxStorageBufferRange': 1 << 27,
                                                                              'maxPerStageDescriptorStorageBuffers': 1}}}))
        done = self.run_assay('compile', *check[1:], poor, '-o', self.folder / 'poor.assayprog')
        self.assertEqual(done.returncode, 0, done.stderr)
        listing = self.run_assay('dump', self.folder / 'poor.assayprog').stdout
        self.assertRegex(listing, r'host +Relu .*\(the device gives a shader 1 buffer of the 3 that it takes\)')
        self.assertNotIn('dispatch', listing)
        there = 'vulkan:0' in self.run_assay('boards').stdout
        self.assertEqual(self.run_assay(*check, 'vulkan:0').returncode, 0 if there else 3)
        if there:
            self.assertIn('there is no Vulkan device of glass', self.run_assay(*check, 'vulkan:of glass').stderr)

    def test_boards(self):
        # Boards first; behind an empty line graphics processors, or why there is none.
        boards, devices = self.run_assay('boards').stdout.split('\n\n')
        self.assertEqual(re.findall(r'^\s*(\S+)', boards, re.M), ['local', 'ssh:included', 'ssh:bench', 'ssh:rack-1', 'ssh:quoted'])
        self.assertRegex(devices, r'^(  vulkan:0  \S.*heap of \d+ MiB|no graphics processor: \S)')
        self.assertEqual(json.loads(self.run_assay('boards', '--json').stdout)['boards'][0], {'name': 'local', 'label': 'This computer (software)'})
        done = self.run_assay('boards', '--check', 'ssh:good', '--json')
        self.assertEqual(done.returncode, 0)
        self.assertEqual([row['check'] for row in json.loads(done.stdout)['checks']], ['reachable', 'host key', 'login', 'assay-board'])
        done = self.run_assay('boards', '--check', 'ssh:locked', '--json')
        self.assertEqual(done.returncode, 3)
        last = json.loads(done.stdout)['checks'][-1]
        self.assertEqual((last['check'], last['passed'], last['command']), ('login', False, 'ssh-copy-id locked'))
        self.assertIn('ssh-copy-id locked', self.run_assay('boards', '--check', 'ssh:locked').stdout)

    def test_agent(self):
        """The agent without a window system: its libraries, its words, its exit statuses."""
        self.assertTrue(os.stat(AGENT).st_mode & stat.S_IXUSR)
        self.assertNotRegex(subprocess.run(['ldd', AGENT], capture_output=True, text=True).stdout, 'gtk|adwaita|libgdk')
        self.assertRegex(subprocess.run([AGENT, '--version'], capture_output=True, text=True).stdout, r'^assay-board \d+\.\d+\.\d+\n$')
        self.assertEqual(subprocess.run([AGENT, '--digest'], capture_output=True, text=True).stdout, hashlib.sha256(AGENT.read_bytes()).hexdigest() + '\n')
        self.assertIn('--stdio', subprocess.run([AGENT, '--help'], capture_output=True, text=True).stdout)
        self.assertEqual(subprocess.run([AGENT], capture_output=True).returncode, 2)
        self.assertEqual(subprocess.run([AGENT, '--stdio'], input=b'').returncode, 0)
        done = subprocess.run([AGENT, '--stdio'], input=b'GET / HTTP/1.1\r\n\r\n', capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b'board protocol', done.stderr)


unittest.main(verbosity=2)
