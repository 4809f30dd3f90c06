#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a script can check of the house rules: doc comments, lengths of files and lines, files of a folder, forbidden
words, SPDX lines, waits of tests."""
import fnmatch
import pathlib
import re
import statistics
import sys

FOLDERS = ('app', 'core', 'ui', 'tests', 'data', 'docs', 'resources')
CODE = ('.c', '.h', '.py', '.sh')
MAX_LINES = 1200
MAX_MEDIAN = 300
MAX_COLUMNS = 100
MAX_FILES = 60
# A test that waits for a time is slow on a quick machine and fails on a slow one. A program that hangs so that a test can
# end it sleeps for a hundred seconds or more.
SLEEP = re.compile(r'\b(?:g_usleep|usleep|nanosleep|time\.sleep)\b|\bsleep (?![1-9]\d\d)')
# The one helper of each language, which turns until a condition holds.
WAITS = ('tests/core/fixture/wait.h', 'tests/app/driver.py', 'tests/dev/check-source.py')
# What belongs to one family of targets is the business of its backend.
FAMILY = re.compile(r'\bASSAY_TARGET_(?:BLOCK_STREAMING|DELEGATE|DPU)\b')
FAMILY_FOLDERS = ('core/backend/', 'core/target/')
CHECK_FAMILIES = True
# Files from outside hang, change and are devices; files of users are replaced whole. One reader, one map, one writer know how.
FILES = re.compile(r'\b(?:g_file_set_contents(?:_full)?|g_file_get_contents|g_file_load_contents|g_file_replace|g_file_create|'
                   r'g_file_read|g_f?open_tmp|g_mkstemp(?:_full)?|g_mapped_file_new\w*|g_fopen|fopen|freopen|creat|mmap(?! \(.*PROT_WRITE)|'
                   r'json_parser_load_from_(?:mapped_)?file|json_generator_to_file|g_key_file_(?:load_from|save_to)_file|'
                   r'cairo_surface_write_to_png|gdk_texture_save_to_(?!\w+_bytes)\w+) \(|\bO_(?:WRONLY|RDWR)\b')
# One of the others holds a lock, one asks the kernel, and one opens nothing at all in place of a closed stream.
FILE_PLACES = ('core/base/assay-file-map.c', 'core/base/assay-file-read.c', 'core/base/assay-file-write.c',
               'core/document/assay-recovery.c', 'core/process/assay-confine.c', 'core/process/assay-process.c',
               'core/process/assay-watch.c')
# Where bytes come in from outside: files, messages, other programs. Each has fuzz targets, or a reason why not.
READS = re.compile(r'(?<!\w)(?:assay_file_(?:read|open|peek|map_new\w*)|assay_json_reader_(?:new|load)\w*|json_parser_load\w*|'
                   r'assay_child_read\w*|assay_frame_receive|\w+->read|(?:protobuf_c_message|assay__\w+_)_unpack|'
                   r'g_input_stream_read\w*|read|recv\w*|fread|getline|getdelim|fgets|fscanf) \(')
READERS = 'tests/fuzz/readers.txt'
# What starts work in a thread where a user waits, or does not.
WORKS = re.compile(r'\b(?:assay_job_new|assay_jobs_add|assay_session_add_(?:job|saving)|assay_activity_start|g_task_run_in_thread|'
                   r'g_thread_(?:try_)?new|g_thread_pool_new) \(')
JOBS = 'tests/jobs.txt'
# Tests that ./dev test leaves to ./dev test all, with their reasons.
ONLY_ALL = 'tests/only-all.txt'
JOB_FOLDERS = ('core/document', 'core/layout', 'core/session', 'ui')
# The parser of json-glib calls itself for each level; the one place that bounds them first.
PARSES = re.compile(r'\b(?:json_parser_load_from_\w+|json_from_string) \(')
PARSE_PLACE = 'core/text/assay-json-reader.c'
# Files that a test writes anew with ASSAY_REGENERATE=1. Such a file is right because the program says so, unless it tells
# what else says it: a line `Checked by: ...` in it, or a row of the README.md beside it.
WRITES_GOLDEN = re.compile(r'ASSAY_REGENERATE|\bgolden_check \(')
GOLDEN = {
    'tests/core/api/test-api-calls.py': 'tests/data/api/*.txt',
    'tests/app/test-conformance.py': 'tests/data/conformance/*.txt',
    'tests/app/test-golden-verdicts.py': 'tests/data/golden/verdicts/*',
    'tests/core/dpu/test-dpu-listings.c': 'tests/data/dpu/programs.txt',
    'tests/core/fix/test-fix.c': 'tests/data/fixed/*',
    'tests/core/gpu/test-gpu-plans.c': 'tests/data/plans/families.txt',
    'tests/core/evaluate/test-error-rules.c': 'tests/data/kernels/spans.txt',
    'tests/core/source/test-contrib-integers.py': 'tests/data/contrib/integers.nnir',
    'tests/core/nnir/test-constraints.c': 'tests/data/constraints/messages.txt',
    'tests/core/nnir/test-infer-corpus.c': 'tests/data/infer/counts.txt',
    'tests/core/nnir/test-streaming-rules.c': 'tests/data/infer/streaming.txt',
    'tests/core/nnir/test-text.c': 'tests/data/ir/text-everything.nnir',
    'tests/core/nnir/test-upgrade.c': 'tests/data/infer/upgrade.txt',
    'tests/core/quantize/test-quantize.c': 'tests/data/quantize/models.txt',
    'tests/core/report/test-reports.py': 'tests/data/reports/*',
    'tests/core/session/test-session-script.c': 'tests/data/session/*.txt',
    'tests/core/stream/test-listing.c': 'tests/data/stream/*.txt',
    'tests/core/stream/test-plan.c': 'tests/data/plan/*',
    'tests/core/target/test-verdict-table.c': 'tests/data/targets/verdicts.txt',
    'tests/core/target/test-predicates.c': 'tests/data/targets/predicates.txt',
    'tests/core/target/test-reasons.c': 'tests/data/golden/reasons/*',
    'tests/core/target/test-target.c': 'tests/data/targets/*.expected',
    'tests/core/work/test-conformance-cases.c': 'tests/data/work/cases.txt',
    'tests/core/work/test-searches.c': 'tests/data/work/explain.txt',
    'tests/scene/test-display.c': 'tests/data/golden/scene/display-*.txt',
    'tests/scene/test-memory.c': 'tests/data/golden/scene/memory-map.txt',
    'tests/scene/test-picture.c': 'tests/data/golden/scene/*.svg',
    'tests/scene/test-scene.c': 'tests/data/golden/scene/*.png',
}
CHECKED = re.compile(r'^[#/* ]*Checked by: (\S.*)', re.M)
CHECKED_ROW = re.compile(r'^\| `([^`]+)` \| (\S.*) \|$', re.M)
# Split so that this file does not find itself.
WORDS = re.compile(r'\b(' + '|'.join(('TO' 'DO', 'FIX' 'ME', 'XX' 'X', 'HA' 'CK')) + r')\b|\b' + 'for' + r' now\b|not ' + 'implemented')
# A function of a header: return type, name, parenthesis; macros and typedefs do not look like this.
DECLARATION = re.compile(r'^(?:[A-Za-z_][\w ]*[ *]+)?\**((?:assay|adw|gtk)_\w+)\s*\((?!\))', re.M)
DEFINITION = re.compile(r'^(assay_\w+) \(', re.M)


def sources(root, suffixes):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.is_file() and path.suffix in suffixes and 'data/golden' not in str(path):
                yield path


def public_functions(header):
    text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
    text = re.sub(r'^\s*#.*?(?<!\\)$', '', text, flags=re.M | re.S)
    text = re.sub(r'static inline.*?^}', '', text, flags=re.M | re.S)
    return {m.group(1) for m in DECLARATION.finditer(text)}


def undocumented(root):
    """Public functions of core whose definition has no doc comment right above it."""
    documented, defined = set(), {}
    for path in (root / 'core').rglob('*.[ch]'):
        text = path.read_text()
        documented.update(re.findall(r'^ \* (assay_\w+):', text, re.M))
        if path.suffix == '.c':
            for match in DEFINITION.finditer(text):
                defined[match.group(1)] = path
    # Memory management and type functions say everything in their names.
    plain = re.compile(r'_(ref|unref|free|clear|get_type|quark)$')
    # Rows of a table share one signature, which is documented with the table.
    rows = re.compile(r'^assay_(shape_rule|fold)_')
    for header in sorted((root / 'core').rglob('*.h')):
        if header.stem.endswith('-private'):
            continue
        for name in sorted(public_functions(header)):
            if name not in documented and not plain.search(name) and not rows.match(name):
                yield f'{header.relative_to(root)}: {name} has no doc comment'


def crowded(root):
    """Folders of the program and of its tests with more files than one finds one's way in."""
    for folder in ('app', 'core', 'ui', *(f'tests/{path.name}' for path in (root / 'tests').iterdir()
                                          if path.is_dir() and path.name != 'data')):
        for path in (root / folder, *sorted(p for p in (root / folder).rglob('*') if p.is_dir())):
            n = sum(entry.is_file() and entry.suffix != '.pyc' for entry in path.iterdir())
            if n > MAX_FILES:
                yield f'{path.relative_to(root)}: {n} files, at most {MAX_FILES}'


def misplaced(where, line):
    """What may stand in some places alone."""
    if where.startswith('tests/') and where not in WAITS and SLEEP.search(line):
        return 'a test waits for a condition (tests/core/fixture/wait.h, tests/app/driver.py), not for a time'
    if CHECK_FAMILIES and where.startswith(('app/', 'core/', 'ui/')) and not where.startswith(FAMILY_FOLDERS) and \
            FAMILY.search(line):
        return 'a family of targets is asked for outside ' + ' and '.join(FAMILY_FOLDERS)
    if where.startswith(('app/', 'core/', 'ui/')) and where != PARSE_PLACE and PARSES.search(line):
        return 'JSON is read with AssayJsonReader, which bounds its depth'
    if where.startswith(('app/', 'core/', 'ui/')) and where not in FILE_PLACES and FILES.search(line):
        return 'a file is opened past assay_file_read (), assay_file_map_new () and assay_file_write ()'
    return None


def unstopped(root):
    """Files that start work in threads for which no test is named that stops it, and the other way round."""
    found = {str(path.relative_to(root)) for folder in JOB_FOLDERS for path in (root / folder).rglob('*.c')
             if any(WORKS.search(line) and not line.startswith(' *') for line in path.read_text().splitlines())}
    rows = dict(line.split(':', 1) for line in (root / JOBS).read_text().splitlines() if line and line[0] != '#')
    paths = {name for path in (root / 'tests').rglob('test-*.c') for name in re.findall(r'"(/[\w/-]+)"', path.read_text())}
    for where in sorted(found - set(rows)):
        yield f'{where}: starts work in a thread, and {JOBS} has no test that stops it'
    for where in sorted(set(rows) - found):
        yield f'{JOBS}: {where} starts no work'
    for where, names in sorted(rows.items()):
        for name in () if names.strip().startswith('-') else names.split():
            if name not in paths:
                yield f'{JOBS}: {where}: there is no test {name}'


def unreasoned(root):
    """Rows of tests that only ./dev test all runs: a reason is missing, or the test is."""
    words = {name for path in (root / 'tests').rglob('meson.build') for name in re.findall(r"'([\w-]+)'", path.read_text())}
    for line in (root / ONLY_ALL).read_text().splitlines():
        name, _, reason = line.partition(': ')
        if line and line[0] != '#' and (not reason or name.removesuffix('-slow').removeprefix('fuzz-') not in words):
            yield f'{ONLY_ALL}: {line}: is no test with its reason'


def unfuzzed(root):
    """Readers of what comes from outside that the list of fuzz targets does not know, and the other way round."""
    found = {str(path.relative_to(root)) for folder in ('app', 'core', 'ui') for path in (root / folder).rglob('*.c')
             if any(READS.search(line) and not line.startswith((' *', 'assay_')) for line in path.read_text().splitlines())}
    rows = dict(line.split(':', 1) for line in (root / READERS).read_text().splitlines() if line and line[0] != '#')
    targets = {path.stem.removeprefix('fuzz-') for path in (root / 'tests/fuzz').glob('fuzz-*.c')}
    built = set(re.findall(r"^  '([\w-]+)': \{", (root / 'tests/fuzz/meson.build').read_text(), re.M))
    named = {name for names in rows.values() if not names.strip().startswith('-') for name in names.split()}
    for where in sorted(found - set(rows)):
        yield f'{where}: reads something from outside, and {READERS} has no row for it'
    for where in sorted(rows):
        if not (root / where).is_file() or (where not in found and named.isdisjoint(rows[where].split())):
            yield f'{READERS}: {where} reads nothing'
    for name in sorted(targets ^ built):
        yield f'tests/fuzz: {name} is built or written, not both'
    for name in sorted(named ^ targets):
        yield f'{READERS}: {name} is no fuzz target, or has no reader'


def unchecked(root):
    """Golden files that do not tell what says that they are right, and tests that write some that are not listed."""
    writers = {str(path.relative_to(root)) for suffix in ('c', 'py') for path in (root / 'tests').rglob(f'*.{suffix}')
               if WRITES_GOLDEN.search(path.read_text()) and path.name != 'check-source.py'}
    for where in sorted(writers ^ set(GOLDEN)):
        yield f'{where}: golden files are written by this or listed in check-source.py, not both'
    for writer, pattern in sorted(GOLDEN.items()):
        paths = [path for path in sorted(root.glob(pattern)) if path.name != 'README.md']
        if not paths:
            yield f'{writer}: there is no file {pattern}'
        for path in paths:
            readme = path.parent / 'README.md'
            rows = CHECKED_ROW.findall(readme.read_text()) if readme.exists() else []
            said = CHECKED.findall(path.read_text(errors='replace')[:1000]) + \
                [by for name, by in rows if fnmatch.fnmatch(path.name, name)]
            if not said:
                yield f'{path.relative_to(root)}: does not tell what checks that it is right'
            for name in re.findall(r'tests/[\w/.-]+\w', ' '.join(said)):
                if not (root / name).exists():
                    yield f'{path.relative_to(root)}: is checked by {name}, which does not exist'


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found, lengths = [*undocumented(root), *crowded(root), *unfuzzed(root), *unstopped(root), *unreasoned(root), *unchecked(root)], []
    for path in sources(root, CODE):
        where = path.relative_to(root)
        lines = path.read_text().splitlines()
        if path.suffix == '.c' and where.parts[0] in ('app', 'core', 'ui'):
            lengths.append(len(lines))
        if len(lines) > MAX_LINES:
            found.append(f'{where}: {len(lines)} lines, at most {MAX_LINES}')
        if not any('SPDX-License-Identifier' in line for line in lines[:4]):
            found.append(f'{where}: no SPDX line')
        for number, line in enumerate(lines, 1):
            if WORDS.search(line):
                found.append(f'{where}:{number}: {line.strip()}')
            if path.suffix in ('.c', '.h') and len(line) > MAX_COLUMNS:
                found.append(f'{where}:{number}: {len(line)} columns, at most {MAX_COLUMNS}')
            trouble = misplaced(str(where), line)
            if trouble:
                found.append(f'{where}:{number}: {trouble}')
            if line != line.rstrip() or '\t' in line:
                found.append(f'{where}:{number}: tab or space at the end')
    if lengths and statistics.median(lengths) > MAX_MEDIAN:
        found.append(f'median length of the C files is {statistics.median(lengths):.0f} lines, at most {MAX_MEDIAN}')
    for line in found:
        print(line)
    print(f'{len(found)} complaints')
    return 1 if found else 0


sys.exit(main())
