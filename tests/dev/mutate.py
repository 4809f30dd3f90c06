#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants small faults in an area of core, one at a time, and tells which of them the area's own fast tests see.

    mutate.py --copy TREE            brings a copy of the tree up to date
    mutate.py TREE AREA [N] [...]    plants the faults in that copy, which has a build folder `build`

The own tests of an area are those of core and of pictures whose source is in its folder of tests/core (or FOLDERS). A test is
fast if it takes less than ten seconds of processor time and is not of the suite `slow`.

A fault is drawn by the hash of the seed, the file, the function, the line and the change: it stays the same when other
lines of the tree change. Each kind of change has its turn, so that ten faults are ten kinds where an area has them."""
import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# The folders with the own tests of an area, where they are not tests/core/AREA alone.
FOLDERS = {'backend/stream': ('core/stream',), 'backend/dpu': ('core/dpu',), 'backend/delegate': ('core/gpu',),
           'layout': ('core/layout', 'scene'), 'draw': ('core/draw', 'scene'),
           'report': ('core/report', 'scene')}
SUITES = {'assay:core', 'assay:scene'}
FAST = 10               # seconds of processor time
MEMORY = 8 << 30        # bytes of addresses that a test may have
FILE = 1 << 30          # bytes of a file that a test may write
MOST_OBJECTS = 70       # that are compiled for one fault: a table that all of core reads is left out
EQUIVALENT = 'tests/dev/mutants-equivalent.txt'

COMPARISONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
ARITHMETIC = {' + ': ' - ', ' - ': ' + ', ' * ': ' + ', ' / ': ' * ', ' % ': ' / ', '+=': '-=', '-=': '+='}
LOGIC = {'&&': '||', '||': '&&'}
# Statements that say something to people, check what the code itself promises, or only give memory back.
SPARED = re.compile(r'\b(?:g_assert\w*|g_return_\w+|g_warn\w*|g_debug|g_critical|g_message|g_log|g_print\w*|g_info|'
                    r'g_free|g_\w+_unref|assay_\w+_(?:free|unref)|g_clear_\w+|g_\w+_free|free|g_error_free|assay_\w+_clear|'
                    r'g_\w+_sized_new|G_STATIC_ASSERT|_Static_assert|G_DEFINE_\w+)\b')
# Words for people: numbers and conditions in them are no business of a fault, taking the whole statement away is.
MESSAGES = re.compile(r'\b(?:g_set_error\w*|assay_error_\w+|assay_findings_add\w*|g_prefix_error\w*|_)\s*\(')
ALLOCATIONS = re.compile(r'\bg_(?:try_)?(?:new0?|malloc0?) \(')
NUMBER = re.compile(r'(?<![\w."\'])(0|[1-9]\d*)(?![\w."\'])')
SIZE = re.compile(r'\s*(?:static |const |struct |unsigned )*\w+ \**\w+(?:, \w+)*\[')
TABLE_NUMBER = re.compile(r'(?<![\w.])(\d+)(?:\.(\d+))?(?![\w.])')
NO_STATEMENT = re.compile(r'(?:return|if|while|for|switch|else|do|case|goto|sizeof|g_auto\w*)\b')
STATEMENT = re.compile(r'^( +)([a-z]\w*(?:(?:->|\.)\w+|\[[^\]]*\])*(?: [-+|&*/^]?=(?!=)| \()(?:[^;{}]|\n)*;)\n', re.M)
KINDS = ('comparison', 'constant', 'statement', 'condition', 'table', 'logic', 'return', 'arithmetic', 'assignment', 'jump')


class Mutant:
    def __init__(self, kind, path, start, end, after, text, function):
        self.kind, self.path, self.start, self.end, self.after = kind, path, start, end, after
        self.before = text[start:end]
        self.line = text.count('\n', 0, start) + 1
        begin = text.rfind('\n', 0, start) + 1
        stop = text.find('\n', end)
        whole = text[begin:start] + '{' + self.before + ' -> ' + after + '}' + text[end:stop if stop >= 0 else len(text)]
        self.text = ' '.join(whole.split())
        self.key = f'{path} | {function} | {self.text}'
        self.function = function

    def order(self, seed):
        return hashlib.sha256(f'{seed}\n{self.function}\n{self.path} | {self.text}'.encode()).hexdigest()


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def code_only(text):
    """The text with comments, literals and preprocessor lines blanked out, of the same length."""
    def literal(match):
        found = match.group()
        return blank(match) if found[0] == '/' else found[0] + '_' * (len(found) - 2) + found[-1]
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', literal, text, flags=re.S)
    return re.sub(r'^#(?:[^\n]*\\\n)*[^\n]*', blank, text, flags=re.M)


def functions(code):
    """Name, start and end of the body of each function: GNU style has both braces in the first column."""
    for match in re.finditer(r'^([a-z]\w*) \([^;{}]*\)\n\{\n', code, re.M):
        end = code.find('\n}', match.end())
        if end > 0:
            yield match.group(1), match.end(), end + 1


def statement_at(code, position):
    """The statement around a position, without what it controls."""
    begin = max(code.rfind(mark, 0, position) for mark in ';{}') + 1
    ends = [end for end in (code.find(mark, position) for mark in ';{') if end >= 0]
    return code[begin:min(ends) if ends else len(code)]


def matching(code, opened):
    depth = 0
    for at in range(opened, len(code)):
        depth += {'(': 1, ')': -1}.get(code[at], 0)
        if depth == 0:
            return at
    return -1


def mutants_of_c(path, text):
    code = code_only(text)
    for name, begin, end in functions(code):
        found = []

        def add(kind, start, stop, after):
            found.append(Mutant(kind, path, start, stop, after, text, name))

        for match in re.finditer(r'(?<=[ )])(<=|>=|==|!=|<|>)(?= )', code[begin:end]):
            add('comparison', begin + match.start(), begin + match.end(), COMPARISONS[match.group()])
        for match in re.finditer(r'(?<=[\w)\]])(?: [-+*/%] (?=[\w(])| [-+]=(?= ))', code[begin:end]):
            before = match.group()
            after = ARITHMETIC.get(before) or ' ' + ARITHMETIC[before.strip()]
            add('arithmetic', begin + match.start(), begin + match.end(), after)
        for match in re.finditer(r'&&|\|\|', code[begin:end]):
            add('logic', begin + match.start(), begin + match.end(), LOGIC[match.group()])
        for match in NUMBER.finditer(code[begin:end]):
            at = begin + match.start()
            # A length of -2 means what -1 means.
            negative = re.search(r'[(,=?:] ?-$|return -$', code[at - 9:at])
            statement = statement_at(code, at)
            declared = code[at - 1] == '[' and SIZE.match(statement)
            if not declared and not ALLOCATIONS.search(statement):
                add('constant', at, begin + match.end(), str(int(match.group(), 10) + (-1 if negative else 1)))
        for match in re.finditer(r'\b(?:if|while) \(', code[begin:end]):
            opened = begin + match.end() - 1
            closed = matching(code, opened)
            if 0 < closed < end:
                add('condition', opened, closed + 1, f'(!{text[opened:closed + 1]})')
        for match in re.finditer(r'\breturn (TRUE|FALSE);', code[begin:end]):
            add('return', begin + match.start(1), begin + match.end(1), 'FALSE' if match.group(1) == 'TRUE' else 'TRUE')
        for match in re.finditer(r'^ +(break|continue);', code[begin:end], re.M):
            add('jump', begin + match.start(1), begin + match.end(1), '')
        for match in STATEMENT.finditer(code, begin, end):
            # A line that goes on with the one before it ends nothing.
            begins = re.search(r'(?:[;{}):]|\belse|\bdo)\s*$', code[max(begin - 3, match.start() - 300):match.start()])
            if begins and not NO_STATEMENT.match(match.group(2)):
                kind = 'statement' if re.match(r'\w+ \(', match.group(2)) else 'assignment'
                add(kind, match.start(2), match.end(2), ';')
        for mutant in found:
            around = statement_at(code, mutant.start)
            if SPARED.search(around) or mutant.kind not in ('statement', 'return') and MESSAGES.search(around):
                continue
            yield mutant


def mutants_of_table(path, text):
    code = code_only(text)
    for match in TABLE_NUMBER.finditer(code):
        whole, part = match.groups()
        if part is None:
            after = str(int(whole, 10) + 1)
        else:
            after = f'{whole}.{part[:-1]}{"5" if part[-1] != "5" else "7"}'
        begin = code.rfind('\n', 0, match.start()) + 1
        yield Mutant('table', path, match.start(), match.end(), after, text, text[begin:match.start()].strip()[:40])


def equivalents(root):
    found = {}
    for number, line in enumerate((root / EQUIVALENT).read_text(encoding='utf-8').splitlines(), 1):
        if line and not line.startswith('#'):
            key, _, reason = line.rpartition(' | ')
            if key.count(' | ') < 2 or not reason.strip():
                sys.exit(f'{EQUIVALENT}:{number}: not `FILE | FUNCTION | LINE WITH {{BEFORE -> AFTER}} | REASON`')
            found[key] = reason
    return found


def draw(root, area, seed):
    """All faults of an area in the order in which they are planted, each kind in its turn."""
    known = equivalents(root)
    by_kind = {kind: [] for kind in KINDS}
    # A folder of backend has an area of its own.
    inner = [root / 'core' / other for other in FOLDERS if other != area and other.startswith(area + '/')]
    for path in sorted((root / 'core' / area).rglob('*')):
        if any(folder in path.parents for folder in inner):
            continue
        name = str(path.relative_to(root))
        if path.suffix in ('.c', '.def'):
            text = path.read_text(encoding='utf-8')
            for mutant in (mutants_of_c if path.suffix == '.c' else mutants_of_table)(name, text):
                if mutant.key not in known:
                    by_kind[mutant.kind].append(mutant)
    for found in by_kind.values():
        found.sort(key=lambda mutant: mutant.order(seed))
    turn = 0
    while any(by_kind.values()):
        found = by_kind[KINDS[turn % len(KINDS)]]
        turn += 1
        if found:
            yield found.pop(0)


def copy(tree):
    """Brings tracked and new files of the tree into the copy; those that are the same keep their times."""
    listed = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], check=True,
                            stdout=subprocess.PIPE).stdout.decode().split('\0')
    wanted = {name for name in listed if name and os.path.isfile(name)}
    for name in wanted:
        target = tree / name
        data = pathlib.Path(name).read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(name, target)
    for path in list(tree.rglob('*')):
        name = path.relative_to(tree)
        if name.parts[0] not in ('build', 'results') and path.is_file() and str(name) not in wanted:
            path.unlink()


def ninja(build, targets):
    with open(build / 'mutate.log', 'w', encoding='utf-8') as log:
        return subprocess.run(['ninja', '-C', str(build), *targets], stdout=log, stderr=log, check=False).returncode == 0


def introspect(build, name):
    return json.loads((build / 'meson-info' / f'intro-{name}.json').read_text(encoding='utf-8'))


class Test:
    def __init__(self, row, targets, build):
        self.name, self.command, self.environment = row['name'], row['cmd'], row['env']
        self.targets = [os.path.relpath(file, build) for key in row['depends'] for file in targets[key]['filename']]
        self.limit = FAST + 30
        self.cpu = 0

    def run(self, build):
        """The verdict (None if it passed) and the processor time."""
        folder = tempfile.mkdtemp(prefix='mutate-')
        limit, cpu = self.limit, int(self.cpu * 10) + FAST

        def bounds():
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
            resource.setrlimit(resource.RLIMIT_CPU, (cpu + 2, cpu + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = subprocess.Popen(self.command, env={'MALLOC_PERTURB_': '165', **os.environ, **self.environment, 'TMPDIR': folder}, cwd=build,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=bounds)
        try:
            said = child.communicate(timeout=limit)[0]
            verdict = None if child.returncode == 0 else failure(said.decode(errors='replace'), child.returncode)
        except subprocess.TimeoutExpired:
            verdict = 'does not end'
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.communicate()
        shutil.rmtree(folder, ignore_errors=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return verdict, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def failure(said, status):
    found = re.search(r'^not ok \S+ (\S+)', said, re.M)
    if found:
        return found.group(1)
    running = re.findall(r'^ok \d+ (\S+)', said, re.M)
    how = signal.Signals(-status).name if status < 0 else f'exit {status}'
    return f'{how} after {running[-1]}' if running else how


def folders_of(area):
    return FOLDERS.get(area, (f'core/{area}',))


def own_tests(root, build, area):
    folders = tuple(f'{root}/tests/{folder}/' for folder in folders_of(area))
    targets = {row['id']: row for row in introspect(build, 'targets')}
    programs = {file for row in targets.values() if row['type'] == 'executable' for file in row['filename']
                if any(source.startswith(folders) for part in row['target_sources'] for source in part.get('sources', ()))}
    tests = []
    for row in introspect(build, 'tests'):
        mine = row['cmd'][0] in programs or any(os.path.normpath(word).startswith(folders) for word in row['cmd'])
        if mine and SUITES.intersection(row['suite']) and 'assay:slow' not in row['suite']:
            tests.append(Test(row, targets, build))
    return tests


def helpers(root, build, area):
    """The targets that the build files in the folders of an area's tests make: libraries that a test loads, which it does not depend on."""
    folders = tuple(f'{root}/tests/{folder}/' for folder in folders_of(area))
    return [os.path.relpath(file, build) for row in introspect(build, 'targets') if row['defined_in'].startswith(folders)
            for file in row['filename']]


def prepare(root, build, area):
    """Builds the tests of an area and leaves those that are fast, the fastest first."""
    if not ninja(build, ['build.ninja']):
        sys.exit(f'the build could not be configured, see {build}/mutate.log')
    tests = own_tests(root, build, area)
    if not tests:
        sys.exit(f'{area} has no tests in tests/{", tests/".join(folders_of(area))}')
    if not ninja(build, sorted({target for test in tests for target in test.targets} | set(helpers(root, build, area)))):
        sys.exit(f'the tests could not be built, see {build}/mutate.log')
    fast = []
    for test in tests:
        started = time.monotonic()
        test.cpu, test.limit = 60, 600
        verdict, test.cpu = test.run(build)
        test.limit = (time.monotonic() - started) * 5 + 30
        if verdict is not None:
            print(f'left out: {test.name} fails without a fault: {verdict}')
        elif test.cpu >= FAST:
            print(f'left out: {test.name} is not fast: {test.cpu:.1f} s')
        else:
            fast.append(test)
    fast.sort(key=lambda test: test.cpu)
    print(f'{len(fast)} tests, {sum(test.cpu for test in fast):.1f} s: {" ".join(test.name for test in fast)}', flush=True)
    return fast


def dependants(build):
    """How many objects are compiled anew when a file changes."""
    count = {}
    for line in subprocess.run(['ninja', '-C', str(build), '-t', 'deps'], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
        if line.startswith('    '):
            name = os.path.normpath(line.strip())
            count[name] = count.get(name, 0) + 1
    return count


def plant(root, build, mutant, tests):
    """The test that catches a fault, '' if none does, None if the compiler does."""
    path = root / mutant.path
    text = path.read_text(encoding='utf-8')
    path.write_text(text[:mutant.start] + mutant.after + text[mutant.end:], encoding='utf-8')
    try:
        if not ninja(build, sorted({target for test in tests for target in test.targets})):
            return None
        for test in tests:
            verdict, _ = test.run(build)
            if verdict is not None:
                return f'{test.name}: {verdict}'
        return ''
    finally:
        path.write_text(text, encoding='utf-8')


def main():
    if sys.argv[1] == '--copy':
        return copy(pathlib.Path(sys.argv[2]))
    parser = argparse.ArgumentParser(prog='./dev mutate', description=__doc__.splitlines()[0])
    parser.add_argument('tree', type=lambda name: pathlib.Path(name).resolve(), help=argparse.SUPPRESS)
    parser.add_argument('area', help='a folder of core')
    parser.add_argument('n', type=int, nargs='?', default=10, help='number of faults')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--again', action='store_true', help='only those that the last run missed')
    parser.add_argument('--list', action='store_true', help='print the first faults and plant none')
    options = parser.parse_args()
    root, build, area = options.tree, options.tree / 'build', options.area.strip('/')
    if not (root / 'core' / area).is_dir():
        parser.error(f'core has no folder {area}')
    drawn = draw(root, area, options.seed)
    if options.list:
        for mutant, _ in zip(drawn, range(options.n)):
            print(f'{mutant.kind} in line {mutant.line}: {mutant.key}')
        return 0
    kept = root / 'results' / f'{area.replace("/", "-")}-{options.seed}.json'
    if options.again:
        missed_before = set(json.loads(kept.read_text(encoding='utf-8')))
        drawn = [mutant for mutant in drawn if mutant.key in missed_before]
    tests = prepare(root, build, area)
    caught, missed, readers = 0, [], dependants(build)
    for mutant in drawn:
        if readers.get(f'../{mutant.path}', 0) > MOST_OBJECTS:
            continue
        if caught + len(missed) == options.n:
            break
        by = plant(root, build, mutant, tests)
        if by is None:
            continue
        caught += by != ''
        if not by:
            missed.append(mutant.key)
        print(f'{mutant.path}:{mutant.line}: {mutant.kind}: {mutant.text}\n    {"caught by " + by if by else "MISSED"}', flush=True)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(missed), encoding='utf-8')
    print(f'{caught} caught, {len(missed)} missed')
    return 0 if caught + len(missed) > 0 and caught * 10 >= 9 * (caught + len(missed)) else 1


sys.exit(main())
