#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the op table against tests/data/ir/operators.txt and the schemas of ONNX, and what reads attributes against it.

usage: test-op-schemas.py SOURCE-ROOT
"""
import pathlib
import re
import struct
import sys

ROW = re.compile(r'^OP \((\w+), "([\w.]*)", (\d+), \w+, (\w+, \w+), (\w+, \w+),(.*?)A_END\)', re.S | re.M)
ATTRIBUTE = re.compile(r'A_(INT|FLOAT|STRING|OPTIONAL|REQUIRED) \("(\w+)"(?:, ([^)]*))?\)')
LOOKUP = re.compile(r'\bassay_node_(?:get|find|read|dup)_(int|float|string|ints|floats)\s*\('
                    r'(?:[^()"]|\([^()]*\))*,\s*"(\w+)"')
# Older forms of operations, which the importer brings into the newest one.
OLD = pathlib.PurePath('core/source/onnx')


# Operators that runtimes take with any attribute, since they are gone before the schemas are looked at; and attributes
# that a form newer than the ONNX at hand has made an input.
FREE = {'Constant'}
DROPPED = {('Pad', 'pads')}
# The first opset that is written: forms from there on have a row only if they mean what the newest one does. Operators of
# graphs take what these take.
FIRST_WRITTEN = 13
GRAPHS = {'If', 'Loop', 'Scan'}
# Versions whose types ONNX corrected later than the one at hand.
CORRECTED = {('Erf', 13), ('GridSample', 16)}
# Operators of ai.onnx.ml with rows of their own, and the last opset of it that the ONNX at hand knows.
ML = ('LabelEncoder', 'TreeEnsemble')
LAST_ML = 3


def read_rows(root):
    """Rows of the op table as lines of tests/data/ir/operators.txt have them."""
    rows = []
    for name, domain, since, inputs, outputs, rest in ROW.findall((root / 'core/nnir/ops.def').read_text()):
        attributes = []
        for form, attribute, value in ATTRIBUTE.findall(rest):
            kind = value.lower() if form in ('OPTIONAL', 'REQUIRED') else f'{form.lower()}={value.strip(chr(34))}'
            attributes.append(f'{attribute}:{kind}{"!" if form == "REQUIRED" else ""}')
        counts = [span(*each.replace('MANY', 'many').split(', ')) for each in (inputs, outputs)]
        rows.append(' '.join([f'{domain}.{name}'.lstrip('.'), since, *counts, *sorted(attributes)]))
    return rows


def span(least, most):
    return least if least == most else f'{least}-{most}'


def read_operators(root):
    return [line for line in (root / 'tests/data/ir/operators.txt').read_text().splitlines() if line and line[0] != '#']


def compare_rows(root):
    """Rows that the specification does not have, and the other way round."""
    rows, expected = read_rows(root), read_operators(root)
    return ([f'ops.def: {row}, which operators.txt does not have' for row in rows if row not in expected] +
            [f'operators.txt: {row}, which ops.def does not have' for row in expected if row not in rows])


def schema_line(onnx, schema):
    """A schema of the installed ONNX as a line of operators.txt."""
    attributes = []
    for name, attribute in schema.attributes.items():
        kind = str(attribute.type).split('.')[-1].lower().replace('type_proto', 'type').replace('sparse_', '')
        default = onnx.helper.get_attribute_value(attribute.default_value) if attribute.default_value.name else None
        if isinstance(default, (int, float, bytes)):
            default = default.decode() if isinstance(default, bytes) else default
            # As many digits as tell a number of 32 bits from its neighbours.
            kind += f'={default:.9g}' if isinstance(default, float) else f'={default}'
        attributes.append(f'{name}:{kind}{"!" if attribute.required else ""}')
    counts = [span(str(least), 'many' if most > 1000 else str(most)) for least, most in
              ((schema.min_input, schema.max_input), (schema.min_output, schema.max_output))]
    return ' '.join([f'{schema.domain}.{schema.name}'.lstrip('.'), str(schema.since_version), *counts, *sorted(attributes)])


def compare_operators(root, onnx):
    """Lines of operators.txt whose form the installed ONNX knows."""
    lines = {tuple(line.split()[:2]): line for line in read_operators(root)}
    schemas = [schema_line(onnx, schema) for schema in onnx.defs.get_all_schemas_with_history() if not schema.deprecated]
    schemas = [line for line in schemas if tuple(line.split()[:2]) in lines]
    faults = [f'operators.txt: {lines[tuple(line.split()[:2])]}, ONNX has {line}' for line in schemas
              if numbers(line) != numbers(lines[tuple(line.split()[:2])])]
    return faults if len(schemas) > 100 else [f'only {len(schemas)} schemas were compared']


def numbers(line):
    """The words of a line, with defaults of 32 bits."""
    return [(kind, struct.pack('f', float(value))) if kind.endswith(':float') and value else word
            for word in line.split() for kind, _, value in [word.partition('=')]]


def compare_ages(root, onnx):
    """Attributes that came after their operator, against the history of each schema."""
    listed = {(operator, name): int(since) for operator, name, since in re.findall(
        r'^SINCE \((\w+), "(\w+)", (\d+)\)', (root / 'core/source/onnx/attributes.def').read_text(), re.M)}
    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain in ('', 'ai.onnx.ml'):
            history.setdefault((schema.domain, schema.name), []).append(schema)
    known, newest = {}, {}
    for (domain, operator), schemas in history.items():
        schemas.sort(key=lambda schema: schema.since_version)
        newest[operator] = schemas[-1]
        for schema in schemas[1:]:
            for name in schema.attributes:
                if all(name not in older.attributes for older in schemas if older.since_version < schema.since_version):
                    known.setdefault((operator, name), schema.since_version)
    faults = [f'{operator} {name}: since {known[operator, name]}, no row says so'
              for operator, name in known
              if (operator, name) not in listed and name in newest[operator].attributes
              and not newest[operator].deprecated and operator not in FREE and (operator, name) not in DROPPED]
    faults += [f'{operator} {name}: since {since}, ONNX has {known.get((operator, name))}'
               for (operator, name), since in listed.items()
               if since <= (LAST_ML if operator.startswith(ML) else onnx.defs.onnx_opset_version())
               and known.get((operator, name)) != since]
    return faults


def compare_types(root, onnx):
    """Inputs of one type, or of a certain one, against the type constraints of each schema."""
    letters = {'l': {'tensor(int64)'}, 'i': {'tensor(int32)'}, 'n': {'tensor(int32)', 'tensor(int64)'},
               'f': {'tensor(float)'}, 'b': {'tensor(bool)'}, 's': {'tensor(string)'},
               'm': {'tensor(float)', 'tensor(double)', 'tensor(int64)', 'tensor(int32)'},
               'r': {'tensor(float16)', 'tensor(bfloat16)', 'tensor(float)', 'tensor(double)'}}
    rows = dict(re.findall(r'^TYPES \((\w+), "([.\w]+)"\)', (root / 'core/nnir/types.def').read_text(), re.M))
    faults = []
    compared = 0
    for schema in onnx.defs.get_all_schemas():
        row = rows.get(schema.name)
        if row is None or schema.domain not in ('', 'ai.onnx.ml') or schema.deprecated:
            continue
        compared += 1
        first = {}
        for letter, operand in zip(row, schema.inputs):
            if letter in letters and not set(operand.types) <= letters[letter]:
                faults.append(f'{schema.name} {operand.name}: {letter}, ONNX has {sorted(operand.types)}')
            elif letter.isupper() and first.setdefault(letter, operand.typeStr) != operand.typeStr:
                faults.append(f'{schema.name} {operand.name}: {letter}, ONNX has {operand.typeStr}')
    if compared < 80:
        faults.append(f'only {compared} rows of types were compared')
    return faults


def check_form_order(root):
    """Forms are looked up by halves: operators in the order of the op table, versions rising."""
    place = {row[0]: index for index, row in enumerate(ROW.findall((root / 'core/nnir/ops.def').read_text()))}
    forms = [(place[name], int(version)) for name, version in re.findall(
        r'^FORM \((\w+), (\d+),', (root / 'core/source/onnx/forms.def').read_text(), re.M)]
    return [f'forms.def: row {index + 2} is out of order'
            for index, (one, next_one) in enumerate(zip(forms, forms[1:])) if one >= next_one] + (
                [] if len(forms) > 300 else [f'forms.def: only {len(forms)} rows'])


def compare_forms(root, onnx):
    """Arity and types of every form against the schema of that version, and no version is left out below the first."""
    letters = {'h': ['float16'], 'f': ['float'], 'd': ['double'], 'b': ['bfloat16'], 'x': ['complex64', 'complex128'],
               's': ['string'], 'o': ['bool'], 'B': ['uint8'], 'c': ['int8'], 'S': ['uint16'], 'w': ['int16'],
               'i': ['int32'], 'l': ['int64'], 'u': ['uint32', 'uint64']}
    known = {name: letter for letter, names in letters.items() for name in names}
    text = (root / 'core/source/onnx/assay-onnx-form.c').read_text()
    macros = {}

    def expand(words):
        return ''.join(part.strip('"') if part[0] == '"' else macros[part]
                       for part in re.findall(r'"[^"]*"|\w+', words))

    for name, words in re.findall(r'^#define (\w+) ((?:\w+ )?"\w+"(?: (?:"\w+"|\w+))*|(?:BASIC|REAL)\w* ".*")$', text, re.M):
        macros[name] = expand(words)

    forms = {}
    default = (root / 'core/source/onnx/forms.def').read_text().partition('/* ai.onnx.ml */')[0]
    for line in default.splitlines():
        row = re.match(r'FORM \((\w+), (\d+), (\d+), (\w+), (.*), ((?:"[^"]*"|[A-Z]\w+| )+)\)$', line)
        if row:
            forms[row[1], int(row[2])] = (int(row[3]), row[4], expand(row[5]), expand(row[6]))

    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain:
            history.setdefault(schema.name, {})[schema.since_version] = schema
    faults = []
    compared = 0
    for operator in sorted({name for name, _ in forms} & set(history)):
        for version, schema in sorted(history[operator].items()):
            form = forms.get((operator, version))
            kinds = [set(operand.types) for operand in [*schema.inputs, *schema.outputs]]
            if ((operator, version) in CORRECTED or operator in GRAPHS or
                    any(not kind.startswith('tensor(') for types in kinds for kind in types)):
                continue
            if form is None:
                if version < FIRST_WRITTEN and not schema.deprecated and operator not in FREE:
                    faults.append(f'forms.def: no row of {operator} {version}')
                continue
            compared += 1
            most = 'MANY' if schema.max_input > 1000 else str(schema.max_input)
            if (form[0], form[1]) != (schema.min_input, most):
                faults.append(f'{operator} {version}: {form[0]} to {form[1]} inputs, '
                              f'ONNX has {schema.min_input} to {most}')
            for words, operands in ((form[2], schema.inputs), (form[3], schema.outputs)):
                words = words.split(' ')
                for index, operand in enumerate(operands):
                    word = {letter for letter in words[min(index, len(words) - 1)] if letter in letters}
                    types = {known[kind[7:-1]] for kind in operand.types}
                    if word != types:
                        faults.append(f'{operator} {version} {operand.name}: {sorted(word)}, ONNX has {sorted(types)}')
    if compared < 350:
        faults.append(f'only {compared} forms were compared')
    return faults


def compare_schemas(root):
    """The differences of the schemas of the installed ONNX; None without ONNX."""
    try:
        import onnx
        import onnx.helper
    except ImportError:
        return None

    return compare_operators(root, onnx) + compare_ages(root, onnx) + compare_types(root, onnx) + compare_forms(root, onnx)


def check_lookups(root):
    """Every name that a lookup asks for is an attribute of that kind in some row."""
    attributes = {re.sub('[=!].*', '', word) for row in read_rows(root) for word in row.split()}
    faults = []
    found = 0
    for path in sorted((root / 'core').rglob('*.c')):
        where = path.relative_to(root)
        if OLD in where.parents:
            continue
        for kind, name in LOOKUP.findall(path.read_text()):
            found += 1
            if f'{name}:{kind}' not in attributes and (kind, name) != ('ints', 'axes'):
                faults.append(f'{where}: no row has {kind} {name}')
    if found < 150:
        faults.append(f'only {found} lookups were found')
    return faults


def main():
    root = pathlib.Path(sys.argv[1])
    faults = compare_rows(root) + check_lookups(root) + check_form_order(root)
    schemas = compare_schemas(root)
    faults += schemas or []
    print('\n'.join(faults) or f'{len(read_rows(root))} rows agree')
    if faults:
        return 1
    return 77 if schemas is None else 0


sys.exit(main())
