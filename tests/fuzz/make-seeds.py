#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small models of the corpora of `import` and `wire-scan`: make-seeds.py FOLDER... (needs python3-onnx)."""
import pathlib
import sys

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

F, I64 = TensorProto.FLOAT, TensorProto.INT64


def info(name, kind=F, shape=('n', 3)):
    return helper.make_tensor_value_info(name, kind, shape)


def model(graph, functions=(), opset=16, **extra):
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset), helper.make_opsetid('local', 1)],
                             producer_name='seeds', **extra)
    made.functions.extend(functions)
    return made


def chain():
    weight = numpy_helper.from_array(np.arange(9, dtype=np.float32).reshape(3, 3), 'w')
    nodes = [helper.make_node('MatMul', ['x', 'w'], ['h'], 'fc/MatMul'), helper.make_node('Relu', ['h'], ['y'], 'fc/Relu')]
    return model(helper.make_graph(nodes, 'chain', [info('x')], [info('y')], [weight], value_info=[info('h')]))


def typed_fields():
    rows = [('f', F, [1.5, 2]), ('d', TensorProto.DOUBLE, [1.5, 2]), ('i', TensorProto.INT32, [-1, 2]), ('l', I64, [-1, 1 << 40]),
            ('u', TensorProto.UINT64, [1, 2]), ('h', TensorProto.FLOAT16, [1.5, 2]), ('b', TensorProto.BOOL, [1, 0]),
            ('c', TensorProto.COMPLEX64, [1 + 2j, 3]), ('s', TensorProto.STRING, [b'a', b'\xff'])]
    tensors = [helper.make_tensor(name, kind, [2], values) for name, kind, values in rows]
    return model(helper.make_graph([helper.make_node('Identity', ['f'], ['y'])], 'typed', [], [info('y', F, [2])], tensors))


def branches():
    def branch(name):
        return helper.make_graph([helper.make_node(name, ['x'], ['z'])], name, [], [info('z')])
    node = helper.make_node('If', ['c'], ['y'], then_branch=branch('Relu'), else_branch=branch('Neg'))
    return model(helper.make_graph([node], 'branches', [info('c', TensorProto.BOOL, []), info('x')], [info('y')]))


def loop():
    body = helper.make_graph([helper.make_node('Identity', ['go'], ['again']), helper.make_node('Add', ['state', 'x'], ['next'])],
                             'body', [info('i', I64, []), info('go', TensorProto.BOOL, []), info('state')],
                             [info('again', TensorProto.BOOL, []), info('next')])
    return model(helper.make_graph([helper.make_node('Loop', ['n', '', 'x'], ['y'], body=body)], 'loop',
                                   [info('n', I64, []), info('x')], [info('y')]))


def functions():
    inner = helper.make_function('local', 'Scale', ['a'], ['b'], [
        helper.make_node('Constant', [], ['k']), helper.make_node('Mul', ['a', 'k'], ['b'])],
        [helper.make_opsetid('', 16)], ['factor'])
    inner.node[0].attribute.append(AttributeProto(name='value_float', ref_attr_name='factor', type=AttributeProto.FLOAT))
    outer = helper.make_function('local', 'Twice', ['a'], ['b'], [
        helper.make_node('Scale', ['a'], ['t'], domain='local', factor=2.0),
        helper.make_node('Scale', ['t'], ['b'], domain='local', factor=3.0)],
        [helper.make_opsetid('', 16), helper.make_opsetid('local', 1)])
    return model(helper.make_graph([helper.make_node('Twice', ['x'], ['y'], 'call', domain='local')], 'calls', [info('x')],
                                   [info('y')]), [inner, outer])


def recursion():
    again = helper.make_function('local', 'Again', ['a'], ['b'], [helper.make_node('Again', ['a'], ['b'], domain='local')],
                                 [helper.make_opsetid('local', 1)])
    return model(helper.make_graph([helper.make_node('Again', ['x'], ['y'], domain='local')], 'again', [info('x')], [info('y')]),
                 [again])


def external():
    tensor = TensorProto(name='w', data_type=F, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (('location', '../secret'), ('offset', '4'), ('length', '8')):
        tensor.external_data.add(key=key, value=value)
    return model(helper.make_graph([helper.make_node('Relu', ['w'], ['y'])], 'external', [], [info('y', F, [2])], [tensor]))


def sparse():
    values = helper.make_tensor('s', F, [2], [1.0, 2.0])
    indices = helper.make_tensor('si', I64, [2], [1, 5])
    graph = helper.make_graph([helper.make_node('Relu', ['s'], ['y'])], 'sparse', [], [info('y', F, [2, 3])])
    graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2, 3]))
    return model(graph)


def tangled():
    nodes = [helper.make_node('Relu', ['b'], ['c']), helper.make_node('Relu', ['a'], ['b']), helper.make_node('Relu', ['x'], ['a']),
             helper.make_node('Add', ['p', 'nothing'], ['q'], 'p'), helper.make_node('Add', ['q', 'x'], ['p'], 'p'),
             helper.make_node('Neg', ['x'], ['c'])]
    return model(helper.make_graph(nodes, 'tangled', [info('x'), info('x')], [info('c')]))


def types():
    tensor = helper.make_tensor_type_proto(F, ['n', 2])
    sequence = helper.make_sequence_type_proto(tensor)
    inputs = [helper.make_value_info('s', sequence), helper.make_value_info('o', helper.make_optional_type_proto(sequence))]
    return model(helper.make_graph([helper.make_node('SequenceLength', ['s'], ['y'])], 'types', inputs, [info('y', I64, [])]))


def attributes():
    node = helper.make_node('Any', ['x'], ['y'], domain='custom', i=1, f=1.5, s='text', t=numpy_helper.from_array(np.ones(2)),
                            ints=[1, -2], floats=[1.0], strings=['a', 'b'])
    return model(helper.make_graph([node], 'attributes', [info('x')], [info('y')]))


def main():
    for folder in sys.argv[1:]:
        for seed in (chain, typed_fields, branches, loop, functions, recursion, external, sparse, tangled, types, attributes):
            pathlib.Path(folder, seed.__name__.replace('_', '-') + '.onnx').write_bytes(seed().SerializeToString())


main()
