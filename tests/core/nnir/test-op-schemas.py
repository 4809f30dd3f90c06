#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the op table against the schemas of ONNX, and what reads attributes against the op table.

usage: test-op-schemas.py SOURCE-ROOT
"""
import math
import pathlib
import re
import sys

ROW = re.compile(r'^OP \((\w+), "([\w.]*)", (\d+),(.*?)A_END\)', re.S | re.M)
ATTRIBUTE = re.compile(r'A_(INT|FLOAT|STRING|OPTIONAL|REQUIRED) \("(\w+)"(?:, ([^)]*))?\)')
LOOKUP = re.compile(r'\bassay_node_(?:get|find|read|dup)_(int|float|string|ints|floats)\s*\('
                    r'(?:[^()"]|\([^()]*\))*,\s*"(\w+)"')
# Kinds that have other names here: a sparse tensor is kept as a tensor.
KINDS = {'TYPE_PROTO': 'TYPE', 'SPARSE_TENSOR': 'TENSOR', 'SPARSE_TENSORS': 'TENSORS'}
# Defaults that a form newer than the ONNX at hand has renamed: opset 20.
RENAMED = {('GridSample', 'mode')}
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
    """Rows of the op table: (domain, name) to (since, {attribute: (kind, default)})."""
    rows = {}
    for name, domain, since, rest in ROW.findall((root / 'core/nnir/ops.def').read_text()):
        attributes = {}
        for form, attribute, value in ATTRIBUTE.findall(rest):
            if form in ('OPTIONAL', 'REQUIRED'):
                attributes[attribute] = (value, form == 'REQUIRED', None)
            else:
                default = (value.strip('"') if form == 'STRING'
                           else float(value) if form == 'FLOAT' else int(value, 0))
                attributes[attribute] = (form, False, default)
        rows[domain, name] = (int(since), attributes)
    return rows


def same(mine, theirs):
    """Whether two defaults are the same number or word."""
    if isinstance(mine, float):
        return math.isclose(mine, theirs, rel_tol=1e-6)
    return mine == (theirs.decode() if isinstance(theirs, bytes) else theirs)


def compare_row(onnx, schema, since, attributes):
    """What the row of an operation says otherwise than its schema."""
    faults = []
    for name, attribute in schema.attributes.items():
        default = (None if not attribute.default_value.name
                   else onnx.helper.get_attribute_value(attribute.default_value))
        if name not in attributes:
            # A newer form that this ONNX does not know yet may have dropped it.
            if schema.since_version == since:
                faults.append(f'{schema.name}: no attribute {name}')
            continue
        kind, required, mine = attributes[name]
        theirs = str(attribute.type).split('.')[-1]
        if (schema.name, name) in RENAMED and schema.since_version < since:
            continue
        if kind != KINDS.get(theirs, theirs):
            faults.append(f'{schema.name} {name}: {kind}, ONNX has {attribute.type}')
        elif schema.since_version == since and required != attribute.required:
            faults.append(f'{schema.name} {name}: required {required}')
        elif mine is None and default is not None and not isinstance(default, list):
            faults.append(f'{schema.name} {name}: no default, ONNX has {default}')
        elif mine is not None and default is not None and not same(mine, default):
            faults.append(f'{schema.name} {name}: default {mine}, ONNX has {default}')
        elif mine is not None and default is None and schema.since_version == since:
            faults.append(f'{schema.name} {name}: default {mine}, ONNX has none')
    return faults


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


def check_form_order(root, rows):
    """Forms are looked up by halves: operators in the order of the op table, versions rising."""
    place = {name: index for index, (_, name) in enumerate(rows)}
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


def compare_schemas(root, rows):
    """Faults of all rows that this ONNX has a schema of; None without ONNX."""
    try:
        import onnx
        import onnx.helper
    except ImportError:
        return None

    faults = []
    compared = 0
    for schema in onnx.defs.get_all_schemas():
        row = rows.get((schema.domain, schema.name))
        if row is not None:
            compared += 1
            faults += compare_row(onnx, schema, *row)
    if compared < 150:
        faults.append(f'only {compared} schemas were compared')
    return faults + compare_ages(root, onnx) + compare_types(root, onnx) + compare_forms(root, onnx)


def check_lookups(root, rows):
    """Every name that a lookup asks for is an attribute of that kind in some row."""
    kinds = {(name, kind) for _, attributes in rows.values()
             for name, (kind, _, _) in attributes.items()}
    faults = []
    found = 0
    for path in sorted((root / 'core').rglob('*.c')):
        where = path.relative_to(root)
        if OLD in where.parents:
            continue
        for kind, name in LOOKUP.findall(path.read_text()):
            found += 1
            if (name, kind.upper()) not in kinds and (kind, name) != ('ints', 'axes'):
                faults.append(f'{where}: no row has {kind} {name}')
    if found < 150:
        faults.append(f'only {found} lookups were found')
    return faults


def main():
    root = pathlib.Path(sys.argv[1])
    rows = read_rows(root)
    faults = check_lookups(root, rows) + check_form_order(root, rows)
    schemas = compare_schemas(root, rows)
    faults += schemas or []
    print('\n'.join(faults) or f'{len(rows)} rows agree')
    if faults:
        return 1
    return 77 if schemas is None else 0


sys.exit(main())
