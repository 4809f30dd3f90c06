# SPDX-License-Identifier: Apache-2.0
"""Names of a model that try to steer a terminal, break a line, close a quote or open a tag: every
command and every report writer shows them, and none of them reaches the output as it is."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from wire import field, node

PROGRAM = sys.argv.pop(1)
TARGET = 'ia_420f_c6b32'
# What all names end with: a sequence that clears the screen, a line of its own, C1 in UTF-8, bidi.
EVIL = '\x1b[2J\nFORGED,"\'<b>&amp;\x9b31m\u202e`$(id)\t\x07\x7f'


def name(word):
    return word + EVIL


def port(number, title, *dims):
    shape = b''.join(field(1, field(1, d)) for d in dims)
    return field(number, field(1, title) + field(2, field(1, field(1, 1) + field(2, shape))))


def weights(title, *dims):
    count = 1
    for d in dims:
        count *= d
    data = struct.pack('<%df' % count, *[0.001 * i for i in range(count)])
    return field(5, b''.join(field(1, d) for d in dims) + field(2, 1) + field(8, title) +
                 field(9, data))


def model(*more):
    x, h, r, y = name('=x'), name('=h'), name('=r'), name('=y')
    graph = (node('MatMul', [x, name('@w')], [h], name('=cmd|first')) +
             node('Relu', [h], [r], name('+second')) +
             node('MatMul', [r, name('@v')], [y], name('-third')) + b''.join(more) +
             field(2, name('graph')) + weights(name('@w'), 32, 32) + weights(name('@v'), 32, 32) +
             port(11, x, 1, 32) + port(12, y, 1, 32))
    return (field(1, 8) + field(2, name('producer')) + field(3, name('1.0')) + field(7, graph) +
            field(8, field(1, '') + field(2, 17)))


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.good = self.write('good', model())
        self.bad = self.write('bad', model(
            node(name('Evil'), [name('=y')], [name('z')], name('=custom'), name('dom'))))

    def write(self, stem, data):
        path = self.folder / (stem + '\x1b[31m\nFORGED<b>.onnx')
        path.write_bytes(data)
        return str(path)

    def run_one(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=1200)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def look(self, text, what):
        """What no output may have, whatever its format."""
        for bad in ('\x1b', '\x9b', '\x07', '\x7f', '\u202e'):
            self.assertNotIn(bad, text, '%r in %s' % (bad, what))
        for line in text.split('\n'):
            self.assertFalse(line.startswith('FORGED'), '%s: a line of the model: %r' % (what, line))

    def check(self, *arguments, codes=(0, 1, 2)):
        code, out, err = self.run_one(*arguments)
        self.assertIn(code, codes, '%s: %s' % (arguments, err))
        self.look(out, arguments)
        self.look(err, arguments)
        return out

    def test_text(self):
        for path in (self.good, self.bad):
            for command in (('check', '--target', TARGET), ('check', '--target', 'vulkan-main'),
                            ('check', '--target', 'dpu_zdx8g_b512'), ('show',),
                            ('show', '--emit', 'nnir'), ('show', '--tensor', name('@w')),
                            ('show', '--tensor', name('@w'), '--json'),
                            ('fix', '--target', TARGET), ('fix', '--target', 'vulkan-main'),
                            ('fix', '--best', '--target', 'vulkan-main'),
                            ('compile', '--target', TARGET, '-o', str(self.folder / 'p')),
                            ('run', '--on', 'reference', '--random', '1'),
                            ('run', '--on', 'vm', '--target', TARGET, '--random', '1'),
                            ('compare', '--target', TARGET, '--random', '1', '--all')):
                with self.subTest(command=command):
                    self.check(command[0], path, *command[1:])

    def test_program(self):
        program = str(self.folder / 'p\x1b[31m\nFORGED')
        self.check('compile', self.good, '--target', TARGET, '-o', program,
                   '--metrics', str(self.folder / 'metrics.json'), codes=(0,))
        self.look((self.folder / 'metrics.json').read_text(), 'metrics')
        for command in ('metrics', 'cycles', 'dump'):
            for options in ((), ('--json',)):
                if command != 'dump' or not options:
                    self.check(command, program, *options, codes=(0,))
        self.check('run', program, '--on', 'vm', '--random', '1',
                   '--output-dir', str(self.folder / 'out'), codes=(0,))
        for path in (self.folder / 'out').iterdir():
            self.assertRegex(path.name, r'^[-\w.]+$')
        self.check('diff', program, program)

    def test_formats(self):
        for path in (self.good, self.bad):
            json.loads(self.check('check', path, '--target', TARGET, '--format', 'json'))
            json.loads(self.check('check', path, '--target', TARGET, '--format', 'sarif'))
            json.loads(self.check('show', path, '--json'))
            json.loads(self.check('fix', path, '--target', 'vulkan-main', '--json'))
            for text in (self.check('check', path, '--target', TARGET, '--format', 'junit'),
                         self.check('show', path, '--emit', 'svg', '--target', TARGET)):
                self.assertFalse([e.tag for e in xml.etree.ElementTree.fromstring(text).iter()
                                  if e.tag.rpartition('}')[2] == 'b'])
            for emit in (('dot',), ('dot', '--target', TARGET), ('nnir',)):
                text = self.check('show', path, '--emit', *emit)
                for line in text.split('\n'):
                    plain = line.replace('\\\\', '').replace('\\"', '')
                    self.assertEqual(plain.count('"') % 2, 0, line)

    def test_files(self):
        target = self.folder / 'target.json'
        target.write_text(json.dumps({
            'schema': 'assay.target/1', 'id': 'mine', 'extends': TARGET, 'title': name('title'),
            'summary': name('summary'), name('member'): 1}))
        for command in ('validate', 'show'):
            self.check('targets', command, str(target))
        overlay = self.folder / 'o\x1b[31m.csv'
        overlay.write_text('name,value\n"%s",1\n' % EVIL.replace('"', '""'))
        self.check('show', self.good, '--emit', 'svg', '--target', TARGET, '--overlay', str(overlay))
        fixes = self.folder / 'fixes.json'
        fixes.write_text(json.dumps({'schema': 'assay.fixes/1', 'fixes': [
            {'rewrite': name('no'), 'nodes': [name('=no')], 'arguments': [name('a=b')]}]}))
        self.check('fix', self.good, '--target', TARGET, '--fixes', str(fixes))
        policy = self.folder / 'policy.json'
        policy.write_text(json.dumps({'schema': 'assay.policy/1', 'entries': [
            {'rule': name('rule'), 'reason': name('because'), name('by'): name('me')}]}))
        self.check('check', self.good, '--target', TARGET, '--policy', str(policy))
        case = self.folder / 'cases' / 'test_e\x1b[31m\nFORGED'
        case.mkdir(parents=True)
        (case / 'model.onnx').write_bytes(model())
        (case / 'test_data_set_0').mkdir()
        self.check('conformance', str(case.parent), '--on', 'reference')

    def test_messages(self):
        for command in (('check', '--target', TARGET), ('run', '--on', 'vm', '--target', TARGET)):
            self.check(*command, str(self.folder / name('missing').replace('/', '')))
        self.check('check', self.good, '--target', name('no'))
        self.check('run', self.good, '--on', name('no'))
        self.check('compile', self.good, '--target', TARGET, '--keep-fp32', name('no'),
                   '-o', str(self.folder / 'q'))
        self.check('compile', self.good, '--target', TARGET, '--pin', name('no') + '=0',
                   '-o', str(self.folder / 'q'))
        self.check('run', self.good, '--on', 'reference', '--input', name('no') + '=zeros')
        self.check('fix', self.good, '--target', TARGET, '--apply', name('1.1@'))
        self.check(name('no-command'))
        self.check('check', name('--no-option'))


if __name__ == '__main__':
    unittest.main(verbosity=1)
