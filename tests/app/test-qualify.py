#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs suites of torch dialect text through `assay qualify`, in parts, stopped and merged, and `assay-torch` where
Python has torch.

Arguments: the assay program, the top of the source tree."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy

import driver
import unpacked

ASSAY = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1))
PYTHON = '/usr/bin/python3'
HELPERS = {'ASSAY_HELPERS': str(ROOT / 'app/torch')}
PARALLEL = unpacked.program('parallel')
# moreutils has a program of that name, too.
HAS_PARALLEL = PARALLEL is not None and 'GNU' in subprocess.run([PARALLEL, '--version'], capture_output=True, text=True).stdout
HAS_TORCH = subprocess.run([PYTHON, '-c', 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)']).returncode == 0

PROGRAM = '''func.func @forward(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {{
  %0 = torch.aten.{} %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}}
'''
# Extents, element type and bytes of a tensor of ONNX.
MINUS = b'\x08\x02\x10\x01\x4a\x08' + bytes.fromhex('000080bf000000c0')
PLUS = b'\x08\x02\x10\x01\x4a\x08' + bytes.fromhex('0000803f00000040')
CASES = {'abs': ('abs', PLUS), 'again': ('neg', PLUS), 'deep/neg': ('neg', PLUS), 'made-up': ('made_up', PLUS),
         'relu': ('relu', PLUS), 'square': ('square', PLUS)}

# What a composite is called with: tensors by letter, constants as they are.
TYPES = {'t': '!torch.vtensor<[3,4],f32>', 'v': '!torch.vtensor<[4],f32>', 'b': '!torch.vtensor<[3,4],i1>',
         's': '!torch.vtensor<[],f32>', 'i': '!torch.vtensor<[2,6,3,5],f32>', 'c': '!torch.vtensor<[6],f32>',
         'p': '!torch.vtensor<[6],f32>', 'w': '!torch.vtensor<[3,5],f32>', 'g': '!torch.vtensor<[2,3,1],f32>',
         'f': '!torch.vtensor<[3,4],f32>', 'r': '!torch.vtensor<[1,4],f32>', 'o': '!torch.vtensor<[?,4],f32>'}
# Variances are above zero, what is far is infinite, and of one extent is not known how large it is. Behind the colon of a
# composite stands how many results there are.
CHANGED = {'p': 'abs {0} : {2} -> {2}', 'f': 'mul.Scalar {0}, {1} : {2}, !torch.float -> {2}'}

COMPOSITES = {
    'lift_fresh_copy': ['t'], 'isnan': ['t'], 'clamp_min.Tensor': ['t', 't'], 'masked_fill.Tensor': ['t', 'b', 's'],
    'flipud': ['t'], 'fliplr': ['t'], 'mv': ['t', 'v'], 'mish': ['t'], 'softplus': ['t', 2, 1],
    'celu': ['t', 1.5], 'elu': ['t', 1.5, 2, 0.5], 'selu': ['t'], 'hardshrink': ['t', 0.5], 'softshrink': ['t', 0.5],
    'tanh_backward': ['t', 't'], 'mean': ['t', None], 'mse_loss': ['t', 't', 1], 'l1_loss': ['t', 't', 2],
    'std': ['t', True], 'absolute': ['t'], 'silu': ['t'], 'relu6': ['t'], 'hardsigmoid': ['t'], 'hardswish': ['t'],
    'log_sigmoid': ['t'], 'frac': ['t'], 'deg2rad': ['t'], 't': ['t'], 'softmax.int': ['t', 1, None],
    'log_softmax.int': ['t', -1, None], 'square': ['t'],
    'mean.dim': ['i', [1, -1], True, None], 'var.correction': ['i', [0, 2], 2, False], 'var.dim': ['i', [3], False, True],
    'var': ['t', True], 'std.dim': ['i', [1], True, False], 'var_mean.correction:2': ['i', [2], None, True],
    'var_mean.dim:2': ['i', [2, 3], True, False], 'var_mean:2': ['t', False],
    'layer_norm': ['i', [3, 5], 'w', 'w', 0.001, True], 'native_layer_norm:3': ['i', [3, 5], 'w', 'w', 0.001],
    'native_layer_norm:3 plain': ['i', [5], None, None, 0.001], 'group_norm': ['i', 3, 'c', 'c', 0.001, True],
    'group_norm plain': ['i', 2, None, None, 0.001, True], 'native_group_norm:3': ['i', 'c', 'c', 2, 6, 15, 3, 0.001],
    'batch_norm': ['i', 'c', 'c', 'c', 'p', False, 0.1, 0.001, True],
    'batch_norm plain': ['i', None, None, 'c', 'p', False, 0.1, 0.001, True],
    'native_batch_norm:3 one': ['i', 'c', 'c', 'c', 'p', False, 0.1, 0.001],
    'instance_norm': ['i', 'c', 'c', None, None, True, 0.1, 0.001, True],
    'stack': [('t', 't', 't'), 1], 'flatten.using_ints': ['i', 1, 2], 'reshape_as': ['t', 't'], 'expand_as': ['g', 'g'],
    'native_layer_norm:3 bias': ['i', [3, 5], None, 'w', 0.001], 'logaddexp far': ['f', 'f'],
    'numpy_T': ['i'], 'narrow': ['i', 1, 2, 3], 'narrow end': ['i', 1, -2, 2], 'prelu': ['i', 'c'], 'trunc': ['t'], 'norm.ScalarOpt_dim': ['i', 2, [1], True],
    '_softmax_backward_data': ['t', 't', 1, 6], '_log_softmax_backward_data': ['t', 't', 1, 6], 'logaddexp': ['t', 't'],
    'ldexp.Tensor': ['t', 't'], 'aminmax:2': ['i', 2, True], '_to_copy': ['t', 7, None, None, None, False, None],
}

# What no row fits stays what it is.
STAYS = {
    'group_norm bias': ['i', 3, None, 'c', 0.001, True], 'group_norm weight': ['i', 3, 'c', None, 0.001, True],
    'native_batch_norm:3 one bias': ['i', None, 'c', 'c', 'p', False, 0.1, 0.001],
    'instance_norm weight': ['i', 'c', None, None, None, True, 0.1, 0.001, True],
    'expand_as open': ['r', 'o'],
}

MODEL_TEXT = '''main (%x : f32["n",2]) {
  %a = Abs(%x) : f32["n",2]
  %b = MatMul(%a, %a) : f32["n",2]
  %c = Cast(%b) {to = 6} : i32["n",2]
  return %c
}
'''
MODEL = '''import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3, padding=1), torch.nn.BatchNorm2d(4),
                                          torch.nn.ReLU(inplace=True), torch.nn.MaxPool2d(2))
        self.head = torch.nn.Linear(16, 3)

    def forward(self, x):
        y = self.layers(x)
        y[:, 0] += 1.0
        return torch.softmax(self.head(y.flatten(1)), 1), y.argmax(1)


example_inputs = (torch.randn(2, 2, 4, 4),)
'''


# ResNet-18 and a small encoder as BERT has them, of torch.nn alone, with few channels.
NETS = '''import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None if before == after else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        y += x if self.shortcut is None else self.shortcut(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(*(Block(sizes[i + k], sizes[i + 1], 2 if i > 0 and k == 0 else 1)
                                      for i in range(4) for k in range(2)))
        self.head = nn.Linear(8 * width, 10)

    def forward(self, x):
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(self.layers(self.stem(x)), 1), 1))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 32)
        self.places = nn.Embedding(16, 32)
        self.norm = nn.LayerNorm(32)
        self.queries, self.keys, self.values, self.outs = (
            nn.ModuleList(nn.Linear(32, 32) for _ in range(2)) for _ in range(4))
        self.wide = nn.ModuleList(nn.Linear(32, 64) for _ in range(2))
        self.narrow = nn.ModuleList(nn.Linear(64, 32) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(4))
        self.pool = nn.Linear(32, 32)

    def forward(self, ids):
        n, length = ids.shape
        x = self.norm(self.words(ids) + self.places(torch.arange(length)))
        for i in range(2):
            q, k, v = (part[i](x).view(n, length, 4, 8).transpose(1, 2)
                       for part in (self.queries, self.keys, self.values))
            weights = torch.softmax(q @ k.transpose(-1, -2) / 8 ** 0.5, -1)
            y = (weights @ v).transpose(1, 2).reshape(n, length, 32)
            x = self.norms[2 * i](x + self.outs[i](y))
            x = self.norms[2 * i + 1](x + self.narrow[i](nn.functional.gelu(self.wide[i](x))))
        return x, torch.tanh(self.pool(x[:, 0]))


torch.manual_seed(1)
resnet = ResNet()
for module in resnet.modules():
    if isinstance(module, nn.BatchNorm2d):
        nn.init.uniform_(module.running_mean, -0.5, 0.5)
        nn.init.uniform_(module.running_var, 0.5, 2.0)
bert = Bert()
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 6, batch_first=True)
        self.rnn = nn.RNN(6, 4)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.rnn(self.gru(y)[0])[0], h, c


recurrent = Recurrent()
# Layers that PyTorch does as one operator each in inference.
layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, activation='gelu', batch_first=True), 2)
'''


def qualify(*arguments, **environment):
    return subprocess.run([str(ASSAY), 'qualify', *map(str, arguments)], capture_output=True, text=True, timeout=3000,
                          env={**os.environ, **environment})


class Qualify(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)
        self.suite = self.folder / 'suite'
        for name, (operator, output) in CASES.items():
            data = self.suite / name / 'test_data_set_0'
            data.mkdir(parents=True)
            (self.suite / name / 'model.mlir').write_text(PROGRAM.format(operator))
            (data / 'input_0.pb').write_bytes(MINUS)
            (data / 'output_0.pb').write_bytes(output)

    def test_states(self):
        done = qualify(self.suite, '--json')
        self.assertEqual(done.returncode, 1)
        cases = {case['name']: case['status'] for case in json.loads(done.stdout)['cases']}
        self.assertEqual(cases, {'abs': 'PASS', 'again': 'PASS', 'deep/neg': 'PASS', 'made-up': 'SKIP', 'relu': 'FAIL',
                                 'square': 'FAIL'})
        known = self.folder / 'known.txt'
        qualify(self.suite, '--write-xfail', known)
        done = qualify(self.suite, '--xfail', known)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('2 XFAIL', done.stdout)

    def test_verdicts(self):
        """What a target refuses and the reference runs right contradicts the verdict."""
        done = qualify(self.suite, '--target', 'ia_420f_c6b32', '--filter', 'a*')
        self.assertIn('2 cases', done.stdout)
        document = json.loads(qualify(self.suite, '--target', 'ia_420f_c6b32', '--json').stdout)
        self.assertTrue(all(case['predicted'] in ('takes', 'host', 'refuses') for case in document['cases']))

    def test_parts(self):
        whole = qualify(self.suite, '--all').stdout
        logs = []
        for part in range(3):
            logs += ['--merge', self.folder / f'{part}.jsonl']
            qualify(self.suite, '--log', logs[-1], TEST_SHARD_INDEX=str(part), TEST_TOTAL_SHARDS='3')
        self.assertEqual(qualify(*logs, '--all').stdout, whole)

        # One part was stopped within a line; what it has is not run again.
        largest = max((self.folder / f'{part}.jsonl' for part in range(3)), key=lambda path: path.stat().st_size)
        part = int(largest.stem) + 1
        text = largest.read_text()
        largest.write_text(text[:-20])
        done = qualify(*logs)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f'--shard {part}/3', done.stderr)
        qualify(self.suite, '--shard', f'{part}/3', '--log', largest)
        self.assertEqual(largest.read_text().split('\n')[:-2], text.split('\n')[:-2])
        self.assertEqual(qualify(*logs, '--all').stdout, whole)

        # A log of something else is left alone.
        done = qualify(self.suite, '--shard', '1/2', '--log', largest)
        self.assertEqual(done.returncode, 2)
        self.assertIn('a log of another run', done.stderr)

    def script(self, name, text):
        path = self.folder / name
        path.write_text('#!/bin/sh\n' + text)
        path.chmod(0o755)
        return f'unconfined:{path}'

    def test_stopped(self):
        """What was cut off is no result: it is not in the log, and runs when the run goes on."""
        log = self.folder / 'log.jsonl'
        begun = self.folder / 'begun'
        spec = self.script('slow', f'echo ready; read -r f; touch {begun}; exec sleep 600\n')
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                command = [str(ASSAY), 'qualify', str(self.suite), '--on', spec, '--filter', 'abs', '--log', str(log)]
                running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.assertTrue(driver.until(begun.exists))
                running.send_signal(number)
                self.assertIn('cancelled', running.communicate(timeout=600)[1])
                self.assertEqual(running.returncode, 130)
                self.assertEqual(len(log.read_text().splitlines()), 1)
                begun.unlink()

    def test_ended(self):
        """A case whose process somebody ends is tried once more; one that it happens to again has crashed."""
        answer = 'echo ready; read -r f; cp {0}/abs.npy $f/output-0.npy; echo ok\n'.format(self.folder)
        numpy.save(self.folder / 'abs.npy', numpy.array([1, 2], numpy.float32))
        for signal_name in ('KILL', 'TERM', 'HUP'):
            for is_once in (True, False):
                with self.subTest(signal=signal_name, is_once=is_once):
                    seen = self.folder / f'{signal_name}-{is_once}'
                    spec = self.script('ends', (f'test -e {seen} || ' if is_once else '') +
                                       f'{{ touch {seen}; kill -{signal_name} $PPID; sleep 600; }}\n' + answer)
                    done = qualify(self.suite, '--on', spec, '--filter', 'abs', '--json')
                    case = json.loads(done.stdout)['cases'][0]
                    self.assertTrue(seen.exists())
                    self.assertEqual(case['status'], 'PASS' if is_once else 'CRASH' if signal_name == 'KILL' else 'FAIL', case)

    def add_cases(self, n):
        for i in range(n):
            shutil.copytree(self.suite / ('abs' if i % 3 else 'relu'), self.suite / f'more-{i:02}')

    def test_schedulers(self):
        """What each scheduler says makes parts that are together the whole, to the byte."""
        self.add_cases(20)
        whole = qualify(self.suite, '--all').stdout
        for name, environments in {
                'slurm': [{'SLURM_ARRAY_TASK_ID': str(4 + 3 * i), 'SLURM_ARRAY_TASK_MIN': '4', 'SLURM_ARRAY_TASK_COUNT': '3',
                           'SLURM_ARRAY_TASK_STEP': '3', 'SLURM_ARRAY_TASK_MAX': '10'} for i in range(3)],
                'kubernetes': [{'JOB_COMPLETION_INDEX': str(i), 'JOB_COMPLETIONS': '4'} for i in range(4)],
                'shards': [{'TEST_SHARD_INDEX': str(i), 'TEST_TOTAL_SHARDS': '5'} for i in range(5)],
                'gitlab': [{'CI_NODE_INDEX': str(i + 1), 'CI_NODE_TOTAL': '2'} for i in range(2)]}.items():
            with self.subTest(name):
                logs = []
                for i, environment in enumerate(environments):
                    logs += ['--merge', self.folder / f'{name}-{i}.jsonl']
                    qualify(self.suite, '--log', logs[-1], **environment)
                self.assertEqual(qualify(*logs, '--all').stdout, whole)

    @unittest.skipUnless(HAS_PARALLEL, 'GNU parallel is not installed')
    def test_parallel(self):
        """Shards that GNU parallel runs, killed at random and run again until all is done, are the whole to the byte."""
        self.add_cases(80)
        whole = qualify(self.suite, '--all').stdout
        chance = random.Random(16)
        logs = [self.folder / f'{part}.jsonl' for part in range(1, 5)]
        command = [PARALLEL, '--will-cite', '--halt', 'never', '-j', '2', str(ASSAY), 'qualify', str(self.suite), '--jobs', '1',
                   '--shard', '{}/4', '--log', str(self.folder / '{}.jsonl'), ':::', '1', '2', '3', '4']

        def count():
            return sum(log.read_bytes().count(b'\n') for log in logs if log.exists())

        n_killed = 0
        for _ in range(4):
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            enough = count() + chance.randint(1, 15)
            while count() < enough and running.poll() is None:
                try:
                    running.wait(0.01)
                except subprocess.TimeoutExpired:
                    pass
            if running.poll() is None:
                n_killed += 1
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        self.assertEqual(n_killed, 4)
        before = count()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=3000)
        self.assertGreater(count(), before)
        names = [json.loads(line)['name'] for log in logs for line in log.read_text().splitlines()[1:]]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(qualify(*(word for log in logs for word in ('--merge', log)), '--all').stdout, whole)

    def test_decompositions(self):
        """A composite and what it is made of give the same."""
        for key, operands in (COMPOSITES | STAYS).items():
            with self.subTest(key):
                name, _, n = key.split(' ')[0].partition(':')
                n = int(n or 1)
                # Of a second form only the first result is asked for.
                n_returned = 1 if ' one' in key else n
                inputs, constants, arguments, types = [], [], [], []

                def add(word):
                    """The name of an operand and its type."""
                    if isinstance(word, (list, tuple)):
                        entries = [add(entry) for entry in word]
                        kind = '!torch.list<vtensor>' if isinstance(word, tuple) else '!torch.list<int>'
                        constants.append(f'  %l{len(constants)} = torch.prim.ListConstruct '
                                         f'{", ".join(e[0] for e in entries)} : ({", ".join(e[1] for e in entries)}) -> {kind}\n')
                        return f'%l{len(constants) - 1}', kind
                    if isinstance(word, str) and word in TYPES:
                        inputs.append(f'%i{len(inputs)}: {TYPES[word]}')
                        if word in CHANGED:
                            constants.append(f'  %f{len(constants)} = torch.constant.float 0x7FF0000000000000\n')
                            constants.append(f'  %a{len(constants)} = torch.aten.' + CHANGED[word].format(
                                f'%i{len(inputs) - 1}', f'%f{len(constants) - 1}', TYPES[word]) + '\n')
                            return f'%a{len(constants) - 1}', TYPES[word]
                        return f'%i{len(inputs) - 1}', TYPES[word]
                    text, kind = (('torch.constant.none', 'none') if word is None else
                                  (f'torch.constant.bool {str(word).lower()}', 'bool') if isinstance(word, bool) else
                                  (f'torch.constant.int {word}', 'int') if isinstance(word, int) else
                                  (f'torch.constant.float {word:e}', 'float'))
                    constants.append(f'  %c{len(constants)} = {text}\n')
                    return f'%c{len(constants) - 1}', f'!torch.{kind}'
                for word in operands:
                    argument, kind = add(word)
                    arguments.append(argument)
                    types.append(kind)
                results = ', '.join(['!torch.vtensor'] * n)
                returned = ', '.join(['!torch.vtensor'] * n_returned)
                values = ', '.join(f'%0#{i}' for i in range(n_returned)) if n > 1 else '%0'
                (self.folder / 'whole.mlir').write_text(
                    f'func.func @forward({", ".join(inputs)}) -> ({returned}) {{\n{"".join(constants)}'
                    f'  %0{f":{n}" if n > 1 else ""} = torch.aten.{name} {", ".join(arguments)} : {", ".join(types)} -> {results}\n'
                    f'  return {values} : {returned}\n}}\n')
                parts = subprocess.run([str(ASSAY), 'show', str(self.folder / 'whole.mlir'), '--level', 'decompose-complex-ops'],
                                       capture_output=True, text=True, timeout=600)
                self.assertEqual(parts.returncode, 0, parts.stderr)
                (self.assertIn if key in STAYS else self.assertNotIn)(f'torch.aten.{name} ', parts.stdout)
                (self.folder / 'parts.mlir').write_text(parts.stdout)
                values = []
                for text in ('whole', 'parts'):
                    out = self.folder / f'{key}-{text}'
                    done = subprocess.run([str(ASSAY), 'run', str(self.folder / f'{text}.mlir'), '--on', 'reference', '--random',
                                           '16', '--json', '--output-dir', str(out),
                                           *(word for i, text in enumerate(inputs) if '?' in text
                                             for word in ('--bind', f'i{i}:0=3'))], capture_output=True, text=True, timeout=600)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    document = json.loads(done.stdout)
                    values.append([numpy.load(output['file']) for output in document['outputs']])
                self.assertEqual(len(values[0]), n_returned)
                for whole, taken in zip(*values):
                    self.assertEqual(whole.shape, taken.shape)
                    numpy.testing.assert_allclose(whole, taken, rtol=1e-4, atol=1e-5)

    def test_from_model(self):
        """Each operator of a model is a case, with what the whole model has there."""
        model = self.folder / 'model.nnir'
        model.write_text(MODEL_TEXT)
        suite = self.folder / 'cut'
        log = self.folder / 'before.jsonl'
        done = qualify(suite, '--from-model', model, '--bind', 'n=2', '--log', log)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('3 operators', done.stderr)
        self.assertIn('3 PASS', done.stdout)
        lines = {line['name'].split('-')[1]: line for line in map(json.loads, log.read_text().splitlines()[1:])}
        self.assertEqual(sorted(lines), ['Abs', 'Cast', 'MatMul'])
        self.assertEqual(lines['MatMul']['categories'], 'matrix product')
        self.assertEqual(lines['Cast']['dtypes'], 'f32, i32')

        # What names nodes or inputs of the whole model is nothing for its cases.
        done = qualify(self.folder / 'named', '--from-model', model, '--bind', 'n=2', '--on', 'vm', '--target',
                       'ia_420f_c6b32', '--data-dim', 'x=1', '--pin', 'a=0', '--keep-fp32', 'a', '--allow-dynamic-weights')
        self.assertNotIn('no such node', done.stdout)
        self.assertNotIn('has no input', done.stdout)

        # What goes in is what came out before, and another runner is held against it.
        first, second = (next(suite.glob(f'*-{name}')) / 'test_data_set_0' for name in ('Abs', 'MatMul'))
        self.assertEqual((first / 'output_0.pb').read_bytes(), (second / 'input_0.pb').read_bytes())
        expected = (first / 'output_0.pb').read_bytes()
        (first / 'output_0.pb').write_bytes(expected[:-4] + b'\0\0\0\x40')
        done = qualify(suite, '--against', log)
        self.assertEqual(done.returncode, 1)
        self.assertIn('1 wrong that were right, 0 right that were wrong, 0 new, 0 gone', done.stdout)
        self.assertIn('was PASS', done.stdout)
        self.assertIn('Element types that are not right in every case\n  f32  right in 2 of 3', done.stdout)
        self.assertIn('Categories of operators that are not right in every case\n  elementwise', done.stdout)

        # Nothing is mixed with what is there.
        done = qualify(suite, '--from-model', model, '--bind', 'n=2')
        self.assertEqual(done.returncode, 2)
        self.assertIn('is not empty', done.stderr)

    @unittest.skipUnless(HAS_TORCH, 'python3-torch is not installed')
    def test_networks(self):
        """ResNet-18, two encoders and recurrent layers come to verdicts on every target, and give what PyTorch gives."""
        (self.folder / 'nets.py').write_text(NETS)
        listed = subprocess.run([str(ASSAY), 'targets', 'list', '--json'], capture_output=True, text=True).stdout
        targets = [target['id'] for target in json.loads(listed)['targets']]
        self.assertGreater(len(targets), 5)
        for name, shape in (('resnet', '1,3,32,32'), ('bert', '2,9:int64'), ('layers', '2,9,32'), ('recurrent', '2,5,8')):
            case = self.folder / 'cases' / name
            done = subprocess.run([PYTHON, ROOT / 'app/torch/assay-torch', f'{self.folder}/nets.py:{name}', '--input',
                                   shape, '--case', case, '-o', self.folder / f'{name}.mlir'],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for target in targets:
                done = subprocess.run([str(ASSAY), 'check', self.folder / f'{name}.mlir', '--target', target, '--json'],
                                      capture_output=True, text=True)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                document = json.loads(done.stdout)
                self.assertNotIn('error', document)
                # Gates that are computed in place are no scatters.
                if name == 'recurrent' and target.startswith(('ia_', 'vulkan-main')):
                    self.assertEqual(done.returncode, 0, target)
            last = subprocess.run([str(ASSAY), 'show', self.folder / f'{name}.mlir', '--level',
                                   'decompose-complex-ops'], capture_output=True, text=True)
            self.assertEqual(last.returncode, 0, last.stderr)
            (self.folder / 'cases' / f'{name}-values').mkdir()
            (self.folder / 'cases' / f'{name}-values' / 'model.mlir').write_text(last.stdout)
            (self.folder / 'cases' / f'{name}-values' / 'test_data_set_0').symlink_to(case / 'test_data_set_0')
        done = qualify(self.folder / 'cases', '--atol', '1e-5')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('8 PASS', done.stdout)

    @unittest.skipUnless(HAS_TORCH, 'python3-torch is not installed')
    def test_python_files(self):
        """Files of PyTorch run code: they open if the user says so, and write nowhere."""
        missing = subprocess.run([str(ASSAY), '--version'], capture_output=True, text=True).stdout.splitlines()[1:]
        if missing:
            self.skipTest(missing[0])
        model = self.folder / 'net.py'
        model.write_text(MODEL)

        def show(name):
            return subprocess.run([str(ASSAY), 'show', name], capture_output=True, text=True,
                                  env={**os.environ, **HELPERS})

        done = show(f'python:{model}:Net')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('MaxPool', done.stdout)
        (self.folder / 'net.pt').write_bytes(b'PK\x03\x04')
        done = show(self.folder / 'net.pt')
        self.assertEqual(done.returncode, 2)
        self.assertIn('say python:', done.stderr)
        written = self.folder / 'written'
        model.write_text(f'open({str(written)!r}, "w")\n' + MODEL)
        done = show(f'python:{model}:Net')
        self.assertEqual(done.returncode, 2)
        self.assertFalse(written.exists())

    def test_formats(self):
        self.assertTrue(qualify(self.suite, '--format', 'csv').stdout.startswith('name,status,stage,'))
        self.assertIn('<testsuite name=', qualify(self.suite, '--format', 'junit').stdout)

    @unittest.skipUnless(HAS_TORCH, 'python3-torch is not installed')
    def test_exporter(self):
        """A module with writes in place gives what PyTorch gives, and nodes know their lines."""
        model = self.folder / 'net.py'
        model.write_text(MODEL)
        text = self.folder / 'net.mlir'
        done = subprocess.run([PYTHON, ROOT / 'app/torch/assay-torch', f'{model}:Net', '-o', text, '--case',
                               self.folder / 'cases/net'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = qualify(self.folder / 'cases')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('1 PASS', done.stdout)
        contract = subprocess.run([str(ASSAY), 'show', text, '--emit', 'contract'], capture_output=True, text=True)
        self.assertIn('net.py:13', contract.stdout)
        torch = subprocess.run([str(ASSAY), 'show', text, '--emit', 'torch'], capture_output=True, text=True).stdout
        (self.folder / 'again.mlir').write_text(torch)
        again = subprocess.run([str(ASSAY), 'show', self.folder / 'again.mlir', '--emit', 'torch'],
                               capture_output=True, text=True)
        self.assertEqual(again.stdout, torch)

        # Behind the last pass nothing is written to any more, and the model gives what it gave.
        passes = subprocess.run([str(ASSAY), 'show', text, '--emit', 'passes'], capture_output=True, text=True).stdout
        self.assertIn('-1 torch.aten.relu_', passes)
        last = subprocess.run([str(ASSAY), 'show', text, '--level', 'decompose-complex-ops'], capture_output=True,
                              text=True).stdout
        self.assertIn('torch.aten.slice_scatter', last)
        for word in ('!torch.tensor', 'overwrites', 'relu_'):
            self.assertNotIn(word, last)
        (self.folder / 'cases/net/model.mlir').write_text(last)
        done = qualify(self.folder / 'cases')
        self.assertEqual(done.returncode, 0, done.stdout)
        done = subprocess.run([str(ASSAY), 'show', text, '--level', 'made-up'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn('expected onnx, nnir, or a pass', done.stderr)


unittest.main(verbosity=2)
