#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX test data through `assay conformance`.

Arguments: the assay program, the top of the source tree."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import wire

ASSAY = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1))
DATA = pathlib.Path('/usr/share/libonnx-testdata/data')
LISTS = ROOT / 'tests/data/conformance'
GROUPS = ('node', 'simple', 'pytorch-operator', 'pytorch-converted')


def run(*arguments):
    return subprocess.run([str(ASSAY), 'conformance', *map(str, arguments)], capture_output=True, text=True, timeout=6000)


def document(*arguments):
    return json.loads(run(*arguments, '--json').stdout)


def check_list(test, done, name, wanted, head):
    """Holds the cases that are wanted against those in a text file, each with its status and the rule that left it out."""
    path = LISTS / name
    found = [' '.join(filter(None, (case['name'], case['status'], case.get('rule')))) for case in done['cases'] if wanted(case)]
    text = f'# {head}\n# Checked by: the outputs that come with the cases, which a case has to give to pass.\n' + \
        ''.join(f'{line}\n' for line in sorted(found))
    if os.environ.get('ASSAY_REGENERATE'):
        path.write_text(text)
    test.assertEqual(text.splitlines(), path.read_text().splitlines())


STRING, UINT4, INT4, FLOAT = 8, 21, 22, 1


def tensor(kind, dims, raw=None, strings=()):
    """A TensorProto, as the files of test data have it."""
    return (b''.join(wire.field(1, d) for d in dims) + wire.field(2, kind) +
            b''.join(wire.field(6, text) for text in strings) + (b'' if raw is None else wire.field(9, raw)))


def write_case(folder, op, inputs, outputs):
    """A case of one operator: names with TensorProtos as tensor() makes them, their kind and shape."""
    def port(name, kind, dims):
        shape = b''.join(wire.field(1, wire.field(1, d)) for d in dims)
        return wire.field(1, name) + wire.field(2, wire.field(1, wire.field(1, kind) + wire.field(2, shape)))
    graph = (wire.node(op, list(inputs), list(outputs), op) + wire.field(2, 'g') +
             b''.join(wire.field(11, port(name, kind, dims)) for name, (kind, dims, _) in inputs.items()) +
             b''.join(wire.field(12, port(name, kind, dims)) for name, (kind, dims, _) in outputs.items()))
    data = folder / 'test_data_set_0'
    data.mkdir(parents=True)
    (folder / 'model.onnx').write_bytes(wire.field(1, 10) + wire.field(7, graph) + wire.field(8, wire.field(2, 21)))
    for what, ports in (('input', inputs), ('output', outputs)):
        for i, (_, _, value) in enumerate(ports.values()):
            (data / f'{what}_{i}.pb').write_bytes(value)


@unittest.skipUnless(DATA.is_dir(), 'libonnx-testdata is not installed')
class Conformance(unittest.TestCase):
    def test_reference(self):
        """Everything passes but for what is left out on purpose and files that are wrong: reference.txt has each."""
        done = document(DATA, '--on', 'reference', '--xfail', LISTS / 'reference.xfail')
        bad = [case for case in done['cases'] if case['status'] in ('FAIL', 'XPASS')]
        self.assertEqual(bad, [])
        check_list(self, done, 'reference.txt', lambda case: case['status'] != 'PASS',
                   f'Of {len(done["cases"])} cases of libonnx-testdata, those that do not pass on the reference.')
        for case in done['cases']:
            if case['status'] == 'SKIP':
                self.assertEqual(case['rule'], 'left-out')

    def test_machine(self):
        """What a target takes runs right on the machine, and what it does not take is refused by a rule."""
        done = document(DATA / 'node', '--on', 'vm', '--target', 'ia_420f_c6b32', '--inputs-are-parameters', '--xfail',
                        LISTS / 'vm.xfail')
        bad = [case for case in done['cases'] if case['status'] in ('FAIL', 'XPASS')]
        self.assertEqual(bad, [])
        check_list(self, done, 'vm.txt', lambda case: True,
                   'Each case of an operator of libonnx-testdata on the machine: that it passes, or the rule that refuses it.')
        for case in done['cases']:
            if case['status'] == 'SKIP':
                self.assertTrue(case['rule'])
                self.assertIn(case['stage'], ('import', 'verdict', 'capacity', 'compile', 'run'))

    @unittest.skipUnless('ASSAY_ONNXRUNTIME' in os.environ, 'ONNX Runtime is not installed')
    def test_runtime(self):
        """Sequences and optionals reach ONNX Runtime as their tensors; text and numbers of 4 bits as they are."""
        for pattern, least in (('*sequence*', 18), ('*optional*', 4)):
            done = document(DATA / 'node', '--on', 'ort', '--filter', pattern)
            self.assertEqual([case for case in done['cases'] if case['status'] != 'PASS'], [])
            self.assertGreaterEqual(len(done['cases']), least)

        text = (STRING, [2], tensor(STRING, [2], strings=('one', 'other')))
        small = {UINT4: ([4], b'\x10\xfe', (0, 1, 14, 15)), INT4: ([4], b'\x10\xf8', (0, 1, -8, -1))}
        scale = (FLOAT, [], tensor(FLOAT, [], struct.pack('<f', 0.5)))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_case(folder / 'text', 'Identity', {'x': text}, {'y': text})
            for kind, (dims, raw, numbers) in small.items():
                floats = (FLOAT, dims, tensor(FLOAT, dims, struct.pack('<4f', *(n / 2 for n in numbers))))
                write_case(folder / f'small_{kind}', 'DequantizeLinear',
                           {'x': (kind, dims, tensor(kind, dims, raw)), 's': scale}, {'y': floats})
            # One that must not pass: another string comes out, and an item of a sequence is missing.
            write_case(folder / 'wrong_text', 'Identity', {'x': text},
                       {'y': (STRING, [2], tensor(STRING, [2], strings=('one', 'two')))})
            shutil.copytree(DATA / 'node/test_identity_sequence', folder / 'wrong_sequence')
            shutil.copy(DATA / 'node/test_sequence_insert_at_back/test_data_set_0/output_0.pb',
                        folder / 'wrong_sequence/test_data_set_0/output_0.pb')
            for runner in ('ort', 'reference'):
                done = document(folder, '--on', runner)
                self.assertEqual({case['name']: case['status'] for case in done['cases']},
                                 {'text': 'PASS', 'small_21': 'PASS', 'small_22': 'PASS', 'wrong_text': 'FAIL',
                                  'wrong_sequence': 'FAIL'}, done['cases'])

    def test_links(self):
        """Folders are followed through links, of cases and of all, and a circle of them ends."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / 'all').mkdir()
            (folder / 'all' / 'relu').symlink_to(DATA / 'node' / 'test_relu')
            (folder / 'all' / 'again').symlink_to(folder / 'all')
            (folder / 'linked').symlink_to(folder / 'all')
            for root in (folder / 'all', folder / 'linked'):
                done = document(root, '--on', 'reference')
                self.assertEqual([(case['name'], case['status']) for case in done['cases']], [('relu', 'PASS')])

    def test_formats(self):
        done = run(DATA, '--filter', 'simple/*', '--format', 'junit')
        tree = xml.etree.ElementTree.fromstring(done.stdout)
        cases = tree.findall('.//testcase')
        self.assertEqual(int(tree.find('testsuite').get('tests')), len(cases))
        self.assertGreater(len(cases), 5)
        done = run(DATA, '--filter', 'simple/*', '--all')
        self.assertIn('PASS', done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_expectations(self):
        """A wrong expectation breaks the run as a failure does."""
        with tempfile.TemporaryDirectory() as folder:
            good = pathlib.Path(folder) / 'test_relu'
            shutil.copytree(DATA / 'node/test_relu', good)
            broken = pathlib.Path(folder) / 'test_broken'
            broken.mkdir()
            (broken / 'model.onnx').write_bytes(b'\x08\xff\xff')
            done = document(folder)
            self.assertEqual({case['name']: case['status'] for case in done['cases']},
                             {'test_broken': 'FAIL', 'test_relu': 'PASS'})
            self.assertEqual(done['cases'][0]['stage'], 'import')

            expected = pathlib.Path(folder) / 'list'
            expected.write_text('test_broken  cannot be read\ntest_relu  was said to fail\n', encoding='utf-8')
            done = run(folder, '--xfail', expected, '--json')
            self.assertEqual(done.returncode, 1)
            self.assertEqual({case['name']: case['status'] for case in json.loads(done.stdout)['cases']},
                             {'test_broken': 'XFAIL', 'test_relu': 'XPASS'})
            expected.write_text('test_broken\n', encoding='utf-8')
            done = run(folder, '--xfail', expected)
            self.assertEqual(done.returncode, 2)
            self.assertIn('line 1', done.stderr)

    def test_wrong_output(self):
        with tempfile.TemporaryDirectory() as folder:
            case = pathlib.Path(folder) / 'test_relu'
            shutil.copytree(DATA / 'node/test_relu', case)
            shutil.copy(case / 'test_data_set_0/input_0.pb', case / 'test_data_set_0/output_0.pb')
            done = document(folder)
            self.assertEqual(done['cases'][0]['status'], 'FAIL')
            self.assertEqual(done['cases'][0]['stage'], 'compare')
            self.assertIn('expected', done['cases'][0]['message'])

    def test_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(folder).returncode, 2)
        self.assertEqual(run(DATA, '--on', 'vm').returncode, 2)
        self.assertEqual(run(DATA, '--on', 'vmm').returncode, 2)
        self.assertEqual(run(DATA, '--format', 'html').returncode, 2)


if __name__ == '__main__':
    unittest.main(verbosity=2)
