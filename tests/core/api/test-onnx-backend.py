#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's own test runner drives assay.backend: all of its node and simple cases but for those listed here with their reason;
then devices and single nodes.

test-onnx-backend.py MLP"""
import re
import sys
import unittest

try:
    import gi  # noqa: F401
    import numpy as np
    # The runner of onnx 1.12 asks for a name that numpy 1.24 dropped.
    np.object = object
    import onnx
    import onnx.backend.test
except ImportError as e:
    print(f'1..0 # SKIP {e.name} is not installed')
    sys.exit(0)

import assay
import assay.backend

NOT_RUN = {
    'random numbers of another generator': 'bernoulli|training_dropout',
    'steps of training': 'adagrad|adam|momentum|gradient',
    'bits of bf16 in place of its values, as later versions have it': 'cast_FLOAT_to_BFLOAT16',
    'inputs of another shape than the model says': 'castlike_(BFLOAT16_to_FLOAT|FLOAT_to_BFLOAT16)',
    'a device that is none': '_cuda$',
    'numbers in a sequence, which the runner of onnx 1.12 cannot hold against others': 'loop16_seq_none',
}


def run_cases():
    tests = onnx.backend.test.BackendTest(assay.backend, __name__)
    for pattern in NOT_RUN.values():
        tests.exclude(pattern)
    cases = tests.test_cases
    suite = unittest.TestSuite()
    for name in ('OnnxBackendNodeModelTest', 'OnnxBackendSimpleModelTest'):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(cases[name]))
    result = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(suite)
    for case, trace in result.failures + result.errors:
        print('#', case.id(), trace.strip().splitlines()[-1])
    n_run = result.testsRun - len(result.skipped)
    others = [reason for case, reason in result.skipped if not re.search('|'.join(NOT_RUN.values()), case.id())]
    print('#', n_run, 'cases run,', len(others), 'whose inputs nothing makes of tensors')
    return result.wasSuccessful() and n_run > 900 and not others


def check_devices(path):
    model = onnx.load(path)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.shape.dim[0].dim_value = 1
    values = np.linspace(-1, 1, 64, dtype=np.float32)[None]
    reference = assay.backend.prepare(model, 'CPU').run(values)
    machine = assay.backend.run_model(model, [values], 'ia_420f_c6b32')
    by_name = assay.backend.prepare(model).run({model.graph.input[0].name: values})
    np.testing.assert_array_equal(reference[0], by_name[model.graph.output[0].name])
    np.testing.assert_allclose(reference[0], machine[0], atol=0.02)
    assert (reference[0] != machine[0]).any()
    assert assay.backend.supports_device('ia_420f_c6b32') and not assay.backend.supports_device('CUDA')
    assert assay.backend.is_compatible(model)
    for wrong in ([], [values, values], [values[:, 1:]]):
        try:
            assay.backend.run_model(model, wrong)
        except ValueError:
            continue
        return False
    return True


def check_node():
    node = onnx.helper.make_node('Gemm', ['a', 'b', ''], ['y'], alpha=2.0)
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    outputs = assay.backend.run_node(node, [a, b])
    np.testing.assert_array_equal(outputs.y, 2 * a @ b)
    return True


print('1..3')
for number, (name, done) in enumerate((('cases', run_cases), ('devices', lambda: check_devices(sys.argv[1])),
                                       ('node', check_node)), 1):
    print('ok' if done() else 'not ok', number, name)
