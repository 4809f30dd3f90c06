#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The whole program as a person meets it: opened on an example under a virtual display with its own session bus, seen
through AT-SPI, worked with real keys. Ends with exit code 0 and nothing at warning level or above on stderr.

usage: test-workbench.py PROGRAM EXAMPLE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from driver import CONTROLS, application, case, find, key, names, nodes, rest, rows, run, session, title, until, written
import driver


def inside(program, folder):
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
        # The first one is selected from the start; the first key may only go there.
        key(window, 'F8')
        rest()
        if inspected() == first:
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

        key(window, 'ctrl+t')
        case('Ctrl+T shows the table of nodes, its rows say operator, name, verdict and reason',
             bool(until(lambda: find('MaxPool, /backbone/pool/MaxPool, Rejected, ', 'list item'))))
        case('its heads, filter and buttons have names', not unnamed() and not named_by_class(),
             str(unnamed()[:8] + named_by_class()[:8]))
        case('the heads say what they sort by', bool(find('Sort by Reason', 'push button')))
        key(window, 'ctrl+t')
        case('Ctrl+T hides it', bool(until(lambda: not find('Filter nodes', 'entry'))))

        button = find('Target ia_420f_c6b32')
        case('the target button says the target', button is not None)
        key(window, 'ctrl+shift+t')
        row = until(lambda: find('ulkan', 'list item'))
        case('the chooser lists the targets', row is not None)
        case('its rows have names', not unnamed(), str(unnamed()[:8]))
        before_search = rows()
        subprocess.run(['xdotool', 'type', '--delay', '40', 'vulkan-seed'], check=True)
        case('a search leaves fewer', bool(until(lambda: written('vulkan-seed') and rows() < before_search)))
        subprocess.run(['xdotool', 'key', 'Return'], check=True)
        case('another target is checked at once', bool(until(lambda: 'vulkan-seed' in title()[1])), title()[1])
        case('its counts differ', bool(until(lambda: counts() not in (None, before))))

    def check_program(window):
        case('the program is compiled by itself', bool(until(lambda: find('TRAM', 'push button'))))
        key(window, 'alt+2')
        chart = until(lambda: find('Memory of core'))
        case('the memory map says core, step and use', bool(chart) and 'blocks in use' in chart.get_name())
        case('the plan agrees with the metrics', bool(until(lambda: find('as in the metrics', 'label'))))
        before = chart.get_name() if chart else ''
        box = chart.get_component_iface().get_extents(driver.Atspi.CoordType.WINDOW)
        subprocess.run(['xdotool', 'mousemove', '--window', window, str(box.x + box.width // 2),
                        str(box.y + box.height // 2), 'click', '1'], check=True)
        key(window, 'bracketleft')
        case('the bracket moves the playhead', bool(until(lambda: find('Memory of core').get_name() != before)))
        key(window, 'ctrl+r')
        case('Ctrl+R runs it and shows the result', bool(until(lambda: find('Run Result', 'frame'))))
        case('the result has the cycles', bool(until(lambda: find('cycles spaced', 'label'))))
        case('the output is a row', bool(until(lambda: find('Output ', 'table cell') or find('Output '))))

    def windows():
        found = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', 'Assay'], capture_output=True, text=True)
        return len(found.stdout.split())

    def check_windows(window):
        def inspected():
            pane = find('Inspector', 'panel')
            return [node.get_name() for node in nodes(pane) if node.get_role_name() == 'label'][:2] if pane else []
        case('--node selects the node', bool(until(lambda: '/backbone/pool/MaxPool' in inspected())), str(inspected()))
        before = windows()
        key(window, 'ctrl+n')
        case('Ctrl+N opens another window', bool(until(lambda: windows() > before)))
        key(window, 'ctrl+comma')
        case('Ctrl+comma opens the preferences', bool(until(lambda: find('Compile by itself'))))
        # While they are open the window below takes no keys.
        preferences = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', 'Preferences'],
                                     capture_output=True, text=True).stdout.split()
        key(preferences[0], 'Escape')
        case('Escape closes them', bool(until(lambda: not find('Compile by itself'))))

    def pointer(*words):
        subprocess.run(['xdotool', *words], check=True, capture_output=True)

    def veiled():
        return any(s and n == 'Drop to open' for r, n, s in names())

    def check_drop(window):
        dropped = pathlib.Path(folder) / 'streaming-cnn.onnx'
        source = subprocess.Popen(['/usr/bin/python3', pathlib.Path(__file__).with_name('drag-source.py'), dropped],
                                  stderr=subprocess.DEVNULL)
        try:
            files = until(lambda: subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', '^Files$'],
                                                 capture_output=True, text=True).stdout.split())
            case('there is a window to drag from', bool(files))
            pointer('windowraise', files[0])
            pointer('mousemove', '--window', files[0], '60', '60', 'mousedown', '1')
            for step in range(12):
                pointer('mousemove', str(200 + 40 * step), str(200 + 20 * step))
            case('a file over the window is told where it goes', bool(until(veiled)))
            pointer('mouseup', '1')
            case('a dropped model opens', bool(until(lambda: dropped.name in title()[1])), title()[1])
            case('the veil goes with the drop', bool(until(lambda: not veiled())))
        finally:
            source.kill()
            source.wait()

    def check_drag(window):
        case('what does not fit is said in the bar', bool(until(lambda: find('Does not fit', 'push button', placed=True))))
        key(window, 'alt+2')
        handle = until(lambda: find('tensor RAM, blocks', 'slider', placed=True))
        case('the depth is a handle', handle is not None)
        if handle is None:
            return

        def number():
            return handle.get_value_iface().get_current_value()

        before, value = number(), handle.get_value_iface()
        box = handle.get_component_iface().get_extents(driver.Atspi.CoordType.WINDOW)
        share = (before - value.get_minimum_value()) / (value.get_maximum_value() - value.get_minimum_value())
        # The knob is a square of the height of the handle.
        at = box.x + box.height // 2 + int(share * (box.width - box.height))
        pointer('mousemove', '--window', window, str(at), str(box.y + box.height // 2), 'mousedown', '1')
        for step in range(1, 13):
            pointer('mousemove', '--window', window, str(min(at + 2 * step, box.x + box.width - 4)),
                    str(box.y + box.height // 2))
        case('a handle follows the mouse while its button is held', bool(until(lambda: number() > before)), f'{before}')
        pointer('mouseup', '1')
        case('and what it says is tried', bool(until(lambda: find('Keep', 'push button', placed=True))))
        case('with room enough the map of the program comes', bool(until(lambda: find('Memory of core'))))
        find('Undo', 'push button', placed=True).do_action(0)
        case('Undo brings the handle back', bool(until(lambda: find('tensor RAM, blocks', 'slider', placed=True))))

    with tempfile.TemporaryDirectory() as own:
        small = pathlib.Path(own) / 'small.json'
        small.write_text(json.dumps({'schema': 'assay.target/1', 'id': 'small', 'title': 'Small', 'summary': '100 blocks',
                                     'source': 'this test', 'extends': 'ia_420f_c6b32', 'config': {'tensor_ram_depth': 100}}))
        session(program, pathlib.Path(folder) / 'streaming-cnn.onnx', 'small', check_drag, options=['--target', small])
    session(program, pathlib.Path(folder) / 'many-refusals.onnx', 'ia_420f_c6b32', check_drop)
    session(program, pathlib.Path(folder) / 'many-refusals.onnx', 'ia_420f_c6b32', check_windows,
            options=['--node', '/backbone/pool/MaxPool'])
    session(program, pathlib.Path(folder) / 'many-refusals.onnx', 'ia_420f_c6b32', check_findings)
    session(program, pathlib.Path(folder) / 'streaming-cnn.onnx', 'ia_420f_c6b32', check_program)


sys.exit(run(__file__, sys.argv[1:], inside))
