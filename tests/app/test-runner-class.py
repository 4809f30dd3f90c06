#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plugs in a compiler by a small Python class, as somebody who has one would.

Arguments: the assay program, the top of the source tree."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PYTHON = '/usr/bin/python3'
# What an installation gives.
ENVIRONMENT = {**os.environ, 'PATH': f'{ROOT}/app/runner:{ASSAY.parent}:{os.environ["PATH"]}', 'PYTHONDONTWRITEBYTECODE': '1'}

# A compiler from text to Python, which knows five operations of the dialect and gets one of them wrong.
TOY = '''#!/usr/bin/env assay-runner
import re

import numpy

print("what a compiler prints is no answer")
OPERATIONS = {"abs": "numpy.abs({})", "neg": "-{}", "mul.Tensor": "{} * {}", "add.Tensor": "{} + {2} * {1}",
              "tanh": "numpy.sin({})"}


class Toy:
    takes = "torch"
    level = "decompose-complex-ops"

    def compile(self, path):
        lines = []
        for line in open(path):
            head = re.search(r"@forward\\((.*)\\) ->", line)
            constant = re.match(r" *%(\\w+) = torch.constant.(?:int|float) (\\S+)", line)
            operation = re.match(r" *%(\\w+) = torch.aten.(\\S+) (.*?) :", line)
            result = re.match(r" *return (.*?) :", line)
            if head:
                lines.append("def forward(%s):" % ", ".join("v" + n for n in re.findall(r"%(\\w+):", head[1])))
            elif constant:
                lines.append(" v%s = %s" % constant.groups())
            elif operation:
                if operation[2] not in OPERATIONS:
                    raise NotImplementedError("this compiler has no " + operation[2])
                values = ["v" + n for n in re.findall(r"%(\\w+)", operation[3])]
                lines.append(" v%s = %s" % (operation[1], OPERATIONS[operation[2]].format(*values)))
            elif result:
                lines.append(" return " + ", ".join("v" + n for n in re.findall(r"%(\\w+)", result[1])))
        return "\\n".join(lines)

    def load(self, artifact):
        names = {"numpy": numpy}
        exec(artifact, names)
        return names["forward"]
'''
# The same with a method that runs, and what takes models of ONNX.
RUNS = '''#!/usr/bin/env assay-runner
import numpy


class Base:
    def compile(self, path):
        raise NotImplementedError


class Own(Base):
    def compile(self, path):
        assert path.endswith(".onnx"), path
        return open(path, "rb").read(4)

    def run(self, program, inputs):
        assert isinstance(program, bytes)
        return [numpy.abs(inputs[0])]
'''

PROGRAM = '''func.func @forward(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {{
  %0 = torch.aten.{} %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}}
'''
# Extents, element type and bytes of a tensor of ONNX.
HEAD = b'\x08\x02\x10\x01\x4a\x08'
INPUT = numpy.array([-1, 2], numpy.float32)
CASES = {'abs': abs, 'neg': lambda x: -x, 'square': lambda x: x * x, 'tanh': numpy.tanh, 'exp': numpy.exp}


class Class(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.suite = self.folder / 'suite'
        for name, function in CASES.items():
            data = self.suite / name / 'test_data_set_0'
            data.mkdir(parents=True)
            (self.suite / name / 'model.mlir').write_text(PROGRAM.format(name))
            (data / 'input_0.pb').write_bytes(HEAD + INPUT.tobytes())
            (data / 'output_0.pb').write_bytes(HEAD + function(INPUT).astype(numpy.float32).tobytes())

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def qualify(self, spec, *arguments, suite=None):
        done = subprocess.run([str(ASSAY), 'qualify', str(suite or self.suite), '--on', spec, '--json', *map(str, arguments)],
                              capture_output=True, text=True, timeout=3000, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {case['name']: case for case in json.loads(done.stdout)['cases']}

    def test_toy(self):
        """Text behind a pass is compiled, loaded and run; what went wrong is told with the stage."""
        for kind in ('command', 'unconfined'):
            with self.subTest(kind):
                cases = self.qualify(f'{kind}:{self.write("toy", TOY)}')
                self.assertEqual({name: (case['status'], case['stage']) for name, case in cases.items()},
                                 {'abs': ('PASS', 'compare'), 'neg': ('PASS', 'compare'), 'square': ('PASS', 'compare'),
                                  'tanh': ('FAIL', 'compare'), 'exp': ('FAIL', 'compile')}, cases)
                self.assertIn('compile: NotImplementedError: this compiler has no exp', cases['exp']['message'])

        # Failures that are known are expected, and the one that is mended is noticed.
        known = self.folder / 'known.xfail'
        self.qualify(f'command:{self.folder}/toy', '--write-xfail', known)
        self.write('toy', TOY.replace('numpy.sin', 'numpy.tanh'))
        cases = self.qualify(f'command:{self.folder}/toy', '--xfail', known)
        self.assertEqual([cases['tanh']['status'], cases['exp']['status']], ['XPASS', 'XFAIL'])

    def test_model(self):
        """A class that says nothing takes ONNX; of two classes the one that is derived is meant."""
        spec = f'command:{self.write("runs", RUNS)}'
        self.assertEqual(self.qualify(spec, '--filter', 'abs')['abs']['status'], 'PASS')
        self.assertEqual(self.qualify(spec, '--filter', 'neg')['neg']['stage'], 'compare')

        # What is loaded may be an object with the name of the function, and give one array or a tuple.
        loads = RUNS.replace('    def run(self, program, inputs):\n        assert isinstance(program, bytes)\n'
                             '        return [numpy.abs(inputs[0])]\n',
                             '    def load(self, artifact):\n        return Loaded()\n\n\nclass Loaded:\n'
                             '    def forward(self, x):\n        return (numpy.abs(x),)\n')
        self.assertNotEqual(loads, RUNS)
        spec = f'command:{self.write("loads", loads)}'
        self.assertEqual(self.qualify(spec, '--filter', 'abs')['abs']['status'], 'PASS')

    def test_errors(self):
        """Each thing that can be wrong with a class is told in a line."""
        for change, said in ((('class Own(Base)', 'class Own'), 'the classes Base, Own with compile; say which'),
                             (('class Own(Base):', 'class Own(Base):\n    takes = "tosa"'), "takes is 'tosa'; it may be 'onnx' or"),
                             (('class Own(Base):', 'class Own(Base):\n    takes = "torch"\n    level = "made-up"'), 'made-up'),
                             (('return [numpy.abs(inputs[0])]', 'return []'), 'run: 0 outputs came, and the model has 1'),
                             (('return [numpy.abs(inputs[0])]', 'return [1 / 0]'), 'run: ZeroDivisionError'),
                             (('return [numpy.abs(inputs[0])]', 'return [object()]'), 'run: ValueError'),
                             (('import numpy', 'import not_there'), "open: ModuleNotFoundError: No module named 'not_there'"),
                             (('def compile', 'def other'), 'no class with compile')):
            with self.subTest(said):
                case = self.qualify(f'command:{self.write("wrong", RUNS.replace(*change))}', '--filter', 'abs')['abs']
                self.assertEqual(case['status'], 'FAIL')
                self.assertIn(said, case['message'])

    def test_by_hand(self):
        """The protocol can be spoken by hand, with the class by its name."""
        for arguments, said in (((), 'usage: assay-runner'), (('toy:None', 'model'), 'error open: ')):
            self.write('toy', TOY)
            done = subprocess.run([PYTHON, ROOT / 'app/runner/assay-runner', *arguments], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, cwd=self.folder, env=ENVIRONMENT)
            self.assertIn(said, done.stdout + done.stderr)
        done = subprocess.run([str(ASSAY), 'run', str(self.suite / 'abs/model.mlir'), '--on', f'command:{self.folder}/toy',
                               '--random', '1', '--output-dir', str(self.folder / 'out'), '--json'], capture_output=True, text=True,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(json.loads(done.stdout)['outputs']), 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
