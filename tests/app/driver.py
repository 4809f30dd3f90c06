#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What tests of the whole window share: a virtual display with a session bus and an accessibility bus of its own, the
tree that readers see, real keys, and the end of the program."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Ten times what a quiet machine takes: tests wait for conditions, and no time decides between right and wrong.
DEADLINE = 300
ACCESSIBILITY_BUS = pathlib.Path('/usr/share/dbus-1/services/org.a11y.Bus.service')
WARNING = re.compile(r'\b(WARNING|CRITICAL|ERROR)\b')
CONTROLS = ('push button', 'toggle button', 'list item', 'entry', 'menu item', 'check box', 'radio button', 'combo box',
            'spin button', 'slider', 'table cell', 'link')
failures = []
cases = 0
Atspi = None
# In the background of a script interrupts are ignored, and after nohup hangups; programs would take that over.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


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


def is_working():
    """Whether a thread of this session, the display's and the buses' among them, has something to do."""
    for path in pathlib.Path('/proc').glob('[0-9]*/task/[0-9]*/stat'):
        try:
            fields = path.read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == os.getsid(0) and fields[0] in 'RD' and int(path.parts[2]) != os.getpid():
            return True
    return False


def rest():
    """Waits until what was asked for is done: several times in a row nothing has something to do."""
    looks = []
    until(lambda: looks.append(is_working()) or len(looks) > 4 and not any(looks[-5:]))


def connect():
    global Atspi
    import gi
    gi.require_version('Atspi', '2.0')
    from gi.repository import Atspi as atspi
    Atspi = atspi


def application():
    desktop = Atspi.get_desktop(0)
    for i in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(i)
        if child is not None and child.get_name() == 'assay-workbench':
            return child
    return None


def nodes(root, last_first=False):
    stack = [root]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        yield node
        try:
            places = range(node.get_child_count())
            stack.extend(node.get_child_at_index(i) for i in (places if last_first else reversed(places)))
        except Exception:
            continue


def showing(node):
    try:
        # GTK 4.8 says of no widget that it is showing, only of windows.
        return node.get_state_set().contains(Atspi.StateType.VISIBLE)
    except Exception:
        return False


def placed_at(node):
    return node.get_component_iface().get_extents(Atspi.CoordType.WINDOW).width > 0


def find(text, role=None, last_first=False, placed=False):
    app = application()
    for node in nodes(app, last_first) if app else ():
        try:
            # What a pane that is closed holds has no size.
            if text in (node.get_name() or '') and (role is None or node.get_role_name() == role) and showing(node) and \
                    (not placed or placed_at(node)):
                return node
        except Exception:
            continue
    return None


def hold_messages(window):
    """Puts the pointer where messages come: one below the pointer does not go while a slow machine looks for it."""
    shown = subprocess.run(['xdotool', 'getwindowgeometry', '--shell', window], capture_output=True, text=True, check=True).stdout
    size = dict(line.split('=') for line in shown.split())
    subprocess.run(['xdotool', 'mousemove', '--window', window, str(int(size['WIDTH']) // 2), str(int(size['HEIGHT']) - 45)], check=True)


def message(text):
    """What lies over the window for some seconds, and is its last child; a walk through all of the tree may take longer."""
    return find(text, 'label', last_first=True)


def written(text=None):
    """A field with exactly this text in it, or the one that takes what is typed."""
    for node in nodes(application()):
        try:
            if node.get_role_name() not in ('text', 'entry') or node.get_text_iface() is None:
                continue
            if text is None and node.get_state_set().contains(Atspi.StateType.FOCUSED) or \
                    text is not None and Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node)) == text:
                return node
        except Exception:
            continue
    return None


def rows():
    """How many rows are there, in all lists."""
    return sum(role == 'list item' and shown for role, _, shown in names())


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


def session(program, path, target, steps, name=None, options=(), unsaved=False):
    """Opens a file, takes the steps, ends the program with Ctrl+Q; what is not saved then is discarded."""
    name = name or pathlib.Path(path).name
    error_log = tempfile.TemporaryFile('w+')
    process = subprocess.Popen([program, str(path), *options], stderr=error_log,
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
        if unsaved:
            discard = until(lambda: find('Discard', 'push button', placed=True))
            case('it asks before it loses what is not saved', discard is not None and discard.do_action(0))
        try:
            code = process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            code = None
        case('Ctrl+Q ends it with exit code 0', code == 0, str(code))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()

    error_log.seek(0)
    # The file dialog measures every mounted file system, also those that only pretend to be one.
    warnings = [line.strip() for line in error_log if WARNING.search(line) and 'available space' not in line]
    case('nothing at warning level on stderr', not warnings, ' | '.join(warnings[:5]))


def run(script, arguments, inside):
    """Runs a function in a display of its own; its cases decide how the test ends."""
    if os.environ.get('ASSAY_INSIDE') == '1':
        connect()
        inside(*arguments)
        print(f'1..{cases}')
        return 1 if failures else 0

    missing = [tool for tool in ('xvfb-run', 'xauth', 'dbus-run-session', 'xdotool') if not shutil.which(tool)]
    missing += [] if ACCESSIBILITY_BUS.exists() else ['at-spi2-core']
    try:
        connect()
    except (ImportError, ValueError):
        missing.append('gir1.2-atspi-2.0')
    if missing:
        print(f'skipped: {missing[0]} is not installed')
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
                               sys.executable, script, *arguments], env=env, stderr=subprocess.DEVNULL).returncode

