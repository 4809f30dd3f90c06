#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are cut short, written to or replaced while commands read them, and what is no file at all.

Arguments: the assay program."""
import json
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import needs  # noqa: F401
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
TARGET = ('--target', 'ia_420f_c6b32')
DPU = ('--target', 'dpu_zdx8g_b512')
SIZE, LAYERS = 256, 6
# Of a run that nobody disturbs: when the file changes.
MOMENTS = [0, 0.2, 0.5, 0.8, 0.95]


def save_model(path, beside):
    random = numpy.random.default_rng(1)
    weights = [(random.standard_normal((SIZE, SIZE)) / SIZE ** 0.5).astype(numpy.float32) for _ in range(LAYERS)]
    nodes = [helper.make_node('MatMul', [f'v{i}', f'w{i}'], [f'v{i + 1}'], name=f'mm{i}') for i in range(LAYERS)]
    graph = helper.make_graph(nodes, 'chain', [helper.make_tensor_value_info('v0', TensorProto.FLOAT, [2, SIZE])],
                              [helper.make_tensor_value_info(f'v{LAYERS}', TensorProto.FLOAT, [2, SIZE])],
                              [numpy_helper.from_array(weight, f'w{i}') for i, weight in enumerate(weights)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), str(path),
              save_as_external_data=beside, location='weights.bin')


def save_torch(path):
    """The same as text of the torch dialect, whose weight is a resource at the end of the file."""
    weight = numpy.random.default_rng(1).standard_normal((SIZE, SIZE)).astype('<f4')
    path.write_text(f'''func.func @forward(%x: !torch.vtensor<[2,{SIZE}],f32>) -> !torch.vtensor<[2,{SIZE}],f32> {{
  %w = torch.vtensor.literal(dense_resource<w> : tensor<{SIZE}x{SIZE}xf32>) : !torch.vtensor<[{SIZE},{SIZE}],f32>
  %y = torch.aten.mm %x, %w : !torch.vtensor<[2,{SIZE}],f32>, !torch.vtensor<[{SIZE},{SIZE}],f32> -> !torch.vtensor<[2,{SIZE}],f32>
  return %y : !torch.vtensor<[2,{SIZE}],f32>
}}
{{-#
  dialect_resources: {{
    builtin: {{
      w: "0x04000000{weight.tobytes().hex()}"
    }}
  }}
#-}}
''')


class WithFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def start(self, *arguments):
        return subprocess.Popen([str(ASSAY), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder)

    def run_assay(self, *arguments):
        return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600, cwd=self.folder)


class Changes(WithFolder):
    """At every moment of every command: an end with an answer, or with a message that names the file."""

    def disturb(self, command, name, fresh, change):
        fresh()
        begin = time.monotonic()
        whole = self.run_assay(*command)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        took = time.monotonic() - begin
        seen = 0
        for moment in MOMENTS:
            fresh()
            child = self.start(*command)
            try:
                child.wait(timeout=moment * took)
            except subprocess.TimeoutExpired:
                pass
            change(self.folder / name)
            out, err = child.communicate(timeout=600)
            with self.subTest(command=command, name=name, moment=moment):
                if child.returncode == 0:
                    self.assertEqual(out.split(), whole.stdout.split()) if '--json' not in command else json.loads(out)
                else:
                    # Cut short before it was opened, it is just a file that is no model, or whose weights are too short:
                    # that is a finding, or a case that fails.
                    self.assertIn(child.returncode, (1, 2, 3), err)
                    if child.returncode == 1:
                        self.assertRegex(out + err, 'external data|rejected|"FAIL": 1')
                    else:
                        self.assertIn(name, err)
                    seen += 'changed while' in err
            self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith('.')], [])
        return seen

    def commands(self):
        yield 'show', 'm.onnx'
        yield 'check', 'm.onnx', *TARGET
        yield 'fix', 'm.onnx', *TARGET, '-o', 'fixed.onnx'
        yield 'compile', 'm.onnx', *TARGET, '-o', 'out.assayprog'
        yield 'run', 'm.onnx', '--on', 'reference', '--random', '1', '--output-dir', 'outputs', '--json'
        yield 'compare', 'm.onnx', *TARGET, '--a', 'reference', '--b', 'vm', '--random', '1'

    def test_cut_short(self):
        seen = 0
        for beside in (False, True):
            (self.folder / 'weights.bin').unlink(missing_ok=True)
            save_model(self.folder / 'm.onnx', beside)
            files = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.suffix in ('.onnx', '.bin')}
            for command in self.commands():
                name = 'weights.bin' if beside else 'm.onnx'

                def fresh(files=files):
                    for file, data in files.items():
                        (self.folder / file).write_bytes(data)

                seen += self.disturb(command, name, fresh, lambda path: os.truncate(path, 5000))
        self.assertGreater(seen, 0)

    def test_written_to(self):
        def scribble(path):
            with path.open('r+b') as file:
                file.write(os.urandom(1 << 20))

        save_model(self.folder / 'm.onnx', False)
        data = (self.folder / 'm.onnx').read_bytes()
        for command in self.commands():
            self.disturb(command, 'm.onnx', lambda: (self.folder / 'm.onnx').write_bytes(data), scribble)

    def test_replaced(self):
        save_model(self.folder / 'm.onnx', False)
        data = (self.folder / 'm.onnx').read_bytes()

        def replace(path):
            (self.folder / 'new').write_bytes(data)
            (self.folder / 'new').rename(path)

        for command in self.commands():
            self.assertEqual(self.disturb(command, 'm.onnx', lambda: None, replace), 0)

    def test_programs(self):
        save_model(self.folder / 'm.onnx', False)
        made = self.run_assay('compile', 'm.onnx', *TARGET, '-o', 'good.assayprog')
        self.assertEqual(made.returncode, 0, made.stderr)
        data = (self.folder / 'good.assayprog').read_bytes()
        for command in ('metrics', 'cycles', 'dump'):
            self.disturb((command, 'p.assayprog'), 'p.assayprog', lambda: (self.folder / 'p.assayprog').write_bytes(data),
                         lambda path: os.truncate(path, 100))


    def test_further_readers(self):
        """Text with weights behind it, arrays that calibrate, cases, and what works on more than one target."""
        save_model(self.folder / 'm.onnx', False)
        save_torch(self.folder / 'm.mlir')
        numpy.savez(self.folder / 'c.npz', v0=numpy.ones((2, SIZE), numpy.float32), more=numpy.ones((512, SIZE), numpy.float32))
        (self.folder / 'cases/one/test_data_set_0').mkdir(parents=True)
        save_model(self.folder / 'cases/one/model.onnx', False)
        case = self.folder / 'cases/one/test_data_set_0'
        given = answer = numpy.ones((2, SIZE), numpy.float32)
        for weight in onnx.load(str(self.folder / 'm.onnx')).graph.initializer:
            answer = answer @ numpy_helper.to_array(weight)
        for file, value in (('input_0.pb', given), ('output_0.pb', answer)):
            (case / file).write_bytes(numpy_helper.from_array(value).SerializeToString())
        for target, name in ((DPU, 'dpu.assayprog'), (('--target', 'vulkan-main'), 'gpu.assayprog')):
            done = self.run_assay('compile', 'm.onnx', *target, '-o', name)
            self.assertIn(done.returncode, (0, 1), done.stderr)
        for command, name in ((('show', 'm.mlir', '--emit', 'nnir', '-o', 'shown.nnir'), 'm.mlir'),
                              (('run', 'm.mlir', '--on', 'reference', '--random', '1', '--json'), 'm.mlir'),
                              (('run', 'm.onnx', '--on', 'reference', '--input', 'v0=c.npz', '--json'), 'c.npz'),
                              (('quantize', 'm.onnx', *DPU, '--random', '1', '-o', 'q.onnx', '--json'), 'm.onnx'),
                              (('quantize', 'm.onnx', *DPU, '--calibration', 'c.npz', '-o', 'q.onnx', '--json'), 'c.npz'),
                              (('inspect', 'm.onnx', *DPU), 'm.onnx'), (('survey', 'm.onnx', *TARGET), 'm.onnx'),
                              (('reduce', 'm.onnx', *TARGET, '--shows', 'command:false {}', '-o', 'reduced', '--json'), 'm.onnx'),
                              (('qualify', 'cases', '--on', 'reference', '--json'), 'cases/one/model.onnx'),
                              (('qualify', 'cases', '--on', 'reference', '--json'), 'cases/one/test_data_set_0/input_0.pb'),
                              *(((command, program), program) for program in ('dpu.assayprog', 'gpu.assayprog')
                                for command in ('metrics', 'dump') if (self.folder / program).exists())):
            data = (self.folder / name).read_bytes()

            def fresh(name=name, data=data):
                (self.folder / name).write_bytes(data)
                shutil.rmtree(self.folder / 'reduced', ignore_errors=True)

            self.disturb(command, name, fresh, lambda path, keep=min(5000, len(data) // 2): os.truncate(path, keep))
            fresh()


class NoFiles(WithFolder):
    def setUp(self):
        super().setUp()
        save_model(self.folder / 'm.onnx', False)
        os.mkfifo(self.folder / 'fifo')

    def test_readers(self):
        """None of them waits for a pipe or reads a device to its end."""
        for path in ('fifo', '/dev/zero', '.'):
            for command in (('check', 'm.onnx', '--target', path), ('check', path, *TARGET), ('show', path),
                            ('check', 'm.onnx', *TARGET, '--policy', path), ('fix', 'm.onnx', *TARGET, '--fixes', path),
                            ('targets', 'validate', path), ('metrics', path), ('dump', path),
                            ('compare', 'm.onnx', *TARGET, '--a', 'reference', '--b', 'vm', '--random', '1', '--tolerance', path),
                            ('run', 'm.onnx', '--on', 'reference', '--input', f'v0={path}:f32:2x256'),
                            ('quantize', 'm.onnx', *DPU, '--calibration', path, '-o', 'q.onnx'), ('quantize', path, *DPU, '-o', 'q.onnx'),
                            ('inspect', path, *DPU), ('survey', path, *TARGET), ('reduce', path, *TARGET, '--shows', 'refused', '-o', 'r'),
                            ('show', 'm.onnx', *TARGET, '--emit', 'svg', '--overlay', path), ('cycles', path),
                            ('deploy', path), ('qualify', '.', '--merge', path),
                            ('conformance', '.', '--on', 'reference', '--xfail', path)):
                with self.subTest(command=command):
                    done = self.run_assay(*command)
                    self.assertIn(done.returncode, (2, 3), done.stderr)
                    self.assertNotEqual(done.stderr, '')

    def test_policy_beside_a_model(self):
        for name in ('m.onnx.assay-policy', 'assay-policy.json', 'm.assay-policy.json'):
            os.mkfifo(self.folder / name)
        self.run_assay('check', 'm.onnx', *TARGET)

    def test_too_large(self):
        with (self.folder / 'large.json').open('wb') as file:
            file.truncate(1 << 40)
        for command in (('check', 'm.onnx', '--target', 'large.json'), ('check', 'm.onnx', *TARGET, '--policy', 'large.json')):
            done = self.run_assay(*command)
            self.assertIn(done.returncode, (2, 3))
            self.assertIn('64.0', done.stderr)

    def test_devices_stay(self):
        made = self.folder / 'full'
        try:
            os.mknod(made, stat.S_IFCHR | 0o600, os.makedev(1, 7))
        except PermissionError:
            made = pathlib.Path('/dev/full')
        for command in (('compile', 'm.onnx', *TARGET, '-o', made), ('check', 'm.onnx', *TARGET, '-o', made),
                        ('compile', 'm.onnx', *TARGET, '-o', 'p', '--metrics', made),
                        ('fix', 'm.onnx', *TARGET, '-o', made)):
            with self.subTest(command=command):
                done = self.run_assay(*command)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertTrue(stat.S_ISCHR(made.stat().st_mode))


class Archives(WithFolder):
    def setUp(self):
        super().setUp()
        save_model(self.folder / 'm.onnx', False)

    def feed(self, path):
        return self.run_assay('run', 'm.onnx', '--on', 'reference', '--input', f'v0={path}')

    def parts(self, name):
        """Of an archive of one member: that, its entry in the directory, and what ends the directory."""
        data = (self.folder / name).read_bytes()
        start, end = data.index(b'PK\x01\x02'), data.rindex(b'PK\x05\x06')
        return data[:start], data[start:end], data[end:]

    def directory(self, entries, tail, start=None):
        """The entries, and a tail that counts them; where they begin if not behind one member."""
        tail = bytearray(tail)
        for at in (8, 10):
            tail[at:at + 2] = len(entries).to_bytes(2, 'little')
        tail[12:16] = sum(map(len, entries)).to_bytes(4, 'little')
        if start is not None:
            tail[16:20] = start.to_bytes(4, 'little')
        return b''.join(entries) + bytes(tail)

    def test_bomb(self):
        """Members over one another, and more than anybody packs."""
        shape = (2, SIZE)
        numpy.savez_compressed(self.folder / 'good.npz', x=numpy.zeros(shape, numpy.float32))
        self.assertEqual(self.feed('good.npz').returncode, 0)
        member, entry, tail = self.parts('good.npz')
        (self.folder / 'over.npz').write_bytes(member + self.directory([entry] * 100, tail))
        done = self.feed('over.npz')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('over one another', done.stderr)

        # A gigabyte of zeros is packed once.
        block = bytes(1 << 20)
        with zipfile.ZipFile(self.folder / 'one.npz', 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open('a0.npy', 'w', force_zip64=True) as file:
                for _ in range(1000):
                    file.write(block)
        member, entry, tail = self.parts('one.npz')
        names = [f'a{i}.npy'.encode() for i in range(5)]
        entries = [(entry[:42] + struct.pack('<I', i * len(member)) + entry[46:]).replace(names[0], name) for i, name in enumerate(names)]
        with (self.folder / 'large.npz').open('wb') as file:
            file.writelines(member.replace(names[0], name, 1) for name in names)
            file.write(self.directory(entries, tail, file.tell()))
        with zipfile.ZipFile(self.folder / 'large.npz') as archive:
            self.assertEqual([info.file_size for info in archive.infolist()], [1000 << 20] * len(names))
            with archive.open('a4.npy') as file:
                self.assertEqual(file.read(len(block)), block)
        done = self.feed('large.npz')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('4 GiB', done.stderr)


unittest.main(verbosity=2)
