#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The whole program as a person meets it: opened on an example under a virtual display with its own session bus, seen
through AT-SPI, worked with real keys. Ends with exit code 0 and nothing at warning level or above on stderr.

usage: test-workbench.py PROGRAM EXAMPLE_FOLDER [SCREENSHOT]
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE = 20
WARNING = re.compile(r'\b(WARNING|CRITICAL|ERROR)\b')
CONTROLS = ('push button', 'toggle button', 'list item', 'entry', 'menu item', 'check box', 'radio button', 'combo box',
            'spin button', 'slider', 'table cell', 'link')
failures = []
cases = 0


def case(name, ok, text=''):
    global cases
    cases += 1
    print(f'{"ok" if ok else "not ok"} {cases} {name}' + (f' # {text}' if text and not ok else ''), flush=True)
    if not ok:
        failures.append(name)


def until(condition, seconds=DEADLINE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    return None


def inside(program, folder, screenshot):
    import gi
    gi.require_version('Atspi', '2.0')
    from gi.repository import Atspi

    def application():
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child is not None and child.get_name() == 'assay-workbench':
                return child
        return None

    def nodes(root):
        stack = [root]
        while stack:
            node = stack.pop()
            if node is None:
                continue
            yield node
            try:
                stack.extend(node.get_child_at_index(i) for i in reversed(range(node.get_child_count())))
            except Exception:
                continue

    def showing(node):
        try:
            # GTK 4.8 says of no widget that it is showing, only of windows.
            return node.get_state_set().contains(Atspi.StateType.VISIBLE)
        except Exception:
            return False

    def find(text, role=None):
        app = application()
        for node in nodes(app) if app else ():
            try:
                if text in (node.get_name() or '') and (role is None or node.get_role_name() == role) and showing(node):
                    return node
            except Exception:
                continue
        return None

    def names():
        found = []
        for node in nodes(application()):
            try:
                found.append((node.get_role_name(), node.get_name() or '', showing(node)))
            except Exception:
                continue
        return found

    def title():
        result = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', 'Assay'],
                                capture_output=True, text=True)
        for window in result.stdout.split():
            name = subprocess.run(['xdotool', 'getwindowname', window], capture_output=True, text=True).stdout.strip()
            if name.endswith('Assay'):
                return window, name
        return None, ''

    def key(window, *keys):
        subprocess.run(['xdotool', 'windowfocus', '--sync', window], capture_output=True)
        subprocess.run(['xdotool', 'key', '--delay', '40', *keys], check=True)

    def session(name, target, steps):
        error_log = tempfile.TemporaryFile('w+')
        process = subprocess.Popen([program, str(pathlib.Path(folder) / name)], stderr=error_log,
                                   stdout=subprocess.DEVNULL)
        try:
            opened = until(lambda: f'{name} - {target}' in title()[1])
            case(f'the window opens on {name}', bool(opened), title()[1])
            window = title()[0]
            if not window:
                return
            case('the program is on the accessibility bus', bool(until(application)))
            steps(window)
            key(window, 'ctrl+q')
            try:
                code = process.wait(10)
            except subprocess.TimeoutExpired:
                code = None
            case('Ctrl+Q ends it with exit code 0', code == 0, str(code))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()

        error_log.seek(0)
        warnings = [line.strip() for line in error_log if WARNING.search(line)]
        case('nothing at warning level on stderr', not warnings, ' | '.join(warnings[:5]))

    def check_findings(window):
        def counts():
            node = find('Rejected: ', 'push button')
            return node.get_name() if node else None
        case('the count of rejected nodes is there', bool(until(counts)))
        before = counts()

        def first_row():
            return next((n for r, n, s in names() if r == 'list item' and s and n.startswith('Rejected: ')), None)
        case('the first cause has a row', bool(until(first_row)))

        def inspected():
            pane = find('Inspector', 'panel')
            return [node.get_name() for node in nodes(pane) if node.get_role_name() == 'label'][:2] if pane else None
        first = until(inspected)
        case('the inspector describes the selected node', bool(first) and first[1].startswith('/'), str(first))
        key(window, 'F8')
        case('F8 goes to the next finding', bool(until(lambda: inspected() != first)), f'still {first}')
        second = inspected()
        key(window, 'shift+F8')
        case('Shift+F8 goes back', bool(until(lambda: inspected() not in (None, second))))

        def unnamed():
            return [(r, n) for r, n, s in names() if s and n == '' and r in CONTROLS]

        def named_by_class():
            # What is only there for the layout, and pictures beside their words, are passed over by readers.
            return [(r, n) for r, n, s in names() if (n.startswith('Gtk') or n.startswith('Adw'))
                    and r not in ('filler', 'image', 'label', 'scroll bar')]
        case('every row and control has a name', not unnamed(), str(unnamed()[:8]))
        case('nothing is called by its class', not named_by_class(), str(sorted(set(named_by_class()))))

        button = find('Target ia_420f_c6b32')
        case('the target button says the target', button is not None)
        key(window, 'ctrl+shift+t')
        row = until(lambda: find('ulkan', 'list item'))
        case('the chooser lists the targets', row is not None)
        case('its rows have names', not unnamed(), str(unnamed()[:8]))
        subprocess.run(['xdotool', 'type', '--delay', '40', 'vulkan-seed'], check=True)
        time.sleep(0.4)
        subprocess.run(['xdotool', 'key', 'Return'], check=True)
        case('another target is checked at once', bool(until(lambda: 'vulkan-seed' in title()[1])), title()[1])
        case('its counts differ', bool(until(lambda: counts() not in (None, before))))

        if screenshot:
            subprocess.run(['import', '-window', 'root', screenshot], capture_output=True)

    def check_program(window):
        case('the program is compiled by itself', bool(until(lambda: find('TRAM', 'push button'))))
        key(window, 'alt+2')
        chart = until(lambda: find('Memory of core'))
        case('the memory map says core, step and use', bool(chart) and 'blocks in use' in chart.get_name())
        case('the plan agrees with the metrics', bool(until(lambda: find('equals metrics', 'label'))))
        before = chart.get_name() if chart else ''
        box = chart.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        subprocess.run(['xdotool', 'mousemove', '--window', window, str(box.x + box.width // 2),
                        str(box.y + box.height // 2), 'click', '1'], check=True)
        key(window, 'bracketleft')
        case('the bracket moves the playhead', bool(until(lambda: find('Memory of core').get_name() != before)))
        key(window, 'ctrl+r')
        case('Ctrl+R runs it and shows the result', bool(until(lambda: find('Run Result', 'frame'))))
        case('the result has the cycles', bool(until(lambda: find('cycles spaced', 'label'))))
        case('the output is a row', bool(until(lambda: find('Output ', 'table cell') or find('Output '))))

    session('many-refusals.onnx', 'ia_420f_c6b32', check_findings)
    session('streaming-cnn.onnx', 'ia_420f_c6b32', check_program)


def main():
    program, folder = sys.argv[1:3]
    screenshot = sys.argv[3] if len(sys.argv) > 3 else None
    if os.environ.get('ASSAY_INSIDE') == '1':
        inside(program, folder, screenshot)
        print(f'1..{cases}')
        return 1 if failures else 0

    missing = [tool for tool in ('xvfb-run', 'dbus-run-session', 'xdotool') if not shutil.which(tool)]
    if missing:
        print(f'skipped: {", ".join(missing)} not installed')
        return 77

    # A portal of the desktop may have mounted something of its own there.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        env = dict(os.environ, ASSAY_INSIDE='1', HOME=home, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home,
                   XDG_CACHE_HOME=home, XDG_RUNTIME_DIR=home, GDK_BACKEND='x11', GSK_RENDERER='cairo',
                   GTK_A11Y='atspi', ADW_DISABLE_PORTAL='1', GSETTINGS_BACKEND='memory', GIO_USE_VFS='local',
                   GTK_USE_PORTAL='0', NO_AT_BRIDGE='0')
        for name in ('WAYLAND_DISPLAY', 'DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'AT_SPI_BUS_ADDRESS'):
            env.pop(name, None)
        os.chmod(home, 0o700)
        return subprocess.run(['xvfb-run', '-a', '-s', '-screen 0 1280x900x24 -noreset', 'dbus-run-session', '--',
                               sys.executable, __file__, *sys.argv[1:]], env=env, stderr=subprocess.DEVNULL).returncode


sys.exit(main())
