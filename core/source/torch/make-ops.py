#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch-ops.def: the operations of the torch dialect as data.

Arguments: GeneratedTorchOps.td and LowerToBackendContract.cpp of torch-mlir. Only facts are taken:
names, numbers of operands and results, what operands are called and are, whether an operation keeps
to values or only reads, and whether the backend contract wants it decomposed."""
import re
import sys
import textwrap

HEAD = '''/* torch-ops.def
 * SPDX-License-Identifier: Apache-2.0
 *
 * The operations of the torch dialect, one row each; written by make-ops.py of this folder from the
 * published definitions of torch-mlir.
 *
 *   TORCH_OP (name, operands, results, traits, signature)
 *
 * Traits: VALUE keeps to values, VIEW writes nothing and may give what it was given, IN_PLACE writes
 * to its first operand, COMPOSITE is to be gone before a backend. A signature has the name of each
 * operand with what it is: T a tensor, i an integer, f a number with a point, n any number, b a
 * truth, s a text, d another thing; L before it for a list, ? behind it where it may be none.
 */
'''

KINDS = {'Tensor': 'T', 'NonValueTensor': 'T', 'TorchInt': 'i', 'Int': 'i', 'TorchFloat': 'f', 'Float': 'f',
         'Scalar': 'n', 'TorchBool': 'b', 'Bool': 'b', 'TorchString': 's', 'String': 's'}


def signature(arguments):
    operands = []
    for kind, name in re.findall(r'(?:AnyTorch|Torch_)(\w+?)Type:\$(\w+)', arguments):
        optional = kind.startswith('Optional')
        kind = kind.removeprefix('Optional')
        listed = kind.startswith('ListOf')
        kind = kind.removeprefix('ListOf')
        word = ('L' if listed else '') + KINDS.get(kind.removeprefix('Optional'), 'd')
        operands.append(f'{name}:{word}{"?" if optional else ""}')
    return ' '.join(operands)


def main():
    definitions = open(sys.argv[1]).read()
    composite = set(re.findall(r'addIllegalOp<(\w+)>', open(sys.argv[2]).read()))
    rows = []
    for match in re.finditer(r'def Torch_(\w+) : Torch_Op<"([^"]+)", \[(.*?)\]>(.*?)\n}', definitions, re.S):
        kind, name, traits, body = match.groups()
        counts = re.search(r'parseDefaultTorchOp\(parser, result, (\d+), (\d+)\)', body)
        # The few with a form of their own take any number, which -1 stands for.
        operands, results = counts.groups() if counts else (-1, -1)
        is_value = 'HasValueSemantics' in traits
        words = [word for word, sign in (('VALUE', is_value),
                                         ('VIEW', not is_value and 'ReadOnly' in traits),
                                         ('IN_PLACE', 'IsTrailingUnderscoreInplaceVariant' in traits),
                                         ('COMPOSITE', kind in composite)) if sign]
        inputs = re.search(r'let arguments = \(ins\n(.*?)\n  \);', body, re.S)
        text = signature(inputs.group(1)) if inputs and operands != -1 else ''
        start = f'TORCH_OP ("torch.{name}", {operands}, {results}, {" | ".join(words) or "0"},'
        row = f'{start} "{text}")\n'
        lines = [f'{" " * 10}"{line}"' for line in textwrap.wrap(text, 86, drop_whitespace=False)]
        rows.append(row if len(row) <= 101 else f'{start}\n' + '\n'.join(lines) + ')\n')
    sys.stdout.write(HEAD + ''.join(sorted(rows)))


main()
