#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a command prints on a terminal as SVG, with its colours.

usage: terminal-picture.py PICTURE.svg COLUMNS ROWS 'COMMAND as it is shown' PROGRAM [ARGUMENT...]
"""
import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios

COLOURS = {30: '#241f31', 31: '#f66151', 32: '#57e389', 33: '#f8e45c', 34: '#62a0ea', 35: '#dc8add', 36: '#5bc8af', 37: '#f6f5f4', 90: '#9a9996'}
WIDTH, HEIGHT, MARGIN = 7.8, 17, 16


def run(columns, rows, command):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        os.environ.update(TERM='xterm-256color')
        os.execvp(command[0], command)
    output = b''
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.waitpid(child, 0)
    # What was written over by a carriage return is not seen.
    return re.sub(r'[^\n]*\r(?!\n)', '', output.decode().replace('\r\n', '\n'))


def spans(line):
    """Pieces of a line with the attributes that they are drawn with."""
    style = {}
    for code, text in re.findall(r'\x1b\[([0-9;]*)[mK]|([^\x1b]+)', line):
        if text:
            yield text, ' '.join(f'{name}="{value}"' for name, value in style.items())
            continue
        for number in (int(part or 0) for part in code.split(';')):
            if number == 0:
                style = {}
            elif number == 1:
                style['font-weight'] = 'bold'
            elif number == 2:
                style['fill-opacity'] = '.6'
            elif number in COLOURS:
                style['fill'] = COLOURS[number]


def main():
    path, columns, rows, shown = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    lines = [f'\x1b[1m$\x1b[0m {shown}'] + run(columns, rows, sys.argv[5:]).rstrip('\n').split('\n')[:rows]
    width, height = 2 * MARGIN + columns * WIDTH, 2 * MARGIN + len(lines) * HEIGHT
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">',
             f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#241f31"/>',
             '<g font-family="Source Code Pro, DejaVu Sans Mono, monospace" font-size="13" fill="#deddda" xml:space="preserve">']
    for i, line in enumerate(lines):
        pieces = ''.join(f'<tspan {style}>{html.escape(text)}</tspan>' for text, style in spans(line))
        drawn.append(f'<text x="{MARGIN}" y="{MARGIN + (i + 1) * HEIGHT - 4}">{pieces}</text>')
    with open(path, 'w') as file:
        file.write('\n'.join(drawn + ['</g>', '</svg>', '']))


main()
