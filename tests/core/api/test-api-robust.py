#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing that a caller gives can end the interpreter: every method and property of everything in the typelib is called on
objects that are whole, empty or of another class, with every wrong kind of argument, and from several threads. Then the same with
every call of the Python module, where what is wrong is an exception and never a critical warning, which ends the child here.

test-api-robust.py STREAMING_CNN MLP
"""
import ast
import faulthandler
import importlib
import itertools
import mmap
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

try:
    import gi
except ImportError:
    print('1..0 # SKIP python3-gi is not installed')
    sys.exit(0)

gi.require_version('Assay', '1')
# What other languages see: the Python module is what test-api-python.py tests.
if sys.argv[2:3] != ['module']:
    sys.modules['gi.overrides.Assay'] = None
from gi._gi import Repository
from gi.repository import Assay, Gio, GLib, GObject

# What is called last, for the parent to tell when the child has ended over it.
NOTE = 'last-call'
NOTE_SIZE = 1000

HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64)
TEXTS = ('', 'x', '\0', 'ia_420f_c6b32', 'reference', 'reference-fp64', 'vm', 'vm-fp32', 'board:local', 'files:.',
         'command:/bin/false', 'nothing:', '\udcff', 'a' * 5000, '{', '{"fixes": 1}', '[]')


def make_tensor(dtype, shape):
    count = 1
    for extent in shape:
        count *= extent
    bits = Assay.dtype_bits(dtype)
    return Assay.Tensor.new(dtype, list(shape), GLib.Bytes.new(bytes((count * bits + 7) // 8)))


def arguments_of(info):
    """Those that Python gives: lengths of arrays and what comes out are none."""
    words = re.search(r'\((.*)\) ?(->|$)', info.__doc__).group(1)
    return [word.split(':')[0].strip('* ') for word in words.split(', ') if word not in ('', 'self')]


class Sweep:
    def __init__(self, cnn, mlp):
        self.config = Assay.Config.new_preset('ia_420f_c6b32')
        self.nnir = Assay.Nnir.from_onnx(mlp, ['1,64'])
        self.cnn = Assay.Nnir.from_onnx(cnn, None)
        self.streaming, _ = self.cnn.streaming_transform([2])
        self.options = Assay.Options()
        builder = Assay.ProgramBuilder.new(self.config)
        builder.add_nnir(self.nnir, 'mlp', None)
        builder.add_nnir(self.streaming, 'cnn', None)
        self.program = builder.to_program(None)
        self.tensor = make_tensor(Assay.DType.F32, (1, 64))
        self.stopped = Gio.Cancellable()
        self.stopped.cancel()
        self.whole = {
            'Config': [self.config], 'Metrics': [self.program.metrics()], 'Nnir': [self.nnir, self.streaming],
            'Options': [self.options], 'Program': [self.program], 'ProgramBuilder': [builder],
            'Vm': [self.program.to_vm(1, 64, True)], 'Tensor': [make_tensor(Assay.DType.I64, (2, 0)), make_tensor(Assay.DType.I64, (2,)),
                       Assay.Tensor.new_strings([1], [GLib.Bytes.new(b'x')])],
        }
        # An argument of one of these names is good with this value, whatever the function.
        self.good = {
            'config': self.config, 'nnir': self.nnir, 'options': None, 'cancellable': None, 'program': self.program,
            'path': 'written', 'bytes': self.program.save_bytes(), 'inputs': [self.tensor], 'model_index': 0,
            'values': [0.0] * 64, 'n_timesteps': 1, 'input_axes': [-1], 'output_axes': [-1], 'axes': [-1],
            'override_input_shapes': ['1,64'], 'runner': 'reference', 'name': 'name', 'dtype': Assay.DType.F32,
            'dims': [1, 64], 'target': 'ia_420f_c6b32', 'spaced': True, 'bf16_precision': True, 'block_size': 32,
            'num_cores': 2, 'id': 'ia_420f_c6b32', 'field': 'num_cores', 'a': 'reference', 'b': 'reference', 'outputs_only': True, 'n_runs': 0, 'core': 0, 'width': 64.0, 'height': 64.0,
            'fixes': '{"schema": "assay.fixes/1", "fixes": []}', 'strings': [GLib.Bytes.new(b'x')], 'index': 0,
            'write_queue_capacity': 32, 'output_buffer_capacity': 64, 'n_elements': 64,
        }
        self.better = {('Tensor.new', 'bytes'): GLib.Bytes.new(bytes(256)), ('Program.run_on', 'runner'): 'vm',
                       ('Vm.run_timesteps', 'inputs'): [make_tensor(Assay.DType.F32, (1, 1, 64))],
                       ('Vm.run_timesteps', 'input_axes'): [0]}
        self.objects = [Gio.Cancellable(), self.stopped, GObject.Object(), GLib.Bytes.new(b''), GLib.Bytes.new(b'abc'),
                        object(), len, int, {}, {1: 2}, b'', b'x', (1, 2), GLib.Variant('i', 1)]
        for values in self.whole.values():
            self.objects += values
        for kind in self.types():
            self.objects += self.empties(kind)
        tensors = [make_tensor(dtype, (1, 64)) for dtype in self.dtypes()]
        tensors += [make_tensor(Assay.DType.F32, shape) for shape in ((), (0,), (1, 65), (64,), (1,) * 64)]
        lists = [[], [None], [0], [-1], [0, 0], [2**31 - 1], [-2**31], [2**40], [1.5], [float('nan')], ['x'], ['?', '?'],
                 ['1,64', '1'], ['-1,99999999999999999999'], [[]], [[1, 64]], [None, None], [self.tensor, None],
                 [self.tensor] * 2, [self.config], [object()], [True], [b'x'], [2**62, 2**62], [1] * 65, [0.0] * 63]
        self.pool = [None, True, -1, 0, 1, 2, 31, 64, -2**31, -2**63, *HUGE, 0.0, -0.0, 1.5, float('nan'), float('inf'), 1e300,
                     *TEXTS, *lists, *([t] for t in tensors), *self.objects]
        self.start()

    def start(self):
        pathlib.Path(NOTE).write_bytes(bytes(NOTE_SIZE))
        with open(NOTE, 'r+b') as file:
            self.note = mmap.mmap(file.fileno(), NOTE_SIZE)
        self.n_calls = 0
        self.worked = {}

    @staticmethod
    def types():
        return [getattr(Assay, info.get_name()) for info in Repository.get_default().get_infos('Assay')
                if type(info).__name__ in ('ObjectInfo', 'StructInfo', 'UnionInfo')
                and not info.get_name().endswith('Class')]

    def dtypes(self):
        return [getattr(Assay.DType, name) for name in dir(Assay.DType) if name.isupper() and
                Assay.dtype_bits(getattr(Assay.DType, name)) > 0]

    def empties(self, kind):
        made = []
        for make in (kind, lambda: GObject.new(kind)) if issubclass(kind, GObject.Object) else (kind,):
            try:
                made.append(make())
            except Exception:
                pass
        return made

    def call(self, what, function, *arguments):
        self.n_calls += 1
        note = f'{what} {[repr(a)[:60] for a in arguments]}'.encode(errors='replace')[:NOTE_SIZE]
        self.note[:] = note.ljust(NOTE_SIZE)
        self.worked.setdefault(what, 0)
        try:
            result = function(*arguments)
        except Exception:
            return None
        self.worked[what] += 1
        return result

    def try_function(self, what, function, names):
        good = [self.better.get((what, name), self.good.get(name, 1)) for name in names]
        if not names:
            self.call(what, function)
        for i, value in itertools.product(range(len(names)), self.pool):
            self.call(what, function, *good[:i], value, *good[i + 1:])
        for value in self.pool if len(names) > 1 else ():
            self.call(what, function, *[value] * len(names))
        self.call(what, function, *good, 1)
        self.call(what, function, *good)

    def try_methods(self, kind, info):
        members = info.get_methods()
        for method in members:
            name = method.get_name()
            function = getattr(kind, name, None)
            if function is None or name in ('ref', 'unref', 'free', 'copy'):
                continue
            names = arguments_of(method)
            if not method.is_method():
                self.try_function(f'{kind.__name__}.{name}', function, names)
                continue
            for instance in self.whole.get(kind.__name__, []):
                self.try_function(f'{kind.__name__}.{name}', getattr(instance, name), names)
            good = [self.good.get(a, 1) for a in names]
            for other in self.objects + [None, 0, '', -1]:
                self.call(f'{kind.__name__}.{name} of another', function, other, *good)
                self.call(f'{kind.__name__}.{name} of another', function, other)

    def try_properties(self, kind):
        instances = self.whole.get(kind.__name__, []) + self.empties(kind)
        for instance in instances if issubclass(kind, GObject.Object) else ():
            for pspec in instance.list_properties():
                self.call(f'{kind.__name__}:{pspec.name}', instance.get_property, pspec.name)
                for value in self.pool:
                    # Options are shared by calls that follow.
                    if instance is not self.options:
                        self.call(f'{kind.__name__}:{pspec.name} =', instance.set_property, pspec.name, value)
            for name in dir(instance):
                if not name.startswith('_'):
                    self.call(f'{kind.__name__}.{name}', getattr, instance, name)
            self.call(f'repr {kind.__name__}', repr, instance)
            self.call(f'str {kind.__name__}', str, instance)
        for value in self.pool:
            self.call(f'{kind.__name__} ()', kind, value)

    def run(self):
        for info in Repository.get_default().get_infos('Assay'):
            name = info.get_name()
            if type(info).__name__ == 'FunctionInfo':
                names = arguments_of(info)
                self.try_function(name, getattr(Assay, name), names)
            elif type(info).__name__ in ('ObjectInfo', 'StructInfo', 'UnionInfo') and not name.endswith('Class'):
                kind = getattr(Assay, name)
                self.try_methods(kind, info)
                self.try_properties(kind)
        # The class that programs really have is not in the typelib.
        for empty in self.empties(type(self.program)):
            for method in Repository.get_default().find_by_name('Assay', 'Program').get_methods():
                names = arguments_of(method)
                if method.is_method():
                    self.call(f'{method.get_name()} of an empty program', getattr(empty, method.get_name()),
                              *[self.good.get(a, 1) for a in names])

    def threads(self):
        """Objects that are shared; those that change, too."""
        vm, options = self.program.to_vm(1, 64, True), Assay.Options()
        builder = Assay.ProgramBuilder.new(self.config)
        expected = vm.run(0, [self.tensor])[0].dup_bytes().get_data()
        wrong = []

        def work(n):
            for i in range(6):
                if vm.run(0, [self.tensor])[0].dup_bytes().get_data() != expected:
                    wrong.append(n)
                vm.run_flat(0, [0.0] * 64)
                vm.cycle_count()
                options.props.pins = [f'{n}={i}'] * (i + 1)
                _ = options.props.pins, options.props.core_indices
                options.props.core_indices = str(i)
                builder.add_nnir(self.nnir, str(n), None)
                self.program.cycle_count_per_inference(1, True)
                self.nnir.to_text()
                self.nnir.to_program(self.config, str(i))
            builder.to_program(self.stopped) if n else None

        def cautious(n):
            try:
                work(n)
            except GLib.Error as e:
                if not e.matches(Assay.error_quark(), Assay.Error.CANCELLED):
                    wrong.append(e)

        all_threads = [threading.Thread(target=cautious, args=(n,)) for n in range(4)]
        for thread in all_threads:
            thread.start()
        for thread in all_threads:
            thread.join()
        assert not wrong, wrong
        assert vm.cycle_count() > 0


class ModuleSweep(Sweep):
    """The calls that the stub lists."""

    def __init__(self, cnn, mlp):
        import numpy as np

        self.module = importlib.import_module('assay')
        config = self.module.Config.ia_420f()
        nnir = self.module.NNIR.from_onnx(mlp, [1, 64])
        streaming, _ = self.module.NNIR.from_onnx(cnn).streaming_transform(2)
        program = nnir.to_program(config, generate_state_reset=True)
        array = np.zeros((1, 64), np.float32)
        report = nnir.check('ia_420f_c6b32')
        self.whole = {'Config': [config], 'NNIR': [nnir, streaming], 'Program': [program], 'VM': [program.to_vm()],
                      'Metrics': [program.metrics()], 'Report': [report], 'Tensor': [self.module.Tensor(array)],
                      'ProgramBuilder': [self.module.ProgramBuilder(config)], 'Options': [self.module.Options()],
                      'CycleSummary': [program.cycle_summary_per_inference()], 'Cancellable': [Gio.Cancellable()]}
        self.good = {'config': config, 'nnir': nnir, 'inputs': array, 'path': mlp, 'axis': 0, 'target': 'ia_420f_c6b32',
                     'input_axis': None, 'output_axis': None, 'model_index': 0, 'array': array, 'data': program.save_bytes(),
                     'runner': 'reference', 'name': 'ia_420f_c6b32', 'in_values': 1, 'out_values': 1, 'num_cores': 2,
                     'block_size': 32, 'program': program, 'key': 0}
        self.better = {('Program.run_on', 'runner'): 'vm', ('NNIR.compare', 'target'): 'ia_420f_c6b32',
                       ('VM.run_timesteps', 'inputs'): array[None], ('VM.run_timesteps', 'input_axis'): 0,
                       ('VM.run_timesteps', 'output_axis'): 0, ('Config.load', 'path'): 'config.json',
                       ('Program.load', 'path'): 'program', ('NNIR.save_onnx', 'path'): 'saved.onnx',
                       ('Config.save', 'path'): 'saved.json', ('Program.save', 'path'): 'saved',
                       ('NNIR.streaming_transform', 'axis'): 0}
        config.save('config.json')
        program.save('program')
        self.objects = [value for values in self.whole.values() for value in values] + [object(), {}, {'rewrite': 1}, b'', b'x', (1,)]
        self.pool = [None, True, -1, 0, 1, 64, *HUGE, 1.5, float('nan'), *TEXTS, [], [None], [0], [-1], [[1, 64]], [[]], ['x'],
                     [2**40], [object()], np.zeros(0), np.zeros((1, 64), 'M8[s]'), np.array('x'), np.array([object()]),
                     np.zeros((1, 65)), np.zeros((1,) * 20), [array, array], *self.objects]
        self.start()

    def run(self):
        stub = ast.parse(pathlib.Path(self.module.__file__).with_name('__init__.pyi').read_text())
        for kind in (node for node in stub.body if isinstance(node, ast.ClassDef)):
            for call in (node for node in kind.body if isinstance(node, ast.FunctionDef)):
                what = f'{kind.name}.{call.name}'
                arguments = [a.arg for a in call.args.args if a.arg not in ('self', 'cls')]
                marks = {ast.unparse(mark) for mark in call.decorator_list}
                needed = arguments[:len(arguments) - len(call.args.defaults)]
                if 'property' in marks:
                    for instance in self.whole[kind.name]:
                        self.call(what, getattr, instance, call.name)
                elif marks or call.name == '__init__':
                    function = getattr(self.module, kind.name)
                    function = function if call.name == '__init__' else getattr(function, call.name)
                    self.try_call(what, function, needed, arguments, call.args.kwonlyargs)
                elif kind.name in self.whole:
                    for instance in self.whole[kind.name]:
                        self.try_call(what, getattr(instance, call.name), needed, arguments, call.args.kwonlyargs)

    def try_call(self, what, function, needed, arguments, keywords):
        self.try_function(what, function, needed)
        for name in arguments[len(needed):] + [argument.arg for argument in keywords]:
            good = [self.better.get((what, argument), self.good.get(argument, 1)) for argument in needed]
            for value in self.pool:
                self.call(what, lambda *a, **k: function(*good, **{name: value}), name, value)


def child(cnn, mlp):
    faulthandler.enable()
    sweep = (ModuleSweep if sys.argv[2] == 'module' else Sweep)(cnn, mlp)
    {'sweep': sweep.run, 'module': sweep.run, 'threads': sweep.threads}[sys.argv[2]]()
    print(sweep.n_calls, 'calls')
    # A function that was never reached shows nothing; a builder that everything was added to cannot build.
    idle = [what for what, n in sweep.worked.items() if n == 0 and re.fullmatch(r'[\w.]+', what)]
    assert set(idle) <= {'Program.parent_instance', 'ProgramBuilder.to_program', 'ProgramBuilder.explain'}, idle
    sys.stdout.flush()
    # What is left is let go of, which is a call too.
    sweep.call('the end', sweep.whole.clear)
    sweep.call('the end', sweep.objects.clear)


def main():
    paths = [os.path.abspath(path) for path in sys.argv[1:3]]
    modules = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../core/api/python')
    environment = {**os.environ, 'G_DEBUG': '', 'XDG_CACHE_HOME': '', 'MALLOC_PERTURB_': '165', 'PYTHONPATH': modules,
                   'PYTHONDONTWRITEBYTECODE': '1'}
    print('1..3')
    for number, part in enumerate(('sweep', 'threads', 'module'), 1):
        if part == 'module':
            environment['G_DEBUG'] = 'fatal-criticals'
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, 'log')
            with log.open('wb') as errors:
                done = subprocess.run([sys.executable, os.path.abspath(__file__), '--child', part, *paths], cwd=folder,
                                      env=environment, stdout=subprocess.PIPE, stderr=errors)
            note = pathlib.Path(folder, NOTE)
            print('ok' if done.returncode == 0 else 'not ok', number, part)
            print('#', done.stdout.decode().strip())
            if done.returncode != 0:
                print('# ended with', done.returncode, 'in', note.read_text(errors='replace').strip() if note.exists() else '?')
                for line in log.read_text(errors='replace').splitlines()[-30:]:
                    print('#', line)


if __name__ == '__main__':
    if sys.argv[1] == '--child':
        child(*sys.argv[3:5])
    else:
        main()
