#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a suite of end-to-end tests in the form of torch-mlir with PyTorch, and runs it.

The tests are made up here, one for each kind that takes more than a row. Where ASSAY_TORCH_MLIR names a checkout of
torch-mlir, a tenth of its own tests runs as well, chosen by their names: all of them with ASSAY_TORCH_MLIR_PART=1/1.

Arguments: the assay program, the top of the source tree."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import needs  # noqa: F401
import numpy

ASSAY = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1))
PYTHON = '/usr/bin/python3'
HAS_TORCH = subprocess.run([PYTHON, '-c', 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)']).returncode == 0
CHECKOUT = os.environ.get('ASSAY_TORCH_MLIR')
PART = os.environ.get('ASSAY_TORCH_MLIR_PART', '1/10')
# Of the published tests that are traced, how many are right: what is wrong works on complex numbers, but for one.
RIGHT = 0.97
# Of the operators with samples that are traced, how many are known.
KNOWN = 0.5

FILES = {
    '__init__.py': '',
    'framework.py': '''import torch
import multiprocess


class TestUtils:
    def __init__(self):
        torch.manual_seed(0)

    def rand(self, *sizes):
        return torch.rand(sizes)
''',
    'registry.py': '''import collections

Test = collections.namedtuple("Test", "unique_name program_factory program_invoker timeout_seconds")
GLOBAL_TEST_REGISTRY = []


def register_test_case(module_factory, timeout_seconds=120):
    def register(function):
        GLOBAL_TEST_REGISTRY.append(Test(function.__name__, module_factory, function, timeout_seconds))
        return function
    return register
''',
    'test_suite/__init__.py': 'from torch_mlir._version import version\n',
    'test_suite/broken.py': 'from ..registry import register_test_case\nraise ValueError("made up")\n',
}

HEADER = '''import os
import torch
import torch._not_there.at_all as absent
import torchvision.not_there
from torch_mlir_e2e_test.framework import TestUtils
from torch_mlir_e2e_test.registry import register_test_case


class Call(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Scaled(torch.nn.Module):
    def __init__(self, dtype=torch.float8_e4m3fn):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3))
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen += x
        return x * self.weight, self.seen + 0.0


def case(name, function, *inputs):
    def invoke(module, tu):
        module.forward(*[i() if callable(i) else i for i in inputs])
    invoke.__name__ = name
    register_test_case(module_factory=lambda: Call(function))(invoke)


def rand(*sizes, dtype=torch.float32):
    return lambda: torch.rand(sizes).to(dtype) * 4 - 2


def die(x):
    os.abort()


@register_test_case(module_factory=lambda: Scaled())
def Scaled_basic(module, tu):
    module.forward(tu.rand(3))


case("ends", die, rand(2))
case("decides", lambda x: x if x.sum().item() > 0 else -x, rand(2))
case("absent", lambda x: absent.thing(x), rand(2))
'''
# A case of each operator that PyTorch has samples of for its own tests, with the first of them.
OPERATORS = HEADER.split('def rand')[0] + '''
import sys
import types
import unittest
import torch.utils._pytree as pytree

# Of this only a class is asked for, which tests are derived from.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))
from torch.testing._internal.common_methods_invocations import op_db


def called(op):
    def sample():
        torch.manual_seed(1)
        first = next(iter(op.sample_inputs("cpu", torch.float32, requires_grad=False)))
        return pytree.tree_flatten(((first.input, *first.args), first.kwargs))

    def function(*tensors):
        leaves, spec = sample()
        left = iter(tensors)
        args, kwargs = pytree.tree_unflatten([next(left) if torch.is_tensor(v) else v for v in leaves], spec)
        return op(*args, **kwargs)

    def invoke(module, tu):
        module.forward(*[v for v in sample()[0] if torch.is_tensor(v)])
    invoke.__name__ = ("operator_" + op.name + "_" + op.variant_test_name).replace(".", "_").rstrip("_")
    register_test_case(module_factory=lambda: Call(function))(invoke)


for op in op_db:
    if torch.float32 in op.supported_dtypes("cpu"):
        called(op)
'''
# Names, what is called, inputs.
CASES = '''
squeezed_in_place | lambda a, b: torch.matmul(a, b) | rand(4), rand(4, 5)
turned_in_place | lambda x: x.clone().t_().unsqueeze_(0) * 2 | rand(2, 3)
swapped_in_place | lambda x: x.clone().transpose_(0, 1) * 2 | rand(2, 3)
powers_in_place | lambda x, y: (x.clone().pow_(y), x.clone().pow_(3), x.double().float_power_(y), x.double().float_power_(2), torch.float_power(x, 2), torch.float_power(2, x)) | torch.rand(2, 3) + 0.5, rand(2, 3)
divided_in_place | lambda x, i: x.clone().floor_divide_(i + 0.5) | rand(3), torch.tensor([0, 2, -3])
split_for_good | lambda x: (*torch.unsafe_split(x, 2, 1), *torch.unsafe_split_with_sizes(x, [1, 4], 1), *torch.unsafe_chunk(x, 2, -1)) | rand(2, 5)
split_and_written | lambda x: (x, torch.ops.aten.split_copy(x, 2, 1)[0].zero_(), torch.ops.aten.unbind_copy(x)[0].zero_(), torch.ops.aten.split_with_sizes_copy(x, [1, 4], 1)[1].zero_()) | rand(2, 5)
cross | lambda a, b: torch.linalg.cross(a, b, dim=1) | rand(2, 3, 1), rand(1, 3, 4)
cross_integers | lambda a, b: torch.linalg.cross(a, b) | torch.arange(6).view(2, 3), torch.arange(3, 9).view(2, 3)
trilinear | lambda a, b, c: torch.nn.functional.bilinear(a, b, c) | rand(2, 3), rand(2, 4), rand(5, 3, 4)
renorm | lambda x: torch.renorm(x, 2, 0, 1.5) | rand(3, 4)
renorm_one | lambda x: torch.renorm(x, 1, -1, 1.0) | rand(3, 4)
weight_norm | lambda v, g: torch._weight_norm_interface(v, g, 0)[0] | rand(3, 4), rand(3, 1)
norm | lambda x: torch.ops.aten.norm(x, 3.5) | rand(3, 4)
extremes | lambda x: torch.aminmax(x, dim=1, keepdim=True) | rand(3, 4)
split_axis | lambda x: torch.ops.prims.split_dim(x, 1, 3) | rand(2, 6)
squeeze_nothing | lambda x: torch.ops.prims.squeeze(x, []) + 1 | rand(1, 2, 1)
odds | lambda x, t, w, p: torch.nn.functional.binary_cross_entropy_with_logits(x, t, w, pos_weight=p) | rand(3, 4), rand(3, 4), rand(4), rand(4)
odds_sum | lambda x, t: torch.nn.functional.binary_cross_entropy_with_logits(x, t, reduction="sum") | rand(3, 4), rand(3, 4)
masked_scatter | lambda x, s: x.masked_scatter(x > 0, s) | rand(3, 4), rand(20)
masked_scatter_short | lambda x, s: x.masked_scatter(torch.tensor([True, False, True]), s) | rand(2, 3), rand(4)
bag_sums | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 2, 2, 1]), torch.tensor([0, 2, 2]))[0] | rand(4, 3)
bag_means | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 2, 2, 1]), torch.tensor([0, 2, 2]), mode=1)[0] | rand(4, 3)
bag_ends | lambda w, s: torch.embedding_bag(w, torch.tensor([0, 3, 2]), torch.tensor([0, 2, 3]), False, 0, False, s, True)[0] | rand(4, 3), rand(3)
grid_near | lambda x, g: torch.nn.functional.grid_sample(x, g, "nearest", "border", align_corners=True) | rand(1, 2, 4, 5), rand(1, 3, 2, 2)
grid_even | lambda x, g: torch.nn.functional.grid_sample(x, g, "bilinear", "reflection", align_corners=False) | rand(1, 2, 4, 5), rand(1, 3, 2, 2)
adaptive_3d | lambda x: torch.nn.functional.adaptive_max_pool3d(x, (3, 2, 4), return_indices=True) | rand(1, 2, 5, 3, 7)
adaptive_2d | lambda x: torch.nn.functional.adaptive_max_pool2d(x, (3, 4), return_indices=True) | rand(2, 5, 7)
unpool_3d | lambda x: torch.nn.functional.max_unpool3d(*torch.nn.functional.max_pool3d(x, 2, return_indices=True), 2) | rand(1, 2, 4, 4, 4)
scatter_mean | lambda x, s: x.scatter_reduce(0, torch.tensor([[0, 1], [0, 0], [2, 1]]), s, "mean") | rand(3, 2), rand(3, 2)
scatter_mean_alone | lambda x, s: x.scatter_reduce(0, torch.tensor([[0, 1], [0, 0], [2, 1]]), s, "mean", include_self=False) | rand(3, 2), rand(3, 2)
scatter_mean_integers | lambda x, s: x.scatter_reduce(0, torch.tensor([0, 0, 2]), s, "mean") | torch.tensor([-8, 3, -5]), torch.tensor([1, 2, 2])
one_sample | lambda g, x, t: torch.ops.aten.nll_loss_backward(g, x, t, None, 1, 9, torch.tensor(1.0)) | rand(), rand(3), torch.tensor([2, 1, 0])
group_backward | lambda d, x: torch.ops.aten.native_group_norm_backward(d, x, torch.zeros(2, 2), torch.ones(2, 2), torch.arange(4.0), 2, 4, 6, 2, [True, True, True]) | rand(2, 4, 2, 3), rand(2, 4, 2, 3)
corners | lambda x: torch.nn.functional.interpolate(x, scale_factor=0.41, mode="bilinear", align_corners=True) | rand(1, 1, 4, 5)
last_channels | lambda x: torch.as_strided(x.to(memory_format=torch.channels_last), (1, 4, 5, 3), (60, 15, 3, 1)) | rand(1, 3, 4, 5)
numbers_into_a_matrix | lambda x: torch.arange(1, 13, out=x.clone()) | torch.zeros(3, 4, dtype=torch.int64)
scattered_wide | lambda x, s: x.masked_scatter(torch.tensor([[True], [False]]), s) | rand(3), rand(8)
scattered_bytes | lambda x, s: x.masked_scatter(torch.tensor([1, 0, 1], dtype=torch.bool), s) | rand(2, 3), rand(4)
scattered_nothing | lambda x, s: x.masked_scatter(x > 9, s) | rand(3), rand(0)
ldexp_half | lambda x, i: torch.ldexp(x, i) | rand(3, dtype=torch.float16), torch.tensor([0, 2, -3])
ldexp_integers | lambda x, i: torch.ldexp(x, i) | torch.arange(3), torch.tensor([0, 2, -3])
ldexp_far | lambda x, i: torch.ldexp(x, i) | rand(2, dtype=torch.float64), torch.tensor([200, 3])
ldexp_wide | lambda x, i: torch.ldexp(x, i) | rand(2), rand(2, dtype=torch.float64)
trilinear_from_the_end | lambda a, b, c: torch.ops.aten._trilinear(a, b, c, [-3], [-2], [-1], [-1]) | rand(3, 4), rand(2, 4), rand(2, 3)
trilinear_of_nothing | lambda a, b, c: torch.ops.aten._trilinear(a, b, c, [-1], [-1], [2], [1]) | rand(3, 4), rand(3, 4), rand(3, 4)
bag_padding | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 2, 2, 2]), torch.tensor([0, 2]), False, 1, False, None, False, 2)[0] | rand(4, 3)
bag_padding_end | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 2, 2, 1]), torch.tensor([0, 2]), False, 0, False, None, False, -2)[0] | rand(4, 3)
bag_largest | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 2, 2, 1]), torch.tensor([0, 2, 2]), mode=2)[0] - 5 | rand(4, 3)
bag_largest_padding | lambda w: torch.embedding_bag(w, torch.tensor([0, 3, 1, 1]), torch.tensor([0, 2]), False, 2, False, None, False, 1)[0] - 5 | rand(4, 3)
weight_norm_vector | lambda v, g: torch._weight_norm_interface(v, g, 0)[0] | rand(4), rand(4)
weight_norm_last | lambda v, g: torch._weight_norm_interface(v, g, 2)[0] | rand(2, 3, 4), rand(1, 1, 4)
norm_of_one | lambda x, y: (torch.linalg.vector_norm(x, 0), torch.linalg.vector_norm(y, 0), torch.linalg.vector_norm(x, 3)) | rand(), torch.zeros(())
odds_wide | lambda x, t: torch.nn.functional.binary_cross_entropy_with_logits(x, t) | rand(3, 4), rand(3, 4, dtype=torch.float64)
extremes_of_all | lambda x: torch.aminmax(x) | rand(3, 4)
extremes_of_one | lambda x: torch.aminmax(x, dim=-1) | rand()
narrow_from_the_end | lambda x: torch.narrow(x, -1, -2, 2) | rand(3, 4)
far_sums | lambda a, b: (torch.logaddexp(a, b), torch.logaddexp2(a, b), torch.logsumexp(a.view(2, 2), 0), torch.logcumsumexp(b, 0)) | torch.tensor([1e300, -1e300, 1e300, -1e300]).float(), torch.tensor([-1e300, -1e300, 1.0, 1e300]).float()
sums_of_small | lambda x: (torch.logcumsumexp(x, -1), torch.logcumsumexp(x, 0), torch.logcumsumexp(x[0], 0)) | torch.tensor([[-300.0, -1.0, 0.0], [2.0, -200.0, 100.0]])
cross_from_the_end | lambda a, b: torch.linalg.cross(a, b, dim=-2) | rand(2, 3, 1), rand(1, 3, 4)
renorm_half | lambda x: torch.renorm(x, 2, -2, 0.5) | rand(3, 4, dtype=torch.float16)
drawn | lambda x: (torch.multinomial(x, 2), torch.rrelu(x, training=True), torch.empty(5).exponential_()) | torch.rand(3, 4)
drawn_places | lambda x: (torch.multinomial(x.exp(), 50), torch.multinomial(x[0].exp(), 50)) | torch.rand(2, 50)
'''


def make(checkout, suite, *options):
    return subprocess.run([PYTHON, str(ROOT / 'app/torch/assay-torch-suite'), str(checkout), str(suite), *options],
                          capture_output=True, text=True, timeout=12000)


def tests_of(suite):
    return {line['name']: line for line in map(json.loads, (suite / 'tests.jsonl').read_text().splitlines())}


@unittest.skipUnless(HAS_TORCH, 'python3-torch is not installed')
class Suite(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def qualify(self, suite):
        done = subprocess.run([str(ASSAY), 'qualify', str(suite), '--json'], capture_output=True, text=True, timeout=12000)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {case['name']: case for case in json.loads(done.stdout)['cases']}

    def make_checkout(self):
        checkout = self.folder / 'checkout'
        package = checkout / 'projects/pt1/python/torch_mlir_e2e_test'
        (package / 'test_suite').mkdir(parents=True)
        for name, text in FILES.items():
            (package / name).write_text(text)
        return checkout, package

    def test_operators(self):
        """A tenth of the operators that PyTorch has samples of: what is traced is right, or not known."""
        checkout, package = self.make_checkout()
        (package / 'test_suite/operators.py').write_text(OPERATORS)
        done = make(checkout, self.folder / 'suite', '--part', PART, '--filter', 'operator_*')
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = tests_of(self.folder / 'suite')
        if not tests:
            self.skipTest('this PyTorch has no samples: ' + done.stderr.strip())
        cases = self.qualify(self.folder / 'suite')
        counts = collections.Counter(case['status'] for case in cases.values())
        print(len(tests), 'operators:', dict(counts), file=sys.stderr)
        wrong = {name: case.get('message') for name, case in cases.items() if case['status'] not in ('PASS', 'SKIP')}
        self.assertEqual({}, wrong)
        self.assertGreaterEqual(counts['PASS'], KNOWN * len(cases), counts)

    def test_made_up(self):
        checkout, package = self.make_checkout()
        rows = [[part.strip() for part in line.split(' | ')] for line in CASES.strip().splitlines()]
        (package / 'test_suite/rows.py').write_text(HEADER + ''.join(
            f'case("{name}", {function}, {inputs})\n' for name, function, inputs in rows))
        done = make(checkout, self.folder / 'suite', '--jobs', '2')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('broken.py: only its first tests: ValueError: made up', done.stderr)
        tests = tests_of(self.folder / 'suite')
        others = {name: test for name, test in tests.items() if test['status'] != 'traced'}
        self.assertEqual({name: test['status'] for name, test in others.items()},
                         {'ends': 'not run', 'decides': 'not traced', 'absent': 'not run'}, others)
        self.assertIn('signal 6', others['ends']['reason'])
        self.assertIn('has no torch._not_there.at_all.thing', others['absent']['reason'])
        cases = self.qualify(self.folder / 'suite')
        self.assertEqual(set(cases), {name for name, *_ in rows} | {'Scaled_basic'})
        self.assertEqual({}, {name: case for name, case in cases.items() if case['status'] != 'PASS'})
        text = (self.folder / 'suite/cross/model.mlir').read_text()
        self.assertIn('rows.py":', text)
        self.assertNotIn('assay-torch', text)

        # Random numbers are held to nothing but their shape. Places that are not put back differ.
        out = self.folder / 'drawn'
        done = subprocess.run([str(ASSAY), 'run', str(self.folder / 'suite/drawn_places/model.mlir'), '--on', 'reference',
                               '--random', '1', '--json', '--output-dir', str(out)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for output in json.loads(done.stdout)['outputs']:
            places = numpy.load(output['file'])
            self.assertEqual(numpy.sort(places).tolist(), numpy.broadcast_to(numpy.arange(50), places.shape).tolist())

        # Parts are the whole, each test in one of them.
        names = []
        for part in range(1, 4):
            done = make(checkout, self.folder / f'part{part}', '--part', f'{part}/3', '--filter', 'bag_*')
            self.assertEqual(done.returncode, 0, done.stderr)
            names += list(tests_of(self.folder / f'part{part}'))
        self.assertEqual(sorted(names), sorted(name for name in tests if name.startswith('bag_')))
        done = make(self.folder, self.folder / 'none')
        self.assertEqual(done.returncode, 1)
        self.assertIn('is no checkout of torch-mlir', done.stderr)

    @unittest.skipUnless(CHECKOUT, 'ASSAY_TORCH_MLIR names no checkout of torch-mlir')
    def test_published(self):
        """As many as are known to be right are right, twice, and nothing changes its state."""
        done = make(CHECKOUT, self.folder / 'suite', '--part', PART)
        self.assertEqual(done.returncode, 0, done.stderr)
        traced = [name for name, test in tests_of(self.folder / 'suite').items() if test['status'] == 'traced']
        first, second = (self.qualify(self.folder / 'suite') for _ in range(2))
        self.assertEqual(sorted(first), sorted(traced))
        states = [{name: case['status'] for name, case in cases.items()} for cases in (first, second)]
        self.assertEqual(*states)
        wrong = {name: case.get('message') for name, case in first.items() if case['status'] != 'PASS'}
        self.assertGreaterEqual(len(first) - len(wrong), RIGHT * len(first), wrong)

    @unittest.skipUnless(CHECKOUT, 'ASSAY_TORCH_MLIR names no checkout of torch-mlir')
    def test_texts(self):
        """What torch-mlir tests its dialect with is the same when it is written and read again."""
        def show(path):
            done = subprocess.run([str(ASSAY), 'show', str(path), '--emit', 'torch'], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        again = self.folder / 'again.mlir'
        files = sorted(pathlib.Path(CHECKOUT).glob('test/Dialect/Torch/**/*.mlir'))
        self.assertGreater(len(files), 30)
        for path in files:
            with self.subTest(str(path)):
                again.write_text(show(path))
                self.assertEqual(show(again), again.read_text())


if __name__ == '__main__':
    unittest.main(verbosity=2)
