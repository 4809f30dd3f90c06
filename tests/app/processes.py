# SPDX-License-Identifier: Apache-2.0
"""What tests of processes share: models, every command with arguments that work, and a run that leaves nothing behind."""
import fcntl
import functools
import os
import pathlib
import signal
import subprocess
import tempfile
import termios

import needs  # noqa: F401
import numpy
from onnx import TensorProto, helper, numpy_helper

from driver import until

TARGET = 'ia_420f_c6b32'
# Seconds, ten times those of a quiet machine: until any command has ended, and until one that is cancelled has.
LIMIT, PATIENCE = 300, 20
NOBODY = 65534
# Another user, whom limits on processes are about, and who reaches the tree wherever it is.
AS_NOBODY = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
# What assay-torch may write.
TORCH_TEXT = '''func.func @forward(%x: !torch.vtensor<[2,8],f32>) -> !torch.vtensor<[2,8],f32> {
  %y = torch.aten.relu %x : !torch.vtensor<[2,8],f32> -> !torch.vtensor<[2,8],f32>
  return %y : !torch.vtensor<[2,8],f32>
}
'''


def save_model(path, width, depth):
    """Layers that every command can work on, and for long if they are wide and many."""
    generator = numpy.random.default_rng(3)
    nodes, weights, last = [], [], 'input'
    for i in range(depth):
        size = 10 if i == depth - 1 else width
        shape = (64 if i == 0 else width, size)
        weights.append(numpy_helper.from_array(generator.normal(0, 0.1, shape).astype(numpy.float32), f'w{i}'))
        nodes += [helper.make_node('MatMul', [last, f'w{i}'], [f'a{i}']), helper.make_node('Relu', [f'a{i}'], [f'b{i}'])]
        last = f'b{i}'
    nodes.append(helper.make_node('Identity', [last], ['probabilities']))
    graph = helper.make_graph(nodes, 'mlp', [helper.make_tensor_value_info('input', TensorProto.FLOAT, (2, 64))],
                              [helper.make_tensor_value_info('probabilities', TensorProto.FLOAT, (2, 10))], weights)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


def save_refused(path, turns=1):
    """A model with a node that the target refuses and a fix helps, and a loop of so many turns behind it."""
    body = helper.make_graph([helper.make_node('Identity', ['go'], ['go_on']), helper.make_node('Sin', ['v'], ['w'])], 'body',
                             [helper.make_tensor_value_info('i', TensorProto.INT64, ()),
                              helper.make_tensor_value_info('go', TensorProto.BOOL, ()),
                              helper.make_tensor_value_info('v', TensorProto.FLOAT, (2, 64))],
                             [helper.make_tensor_value_info('go_on', TensorProto.BOOL, ()),
                              helper.make_tensor_value_info('w', TensorProto.FLOAT, (2, 64))])
    nodes = [helper.make_node('Pad', ['input', 'pads'], ['a'], mode='reflect'), helper.make_node('MatMul', ['a', 'm'], ['b']),
             helper.make_node('Loop', ['turns', 'yes', 'b'], ['c'], body=body),
             helper.make_node('Add', ['c', 'input'], ['probabilities'])]
    constants = [numpy_helper.from_array(value, name) for name, value in (
        ('pads', numpy.array([0, 1, 0, 1])), ('m', numpy.ones((66, 64), numpy.float32)), ('turns', numpy.array(turns)),
        ('yes', numpy.array(True)))]
    graph = helper.make_graph(nodes, 'refused', [helper.make_tensor_value_info('input', TensorProto.FLOAT, (2, 64))],
                              [helper.make_tensor_value_info('probabilities', TensorProto.FLOAT, (2, 64))], constants)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


def save_torch_helper(folder, lines):
    """A stand-in for assay-torch, for ASSAY_HELPERS: its third argument is the file that it is to write."""
    helper_path = folder / 'assay-torch'
    helper_path.write_text(f'#!/bin/bash\n{lines}')
    helper_path.chmod(0o700)


def save_chain(path, layers, refused=False):
    """So many layers with the same weights: little to read and much to do. In front of each stands a node that the target
    refuses, if that is wanted."""
    nodes, last = [], 'input'
    for i in range(layers):
        if refused:
            nodes.append(helper.make_node('Pad', [last, 'pads'], [f'p{i}'], mode='reflect'))
            last = f'p{i}'
        nodes += [helper.make_node('MatMul', [last, 'm'], [f'a{i}']), helper.make_node('Relu', [f'a{i}'], [f'b{i}'])]
        last = f'b{i}'
    constants = [numpy_helper.from_array(numpy.full((66 if refused else 64, 64), 1 / 64, numpy.float32), 'm')]
    if refused:
        constants.append(numpy_helper.from_array(numpy.array([0, 1, 0, 1]), 'pads'))
    graph = helper.make_graph(nodes, 'chain', [helper.make_tensor_value_info('input', TensorProto.FLOAT, (2, 64))],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, (2, 64))], constants)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8).SerializeToString())


def save_case(folder, model):
    """A case of ONNX test data; what comes out is not looked at here."""
    data = folder / 'test_data_set_0'
    data.mkdir(parents=True)
    (folder / 'model.onnx').write_bytes(model.read_bytes())
    for name, shape in (('input_0.pb', (2, 64)), ('output_0.pb', (2, 10))):
        (data / name).write_bytes(numpy_helper.from_array(numpy.zeros(shape, numpy.float32)).SerializeToString())


def commands(model, refused, program, cases):
    """Every command, with arguments that give it work; the name of its row in the table comes first."""
    target = ['--target', TARGET]
    return {
        'check': [str(model), *target, '-o', 'out/check.txt'],
        'fix': [str(refused), *target, '-o', 'out/fix.txt'],
        'show': [str(model), '-o', 'out/show.txt'],
        'compile': [str(model), *target, '-o', 'out/program.assayp'],
        'metrics': [str(program), '-o', 'out/metrics.txt'],
        'cycles': [str(program), '-o', 'out/cycles.txt'],
        'dump': [str(program), '-o', 'out/dump.txt'],
        'run': [str(model), *target, '--on', 'vm,reference', '--random', '1', '--output-dir', 'out/run'],
        'compare': [str(model), *target, '-o', 'out/compare.txt'],
        'inspect': [str(model), '--target', 'dpu_zdx8g_b512', '-o', 'out/inspect.txt'],
        'quantize': [str(model), '--target', 'dpu_zdx8g_b512', '--random', '2', '-o', 'out/quantized.onnx'],
        'survey': [str(model), *target, '-o', 'out/survey.txt'],
        'qualify': [str(cases), '--on', 'reference', '-o', 'out/qualify.txt'],
        'reduce': [str(refused), *target, '--shows', 'rejected', '-o', 'out/reduced'],
        'conformance': [str(cases), '--on', 'reference', '-o', 'out/conformance.txt'],
        'deploy': [str(program), '--runs', '3', '-o', 'out/deploy.txt'],
        'boards': ['--check', 'local'],
        'targets': ['list'],
        'doctor': ['-o', 'out/doctor.txt'],
        'help': ['check'],
        'version': [],
    }


def long_commands(long, refused, program, cases):
    """Every command with work for longer than anybody waits, or None for one that has no such work. `silent` is a board that
    does not answer."""
    target, dpu = ['--target', TARGET], ['--target', 'dpu_zdx8g_b512']
    return {
        'check': None,
        'fix': [str(refused), *target, '-o', 'out/fixed.onnx'],
        'show': [str(long), *target, '--emit', 'png', '--scale', '8', '-o', 'out/picture.txt'],
        'compile': [str(long), *target, '-o', 'out/program.assayp'],
        'metrics': None,
        'cycles': None,
        'dump': None,
        'run': [str(long), *target, '--on', 'vm,reference', '--random', '1', '--output-dir', 'out/run'],
        'compare': [str(long), *target, '-o', 'out/compare.txt'],
        'inspect': [str(refused), *dpu, '-o', 'out/inspect.txt'],
        'quantize': [str(long), *dpu, '--random', '100000', '-o', 'out/quantized.onnx'],
        'survey': [str(long), *target, '-o', 'out/survey.txt'],
        'qualify': [str(cases), '--on', 'reference', '--log', 'out/log.json', '-o', 'out/qualify.txt'],
        'reduce': [str(refused), *target, '--shows', 'rejected', '-o', 'out/reduced'],
        'conformance': [str(cases), '--on', 'reference', '-o', 'out/conformance.txt'],
        'deploy': [str(program), '--runs', '1000000', '-o', 'out/deploy.txt'],
        'boards': ['--check', 'ssh:silent', '-o', 'out/boards.txt'],
        'targets': None,
        'doctor': None,
        'help': None,
        'version': None,
    }


def table(assay):
    """The rows of the table of commands, as the program tells them."""
    text = subprocess.run([assay, 'help'], capture_output=True, text=True, timeout=LIMIT).stdout
    rows = [line.split()[0] for line in text.split('Commands:', 1)[1].splitlines() if line.startswith('  ') and line.strip()]
    assert len(rows) > 10, text
    return rows


# In the environment of what a run starts: its children have sessions of their own.
MARK = 'ASSAY_TEST_RUN'
marks = {}


def belongs(pid, session):
    if os.getsid(pid) == session:
        return True
    return session in marks and f'{MARK}={marks[session]}'.encode() in pathlib.Path('/proc', str(pid), 'environ').read_bytes().split(b'\0')


def session_stats(session):
    """The processes that a run has started, each with what /proc/PID/stat says behind its name."""
    found = []
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            if not belongs(int(name), session):
                continue
            fields = pathlib.Path('/proc', name, 'stat').read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        found.append((pathlib.Path('/proc', name), fields))
    return found


def session_members(session):
    """The processes of a session that have not ended."""
    return [(int(entry.name), (entry / 'cmdline').read_bytes() if entry.exists() else b'')
            for entry, fields in session_stats(session) if fields[0] not in 'ZX']


def session_work(session):
    """Seconds of processor time that a session has taken, with its children that have ended."""
    return sum(int(field) for _, fields in session_stats(session) for field in fields[11:15]) / os.sysconf('SC_CLK_TCK')


class Run:
    """One run of a program in a session, a temporary folder and a working folder of its own."""

    def __init__(self, argv, environment=None, cpus=None, cwd=None, stdout=None, nobody=False, terminal=None, start=True):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        self.temporary = self.folder / 'tmp'
        self.cwd = cwd or self.folder / 'work'
        self.temporary.mkdir()
        (self.folder / 'work' / 'out').mkdir(parents=True)
        # A pipe with room for everything: no limit on files keeps what is said from coming.
        self.log, end = os.pipe()
        fcntl.fcntl(self.log, fcntl.F_SETPIPE_SZ, 1 << 20)
        os.set_blocking(self.log, False)
        self.text = b''
        if nobody and os.geteuid() == 0:
            argv = [*AS_NOBODY, *argv]

        def prepare():
            if cpus:
                os.sched_setaffinity(0, cpus)
            if terminal is not None:
                fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        self.end = end
        self.popen = functools.partial(
            subprocess.Popen,
            argv, cwd=self.cwd, stdin=subprocess.DEVNULL, stdout=end if stdout is None else stdout, stderr=end, start_new_session=True,
            env=dict(os.environ, TMPDIR=str(self.temporary), **{MARK: str(self.folder)}, **(environment or {})),
            # With a function of its own a child is a copy of this whole process.
            preexec_fn=prepare if cpus or terminal is not None else None)
        self.process = None
        if start:
            self.start()

    def start(self):
        self.process = self.popen()
        marks[self.process.pid] = str(self.folder)
        os.close(self.end)

    def wait(self, seconds=LIMIT):
        """The exit status, or None for one that does not end."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def said(self):
        try:
            while part := os.read(self.log, 1 << 16):
                self.text += part
        except BlockingIOError:
            pass
        return self.text.decode(errors='replace')

    def left(self):
        """What it has left behind: children, temporary files, and files beside those it writes."""
        until(lambda: not session_members(self.process.pid), PATIENCE)
        members = session_members(self.process.pid)
        files = [str(path.relative_to(self.folder)) for path in self.temporary.rglob('*')]
        files += [str(path.relative_to(self.folder)) for path in (self.folder / 'work').rglob('*')
                  if path.is_file() and path.suffix not in ('.txt', '.npy', '.assayp', '.onnx', '.json', '.sh')]
        return members + files

    def outputs(self):
        """The files it has written, by name."""
        out = self.folder / 'work' / 'out'
        return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob('*')) if path.is_file()}

    def close(self):
        for pid, _ in session_members(self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.log)
        self.holder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
