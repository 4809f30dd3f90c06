#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are as large in memory as their readers let them be: none takes memory without a limit, and where that ends it is
said.

Arguments: the assay program, the top of the source tree."""
import hashlib
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
from onnx import TensorProto, helper

from processes import TARGET, Run

ASSAY, ROOT = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
del sys.argv[1:3]
SIZE = 6_000_000
MEMORY = 300_000_000
# Targets of readers.txt that have no file of that size: what is typed, what is evaluated, what has a length before each message or
# line that is held against a limit; and the window's sessions, which the reader of JSON bounds like those here.
BOUNDED = {'board', 'board-answers', 'frame', 'dot-block', 'dot-answer', 'conformance-result', 'gpu-plan', 'runner-result', 'inputs',
           'query', 'evaluate', 'compile', 'onnx-write', 'session'}


def varint(n):
    low = bytes([n & 127 | (128 if n > 127 else 0)])
    return low + varint(n >> 7) if n > 127 else low


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def fill(unit, head=b'', tail=b''):
    return head + unit * ((SIZE - len(head) - len(tail)) // len(unit)) + tail


def numbered(unit, head=b'', tail=b''):
    return head + b''.join(unit % i for i in range(SIZE // (len(unit) + 5))) + tail


def onnx_of(graph):
    return varint(1 << 3) + varint(8) + field(7, graph) + field(8, field(1, b'') + varint(2 << 3) + varint(17))


def npy(descr, n, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}".encode()
    return b'\x93NUMPY\1\0' + struct.pack('<H', len(text)) + text + data


def npz():
    """Members of nothing, which all lie in the same place."""
    entry = b'PK\1\2' + bytes(24) + struct.pack('<H', 4) + bytes(16) + b'.npy'
    n = SIZE // len(entry)
    return entry * n + b'PK\6\6' + bytes(28) + struct.pack('<QQQ', n, len(entry) * n, 0) + \
        b'PK\6\7' + bytes(4) + struct.pack('<QI', len(entry) * n, 1) + b'PK\5\6' + bytes(6) + struct.pack('<HII', 65535, 0, 0) + bytes(2)


def program(good):
    """One with a digest that holds, and as many messages without anything in them as there is room for. A number of a field that
    the envelope of a good one has stays: only body and digest are others."""
    at, fields = 0, []
    while at < len(good):
        key, begin = good[at], at
        at += 1
        value, shift = 0, 0
        while True:
            value |= (good[at] & 127) << shift
            shift += 7
            at += 1
            if good[at - 1] < 128:
                break
        if key & 7 == 2:
            fields.append((key, good[at:at + value], None))
            at += value
        else:
            fields.append((key, None, good[begin:at]))
    largest = max((len(data) for _, data, _ in fields if data is not None))
    body = next(data for _, data, _ in fields if data is not None and len(data) == largest)
    # The messages of each repeated field of the body in turn.
    for number in range(1, 16):
        longer = body + field(number, b'') * ((SIZE - len(body)) // 2)
        sums = {hashlib.sha256(body).digest(): hashlib.sha256(longer).digest(), body: longer}
        yield b''.join(whole if data is None else bytes([key]) + varint(len(sums.get(data, data))) + sums.get(data, data)
                       for key, data, whole in fields)


def cases(good):
    """What each reader is given, by the targets of readers.txt: name of the file, its bytes, the command."""
    model = 'm.onnx'
    check, dpu = ['check', model, '--target', TARGET], ['metrics', 'FILE']
    conformance = ['conformance', 'cases', '--on', 'reference', '--xfail', 'FILE']
    run = ['run', model, '--on', 'reference', '--input', 'x=FILE']
    overlay = ['show', model, '--target', TARGET, '--emit', 'svg', '--overlay', 'FILE']
    values = b'{},'
    return {
        'import': [('f.onnx', onnx_of(fill(field(1, field(4, b'Relu')))), ['show', 'FILE']),
                   ('f.onnx', onnx_of(fill(field(5, varint(1 << 3) + b'\1'))), ['show', 'FILE']),
                   ('f.onnx', onnx_of(field(5, varint(2 << 3) + b'\1' + fill(b'\x08\1'))), ['show', 'FILE'])],
        'wire-scan': [('f.onnx', onnx_of(fill(field(number, b''))), ['show', 'FILE']) for number in (1, 5, 11, 13, 15)],
        'tensor-proto': [('f.pb', varint(2 << 3) + b'\x08' + varint(1 << 3) + varint((SIZE - 20) // 2) + fill(field(6, b'')), run)],
        'torch-text': [('f.mlir', data, ['show', 'FILE']) for data in (
            fill(b'torch.constant.int 1\n'), fill(b'!a=!b.c\n'), fill(b'#a=b\n'), fill(b'module{}\n'),
            fill(b'a,', b'func.func @f() attributes {', b'a} {}'), fill(b'^a:\n', b'func.func @f() {', b'}'),
            fill(b'%a,', b'torch.aten.x ', b'%a'), fill(b'{},', b'"a.b"() (', b'{}) : () -> ()'),
            fill(b'!a.b,', b'"a.b"() : () -> (', b'!a.b)'), fill(b'%a:4096,', b'', b'%a = torch.constant.int 1'))],
        'nnir-text': [('f.nnir', data, ['show', 'FILE']) for data in (
            numbered(b' %%a%d = Relu(%%x)\n', b'main (%x : f32[2]) {\n', b' return %x\n}\n'),
            numbered(b' const %%c%d : f32[1] = [1]\n', b'main (%x : f32[2]) {\n', b' return %x\n}\n'),
            fill(b'opset "" 17\n'), fill(b'%x,', b'main (%x : f32[2]) {\n %a = Concat(', b'%x)\n return %a\n}\n'))],
        'npy': [('f.npy', npy('|S1', SIZE, b'a' * SIZE), run)],
        'npz': [('f.npz', npz(), run)],
        'policy': [('f.json', fill(values, b'{"schema":"assay.policy/1","entries":[', b'{}]}'), [*check, '--policy', 'FILE']),
                   ('f.json', numbered(b'"%d":0,', b'{', b'"a":0}'), [*check, '--policy', 'FILE']),
                   ('f.json', fill(b'[],', b'[', b'0]'), [*check, '--policy', 'FILE'])],
        'tolerance': [('f.json', fill(values, b'{"schema":"assay.tolerance/1","bf16":{"any":1,"rules":[', b'{}]}}'),
                       ['compare', model, '--target', TARGET, '-a', 'reference', '-b', 'vm', '--random', '1', '--tolerance', 'FILE'])],
        'fixes': [('f.json', fill(values, b'{"schema":"assay.fixes/1","fixes":[', b'{}]}'), ['fix', model, '--target', TARGET, '--fixes', 'FILE'])],
        'target-file': [('f.json', fill(values, b'{"id":"a","rules":[', b'{}]}'), ['targets', 'validate', 'FILE', '-o', 'told'])],
        'config': [('f.json', numbered(b'"%d":0,', b'{"id":"a","config":{', b'"a":0}}'), ['targets', 'validate', 'FILE', '-o', 'told'])],
        'device': [('f.json', fill(b'{"properties":{}},', b'{"capabilities":[', b'0]}'),
                    ['check', model, '--target', 'vulkan-main', '--device-profile', './FILE'])],
        'overlay-file': [('f.json', fill(values, b'{"schema":"assay.check/1","nodes":[', b'{}]}'), overlay),
                         ('f.csv', fill(b'a,1\n', b'node,v\n'), overlay), ('f.csv', fill(b'a,'), overlay)],
        'xfail': [('f.txt', fill(b'a b\n'), conformance), ('f.txt', fill(b'\n', b'', b'a'), conformance)],
        'qualify-log': [('f.json', fill(b'{"name":"a"}\n', b'{"schema":"assay.qualify/1","suite":"a","on":"b","target":"","shard":1,"shards":1,'
                                        b'"cases":1}\n'), ['qualify', '--merge', 'FILE'])],
        'program': [('f.assayp', data, dpu) for data in program(good)],
        'delegate': [('f.assayp', fill(b'd\n', b'assay delegate program 1\nvulkan-main\n', b'\nmain'), dpu)],
        'dpu-program': [('f.assayp', fill(b'1,', b'assay dpu program 2\n(', b'0)\nnnir'), dpu)],
    }


class LargeFiles(unittest.TestCase):
    def test_readers(self):
        """Each target of readers.txt has a row here; each file ends with a status and a word, within memory that is a limit."""
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            graph = helper.make_graph([helper.make_node('Relu', ['x'], ['y'])], 'g', [helper.make_tensor_value_info('x', TensorProto.FLOAT, (2, 3))],
                                      [helper.make_tensor_value_info('y', TensorProto.FLOAT, (2, 3))])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString()
            (folder / 'cases/case/test_data_set_0').mkdir(parents=True)
            for place in ('m.onnx', 'cases/case/model.onnx'):
                (folder / place).write_bytes(model)
            subprocess.run([ASSAY, 'compile', 'm.onnx', '--target', TARGET, '-o', 'good'], cwd=folder, check=True, capture_output=True)
            rows = cases((folder / 'good').read_bytes())
            listed = [line.split(':', 1)[1].split() for line in (ROOT / 'tests/fuzz/readers.txt').read_text().splitlines()
                      if line and line[0] != '#']
            self.assertEqual({name for names in listed for name in names if names[0] != '-'}, set(rows) | BOUNDED)
            for name, files in rows.items():
                for i, (place, data, command) in enumerate(files):
                    (folder / place).write_bytes(data)
                    argv = ['prlimit', f'--as={MEMORY}', ASSAY, *(word.replace('FILE', place) for word in command)]
                    with self.subTest(name, i=i), Run([str(word) for word in argv], cwd=folder) as run:
                        status = run.wait()
                        self.assertIn(status, (0, 1, 2, 3), run.said()[-500:])
                        self.assertTrue(run.said().strip() or (folder / 'told').exists())
                        self.assertEqual(run.left(), [])


if __name__ == '__main__':
    unittest.main()
