#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finding what a target does not take and fixing it, on an example and, where it is installed, on a model from npm: once
with nothing but keys, which are counted, once through the accessibility bus alone. Then undo, saving the model, the
session file, accepting a finding, and a program that is killed.

usage: test-fix-flow.py PROGRAM CLI EXAMPLE_FOLDER
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from driver import application, case, find, hold_messages, key, message, names, nodes, run, session, title, until, written

TARGET = 'ia_420f_c6b32'
REAL = pathlib.Path('@ricky0123/vad-web/dist/silero_vad_legacy.onnx')
MOST_KEYS = 6


def find_real():
    folder = pathlib.Path(os.environ.get('ASSAY_NPM_DIR', pathlib.Path(__file__).parents[2] / 'build-npm' / 'node_modules'))
    return folder / REAL if (folder / REAL).exists() else None


def rejected():
    node = find('Rejected: ', 'push button')
    found = re.search(r'Rejected: (\d+)', node.get_name().replace(',', '')) if node else None
    return int(found.group(1)) if found else 0


def offers():
    return [(r, n) for r, n, s in names() if r == 'push button' and s and n.startswith('Apply: ')]


def act(action):
    """Carries an action out through the accessibility bus: what a reader offers as the actions of the window."""
    for node in nodes(application()):
        if node.get_role_name() != 'frame':
            continue
        for i in range(node.get_n_actions()):
            if node.get_action_name(i) == action:
                return node.do_action(i)
    return False


def press(name):
    node = find(name, 'push button')
    return node is not None and node.get_n_actions() > 0 and node.do_action(0)


def focus(dialog):
    """Without a window manager nobody gives a new window the focus."""
    def find_window():
        out = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', dialog], capture_output=True, text=True)
        return out.stdout.split()
    window = until(find_window)
    return window[0] if window else None


def type_key(dialog, name):
    window = focus(dialog)
    if window:
        key(window, name)


def type_path(dialog, path):
    window = focus(dialog)
    if not window:
        return
    subprocess.run(['xdotool', 'windowfocus', '--sync', window], capture_output=True)
    case(f'a field of {dialog} takes what is typed', bool(until(written)))
    key(window, 'ctrl+a')
    subprocess.run(['xdotool', 'type', '--delay', '20', str(path)], check=True)
    case(f'the text arrives in {dialog}', bool(until(lambda: written(str(path)))))
    subprocess.run(['xdotool', 'key', 'Return'], check=True)


def refuse_writing(folder):
    """Makes the policy file impossible to write; gives what makes it possible again."""
    blocked = folder / 'assay-policy.json'
    if os.geteuid() == 0:  # who may write everywhere
        blocked.mkdir()
        return blocked.rmdir
    folder.chmod(0o555)
    return lambda: folder.chmod(0o755)


def check_json(cli, path, target, *options):
    out = subprocess.run([cli, 'check', str(path), '--target', target, '--json', *options], capture_output=True, text=True)
    return json.loads(out.stdout)['summary']


def inside(program, cli, folder):
    scratch = tempfile.TemporaryDirectory()
    fixed = pathlib.Path(scratch.name) / 'fixed.onnx'
    kept = pathlib.Path(scratch.name) / 'kept.assay'
    example = pathlib.Path(folder) / 'many-refusals.onnx'

    def by_keys(window):
        case('the first cause has a row', bool(until(lambda: find('Rejected: ', 'list item'))))
        before = rejected()
        pressed = 0

        def press_key(name):
            nonlocal pressed
            pressed += 1
            key(window, name)

        # Until a cause has a fix: Ctrl+period shows it, or F8 goes to the next cause.
        for _ in range(40):
            press_key('ctrl+period')
            until(lambda: find('Trying rewrites', 'label') is None and (offers() or find('No rewrite known')))
            if offers():
                break
            press_key('F8')
        case('a rewrite is offered with what came of trying it', bool(offers()), str(offers()))
        case('the row says verdicts before and after', bool(find(' to ', 'label')))
        hold_messages(window)
        press_key('Return')
        case('a message says so and offers to undo', bool(until(lambda: message('Applied to '))))
        case('Enter applies it and the counts change', bool(until(lambda: rejected() < before)), str(rejected()))
        case(f'at most {MOST_KEYS} keys to the first applied fix', pressed <= MOST_KEYS, str(pressed))
        print(f'# {pressed} keys')
        case('the next cause is selected', bool(until(lambda: find('Inspector', 'panel'))))
        after = rejected()
        key(window, 'ctrl+z')
        case('Ctrl+Z takes it back', bool(until(lambda: rejected() == before)), str(rejected()))
        key(window, 'ctrl+shift+z')
        case('Ctrl+Shift+Z makes it again', bool(until(lambda: rejected() == after)), str(rejected()))
        return after

    def save_model(window, after):
        key(window, 'ctrl+shift+s')
        case('Ctrl+Shift+S asks for a name', bool(until(lambda: find('Save', 'push button'))))
        type_path('Save Model As', fixed)
        case('the model is written', bool(until(fixed.exists)))
        case('and has as few refusals as the window said', check_json(cli, fixed, TARGET)['rejected'] == after)

    def save_session(window):
        key(window, 'ctrl+s')
        until(lambda: find('Save', 'push button'))
        type_path('Save Session', kept)
        case('Ctrl+S writes a session', bool(until(kept.exists)))

    def keyboard_only(window):
        after = by_keys(window)
        save_model(window, after)
        save_session(window)
        case('the session has the setup or the fix', bool(until(
            lambda: kept.exists() and {'setup', 'fixes'} & set(json.loads(kept.read_text())))))

    def through_accessibility(window):
        case('the first cause has a row', bool(until(lambda: find('Rejected: ', 'list item'))))
        before = rejected()
        for _ in range(40):
            case_ok = act('win.fix')
            until(lambda: find('Trying rewrites', 'label') is None and (offers() or find('No rewrite known')))
            if offers():
                break
            act('win.next-finding')
        case('a rewrite is offered', case_ok and bool(offers()))
        case('its button can be pressed', press('Apply: '))
        case('the counts change', bool(until(lambda: rejected() < before)), str(rejected()))
        case('undo is an action of the window', act('win.undo') and bool(until(lambda: rejected() == before)))
        case('and so is redo', act('win.redo') and bool(until(lambda: rejected() < before)))
        case('undone again, nothing is unsaved', act('win.undo') and bool(until(lambda: rejected() == before)))

    def reopened(window):
        case('the session opens with its fix', bool(until(lambda: rejected() and rejected() < first['rejected'])))

    def accept_by_keys(window):
        policy = beside.parent / 'assay-policy.json'
        reason = 'known since March'

        def written():
            return policy.is_file() and [entry['reason'] for entry in json.loads(policy.read_text())['entries']]

        case('the first cause has a row', bool(until(lambda: find('Rejected: ', 'list item'))))
        key(window, 'F8')
        key(window, 'ctrl+shift+a')
        case('Ctrl+Shift+A asks for a reason', bool(until(lambda: find('Why it is accepted', 'text'))))
        type_key('Accept Finding', 'Escape')
        case('Escape closes it', bool(until(lambda: not find('Why it is accepted', 'text'))))
        case('and nothing is written', not policy.exists())

        allow = refuse_writing(beside.parent)
        key(window, 'ctrl+shift+a')
        until(lambda: find('Why it is accepted', 'text'))
        type_path('Accept Finding', reason)
        case('a notice says that it could not be written', bool(until(lambda: find('The finding was not accepted'))))
        allow()
        hold_messages(window)
        key(window, 'ctrl+shift+a')
        until(lambda: find('Why it is accepted', 'text'))
        type_key('Accept Finding', 'Return')
        case('the reason is not lost', until(written) == [reason], str(written()))
        case('a message says where it is', bool(until(lambda: message('Accepted in assay-policy.json'))))
        accepted = check_json(cli, beside, TARGET, '--policy', str(policy)).get('accepted')
        case('assay check obeys it', bool(accepted), str(accepted))
        case('the row of the finding says why', bool(until(lambda: find(reason))))
        key(window, 'ctrl+shift+a')
        case('it can be taken back', bool(until(lambda: find('No Longer Accept', 'push button'))))
        type_key('Accept Finding', 'alt+n')
        case('nothing is accepted any more', bool(until(lambda: written() == [])), str(written()))

    first = {'rejected': check_json(cli, example, TARGET)['rejected']}
    session(program, example, TARGET, keyboard_only)
    session(program, kept, TARGET, reopened, name='many-refusals.onnx')
    session(program, example, TARGET, through_accessibility)
    beside = pathlib.Path(scratch.name) / 'folder' / example.name
    beside.parent.mkdir()
    beside.write_bytes(example.read_bytes())
    session(program, beside, TARGET, accept_by_keys)

    real = find_real()
    if real is not None:
        session(program, real, TARGET, lambda window: by_keys(window) and act('win.undo'))
    else:
        print(f'# {REAL} is not installed')
    killed(program, example)
    scratch.cleanup()


def kept_fix():
    """Whether the file for the case that the program is killed has what was changed."""
    return any({'setup', 'fixes'} & set(json.loads(path.read_text()))
               for path in pathlib.Path(os.environ['XDG_STATE_HOME']).rglob('*.assay'))


def killed(program, example):
    """What was not saved when the program was killed is offered at the next start."""
    process = subprocess.Popen([program, str(example)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: f'{example.name} - {TARGET}' in title()[1])
    window = title()[0]
    until(lambda: rejected() > 0)
    before = rejected()
    act('win.fix')
    until(offers)
    press('Apply: ')
    until(lambda: rejected() < before)
    case('what is not saved is kept', bool(until(kept_fix)))
    process.send_signal(signal.SIGKILL)
    process.wait()

    def restore(window):
        case('what was left behind is offered', bool(until(lambda: find('can be restored', 'label'))))
        case('it can be restored', press('Restore'))
        case('with what had been applied', bool(until(lambda: 0 < rejected() < before)), str(rejected()))
        act('win.undo')
        until(lambda: rejected() == before)

    session(program, example, TARGET, restore)


sys.exit(run(__file__, sys.argv[1:], inside))
