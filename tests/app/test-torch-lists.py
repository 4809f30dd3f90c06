#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs over lists, dictionaries and tensors that are written to, in branches, loops, calls and slots.

A seed makes a program. A plain interpreter of Python's own lists and dictionaries and of NumPy's views says what it
computes. Assay has to compute the same from the text, and from the text that each pass makes of it. Programs with
conditions that are only known at run time, or with operations that Assay does not know, may be rejected instead, with
the name of an operation."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import needs  # noqa: F401
import numpy as np

ASSAY = sys.argv[1]
N_FILES = int(sys.argv[2]) if len(sys.argv) > 2 else 4
N_PROGRAMS = 50
N_OPEN = int(sys.argv[4]) if len(sys.argv) > 4 else 40
OPEN_LEVELS = [None, 'canonicalize', 'maximize-value-semantics']
NAMED = re.compile(r'(aten|prim|my|torch)\.[a-zA-Z_]+')
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
INPUT = 10
MAX_VALUES = 500  # What lists of lists grow to has no end.
INT, BOOL, STR, TENSOR, VALUE = '!torch.int', '!torch.bool', '!torch.str', '!torch.tensor<[4],si64>', '!torch.vtensor<[4],si64>'
ROW = '!torch.tensor<[2],si64>'


def inner(kind):
    return kind.removeprefix('!torch.')


def list_of(kind):
    return f'!torch.list<{inner(kind)}>'


def dict_of(kind):
    return f'!torch.dict<str, {inner(kind)}>'


class Op:
    def __init__(self, results, name, operands, kinds=(), regions=(), extra=None):
        self.results, self.name, self.operands, self.kinds = results, name, operands, kinds
        self.regions, self.extra = regions, extra


def put(container, key, value):
    container[key] = value
    return container


def changed(container, change, *operands):
    """A method that changes a container and gives nothing."""
    getattr(container, change)(*operands)


def write(tensor, value):
    tensor[...] = value
    return tensor


def first_out(mapping):
    # A dictionary of PyTorch gives its oldest key, one of Python its newest.
    key = next(iter(mapping))
    return (key, mapping.pop(key))


# Each operation that a program may have, and what it does.
MEANING = {
    'aten.append.t': lambda l, x: (l.append(x), l)[1],
    'aten.extend.t': lambda l, m: changed(l, 'extend', list(m)),
    'aten.add_.t': lambda l, m: (l.extend(list(m)), l)[1],
    'aten.add.t': lambda l, m: l + m,
    'aten.mul_.t': lambda l, n: put(l, slice(None), l * n),
    'aten.mul.left_t': lambda l, n: l * n,
    'aten.mul.right_': lambda n, l: n * l,
    'aten.insert.t': lambda l, i, x: changed(l, 'insert', i, x),
    'aten._set_item.t': put,
    'aten.Delete.t': lambda l, i: l.pop(i) and None,
    'aten.pop.t': lambda l, i: l.pop(i),
    'aten.remove.int': lambda l, x: changed(l, 'remove', x),
    'aten.clear.t': lambda l: changed(l, 'clear'),
    'aten.reverse.t': lambda l: changed(l, 'reverse'),
    'aten.sort.int': lambda l, r: l.sort(reverse=r),
    'aten.sorted.int': lambda l: sorted(l),
    'aten.slice.t': lambda l, a, b, s: l[a:b:s],
    'aten.copy.t': list,
    'aten.list.t': list,
    'aten.len.t': len,
    'aten.count.int': lambda l, x: l.count(x),
    'aten.index.list_int': lambda l, x: l.index(x),
    'aten.__contains__.int_list': lambda l, x: x in l,
    'aten.eq.int_list': lambda l, m: l == m,
    'aten.ne.int_list': lambda l, m: l != m,
    'aten.__getitem__.t': lambda l, i: l[i],
    'aten.__getitem__.Dict_str': lambda d, k: d[k],
    'aten.get.default_str': lambda d, k, v: d.get(k, v),
    'aten._set_item.str': lambda d, k, v: put(d, k, v) and None,
    'aten.Delete.Dict_str': lambda d, k: d.pop(k) and None,
    'aten.pop.Dict_str': lambda d, k: d.pop(k),
    'aten.pop.Dict_default_str': lambda d, k, v: d.pop(k, v),
    'aten.popitem.str': first_out,
    'aten.clear.str': lambda d: changed(d, 'clear'),
    'aten.setdefault.str': lambda d, k, v: d.setdefault(k, v),
    'aten.update.str': lambda d, e: changed(d, 'update', dict(e)),
    'aten.__contains__.str': lambda d, k: k in d,
    'aten.len.Dict_str': len,
    'aten.copy.Dict_str': dict,
    'aten.dict.Dict_str': dict,
    'aten.keys.str': lambda d: list(d),
    'aten.values.str': lambda d: list(d.values()),
    'prim.ListConstruct': lambda *x: list(x),
    'prim.TupleConstruct': lambda *x: x,
    'prim.TupleIndex': lambda t, i: t[i],
    'prim.DictConstruct': lambda *x: dict(zip(x[:len(x) // 2], x[len(x) // 2:])),
    'aten.add.int': lambda a, b: a + b,
    'aten.sub.int': lambda a, b: a - b,
    'aten.mul.int': lambda a, b: a * b,
    'aten.remainder.int': lambda a, b: a % b,
    'aten.lt.int': lambda a, b: a < b,
    'aten.__not__': lambda a: not a,
    'aten.Int.bool': int,
    'copy.to_tensor': lambda t: t.copy(),
    'copy.to_vtensor': lambda t: t.copy(),
    'overwrite.tensor.contents': lambda v, t: write(t, v) is None,
    'aten.add_.Scalar': lambda t, n, a: write(t, t + n * a),
    'aten.mul_.Scalar': lambda t, n: write(t, t * n),
    'aten.add_.Tensor': lambda t, u, a: write(t, t + u * a),
    'aten.fill_.Scalar': lambda t, n: write(t, n),
    'aten.zero_': lambda t: write(t, 0),
    'aten.copy_': lambda t, u, b: write(t, u),
    'aten.neg_': lambda t: write(t, -t),
    'aten.add.Scalar': lambda t, n, a: t + n * a,
    'aten.clone': lambda t, f: t.copy(),
    'aten.slice.Tensor': lambda t, d, a, b, s: t[a:b:s],
    'aten.detach': lambda t: t[:],
    'aten.contiguous': lambda t, f: t,
    'aten.to.dtype': lambda t, d, n, c, f: t.copy() if c else t,
    'aten.view': lambda t, s: t.reshape(s),
    'aten.select.int': lambda t, d, i: t[i:i + 1].reshape(()),
    'aten.item': int,
    # Operations that Assay does not know.
    'my.change': lambda l: l.append(7),
    'my.same': lambda l: l,
    'my.write': lambda t: write(t, t + 1) is None,
    'my.view': lambda t: t[:],
}


def carry_out(program, block, env):
    """Runs the operations of a block; gives what it ends with."""
    for op in block:
        operands = [env[name] for name in op.operands]
        if op.name.startswith('constant.'):
            env[op.results[0]] = op.extra
        elif op.name == 'prim.If':
            results = carry_out(program, op.regions[0 if operands[0] else 1], env)
            env.update(zip(op.results, results))
        elif op.name == 'prim.Loop':
            state, goes_on = operands[2:], operands[1]
            for i in range(operands[0]):
                if not goes_on:
                    break
                env.update(zip(op.extra, [i] + state))
                goes_on, *state = carry_out(program, op.regions[0], env)
            env.update(zip(op.results, state))
        elif op.name == 'call':
            arguments, body = program.functions[op.extra]
            env.update(zip(op.results, carry_out(program, body, dict(zip(arguments, operands)))))
        elif op.name == 'global_slot.get':
            env[op.results[0]] = program.slots[op.extra]
        elif op.name == 'global_slot.set':
            program.slots[op.extra] = operands[0]
        elif op.name in ('yield', 'condition', 'return'):
            return operands
        else:
            result = MEANING[op.name](*operands)
            if len(op.results) == 1:
                env[op.results[0]] = result
    raise AssertionError('a block has no end')


class Program:
    """Names are used once in a file, so that programs can be put together."""

    def __init__(self, seed, is_open):
        self.random = random.Random(seed)
        self.is_open = is_open
        self.n = 0
        self.prefix = f'p{seed}_'
        self.functions, self.function_kinds, self.slots, self.slot_ops, self.slot_kinds = {}, {}, {}, [], {}
        self.scopes = [{}]
        self.blocks = [[]]
        self.depth = 0

    def name(self):
        self.n += 1
        return f'{self.prefix}{self.n}'

    def add(self, name, operands, result=None, regions=(), extra=None):
        results = [self.name()] if result else []
        kinds = ([self.kind(o) for o in operands], [result] if result else [])
        self.blocks[-1].append(Op(results, name, operands, kinds, regions, extra))
        if result:
            self.scopes[-1][results[0]] = result
            return results[0]
        return None

    def kind(self, name):
        return next(scope[name] for scope in self.scopes if name in scope)

    def some(self, kind):
        names = [n for scope in self.scopes for n, k in scope.items() if k == kind]
        return self.random.choice(names[-6:]) if names else None

    def constant(self, value):
        word, kind = {bool: ('bool', BOOL), int: ('int', INT), str: ('str', STR), type(None): ('none', '!torch.none')}[type(value)]
        return self.add(f'constant.{word}', [], kind, extra=value)

    def number(self):
        return self.constant(self.random.randint(0, 4)) if self.random.random() < 0.6 else self.some(INT)

    def index(self):
        return self.constant(self.random.choice([0, 0, -1, 1]))

    def key(self):
        return self.constant(self.random.choice('abc'))

    def tensor(self):
        copy = self.add('copy.to_tensor', ['x'], TENSOR)
        self.add('aten.add_.Scalar', [copy, self.number(), self.constant(1)], TENSOR)
        return copy

    def fresh(self, kind):
        if kind == INT:
            return self.number()
        if kind == TENSOR:
            return self.tensor()
        if kind == BOOL:
            return self.value_of_bool()
        entry = next(k for k in KINDS if kind in (list_of(k), dict_of(k)))
        values = [self.value(entry) for _ in range(self.random.randint(1, 3))]
        if kind == list_of(entry):
            return self.add('prim.ListConstruct', values, kind)
        keys = [self.constant(k) for k in 'abc'[:len(values)]]
        return self.add('prim.DictConstruct', keys + values, kind)

    def value(self, kind):
        old = self.some(kind)
        return old if old and self.random.random() < 0.7 else self.fresh(kind)

    def step(self):
        choice = self.random.random()
        if choice < 0.10 and self.depth < 2:
            self.branch()
        elif choice < 0.20 and self.depth < 2:
            self.loop()
        elif choice < 0.26 and self.depth == 0:
            self.call()
        elif choice < 0.34:
            self.slot()
        elif choice < 0.54:
            self.tensor_step()
        elif choice < 0.80:
            self.list_step(self.random.choice(KINDS))
        else:
            self.dict_step(self.random.choice(KINDS[:3]))

    def list_step(self, entry):
        kind = list_of(entry)
        this, r = self.value(kind), self.random
        what = r.choice(LIST_STEPS + (INT_STEPS if entry == INT else []) +
                        (OPEN_STEPS[entry != INT:] if self.is_open else []))
        operands = {'l': lambda: this, 'm': lambda: self.value(kind), 'x': lambda: self.value(entry), 'i': self.index,
                    'n': lambda: self.constant(r.randint(0, 2)), 'b': lambda: self.constant(r.random() < 0.5), 'a': self.index,
                    's': lambda: self.constant(r.choice([1, 2, -1]))}
        name, letters, result = what
        self.add(name, [operands[c]() for c in letters], {'l': kind, 'x': entry, 'n': INT, 'b': BOOL, '': None}[result])

    def dict_step(self, entry):
        kind = dict_of(entry)
        this = self.value(kind)
        operands = {'d': lambda: this, 'e': lambda: self.value(kind), 'k': self.key, 'v': lambda: self.value(entry)}
        name, letters, result = self.random.choice(DICT_STEPS)
        pair = f'!torch.tuple<str, {inner(entry)}>'
        made = self.add(name, [operands[c]() for c in letters],
                        {'d': kind, 'v': entry, 'n': INT, 'b': BOOL, 'l': list_of(entry), 'p': pair, '': None}[result])
        if result == 'p':
            self.add('prim.TupleIndex', [made, self.constant(1)], entry)

    def tensor_step(self):
        r = self.random
        this = self.value(TENSOR)
        if r.random() < 0.4:
            start = r.randint(0, 2)
            this = self.add('aten.slice.Tensor', [this] + [self.constant(i) for i in (0, start, start + 2, 1)], ROW)
        kind = self.kind(this)
        other = self.some(kind) or this
        name, operands = r.choice([
            ('aten.add_.Scalar', lambda: [self.number(), self.constant(1)]), ('aten.mul_.Scalar', lambda: [self.number()]),
            ('aten.add_.Tensor', lambda: [other, self.constant(1)]), ('aten.fill_.Scalar', lambda: [self.number()]), ('aten.zero_', list),
            ('aten.copy_', lambda: [other, self.constant(False)]), ('aten.neg_', list), ('aten.detach', list),
            ('aten.contiguous', lambda: [self.constant(0)]),
            ('aten.to.dtype', lambda: [self.constant(v) for v in (4, False, r.random() < 0.5, None)]),
            ('aten.clone', lambda: [self.constant(None)]), ('aten.add.Scalar', lambda: [self.number(), self.constant(1)])] +
            ([('my.write', list), ('my.view', list)] if self.is_open else []))
        self.add(name, [this] + operands(), None if name == 'my.write' else kind)

    def block(self, end, kinds, arguments=()):
        """A region that ends with values of these kinds."""
        self.scopes.append(dict(arguments))
        self.blocks.append([])
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.step()
        values = [self.value(kind) for kind in kinds]
        self.add(end, values)
        self.depth -= 1
        self.scopes.pop()
        return self.blocks.pop()

    def branch(self):
        kind = self.random.choice(KINDS)
        condition = self.value_of_bool()
        regions = [self.block('yield', [kind]) for _ in range(2)]
        self.add('prim.If', [condition], kind, regions)

    def value_of_bool(self):
        if self.is_open and self.random.random() < 0.5:
            zero = self.constant(0)
            first = self.add('aten.select.int', ['x', zero, zero], '!torch.vtensor<[],si64>')
            return self.add('aten.lt.int', [self.add('aten.item', [first], INT), self.constant(self.random.randint(5, 15))], BOOL)
        return self.some(BOOL) or self.add('aten.lt.int', [self.number(), self.number()], BOOL)

    def loop(self):
        kind = self.random.choice(KINDS)
        state = self.value(kind)
        names = [self.name(), self.name()]
        rounds, first = self.constant(self.random.randint(0, 3)), self.constant(True)
        region = self.block('condition', [BOOL, kind], list(zip(names, [INT, kind])))
        self.add('prim.Loop', [rounds, first, state], kind, [region], names)

    def call(self):
        kinds = [self.random.choice(KINDS) for _ in range(2)] + [VALUE]
        operands = [self.value(k) for k in kinds[:2]] + ['x']
        function = f'{self.prefix}f{len(self.functions)}'
        names = [self.name(), self.name(), 'x']
        outer, self.scopes = self.scopes, []
        self.depth += 1
        body = self.block('return', [kinds[0]], list(zip(names, kinds)))
        self.depth -= 1
        self.scopes = outer
        self.functions[function] = (names, body)
        self.function_kinds[function] = kinds
        self.add('call', operands, kinds[0], extra=function)

    def slot(self):
        if not self.slots:
            kinds = [list_of(INT), dict_of(INT)]
            outer, self.scopes, blocks, self.blocks = self.scopes, [{}], self.blocks, [[]]
            for kind in kinds:
                value = self.fresh(kind)
                self.slot_kinds[f'{self.prefix}s{len(self.slots)}'] = (kind, value)
                self.slots[f'{self.prefix}s{len(self.slots)}'] = None
            # One list may be in two slots.
            self.slot_kinds[f'{self.prefix}s2'] = (kinds[0], self.slot_kinds[f'{self.prefix}s0'][1])
            self.slots[f'{self.prefix}s2'] = None
            self.slot_ops = self.blocks[0]
            self.scopes, self.blocks = outer, blocks
        name = self.random.choice(sorted(self.slots))
        kind = self.slot_kinds[name][0]
        if self.random.random() < 0.8:
            self.add('global_slot.get', [], kind, extra=name)
        else:
            self.add('global_slot.set', [self.value(kind)], extra=name)

    def make(self):
        self.scopes[0]['x'] = VALUE
        for _ in range(self.random.randint(5, 15)):
            self.step()
        self.watch()
        return self

    def watch(self):
        """Adds up all that can be seen at the end."""
        total = self.constant(1)
        run = self.run(partial=True)
        one = self.constant(1)
        result = self.add('copy.to_tensor', ['x'], TENSOR)

        def number(name):
            nonlocal total
            total = self.add('aten.add.int', [self.add('aten.mul.int', [total, self.constant(3)], INT), name], INT)
            total = self.add('aten.remainder.int', [total, self.constant(1000003)], INT)

        def see(name, kind, value):
            if kind == INT:
                number(name)
            elif kind == BOOL:
                number(self.add('aten.Int.bool', [name], INT))
            elif kind == TENSOR:
                self.add('aten.mul_.Scalar', [result, self.constant(3)], TENSOR)
                self.add('aten.add_.Tensor', [result, name, one], TENSOR)
            elif kind.startswith('!torch.list'):
                number(self.add('aten.len.t', [name], INT))
                for i, entry in enumerate(value[:4]):
                    inside = next(k for k in [STR] + KINDS if list_of(k) == kind)
                    if inside != STR:
                        see(self.add('aten.__getitem__.t', [name, self.constant(i)], inside), inside, entry)
            elif kind.startswith('!torch.dict'):
                inside = next(k for k in KINDS if dict_of(k) == kind)
                values = self.add('aten.values.str', [name], list_of(inside))
                see(values, list_of(inside), list(value.values()))

        for name, kind in list(self.scopes[0].items()):
            if kind != VALUE and not name == result and name in run:
                see(name, kind, run[name])
        for slot in self.slots:
            see(self.add('global_slot.get', [], self.slot_kinds[slot][0], extra=slot), self.slot_kinds[slot][0], self.slots[slot])
        value = self.add('copy.to_vtensor', [result], VALUE)
        self.result = self.add('aten.add.Scalar', [value, total, one], VALUE)
        self.add('return', [self.result])

    def run(self, partial=False):
        env = {'x': np.full(4, INPUT, dtype=np.int64)}
        start = {}
        carry_out(self, self.slot_ops + [Op([], 'return', [])], start)
        for name, (_, value) in self.slot_kinds.items():
            self.slots[name] = start[value]
        end = [Op([], 'return', [])] if partial else []
        results = carry_out(self, self.blocks[0] + end, env)
        return env if partial else results[0]


KINDS = [INT, TENSOR, list_of(INT), list_of(TENSOR), dict_of(INT), list_of(list_of(INT)), dict_of(list_of(INT))]
LIST_STEPS = [('aten.append.t', 'lx', 'l'), ('aten.append.t', 'lx', 'l'), ('aten.extend.t', 'lm', ''), ('aten.add_.t', 'lm', 'l'),
              ('aten.add.t', 'lm', 'l'), ('aten.mul_.t', 'ln', 'l'), ('aten.mul.left_t', 'ln', 'l'), ('aten.mul.right_', 'nl', 'l'),
              ('aten.insert.t', 'lix', ''), ('aten._set_item.t', 'lix', 'l'), ('aten.Delete.t', 'li', ''), ('aten.pop.t', 'li', 'x'),
              ('aten.clear.t', 'l', ''), ('aten.reverse.t', 'l', ''), ('aten.slice.t', 'lias', 'l'), ('aten.copy.t', 'l', 'l'),
              ('aten.list.t', 'l', 'l'), ('aten.len.t', 'l', 'n'), ('aten.__getitem__.t', 'li', 'x'), ('aten.__getitem__.t', 'li', 'x')]
INT_STEPS = [('aten.remove.int', 'lx', ''), ('aten.sort.int', 'lb', ''), ('aten.sorted.int', 'l', 'l'), ('aten.count.int', 'lx', 'n'),
             ('aten.index.list_int', 'lx', 'n'), ('aten.__contains__.int_list', 'lx', 'b'), ('aten.eq.int_list', 'lm', 'b'),
             ('aten.ne.int_list', 'lm', 'b')]
DICT_STEPS = [('aten._set_item.str', 'dkv', ''), ('aten._set_item.str', 'dkv', ''), ('aten.Delete.Dict_str', 'dk', ''),
              ('aten.pop.Dict_str', 'dk', 'v'), ('aten.pop.Dict_default_str', 'dkv', 'v'), ('aten.popitem.str', 'd', 'p'),
              ('aten.clear.str', 'd', ''), ('aten.setdefault.str', 'dkv', 'v'), ('aten.update.str', 'de', ''),
              ('aten.__contains__.str', 'dk', 'b'), ('aten.len.Dict_str', 'd', 'n'), ('aten.copy.Dict_str', 'd', 'd'),
              ('aten.dict.Dict_str', 'd', 'd'), ('aten.values.str', 'd', 'l'), ('aten.get.default_str', 'dkv', 'v'),
              ('aten.__getitem__.Dict_str', 'dk', 'v')]
OPEN_STEPS = [('my.change', 'l', ''), ('my.same', 'l', 'l')]
OPS = pathlib.Path(__file__).resolve().parents[2] / 'core/source/torch/torch-ops.def'
# Operations of the dialect, which are written as such; others are torch.operator.
MLIR = set(re.findall(r'TORCH_OP \("torch\.([^"]+)"', OPS.read_text())) - {'aten.pop.t'}


def literal(value):
    return {True: 'true', False: 'false'}[value] if isinstance(value, bool) else json.dumps(value)


MODULE = '!torch.nn.Module<"M">'


def print_op(op, indent, is_object=False):
    """In a file of an object, slots are its attributes, and each function has the object."""
    kinds, results = op.kinds if op.kinds else ([], [])
    names = ', '.join('%' + n for n in op.operands)
    head = indent + (f'%{op.results[0]} = ' if op.results else '')
    types = ', '.join(kinds)
    arrow = f' -> {results[0]}' if results else ''
    inside = indent + '  '
    if op.name.startswith('constant.'):
        return head + f'torch.{op.name}' + ('' if op.extra is None else f' {literal(op.extra)}')
    if op.name == 'prim.If':
        return (head + f'torch.prim.If {names} -> ({results[0]}) {{\n' + print_block(op.regions[0], inside, is_object) +
                indent + '} else {\n' + print_block(op.regions[1], inside, is_object) + indent + '}')
    if op.name == 'prim.Loop':
        arguments = f'%{op.extra[0]}: {INT}, %{op.extra[1]}: {kinds[2]}'
        return (head + f'torch.prim.Loop %{op.operands[0]}, %{op.operands[1]}, init(%{op.operands[2]}) {{\n{indent}^bb0({arguments}):\n' +
                print_block(op.regions[0], inside, is_object) + indent + f'}} : ({types}) -> {results[0]}')
    if op.name == 'condition':
        return indent + f'torch.prim.Loop.condition %{op.operands[0]}, iter(%{op.operands[1]} : {kinds[1]})'
    if op.name == 'yield':
        return indent + f'torch.prim.If.yield {names} : {types}'
    if op.name == 'return':
        return indent + f'return {names} : {types}'
    if op.name == 'call' and is_object:
        return head + f'call @{op.extra}(%self, {names}) : ({MODULE}, {types}) -> {results[0]}'
    if op.name == 'global_slot.get' and is_object:
        return head + f'torch.prim.GetAttr %self["{op.extra}"] : {MODULE} -> {results[0]}'
    if op.name == 'global_slot.set' and is_object:
        return head + f'torch.prim.SetAttr %self["{op.extra}"] = {names} : {MODULE}, {types}'
    if op.name == 'call':
        return head + f'call @{op.extra}({names}) : ({types}) -> {results[0]}'
    if op.name == 'global_slot.get':
        return head + f'torch.global_slot.get @{op.extra} : {results[0]}'
    if op.name == 'global_slot.set':
        return head + f'torch.global_slot.set @{op.extra} = {names} : {types}'
    if op.name.startswith('copy.to_'):
        return head + f'torch.{op.name} {names} : {results[0]}'
    if op.name == 'prim.ListConstruct':
        return head + f'torch.{op.name} {names} : ({types}) -> {results[0]}'
    if op.name == 'prim.DictConstruct':
        n = len(kinds) // 2
        parts = [', '.join('%' + o for o in op.operands[:n]), ', '.join(kinds[:n]), ', '.join('%' + o for o in op.operands[n:]),
                 ', '.join(kinds[n:])]
        return head + 'torch.{} keys({} : {}) values({} : {}){}'.format(op.name, *parts, arrow)
    if not op.name.startswith('my.') and (op.name.startswith(('aten.add.S', 'aten.add_.S', 'aten.mul_.S', 'prim.')) or op.name in MLIR or (
            'Tensor' in op.name or any('tensor' in k for k in kinds[:1]) and 'list' not in kinds[0] and 'dict' not in kinds[0])):
        return head + f'torch.{op.name} {names} : {types}{arrow}'
    return head + f'torch.operator "torch.{op.name}"({names}) : ({types}) -> {results[0] if results else "()"}'


def print_block(block, indent, is_object=False):
    return ''.join(print_op(op, indent, is_object) + '\n' for op in block)


def print_slots(programs, is_object):
    slots = [(name, kind, value) for p in programs for name, (kind, value) in p.slot_kinds.items()]
    start = ''.join(print_block(p.slot_ops, '' if is_object else '  ') for p in programs)
    if is_object:
        return ('torch.class_type @M {\n' + ''.join(f'  torch.attr private "{name}" : {kind}\n' for name, kind, _ in slots) +
                '  torch.method "forward", @forward\n}\n' + start + 'torch.nn_module {\n' +
                ''.join(f'  torch.slot "{name}", %{value} : {kind}\n' for name, kind, value in slots) + f'}} : {MODULE}\n')
    if not slots:
        return ''
    return (''.join(f'torch.global_slot "private" @{name} : {kind}\n' for name, kind, _ in slots) +
            'torch.global_slot.module_initializer {\n' + start + '  torch.initialize.global_slots [ ' +
            ' '.join(f'@{name}(%{value} : {kind})' for name, kind, value in slots) + ' ]\n}\n')


def print_file(programs, is_object=False):
    text = print_slots(programs, is_object)
    this, given, own = (f'%self: {MODULE}, ', '%self, ', f'{MODULE}, ') if is_object else ('', '', '')
    for p in programs:
        for name, (arguments, body) in p.functions.items():
            kinds = p.function_kinds[name]
            signature = ', '.join(f'%{a}: {k}' for a, k in zip(arguments, kinds))
            text += f'func.func private @{name}({this}{signature}) -> {kinds[0]} {{\n' + print_block(body, '  ', is_object) + '}\n'
        text += f'func.func private @{p.prefix}main({this}%x: {VALUE}) -> {VALUE} {{\n' + print_block(p.blocks[0], '  ', is_object) + '}\n'
    results = [f'%r{i}' for i in range(len(programs))]
    types = ', '.join(VALUE for _ in programs)
    text += f'func.func {"private " if is_object else ""}@forward({this}%x: {VALUE}) -> ({types}) {{\n'
    for name, p in zip(results, programs):
        text += f'  {name} = call @{p.prefix}main({given}%x) : ({own}{VALUE}) -> {VALUE}\n'
    return text + f'  return {", ".join(results)} : {types}\n}}\n'


def make_program(seed, is_open=False):
    for n in range(1000):
        try:
            program = Program(f'{seed}_{n}', is_open).make()
            if program.n < MAX_VALUES:
                return program, program.run()
        except (IndexError, KeyError, ValueError, StopIteration):
            pass  # It takes what is not there: not a program that runs.
    raise AssertionError(f'no program for seed {seed}')


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def outputs(path, folder):
    done = assay('run', path, '--on', 'reference', '--input', f'x=@constant:{INPUT}', '--output-dir', folder, '--json')
    if done.returncode != 0:
        raise AssertionError(f'{path}: {done.stderr[-2000:]}')
    names = [o['name'] for o in json.loads(done.stdout)['outputs']]
    return [np.load(os.path.join(folder, name + '.npy')) for name in names]


def check_file(number, levels, folder):
    seeds = range((FIRST + number) * N_PROGRAMS, (FIRST + number + 1) * N_PROGRAMS)
    made = [make_program(seed) for seed in seeds]
    path = os.path.join(folder, f'{number}.mlir')
    with open(path, 'w') as file:
        file.write(print_file([program for program, _ in made], is_object=number % 2 == 1))
    failures = []
    for level in [None] + levels:
        text = path
        if level:
            done = assay('show', path, '--level', level)
            if done.returncode != 0:
                failures.append(f'{path} --level {level}: {done.stderr[-1000:]}')
                continue
            text = os.path.join(folder, f'{number}-{level}.mlir')
            with open(text, 'w') as file:
                file.write(done.stdout)
        try:
            found = outputs(text, os.path.join(folder, f'{number}-{level}'))
        except AssertionError as error:
            failures.append(str(error))
            continue
        for seed, (_, wanted), own in zip(seeds, made, found):
            if not np.array_equal(wanted, own):
                failures.append(f'seed {seed}, level {level}: {own.tolist()}, and Python says {wanted.tolist()}')
        if len(found) != len(made):
            failures.append(f'{text}: {len(found)} outputs')
    return failures


def check_open(seed, folder):
    """A program that Assay may reject, but not get wrong."""
    program, wanted = make_program(seed, is_open=True)
    path = os.path.join(folder, f'open{seed}.mlir')
    with open(path, 'w') as file:
        file.write(print_file([program]))
    failures, rejected = [], 0
    for level in OPEN_LEVELS:
        text = path
        if level:
            done = assay('show', path, '--level', level)
            if done.returncode != 0:
                rejected += 1
                if not NAMED.search(done.stderr):
                    failures.append(f'{path} --level {level}: {done.stderr[-500:]}')
                continue
            text = os.path.join(folder, f'open{seed}-{level}.mlir')
            with open(text, 'w') as file:
                file.write(done.stdout)
        try:
            found = outputs(text, os.path.join(folder, f'open{seed}-{level}'))
        except AssertionError as error:
            rejected += 1
            if not NAMED.search(str(error)):
                failures.append(str(error))
            continue
        if not np.array_equal(found[0], wanted):
            failures.append(f'{text}: {found[0].tolist()}, and Python says {wanted.tolist()}')
    return failures, rejected


# Every operator of PyTorch 1.13 that writes to a list or a dictionary, by what is left of two entries.
MUTATING = {
    'append': (3, 't'), 'extend': (4, 't'), 'add_': (4, 't'), 'insert': (3, 't'), '_set_item': (2, 't int bool float str Tensor complex'),
    'Delete': (1, 't Dict_str Dict_int Dict_bool Dict_float Dict_Tensor Dict_complex'), 'mul_': (4, 't'), 'reverse': (2, 't'),
    'clear': (0, 't str int bool float Tensor complex'), 'remove': (1, 'int float bool str Tensor'),
    'sort': (2, 'int float bool str Tensor any'), 'popitem': (1, 'str int bool float Tensor complex'),
    'setdefault': (2, 'str int bool float Tensor complex'), 'update': (2, 'str int bool float Tensor complex'),
    'pop': (1, 't Dict_str Dict_int Dict_bool Dict_float Dict_Tensor Dict_complex Dict_default_str Dict_default_int Dict_default_bool '
               'Dict_default_float Dict_default_Tensor Dict_default_complex'),
}
ENTRIES = {'int': ('int', ['2', '1']), 'float': ('float', ['2.5', '1.5']), 'bool': ('bool', ['true', 'false']), 'str': ('str', ['"b"', '"a"'])}


def print_mutating(name, overload):
    """A program that shows how many entries the operator leaves of two."""
    word = overload.split('_')[-1]
    kind, values = ENTRIES.get(word, ENTRIES['int'])
    lines = [f'%e{i} = torch.constant.{kind} {v}' for i, v in enumerate(values)]
    if word in ('Tensor', 'complex', 'any'):
        kind = {'Tensor': 'vtensor<[4],si64>', 'complex': 'number', 'any': 'any'}[word]
        lines = [f'%e{i} = torch.operator "my.make"(%x) : ({VALUE}) -> !torch.{kind}' for i in range(2)]
        if word == 'Tensor':
            lines = [f'%e{i} = torch.aten.neg %x : {VALUE} -> {VALUE}' for i in range(2)]
    lines += ['%i = torch.constant.int 0', '%n = torch.constant.int 2', '%f = torch.constant.bool false', '%one = torch.constant.int 1']
    is_dict = name in ('popitem', 'setdefault', 'update') or 'Dict' in overload or (
        name in ('_set_item', 'clear') and overload != 't')
    this = f'dict<{kind}, int>' if is_dict else f'list<{kind}>'
    if is_dict:
        lines.append(f'%l = torch.prim.DictConstruct keys(%e0, %e1 : !torch.{kind}, !torch.{kind}) values(%i, %n : {INT}, {INT}) -> !torch.{this}')
    else:
        lines.append(f'%l = torch.prim.ListConstruct %e0, %e1 : (!torch.{kind}, !torch.{kind}) -> !torch.{this}')
    operands = {'append': '%e0', 'extend': '%l', 'add_': '%l', 'insert': '%i %e0', '_set_item': '%e0 %i' if is_dict else '%i %e0', 'mul_': '%n',
                'Delete': '%e0' if is_dict else '%i', 'remove': '%e0', 'sort': '%f', 'setdefault': '%e0 %i', 'update': '%l',
                'pop': ('%e0 %i' if 'default' in overload else '%e0') if is_dict else '%i'}.get(name, '').split()
    types = {'%e0': f'!torch.{kind}', '%l': f'!torch.{this}', '%i': INT, '%n': INT, '%f': BOOL}
    result = {'append': f'!torch.{this}', 'add_': f'!torch.{this}', 'mul_': f'!torch.{this}', 'pop': INT if is_dict else f'!torch.{kind}',
              'popitem': f'!torch.tuple<{kind}, int>', 'setdefault': INT}.get(name)
    if name == '_set_item' and not is_dict:
        result = f'!torch.{this}'
    lines.append((f'%done = ' if result else '') + f'torch.operator "torch.aten.{name}.{overload}"({", ".join(["%l"] + operands)}) : '
                 f'({", ".join(types[o] for o in ["%l"] + operands)}) -> {result or "()"}')
    length = f'aten.len.Dict_{kind}' if is_dict else 'aten.len.t'
    lines.append(f'%len = torch.operator "torch.{length}"(%l) : (!torch.{this}) -> {INT}')
    lines.append(f'%r = torch.aten.add.Scalar %x, %len, %one : {VALUE}, {INT}, {INT} -> {VALUE}')
    return f'func.func @forward(%x: {VALUE}) -> {VALUE} {{\n  ' + '\n  '.join(lines) + f'\n  return %r : {VALUE}\n}}\n'


def check_mutating(folder):
    """Each operator leaves what it leaves in PyTorch, or is rejected with its name."""
    failures = []
    for name, (left, overloads) in MUTATING.items():
        for overload in overloads.split():
            path = os.path.join(folder, f'{name}.{overload}.mlir')
            with open(path, 'w') as file:
                file.write(print_mutating(name, overload))
            try:
                found = outputs(path, os.path.join(folder, f'{name}.{overload}'))
            except AssertionError as error:
                named = f'aten.{name}.{overload}' in str(error) or 'prim.DictConstruct' in str(error) or 'my.make' in str(error)
                if not named or not overload.endswith(('Tensor', 'complex', 'any')):
                    failures.append(str(error))
                continue
            if not np.array_equal(found[0], np.full(4, INPUT + left)):
                failures.append(f'{path}: {found[0].tolist()} is not {INPUT + left}')
    try:
        import torch
    except ImportError:
        return failures
    schemas = {str(s).split('(')[0].replace('aten::', '') for s in torch._C._jit_get_all_schemas()
               if re.search(r'(\[\]|Dict\([^)]*\))\([a-z]!\)', str(s).split('->')[0])}
    known = {f'{name}.{overload}' for name, (_, overloads) in MUTATING.items() for overload in overloads.split()}
    if {s for s in schemas if s.startswith('aten') or '::' not in s} - known:
        failures.append(f'not in the table: {sorted(schemas - known)}')
    return failures


def main():
    text = open(os.path.join(os.path.dirname(sys.argv[0]), '../../core/source/torch/pass/torch-passes.def')).read()
    levels = [line.split('"')[1] for line in text.splitlines() if line.startswith('ASSAY_TORCH_PASS')]
    with tempfile.TemporaryDirectory() as folder:
        folder = os.environ.get('TORCH_LISTS_KEEP', folder)
        failures = [failure for number in range(N_FILES) for failure in check_file(number, levels, folder)]
        failures += check_mutating(folder)
        n_rejected = 0
        for seed in range(FIRST * N_PROGRAMS, FIRST * N_PROGRAMS + N_OPEN):
            own, rejected = check_open(seed, folder)
            failures += own
            n_rejected += rejected
    for failure in failures[:20]:
        print(failure)
    print(f'{N_FILES * N_PROGRAMS} programs, {len(levels) + 1} texts of each; {N_OPEN} that may be rejected, '
          f'{n_rejected} of {len(OPEN_LEVELS) * N_OPEN} texts are: {len(failures)} failures')
    sys.exit(bool(failures))


main()
