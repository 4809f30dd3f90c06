#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch-ops.def: the operations of the torch dialect as data.

Arguments: GeneratedTorchOps.td and LowerToBackendContract.cpp of torch-mlir. Only facts are taken:
names, numbers of operands and results, whether an operation keeps to values or only reads, and
whether the backend contract wants it decomposed."""
import re
import sys

HEAD = '''/* torch-ops.def
 * SPDX-License-Identifier: Apache-2.0
 *
 * The operations of the torch dialect, one row each; written by make-ops.py of this folder from the
 * published definitions of torch-mlir.
 *
 *   TORCH_OP (name, operands, results, traits)
 *
 * Traits: VALUE keeps to values, VIEW writes nothing and may give what it was given, IN_PLACE writes
 * to its first operand, COMPOSITE is to be gone before a backend.
 */
'''


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
        rows.append(f'TORCH_OP ("torch.{name}", {operands}, {results}, {" | ".join(words) or "0"})\n')
    sys.stdout.write(HEAD + ''.join(sorted(rows)))


main()
