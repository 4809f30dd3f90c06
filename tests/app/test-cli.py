#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as a person or a script would: formats, exit codes, bad input.

Arguments: the assay program, the folder of the built examples, the top of the source tree."""
import contextlib
import copy
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_sarif  # noqa: E402
import processes  # noqa: E402

ASSAY = pathlib.Path(sys.argv.pop(1)).resolve()
EXAMPLES = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(sys.argv.pop(1))
COMMANDS = ('check', 'fix', 'show', 'inspect', 'quantize', 'compile', 'metrics', 'cycles', 'survey', 'dump', 'run', 'compare', 'reduce', 'conformance',
            'qualify', 'deploy', 'boards', 'targets', 'help', 'version')
VERDICTS = ('rejected', 'host', 'undecided', 'fused', 'transformed', 'removed', 'supported')
TARGET = 'ia_420f_c6b32'


def run(*arguments, **options):
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, timeout=600, **options)


def example(name):
    return EXAMPLES / f'{name}.onnx'


def document(*arguments):
    return json.loads(run(*arguments).stdout)


def work_for_all(folder):
    """Every command that there is, with arguments that give it work."""
    (folder / 'out').mkdir()
    processes.save_model(folder / 'm.onnx', 64, 2)
    processes.save_refused(folder / 'r.onnx')
    processes.save_case(folder / 'cases/one', folder / 'm.onnx')
    subprocess.run([ASSAY, 'compile', folder / 'm.onnx', '--target', TARGET, '-o', folder / 'p.assayp'], check=True, capture_output=True)
    rows = processes.commands(folder / 'm.onnx', folder / 'r.onnx', folder / 'p.assayp', folder / 'cases')
    if set(processes.table(ASSAY)) != set(rows):
        raise AssertionError(set(processes.table(ASSAY)) ^ set(rows))
    return rows


class Usage(unittest.TestCase):
    def test_help(self):
        text = run('help').stdout
        for command in COMMANDS:
            self.assertIn(f'  {command} ', text)
            self.assertIn('Usage:', run(command, '--help').stdout)
            self.assertEqual(run('help', command).stdout, run(command, '--help').stdout)
        self.assertEqual(run('help').returncode, 0)
        self.assertEqual(run('--help').stdout, text)

    def test_no_command(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn('Commands:', done.stdout)

    def test_version(self):
        version = re.search(r"^  version: '([^']+)'", (ROOT / 'meson.build').read_text(), re.M).group(1)
        self.assertEqual(run('version').stdout.splitlines()[0], f'assay {version}')

    def test_unknown(self):
        done = run('chekc')
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean `check`?', done.stderr)
        self.assertNotIn('did you mean', run('frobnicate').stderr)
        self.assertEqual(run('check', '--frobnicate').returncode, 2)
        self.assertEqual(run('targets', 'lsit').returncode, 2)
        self.assertIn('did you mean `list`?', run('targets', 'lsit').stderr)


class Check(unittest.TestCase):
    def test_members(self):
        done = document('check', example('many-refusals'), '--target', TARGET, '--json')
        self.assertEqual(done['schema'], 'assay.check/1')
        self.assertEqual(done['target'], TARGET)
        self.assertEqual(done['model'], str(example('many-refusals')))
        self.assertGreater(done['summary']['rejected'], 5)
        self.assertFalse(done['summary']['clean'])
        for node in done['nodes']:
            self.assertLessEqual({'name', 'op_type', 'verdict', 'engine', 'into', 'rule', 'reason', 'stage', 'source'},
                                 node.keys())
            self.assertIn(node['verdict'], VERDICTS)
            if node['verdict'] in ('rejected', 'host', 'undecided'):
                self.assertTrue(node['reason'], node)
                self.assertTrue(node['rule'], node)
            if node['verdict'] == 'fused':
                self.assertTrue(node['into'], node)
        for cause in done['causes']:
            self.assertLessEqual({'rule', 'reason', 'count'}, cause.keys())

    def test_sums(self):
        for name in ('mlp', 'lstm', 'streaming-cnn', 'transformer-block', 'many-refusals'):
            for target in target_ids():
                with self.subTest(model=name, target=target):
                    done = document('check', example(name), '--target', target, '--json')
                    counts = {verdict: 0 for verdict in VERDICTS}
                    for node in done['nodes']:
                        counts[node['verdict']] += 1
                    self.assertEqual(counts, {verdict: done['summary'][verdict] for verdict in VERDICTS})
                    self.assertEqual(done['summary']['nodes'], len(done['nodes']))
                    reported = sum(counts[verdict] for verdict in ('rejected', 'host', 'undecided'))
                    self.assertEqual(sum(cause['count'] for cause in done['causes']
                                         if cause['verdict'] in ('rejected', 'host', 'undecided')), reported)

    def test_every_onnx_node_once(self):
        """Every node of the file is one row; rows beyond those are nodes that a pass made."""
        for name in ('mlp', 'lstm', 'streaming-cnn', 'transformer-block', 'many-refusals'):
            total = document('show', example(name), '--json')['nodes']
            for target in target_ids():
                with self.subTest(model=name, target=target):
                    rows = [node['name'] for node in document('check', example(name), '-t', target, '--json')['nodes']]
                    self.assertEqual(len(rows), len(set(rows)), 'a name occurs twice')
                    self.assertGreaterEqual(len(rows), total)

    def test_text(self):
        done = run('check', example('many-refusals'), '--target', TARGET)
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        summary = document('check', example('many-refusals'), '--target', TARGET, '--json')['summary']
        self.assertIn(f'{summary["nodes"]} nodes, {summary["rejected"]} rejected', lines[0])
        self.assertIn('Causes', lines)
        self.assertIn('Nodes', lines)
        rows = lines[lines.index('Nodes') + 1:]
        self.assertEqual(len(rows), summary['nodes'])
        self.assertEqual(sum(row.startswith('  rejected ') for row in rows), summary['rejected'])
        self.assertNotIn('\033', done.stdout)

    def test_sarif(self):
        for name in ('mlp', 'many-refusals'):
            done = run('check', example(name), '--target', TARGET, '--format', 'sarif')
            log = json.loads(done.stdout)
            self.assertEqual(check_sarif.faults(log), [])
            report = document('check', example(name), '--target', TARGET, '--json')
            levels = [result['level'] for result in log['runs'][0]['results']]
            for level, verdict in (('error', 'rejected'), ('warning', 'undecided'), ('note', 'host')):
                found = sum(finding['severity'] == level for finding in report['findings'])
                self.assertEqual(levels.count(level), report['summary'][verdict] + found)
            prints = [result['partialFingerprints']['assayNode/v1'] for result in log['runs'][0]['results']]
            self.assertEqual(len(prints), len(set(prints)))

    def test_sarif_checker(self):
        """The checker finds what is wrong with a log."""
        log = json.loads(run('check', example('many-refusals'), '--target', TARGET, '--format', 'sarif').stdout)
        damages = (
            lambda log: log.pop('version'),
            lambda log: log.update(extra=1),
            lambda log: log['runs'][0].pop('tool'),
            lambda log: log['runs'][0]['tool']['driver'].pop('name'),
            lambda log: log['runs'][0]['tool']['driver']['rules'].append(log['runs'][0]['tool']['driver']['rules'][0]),
            lambda log: log['runs'][0]['results'][0].update(ruleIndex=1000),
            lambda log: log['runs'][0]['results'][0].update(ruleId='no-such-rule'),
            lambda log: log['runs'][0]['results'][0].update(level='fatal'),
            lambda log: log['runs'][0]['results'][0]['message'].update(text=''),
            lambda log: log['runs'][0]['artifacts'][0]['location'].update(uri='a b'),
            lambda log: log['runs'][0]['invocations'][0].pop('executionSuccessful'),
        )
        self.assertTrue(log['runs'][0]['results'])
        for damage in damages:
            bad = copy.deepcopy(log)
            damage(bad)
            self.assertNotEqual(check_sarif.faults(bad), [])

    def test_junit(self):
        done = run('check', example('many-refusals'), '--target', TARGET, '--format', 'junit')
        suites = xml.etree.ElementTree.fromstring(done.stdout)
        summary = document('check', example('many-refusals'), '--target', TARGET, '--json')['summary']
        self.assertEqual(suites.tag, 'testsuites')
        (suite,) = suites.findall('testsuite')
        self.assertEqual(int(suite.get('tests')), len(suite.findall('testcase')))
        self.assertEqual(int(suite.get('failures')), summary['rejected'])
        self.assertEqual(len(suite.findall('testcase/failure')), summary['rejected'])
        self.assertEqual(int(suite.get('errors')), len(suite.findall('testcase/error')))
        for failure in suite.findall('testcase/failure'):
            self.assertTrue(failure.get('message'))
            self.assertTrue(failure.get('type'))

    def test_emit_onnx(self):
        """A model is written again, proven, and is the same to everyone who reads it."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'again.onnx'
            done = run('show', example('mlp'), '--emit', 'onnx', '-o', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r'again\.onnx: opset 13\. Read back: 1 output equal to the bit for 2 random inputs')
            text = run('show', path, '--emit', 'nnir').stdout
            self.assertEqual(text.split('\nmain ')[1], run('show', example('mlp'), '--emit', 'nnir').stdout.split('\nmain ')[1])
            self.assertEqual(os.listdir(folder), ['again.onnx'])

            # Sizes that are bound stay so.
            self.assertEqual(run('show', example('mlp'), '--bind', 'batch=3', '--emit', 'onnx', '-o', path).returncode, 0)
            self.assertEqual(document('show', path, '--json')['inputs'][0]['shape'][0], 3)

            # The canonical form is written with operations of ONNX.
            done = run('show', example('mlp'), '--level', 'nnir', '--emit', 'onnx', '-o', path)
            self.assertIn('equal to the bit', done.stdout)
            self.assertIn('MatMul', run('show', path, '--emit', 'nnir').stdout)
            self.assertEqual(run('show', example('mlp'), '--emit', 'onnx').returncode, 2)
            self.assertEqual(run('show', example('mlp'), '--emit', 'onnx', '-o', f'{folder}/no/such.onnx').returncode, 3)
            self.assertEqual(os.listdir(folder), ['again.onnx'])

    @contextlib.contextmanager
    def policy(self, *entries):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'policy.json'
            path.write_text(json.dumps({'schema': 'assay.policy/1', 'entries': entries}, indent=1), encoding='utf-8')
            yield ['check', example('many-refusals'), '--target', TARGET, '--policy', path]

    def accept_all(self, **members):
        nodes = document('check', example('many-refusals'), '--target', TARGET, '--json')['nodes']
        rules = sorted({node['rule'] for node in nodes if node['verdict'] in ('rejected', 'undecided')})
        return [{'rule': rule, 'reason': f'known: {rule}', **members} for rule in rules]

    def test_policy(self):
        """What a policy accepts keeps its verdict, says why, and no longer fails."""
        with self.policy(*self.accept_all()) as command:
            done = run(*command, '--json')
            report = json.loads(done.stdout)
            summary = report['summary']
            self.assertEqual(done.returncode, 0)
            self.assertTrue(summary['clean'])
            self.assertGreater(summary['rejected'], 0)
            self.assertEqual(summary['accepted'], summary['rejected'] + summary['undecided'])
            accepted = [node for node in report['nodes'] if 'accepted' in node]
            self.assertEqual(len(accepted), summary['accepted'])
            for node in accepted:
                self.assertEqual(node['accepted']['reason'], f'known: {node["rule"]}')
                self.assertIn(node['verdict'], ('rejected', 'undecided'))
            self.assertEqual(sum(entry['matches'] for entry in report['policy']['entries']), summary['accepted'])

            text = run(*command).stdout
            self.assertIn(f'{summary["rejected"]} rejected ({summary["rejected"]} accepted)', text)
            self.assertIn('\nAccepted\n', text)

            log = json.loads(run(*command, '--format', 'sarif').stdout)
            self.assertEqual(check_sarif.faults(log), [])
            suppressed = [result['suppressions'] for result in log['runs'][0]['results'] if result['suppressions']]
            self.assertEqual(len(suppressed), summary['accepted'])
            self.assertEqual({suppression['kind'] for (suppression,) in suppressed}, {'external'})
            self.assertTrue(all(suppression['justification'].startswith('known: ') for (suppression,) in suppressed))

            (suite,) = xml.etree.ElementTree.fromstring(run(*command, '--format', 'junit').stdout)
            self.assertEqual(suite.get('failures'), '0')
            self.assertEqual(int(suite.get('skipped')), summary['accepted'])
            self.assertEqual(len(suite.findall('testcase/skipped')), summary['accepted'])

    def test_policy_in_part(self):
        rejected = [node for node in document('check', example('many-refusals'), '--target', TARGET, '--json')['nodes']
                    if node['verdict'] == 'rejected']
        entry = {'rule': rejected[0]['rule'], 'node': rejected[0]['name'], 'op_type': rejected[0]['op_type'], 'reason': 'seen'}
        with self.policy(entry) as command:
            done = run(*command, '--json')
            report = json.loads(done.stdout)
            self.assertEqual(done.returncode, 1)
            self.assertEqual([node['name'] for node in report['nodes'] if 'accepted' in node], [rejected[0]['name']])

    def test_policy_stale(self):
        """An entry that matches nothing is told with its line; one for another target is not."""
        with self.policy({'rule': 'no-such-rule', 'reason': 'x'},
                         {'rule': 'no-such-rule', 'reason': 'x', 'target': 'vulkan-main'}) as command:
            found = [finding for finding in json.loads(run(*command, '--json').stdout)['findings']
                     if finding['rule'] == 'policy.stale']
            self.assertEqual(len(found), 1)
            self.assertIn('policy.json:4: the entry for no-such-rule matches nothing', found[0]['message'])
            self.assertIn('matches nothing', run(*command).stdout)

    def test_policy_expired(self):
        with self.policy(*self.accept_all(expires='2001-01-01')) as command:
            done = run(*command, '--json')
            report = json.loads(done.stdout)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(report['summary']['accepted'], 0)
            self.assertIn('policy.expired', {finding['rule'] for finding in report['findings']})
        with self.policy(*self.accept_all(expires='9999-12-31')) as command:
            self.assertEqual(run(*command).returncode, 0)

    def test_policy_bad(self):
        with self.policy({'rule': 'x'}) as command:
            done = run(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn('policy.json: line 4, column 3: entries[0]', done.stderr)
            command[-1] = command[-1].with_name('none.json')
            self.assertEqual(run(*command).returncode, 3)

    def test_exit_codes(self):
        self.assertEqual(run('check', example('many-refusals'), '--target', TARGET).returncode, 1)
        self.assertEqual(run('check', example('mlp'), '--target', TARGET, '--bind', 'batch=1').returncode, 0)

    def test_output_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'report.json'
            done = run('check', example('mlp'), '--target', TARGET, '--json', '-o', path)
            self.assertEqual(done.stdout, '')
            self.assertEqual(json.loads(path.read_text())['schema'], 'assay.check/1')
            self.assertEqual(run('check', example('mlp'), '--target', TARGET, '-o', f'{folder}/no/such').returncode, 3)
            self.assertEqual(os.listdir(folder), ['report.json'])

    def test_output_is_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo, link, real = f'{folder}/fifo', f'{folder}/link', f'{folder}/real'
            os.mkfifo(fifo)
            pathlib.Path(real).write_text('old', encoding='utf-8')
            os.symlink('real', link)
            reader = subprocess.Popen(['cat', fifo], stdout=subprocess.PIPE)
            run('check', example('mlp'), '--target', TARGET, '--json', '-o', fifo)
            self.assertEqual(json.loads(reader.communicate()[0])['schema'], 'assay.check/1')
            self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))
            run('check', example('mlp'), '--target', TARGET, '--json', '-o', link)
            self.assertTrue(os.path.islink(link))
            with open(real, encoding='utf-8') as file:
                self.assertEqual(json.load(file)['schema'], 'assay.check/1')

    def test_usage_in_json(self):
        for arguments in (('check', '--json', '--bogus'), ('show', '--bogus', '--json'), ('targets', '-x', '--json')):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(json.loads(done.stdout)['error']['code'], 'INVALID')

    def test_unknown_command_in_json(self):
        done = run('chekc', '--json')
        self.assertEqual(done.returncode, 2)
        self.assertIn('`check`', json.loads(done.stdout)['error']['message'])
        self.assertEqual(run('chekc').stdout, '')

    def test_full_disk(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([ASSAY, 'check', example('mlp'), '--target', TARGET], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=600)
        self.assertEqual(done.returncode, 3)
        self.assertIn('No space left', done.stderr)

    def test_binding(self):
        shapes = document('check', example('mlp'), '--target', TARGET, '--json', '--bind', 'batch=7')['inputs'][0]
        self.assertEqual(shapes['shape'], [7, 64])
        shapes = document('check', example('mlp'), '--target', TARGET, '--json',
                          '--override-input-shapes', '3,64')['inputs'][0]
        self.assertEqual(shapes['shape'], [3, 64])

    def test_streaming(self):
        good = run('check', example('streaming-cnn'), '--target', TARGET, '--streaming-transform', '2')
        self.assertIn(good.returncode, (0, 1), good.stderr)
        for wrong in ('two', '-1', '64'):
            bad = run('check', example('streaming-cnn'), '--target', TARGET, '--streaming-transform', wrong)
            self.assertEqual(bad.returncode, 2, wrong)
            self.assertIn(wrong, bad.stderr)

    def test_transformer_with_dynamic_weights(self):
        options = ('check', example('transformer-block'), '--target', TARGET, '--json', '--bind', 'batch=1', '--bind', 'seq=8')
        without = document(*options)['summary']['rejected']
        self.assertGreater(without, 0)
        self.assertLess(document(*options, '--allow-dynamic-weights')['summary']['rejected'], without)


class Families(unittest.TestCase):
    """What is said where the backend of a target cannot do what a command wants."""

    def refuse(self, says, target, *arguments):
        done = run(*arguments, '--target', target)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(target, done.stderr)
        self.assertIn(says, done.stderr)

    def others(self, *families):
        targets = {entry['family']: entry['id'] for entry in document('targets', '--json')['targets']}
        self.assertEqual(set(targets), {'block-streaming', 'delegate', 'dpu'})
        return [targets[family] for family in families]

    def test_streaming_options(self):
        model = example('mlp')
        commands = [('check', model), ('fix', model), ('show', model, '--emit', 'svg', '--output', 'x.svg')]
        for target in self.others('delegate', 'dpu'):
            for command in commands:
                self.refuse('--streaming-transform is for block-streaming targets', target, *command, '--streaming-transform', '0')
            for command in commands[:2]:
                for options in (('--data-dim', 'x=1'), ('--allow-dynamic-weights',)):
                    self.refuse(f'{options[0]} is for block-streaming targets', target, *command, *options)

    def test_other_machines(self):
        """A program of a delegate is made, and nothing that the machine or a board would have to do with it."""
        model = example('mlp')
        bind = ('--bind', 'batch=1')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'new'
            program = pathlib.Path(folder) / 'program'
            for target in self.others('delegate'):
                for on in ('vm', 'dpu'):
                    self.refuse('that is vulkan', target, 'run', model, '--on', on, '--random', '1', *bind)
                self.refuse('its programs run on graphics processors', target, 'deploy', model, '--board', 'ssh:nobody@127.0.0.1', *bind)
                self.refuse('are not counted', target, 'show', model, '--emit', 'svg', '--colour-by', 'cycles', '--output', path, *bind)
                done = run('compile', model, '--io-only', '-o', path, '--target', target, *bind)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertFalse(path.exists())
                self.assertEqual(run('compile', model, '-o', program, '--target', target, *bind).returncode, 0)
                self.assertIn('aten.linear', run('dump', program).stdout)
                self.assertIn('Device Memory', run('metrics', program).stdout)
                done = run('cycles', program)
                self.assertEqual(done.returncode, 2)
                self.assertIn('are not counted', done.stderr)


class Terminal(unittest.TestCase):
    def on_terminal(self, environment, *arguments, cwd=None):
        main, sub = pty.openpty()
        process = subprocess.Popen([ASSAY.resolve(), *(arguments or ('check', example('mlp'), '--target', TARGET))], stdout=sub, stderr=sub,
                                   env={**os.environ, 'TERM': 'xterm', **environment}, cwd=cwd)
        os.close(sub)
        text = b''
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(main)
        self.status = process.wait(600)
        return text

    def test_no_bytes(self):
        """What every command, and every form of `show`, writes to a terminal is text; what is none is refused there."""
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            rows = work_for_all(folder)
            wanted = [(name, *arguments) for name, arguments in rows.items()]
            # Their output is a report unless it has to be a file.
            wanted = [row if row[0] in ('compile', 'quantize', 'reduce') or '-o' not in row else row[:row.index('-o')] for row in wanted]
            forms = Output.FORMS['show']
            wanted += [('show', folder / 'm.onnx', '--emit', form, *(('--target', TARGET) if form in ('svg', 'pdf', 'png') else ())) for form in forms]
            for row in wanted:
                with self.subTest(row):
                    text = self.on_terminal({}, *row, cwd=folder).decode()
                    plain = re.sub('\033\\[[0-9;]*[mK]', '', text)
                    self.assertEqual([c for c in plain if ord(c) < 32 and c not in '\n\r\t' or 127 <= ord(c) < 160], [], row)
                    if row[-1] == TARGET and row[-3] in ('pdf', 'png'):
                        self.assertEqual(self.status, 2)
                        self.assertIn('--output FILE', text)

    def test_colours(self):
        self.assertIn(b'\033[', self.on_terminal({}))
        self.assertNotIn(b'\033[', self.on_terminal({'NO_COLOR': '1'}))
        self.assertNotIn(b'\033[', self.on_terminal({'TERM': 'dumb'}))


class Output(unittest.TestCase):
    """The form of a report: what the option says, or else the ending of the file; for every command that writes one."""
    REPORT = ['text', 'json']
    FORMS = {
        'check': ['text', 'json', 'sarif', 'junit'], 'conformance': ['text', 'json', 'junit'], 'qualify': ['text', 'json', 'junit', 'csv'],
        'show': ['text', 'json', 'dot', 'nnir', 'torch', 'contract', 'passes', 'backends', 'onnx', 'svg', 'pdf', 'png'], 'dump': ['text'],
        'metrics': REPORT, 'cycles': REPORT, 'run': REPORT, 'compare': REPORT, 'inspect': REPORT, 'survey': REPORT, 'deploy': REPORT,
        'boards': REPORT, 'targets': REPORT, 'doctor': REPORT}
    # What these write is no report, or nothing that goes into a file.
    OTHERS = {'fix', 'quantize', 'compile', 'reduce', 'help', 'version'}
    ENDINGS = {'text': ['', '.txt', '.log'], 'json': ['.json', '.JSON'], 'sarif': ['.sarif', '.sarif.json'], 'junit': ['.xml'], 'csv': ['.csv'],
               'dot': ['.dot', '.gv'], 'nnir': ['.nnir'], 'onnx': ['.onnx'], 'svg': ['.svg'], 'pdf': ['.pdf'], 'png': ['.png'],
               'html': ['.html', '.htm'], 'markdown': ['.md'], 'tsv': ['.tsv']}
    # What a file of a form begins with.
    STARTS = {'text': rb'(?![{<%])[ A-Za-z0-9/][^\n]*\n', 'json': rb'\{\n +"schema": "assay\.', 'sarif': rb'\{\n +"\$schema": ".*sarif', 'junit': rb'<\?xml.*\n<testsuite',
              'csv': rb'name,status,stage,', 'dot': rb'digraph ', 'nnir': rb'nnir |graph |//', 'onnx': rb'\x08', 'svg': rb'<\?xml.*\n<svg|<svg', 'pdf': rb'%PDF-',
              'png': rb'\x89PNG'}

    def rows(self, folder):
        """Every command with arguments that give it work, without what says where its output goes."""
        rows = work_for_all(folder)
        self.assertEqual(set(rows), set(self.FORMS) | self.OTHERS)
        return {name: [name, *(row[:row.index('-o')] if '-o' in row else row)] for name, row in rows.items()}

    def test_every_command(self):
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            rows = self.rows(folder)
            for name in self.OTHERS:
                self.assertNotIn('the ending of FILE', run(name, '--help').stdout)
            for name, forms in self.FORMS.items():
                option = '--emit' if name == 'show' else '--format'
                text = re.sub(r'\s+', ' ', run(name, '--help').stdout)
                listed = re.search(option + '=FORM What to write: ([^;]*); if not given, what the ending of FILE says', text)
                self.assertIsNotNone(listed, name)
                self.assertEqual(re.split(', | or ', listed[1]), forms, name)
                for form, endings in self.ENDINGS.items():
                    extra = ['--target', TARGET] if name == 'show' and form in ('svg', 'pdf', 'png') else []
                    for ending in endings:
                        with self.subTest(command=name, ending=ending):
                            self.one(rows[name] + extra, folder / f'{name}-{form}{ending}', forms, form, option)

    def one(self, row, path, forms, form, option):
        done = run(*row, '-o', path, cwd=path.parent)
        if form not in forms:
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f'--output {path}: this command writes', done.stderr)
            self.assertFalse(path.exists())
            # The option has the last word.
            done = run(*row, '-o', path, option, 'text', cwd=path.parent)
            form = 'text'
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertRegex(path.read_bytes(), rb'\A(' + self.STARTS[form] + b')')

    def test_option_against_ending(self):
        with tempfile.TemporaryDirectory() as holder:
            path = pathlib.Path(holder) / 'report'
            for arguments, ending, form in ((['--json'], '.csv', 'json'), (['--format', 'text'], '.json', 'text'), (['--format', 'sarif'], '.json', 'sarif'),
                                            (['--format', 'junit'], '.sarif', 'junit')):
                named = path.with_suffix(ending)
                self.assertIn(run('check', example('mlp'), '--target', TARGET, '-o', named, *arguments).returncode, (0, 1))
                self.assertRegex(named.read_bytes(), rb'\A(' + self.STARTS[form] + b')')

    def test_errors(self):
        """A report that was to be JSON is JSON where there is only an error to tell, however that was asked for."""
        for asked in (['--json'], ['--format', 'json'], ['--format=json'], ['-f', 'json'], ['-o', 'x.json']):
            self.assertEqual(document('check', 'no-such-file.onnx', '--target', TARGET, *asked)['error']['message'][:17], 'no-such-file.onnx', asked)
        for asked in (['--json'], ['--format', 'json'], ['--format=json'], ['-f', 'json']):
            self.assertEqual(document('check', '--frobnicate', *asked)['error']['code'], 'INVALID', asked)


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, data):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(data)
        return path

    def refuse(self, *arguments, status=2, says=''):
        for command in (('check', '--target', TARGET), ('show',)):
            if command[0] == 'show' and any(str(a).startswith('--target') for a in arguments):
                continue
            done = run(*command, *arguments)
            self.assertEqual(done.returncode, status, done.stderr + done.stdout)
            self.assertIn(says, done.stderr)
            done = run(*command, *arguments, '--json')
            error = json.loads(done.stdout)
            self.assertEqual(error['schema'], f'assay.{command[0]}/1')
            self.assertIn(error['error']['code'], ('IMPORT', 'INVALID', 'IO', 'UNSUPPORTED'))
            self.assertIn(error['error']['message'], done.stderr)

    def test_files(self):
        good = example('mlp').read_bytes()
        self.refuse(f'{self.folder.name}/missing.onnx', says='No such file')
        self.refuse(self.folder.name, says='is a folder')
        self.refuse('/dev/null', says='not a regular file')
        self.refuse(self.file('empty.onnx', b''), says='is empty')
        self.refuse(self.file('cut.onnx', good[:len(good) // 2]), says='cut.onnx')
        self.refuse(self.file('text.onnx', b'This is not a model, but a letter.\n'), says='text.onnx')
        self.refuse(self.file('picture.onnx', b'\x89PNG\r\n\x1a\n' + bytes(100)), says='picture.onnx')
        self.refuse(self.file('archive.pt', b'PK\x03\x04' + bytes(100)), says='archive.pt')
        self.refuse(says='expected one model')
        self.refuse(example('mlp'), example('lstm'), says='expected one model')

    def test_unreadable(self):
        path = self.file('secret.onnx', example('mlp').read_bytes())
        path.chmod(0)
        if os.access(path, os.R_OK):
            self.skipTest('the root user reads everything')
        self.refuse(path, status=3, says='Permission denied')

    def test_names_are_bytes(self):
        path = os.fsencode(self.folder.name) + b'/\xff\x1b[31m.onnx'
        with open(path, 'wb') as file:
            file.write(example('mlp').read_bytes())
        done = subprocess.run([os.fsencode(ASSAY), b'show', b'--json', path], capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout.decode())['model'].endswith('/\\xff\x1b[31m.onnx'))
        done = subprocess.run([os.fsencode(ASSAY), b'show', path], capture_output=True, timeout=600)
        self.assertNotIn(b'\x1b', done.stdout)

    def test_options(self):
        self.refuse(example('mlp'), '--override-input-shapes', '1,x')
        self.refuse(example('mlp'), '--override-input-shapes', '1,2,3')
        self.refuse(example('mlp'), '--bind', 'batch=-3')
        self.refuse(example('mlp'), '--bind', 'batch')
        self.assertEqual(run('check', example('mlp')).returncode, 2)
        self.assertIn('--target', run('check', example('mlp')).stderr)
        self.assertEqual(run('check', example('mlp'), '--target', TARGET, '--format', 'yaml').returncode, 2)
        self.assertEqual(run('check', example('mlp'), '--target', TARGET, '--data-dim', 'nothing=1').returncode, 2)
        self.assertEqual(run('show', example('mlp'), '--emit', 'png').returncode, 2)

    def test_targets(self):
        done = run('check', example('mlp'), '--target', 'ia_420f_c6b23')
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean `ia_420f_c6b32`?', done.stderr)
        self.assertEqual(run('check', example('mlp'), '--target', self.file('t.json', b'{"id": 3}')).returncode, 2)

    def test_target_files(self):
        """A target file of one's own that cannot be used says what is wrong with it, in both forms of output."""
        whole = (ROOT / 'data' / 'targets' / 'ia_420f_c6b32.json').read_bytes()
        for path, text in ((pathlib.Path(self.folder.name) / 'missing.json', 'missing.json'), (self.folder.name, 'folder'),
                           (self.file('cut.json', whole[:200]), 'cut.json: line '),
                           (self.file('text.json', b'no JSON'), 'text.json: line 1'),
                           (self.file('list.json', b'[]'), 'list.json'), (self.file('empty.json', b''), 'empty.json'),
                           (self.file('member.json', whole.replace(b'"title"', b'"titel"')), 'titel'),
                           (self.file('type.json', whole.replace(b'"config": {', b'"other": {')), 'other')):
            with self.subTest(path=path):
                done = run('check', example('mlp'), '--target', path)
                self.assertIn(done.returncode, (2, 3))
                self.assertIn(text, done.stderr)
                self.assertNotIn('Traceback', done.stderr)
                error = document('check', example('mlp'), '--target', path, '--json')['error']
                self.assertIn(text, error['message'])


class Show(unittest.TestCase):
    def test_json(self):
        done = document('show', example('streaming-cnn'), '--json')
        self.assertEqual(done['schema'], 'assay.show/1')
        self.assertEqual({op['op_type']: op['count'] for op in done['ops']}, {'Conv': 4, 'BatchNormalization': 3, 'Relu': 3})
        self.assertEqual(done['inputs'], [{'name': 'frames', 'type': 'f32[1,32,64]', 'shape': [1, 32, 64]}])
        self.assertEqual(done['opsets'], {'ai.onnx': 17})
        self.assertEqual(done['nodes'], 10)
        convolutions = 64 * 32 * 3 + 64 * 64 * 3 * 2 + 8 * 64
        self.assertEqual(done['parameters'], convolutions + 64 * 3 + 8 + 64 * 4 * 3)
        self.assertEqual(done['parameter_bytes'], 4 * done['parameters'])
        self.assertEqual(done['macs'], 64 * convolutions)
        self.assertEqual(done['macs_unknown'], 0)

    def test_macs(self):
        done = document('show', example('mlp'), '--json', '--bind', 'batch=2')
        self.assertEqual(done['macs'], 2 * (64 * 128 + 128 * 128 + 128 * 10))
        done = document('show', example('lstm'), '--json', '--bind', 'steps=5')
        self.assertEqual(done['macs'], 5 * (256 * (32 + 64) + 256 * (64 + 64) + 64 * 4))
        self.assertGreater(document('show', example('mlp'), '--json')['macs_unknown'], 0)

    @unittest.skipUnless(shutil.which('dot'), 'graphviz is not installed')
    def test_dot(self):
        for name in ('transformer-block', 'many-refusals'):
            text = run('show', example(name), '--emit', 'dot').stdout
            done = subprocess.run(['dot', '-Tplain'], input=text, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, '')
            nodes = [line for line in done.stdout.splitlines() if line.startswith('node n')]
            self.assertEqual(len(nodes), document('show', example(name), '--json')['nodes'])

    def test_pictures(self):
        model = example('transformer-block')
        checked = len(document('check', model, '--target', TARGET, '--json')['nodes'])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'net.svg'
            done = run('show', model, '--target', TARGET, '--emit', 'svg', '-o', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            root = xml.etree.ElementTree.parse(path).getroot()
            groups = [g for g in root.iter('{http://www.w3.org/2000/svg}g') if g.get('id', '').startswith('item-')]
            self.assertGreater(len(groups), checked // 2)
            words = {element.text for element in root.iter('{http://www.w3.org/2000/svg}text')}
            self.assertIn('Softmax', words)
            self.assertEqual(run('show', model, '--target', TARGET, '--emit', 'svg').stdout, path.read_text())
            folded = run('show', model, '--target', TARGET, '--emit', 'svg', '--fold', '--dark', '--colour-by', 'scope')
            self.assertIn('#1e1e1e', folded.stdout)

            model = example('mlp')
            for what, word in (('cycles', 'Predicted cycles'), ('core', 'Core')):
                done = run('show', model, '--target', TARGET, '--emit', 'svg', '--colour-by', what, '--bind', 'batch=1')
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(word, done.stdout)
            values = pathlib.Path(folder) / 'values.csv'
            nodes = [node['name'] for node in document('check', model, '--target', TARGET, '--json')['nodes']]
            values.write_text('name,time [us]\n' + ''.join(f'{name},{i}.5\n' for i, name in enumerate(nodes)) + 'nobody,1\n')
            done = run('show', model, '--target', TARGET, '--emit', 'svg', '--overlay', values)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('1 of ', done.stderr)
            self.assertIn('nobody', done.stderr)
            self.assertIn('0.5', done.stdout)
            model = example('transformer-block')

            path = pathlib.Path(folder) / 'net.pdf'
            self.assertEqual(run('show', model, '--target', TARGET, '--emit', 'pdf', '-o', path).returncode, 0)
            self.assertTrue(path.read_bytes().startswith(b'%PDF-'))
            path = pathlib.Path(folder) / 'net.png'
            self.assertEqual(run('show', model, '--target', TARGET, '--emit', 'png', '-o', path, '--scale', '8').returncode, 0)
            tiles = sorted(pathlib.Path(folder).glob('net-*.png'))
            self.assertEqual([tile.name for tile in tiles][:2], ['net-01.png', 'net-02.png'])
            for tile in tiles:
                header = tile.read_bytes()[:24]
                self.assertEqual(header[:8], b'\x89PNG\r\n\x1a\n')
                self.assertLessEqual(max(int.from_bytes(header[16:20], 'big'), int.from_bytes(header[20:24], 'big')), 8192)
                tile.unlink()
            tiles[-1].mkdir()
            done = run('show', model, '--target', TARGET, '--emit', 'png', '-o', path, '--scale', '8')
            self.assertEqual((done.returncode, sorted(path.parent.glob('net-*.png'))), (3, tiles[-1:]), done.stderr)

            if not shutil.which('dot'):
                self.skipTest('graphviz is not installed')
            text = run('show', model, '--target', TARGET, '--emit', 'dot').stdout
            done = subprocess.run(['dot', '-Tplain'], input=text, capture_output=True, text=True, timeout=600)
            self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_wrong_pictures(self):
        model = example('mlp')
        for arguments, says in ((('--emit', 'svg'), 'needs --target'), (('--target', TARGET), '--target is for pictures'),
                                (('--emit', 'svg', '--target', 'nowhere'), 'nowhere'),
                                (('--emit', 'png', '--target', TARGET, '--scale', '99'), '0.1 to 8'),
                                (('--emit', 'svg', '--target', TARGET, '--area', '1,2,3'), 'X,Y,WIDTH,HEIGHT'),
                                (('--emit', 'svg', '--target', TARGET, '--open', 'no/such'), 'no/such'),
                                (('--emit', 'svg', '--target', TARGET, '--colour-by', 'mood'), 'mood'),
                                (('--emit', 'svg', '--target', TARGET, '--colour-by', 'core', '--overlay', 'x.csv'), 'one of them'),
                                (('--emit', 'svg', '--target', 'vulkan-seed', '--colour-by', 'cycles'), 'vulkan-seed'),
                                (('--emit', 'svg', '--target', 'vulkan-seed', '--streaming-transform', '1'), 'block-streaming')):
            done = run('show', model, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn(says, done.stderr)
        done = run('show', model, '--emit', 'svg', '--target', TARGET, '-o', '/nowhere/net.svg')
        self.assertEqual(done.returncode, 3)
        self.assertIn('/nowhere', done.stderr)

    def test_nnir(self):
        text = run('show', example('mlp'), '--emit', 'nnir').stdout
        self.assertIn('Gemm', text)
        text = run('show', example('mlp'), '--emit', 'nnir', '--level', 'nnir').stdout
        self.assertIn('Linear', text)

    def test_text(self):
        text = run('show', example('lstm')).stdout
        self.assertRegex(text, r'(?m)^  sequence +f32\[steps,1,32\]$')
        self.assertRegex(text, r'(?m)^  2  LSTM$')


class Targets(unittest.TestCase):
    def test_list(self):
        ids = target_ids()
        for name in ('ia_420f_c6b32', 'ia_840f_c3b64', 'ia_840f_c2b64d', 'nt400d11_c6b32', 'v80_c6b32', 'v80ll_c6b32',
                     'vulkan-seed', 'vulkan-main', 'dpu_zdx8g_b512', 'dpu_zdx8g_b4096'):
            self.assertIn(name, ids)
        self.assertEqual(run('targets').stdout, run('targets', 'list').stdout)
        for name in ids:
            self.assertIn(name, run('targets').stdout)

    def test_show_and_validate(self):
        for name in target_ids():
            target = document('targets', 'show', name, '--json')['target']
            self.assertEqual(target['id'], name)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / 'target.json'
                path.write_text(json.dumps(target, indent=1))
                done = run('targets', 'validate', path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                bad = {**target, 'rules': 'none'}
                path.write_text(json.dumps(bad, indent=1))
                done = run('targets', 'validate', path, '--json')
                self.assertEqual(done.returncode, 1)
                self.assertIn('rules', ' '.join(f['message'] + (f['graph_path'] or '') + (f['attribute'] or '')
                                                for f in json.loads(done.stdout)['findings']))

    def test_validate_configuration(self):
        whole = (ROOT / 'data' / 'targets' / 'ia_420f_c6b32.json').read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'own.json'
            for wrong, says in (('"num_cores": "6"', 'num_cores'), ('"num_cores": 65', '1 to 64'), ('"cores": 6', 'cores')):
                path.write_text(whole.replace('"num_cores": 6', wrong))
                done = run('targets', 'validate', path)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(says, done.stdout)
                self.assertIs(document('targets', 'validate', path, '--json')['valid'], False)

    def test_wrong_configuration(self):
        """Whoever loads a target file is told line, column and member of a wrong value."""
        whole = (ROOT / 'data' / 'targets' / 'ia_420f_c6b32.json').read_text()
        line = whole[:whole.index('"num_cores": 6')].count('\n') + 1
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'own.json'
            for wrong, says in (('"num_cores": "six"', 'config.num_cores: 1 to 64 expected, got "six"'),
                                ('"num_cores": -6', 'config.num_cores: 1 to 64 expected, got -6'),
                                ('"num_corse": 6', 'config.num_corse: unknown field')):
                path.write_text(whole.replace('"num_cores": 6', wrong))
                # An indent of four, the name and what stands behind it.
                place = f'line {line}, column {4 + wrong.index(": ") + 3}'
                for command in (('check', example('mlp'), '--target'),
                                ('compile', example('mlp'), '-o', path.with_suffix('.assay'), '--target'),
                                ('run', example('mlp'), '--random=1', '--target'), ('targets', 'show')):
                    done = run(*command, path)
                    self.assertEqual(done.returncode, 2, command)
                    self.assertIn(f'own.json: 1 error in this target file; the first: {place}: {says}', done.stderr)

    def test_validate_bad_file(self):
        self.assertEqual(run('targets', 'validate', '/no/such/file').returncode, 2)
        self.assertEqual(run('targets', 'validate').returncode, 2)
        self.assertEqual(run('targets', 'show', 'nothing').returncode, 2)

    def test_own_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'mine.json'
            target = document('targets', 'show', TARGET, '--json')['target']
            path.write_text(json.dumps({**target, 'id': 'mine'}))
            done = document('check', example('mlp'), '--target', path, '--json')
            self.assertEqual(done['target'], 'mine')

    def test_predicates(self):
        done = document('targets', 'predicates', '--json')['predicates']
        self.assertGreater(len(done), 10)
        text = run('targets', 'predicates').stdout
        for predicate in done:
            self.assertTrue(predicate['doc'])
            self.assertIn(f'\n{predicate["name"]}\n', f'\n{text}')


class Interrupt(unittest.TestCase):
    def test_interrupt(self):
        """Ctrl-C while the program works ends it with the signal's status and without output."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'out.json'
            process = subprocess.Popen([ASSAY, 'check', example('many-refusals'), '--target', TARGET, '--json', '-o', path],
                                       stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=600)
            self.assertIn(process.returncode, (-signal.SIGINT, 128 + signal.SIGINT, 0, 1))
            self.assertEqual(path.exists(), process.returncode in (0, 1))


def message(*fields):
    """A protobuf message of fields with numbers below 16: whole numbers below 128, texts and messages below 128 bytes."""
    return b''.join(bytes([number << 3, value]) if isinstance(value, int) else
                    bytes([number << 3 | 2, len(value)]) + (value if isinstance(value, bytes) else value.encode())
                    for number, value in fields)


def save_pair(path):
    """A Softsign of an open batch, which has to be known before it can be written with other operations."""
    shape = message((1, message((2, 'batch'))), (1, message((1, 8))))
    type_ = message((1, message((1, 1), (2, shape))))
    node = message((1, 'x'), (2, 'y'), (3, 'sign'), (4, 'Softsign'))
    graph = message((1, node), (2, 'pair'), (11, message((1, 'x'), (2, type_))), (12, message((1, 'y'), (2, type_))))
    pathlib.Path(path).write_bytes(message((1, 8), (8, message((2, 17))), (7, graph)))


class Fix(unittest.TestCase):
    def offers(self, *arguments):
        done = document('fix', example('many-refusals'), '--target', 'vulkan-seed', '--no-cycles', '--json', *arguments)
        return {offer['id']: offer for cause in done['causes'] for offer in cause['offers']}, done

    def test_offers(self):
        offers, done = self.offers()
        self.assertEqual(done['schema'], 'assay.fix/1')
        self.assertGreater(len(offers), 0)
        self.assertEqual(done['before'], done['after'])
        for cause in done['causes']:
            self.assertLessEqual(len(cause['offers']), 5)
            self.assertTrue(cause['offers'] or cause['tried'] is not None)
        for offer in offers.values():
            left = [sum(offer[when][verdict] for verdict in VERDICTS[:3]) for when in ('before', 'after')]
            self.assertLessEqual(left[1], left[0])
            self.assertIn(offer['outputs']['sameness'], ('identical', 'rounded', 'different', 'decision', 'no-change', 'not-run'))
        text = run('fix', example('many-refusals'), '--target', 'vulkan-seed', '--no-cycles').stdout
        for key, offer in offers.items():
            self.assertIn(f'  {key} {offer["title"]}', text)

    def test_apply_and_replay(self):
        with tempfile.TemporaryDirectory() as folder:
            record, model = f'{folder}/fixes.json', f'{folder}/fixed.onnx'
            key = next(key for key, offer in self.offers()[0].items() if offer['nodes'])
            done = document('fix', example('many-refusals'), '-t', 'vulkan-seed', '--apply', key, '--save-fixes', record,
                            '-o', model, '--no-cycles', '--json')
            self.assertEqual(len(done['applied']), 1)
            self.assertEqual(done['written'], model)
            self.assertEqual(done['saved']['proof'], 'text')
            self.assertIn('SoftRank', done['saved']['reason'])
            again = self.offers('--fixes', record)[1]
            self.assertEqual((again['applied'], again['after']), (done['applied'], done['after']))
            spelled = self.offers('--fixes', pathlib.Path(record).read_text())[1]
            self.assertEqual((spelled['applied'], spelled['after']), (done['applied'], done['after']))
            # The written model is to the target what the fixed one was.
            summary = document('check', model, '-t', 'vulkan-seed', '--json')['summary']
            self.assertEqual([summary[verdict] for verdict in VERDICTS[:3]], [done['after'][verdict] for verdict in VERDICTS[:3]])

    def test_status(self):
        """A change that is made is success, whatever the target says to the rest; the verdict is that of check."""
        base = ('-t', 'vulkan-seed', '--no-cycles', '--runs', '0')
        with tempfile.TemporaryDirectory() as folder:
            model, record = f'{folder}/fixed.onnx', f'{folder}/fixes.json'
            self.assertEqual(run('fix', example('many-refusals'), *base).returncode, 1)
            done = run('fix', example('many-refusals'), *base, '--best', '-o', model, '--save-fixes', record)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(run('check', model, '-t', 'vulkan-seed').returncode, 1)
            again = run('fix', example('many-refusals'), *base, '--fixes', record, '-o', model)
            self.assertEqual(again.returncode, 0, again.stderr)
            # A fix that does not apply was asked for and is not made.
            lost = run('fix', model, *base, '--fixes', record, '-o', f'{folder}/again.onnx')
            self.assertEqual(lost.returncode, 1, lost.stdout)

    def test_pair(self):
        """Two rewrites that help together are one offer, applied by one number."""
        with tempfile.TemporaryDirectory() as folder:
            model, fixed = f'{folder}/pair.onnx', f'{folder}/fixed.onnx'
            save_pair(model)
            listed = document('fix', model, '-t', 'ia_420f_c6b32', '--json')
            offer = listed['causes'][0]['offers'][0]
            self.assertEqual([fix['rewrite'] for fix in offer['first']], ['bind-shape'])
            self.assertIn('Bind batch to 1, then replace ', offer['title'])
            done = document('fix', model, '-t', 'ia_420f_c6b32', '--apply', '1.1', '-o', fixed, '--json')
            self.assertEqual([fix['rewrite'] for fix in done['applied']], ['bind-shape', 'replace-op'])
            self.assertEqual(done['after'], offer['after'])
            best = document('fix', model, '-t', 'ia_420f_c6b32', '--best', '--json')
            self.assertEqual(best['applied'], done['applied'])
            self.assertEqual(run('check', fixed, '-t', 'ia_420f_c6b32').returncode, 0)

    def test_unasked(self):
        """What drops an input is a decision, and is left to who asks for it."""
        switch = ('main (%x : f32[1,8], %flag : bool[]) {\n'
                  '  %y = If(%flag) {then_branch = region "then" () {\n    %a = Relu(%x)\n    return %a\n  }, '
                  'else_branch = region "else" () {\n    %b = Neg(%x)\n    return %b\n  }} @ "n"\n  return %y\n}\n')
        with tempfile.TemporaryDirectory() as folder:
            model, fixed = pathlib.Path(folder) / 'switch.nnir', f'{folder}/fixed.onnx'
            model.write_text(switch)
            best = document('fix', model, '-t', 'ia_420f_c6b32', '--best', '--json')
            self.assertEqual(best['applied'], [])
            self.assertEqual([(offer['rewrite'], offer['outputs']['sameness'])
                              for offer in best['causes'][0]['offers']], [('hold-input', 'decision')] * 2)
            text = run('fix', model, '-t', 'ia_420f_c6b32', '--best').stdout
            self.assertIn('Not applied unasked', text)
            self.assertNotIn('bit-identical', text)
            run('fix', model, '-t', 'ia_420f_c6b32', '--apply', '1.1', '-o', fixed)
            self.assertEqual(run('check', fixed, '-t', 'ia_420f_c6b32').returncode, 0)

    def test_dropped(self):
        """A shape that is an input is not taken from the file unasked, and that it is not read any more is said."""
        shaped = ('main (%x : f32[2,8], %s : i64[2]) {\n  %y = Reshape(%x, %s) : f32[4,4] @ "r"\n'
                  '  %z = Relu(%y) @ "z"\n  return %z\n}\n')
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / 'shaped.nnir'
            model.write_text(shaped)
            best = document('fix', model, '-t', 'vulkan-main', '--best', '--json')
            self.assertEqual(best['applied'], [])
            outputs = best['causes'][0]['offers'][0]['outputs']
            self.assertEqual(outputs['sameness'], 'decision')
            self.assertIn('input "s" is not asked any more', outputs['dropped'])
            for choice in (('--best',), ('--apply', '1.1')):
                text = run('fix', model, '-t', 'vulkan-main', *choice).stdout
                self.assertEqual(text.count('input "s" is not asked any more'), 1, text)

    def test_exports(self):
        """What exporters make of one layer in several operations is put together again, or written for the target."""
        def constant(name, *sizes):
            count = 1
            for size in sizes:
                count *= size
            numbers = ', '.join(str((i * 37 % 61 - 30) / 64) for i in range(count))
            return f'  const %{name} : f32[{",".join(map(str, sizes))}] = [{numbers}]\n'
        cases = (
            ('(%x : f32[4,32], %z : f32[4,32], %v : f32[4,32])',
             '  %c = Greater(%x, %z) @ "c"\n  %m = Cast(%c) {to = 1} @ "m"\n  %y = Mul(%m, %v) @ "y"\n', ()),
            ('(%x : f32[1,8,16])', constant('w', 8, 8, 3) +
             '  const %s : i64[1] = [0]\n  const %e : i64[1] = [-2]\n  const %a : i64[1] = [2]\n'
             '  %c = Conv(%x, %w) {pads = [2, 2]} @ "c"\n  %y = Slice(%c, %s, %e, %a) @ "y"\n', ('--streaming-transform', '2')),
            ('(%x : f32[1,8,16])', constant('w', 8, 8, 3) + constant('k', 112, 10) +
             '  %c = Conv(%x, %w) @ "c"\n  %r = Relu(%c) @ "r"\n  %f = Flatten(%r) {axis = 1} @ "f"\n'
             '  %y = Gemm(%f, %k) @ "y"\n', ()),
        )
        with tempfile.TemporaryDirectory() as folder:
            for inputs, body, options in cases:
                model, fixed = pathlib.Path(folder) / 'model.nnir', f'{folder}/fixed.onnx'
                model.write_text(f'main {inputs} {{\n{body}  return %y\n}}\n')
                self.assertEqual(run('check', model, '-t', 'ia_420f_c6b32', *options).returncode, 1)
                done = document('fix', model, '-t', 'ia_420f_c6b32', *options, '--best', '-o', fixed, '--json')
                self.assertEqual([fix['rewrite'] for fix in done['applied']], ['replace-op'])
                self.assertEqual(run('check', fixed, '-t', 'ia_420f_c6b32', *done['options']).returncode, 0)

    def test_options(self):
        """What a fix sets outside of the model is said, and with it the written model is what it was."""
        with tempfile.TemporaryDirectory() as folder:
            model, fixed = pathlib.Path(folder) / 'product.nnir', f'{folder}/fixed.onnx'
            model.write_text('main (%x : f32[4,8], %z : f32[8,8]) {\n  %y = MatMul(%x, %z) @ "n"\n  return %y\n}\n')
            base = ('fix', model, '-t', 'ia_420f_c6b32', '--best', '-o', fixed)
            self.assertIn('check it with: --allow-dynamic-weights\n', run(*base).stdout)
            options = document(*base, '--json')['options']
            self.assertEqual(options, ['--allow-dynamic-weights'])
            self.assertEqual(run('check', fixed, '-t', 'ia_420f_c6b32').returncode, 1)
            self.assertEqual(run('check', fixed, '-t', 'ia_420f_c6b32', *options).returncode, 0)

    def test_wrong(self):
        for arguments in (('--apply', 'x'), ('--apply', '1.9'), ('--apply', '99.1'), ('--cause', '99'), ('--runs', '-1'),
                          ('--fixes', '/nonexistent')):
            done = run('fix', example('many-refusals'), '-t', 'vulkan-seed', '--no-cycles', *arguments)
            self.assertIn(done.returncode, (2, 3), arguments)
            self.assertNotEqual(done.stderr, '')
        for value in ('{', '{}', '{"schema": "assay.fixes/2", "fixes": []}'):
            done = run('fix', example('many-refusals'), '-t', 'vulkan-seed', '--no-cycles', '--fixes', value)
            self.assertEqual(done.returncode, 2, value)
            self.assertIn('--fixes', done.stderr)


class Documentation(unittest.TestCase):
    """What the manual says and what the program takes are the same."""

    def options(self, command):
        return set(re.findall(r'(?m)^  (?:-\w, )?(--[a-z0-9-]+)', run(command, '--help').stdout)) - {'--help'}

    def test_manuals(self):
        markdown = (ROOT / 'docs' / 'cli.md').read_text()
        man = (ASSAY.resolve().parent / 'assay.1').read_text().replace('\\-', '-')
        for command in COMMANDS:
            self.assertIn(f'## assay {command}', markdown)
            section = markdown.split(f'## assay {command}')[1].split('\n## ')[0]
            documented = set(re.findall(r'`(--[a-z0-9-]+)', section))
            with self.subTest(command=command):
                self.assertEqual(documented, self.options(command))
                section = man.split(f'.SS {command}\n')[1].split('\n.S')[0]
                for option in self.options(command):
                    self.assertIn(option, section)
                self.assertLessEqual(self.options(command), self.complete(command, '--'))
                self.assertIn(command, self.complete(command[:-1]))

    def complete(self, *words):
        """What the shell offers for the last word."""
        script = '. "$0"; COMP_WORDS=(assay "$@"); COMP_CWORD=$#; _assay; printf "%s\\n" "${COMPREPLY[@]}"'
        path = f'{ASSAY.resolve().parent}:{os.environ["PATH"]}'
        done = subprocess.run(['bash', '-c', script, ASSAY.resolve().parent / 'assay.bash', *words], capture_output=True, text=True,
                              env={**os.environ, 'PATH': path})
        self.assertEqual(done.stderr, '')
        return set(done.stdout.split())


def target_ids():
    return [target['id'] for target in document('targets', 'list', '--json')['targets']]


unittest.main(verbosity=2)
