#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for the layout helper and misbehaves as ASSAY_TEST_HELPER says; ASSAY_TEST_STATE is a file to leave notes in."""
import os
import signal
import struct
import subprocess
import sys

MODE = os.environ['ASSAY_TEST_HELPER']
STATE = os.environ.get('ASSAY_TEST_STATE')


def read_block():
    head = sys.stdin.buffer.read(8)
    if len(head) < 8:
        sys.exit(0)
    index, n_words = struct.unpack('=II', head)
    words = struct.unpack(f'={n_words}I', sys.stdin.buffer.read(4 * n_words))
    return index, words


def answer(index, places):
    sys.stdout.buffer.write(struct.pack(f'=II{len(places)}i', index, len(places), *places))
    sys.stdout.buffer.flush()


def hang():
    """The note is there as a whole or not at all, since this process may be killed at any time."""
    so_far = open(STATE, encoding='ascii').read() if os.path.exists(STATE) else ''
    with open(STATE + '.new', 'w', encoding='ascii') as notes:
        notes.write(f'{so_far}{os.getpid()}\n')
    os.replace(STATE + '.new', STATE)
    while True:
        signal.pause()


def places_of(words):
    """Every rank from left to right, far enough apart for any box."""
    ranks = [words[6 + 3 * i] for i in range(words[1])]
    return [100 * (i - ranks.index(r)) for i, r in enumerate(ranks)]


def real_places(words):
    request = struct.pack(f'=II{len(words)}I', 0, len(words), *words)
    done = subprocess.run([os.environ['ASSAY_TEST_REAL'], sys.argv[1]], input=request, stdout=subprocess.PIPE, check=True)
    return struct.unpack(f'={words[1]}i', done.stdout[8:])


def main():
    if MODE == 'hang-once' and os.path.exists(STATE):
        os.execv(os.environ['ASSAY_TEST_REAL'], sys.argv)
    answered = 0
    while True:
        index, words = read_block()
        places = places_of(words)
        if MODE in ('hang', 'hang-once'):
            hang()
        elif MODE == 'crash':
            if answered == 2:
                os.kill(os.getpid(), signal.SIGSEGV)
            answer(index, real_places(words))
        elif MODE == 'nonsense':
            sys.stdout.buffer.write(bytes(range(256)) * 16)
            sys.stdout.buffer.flush()
            hang()
        elif MODE == 'flood':
            while True:
                sys.stdout.buffer.write(b'\xff' * 65536)
        elif MODE == 'other-index':
            answer(index + 1, places)
        elif MODE == 'too-few':
            answer(index, places[1:])
        elif MODE == 'too-many':
            answer(index, places + [0])
        elif MODE == 'far':
            answer(index, [2**31 - 1] + places[1:])
        elif MODE == 'half':
            sys.stdout.buffer.write(struct.pack('=II', index, len(places)))
            sys.stdout.buffer.flush()
            sys.exit(0)
        elif MODE == 'no':
            answer(index, [])
        elif MODE == 'same':
            answer(index, [0] * len(places))
        elif MODE == 'spread':
            answer(index, [5 * p for p in places])
        elif MODE == 'mirror':
            answer(index, [-p for p in places])
        elif MODE == 'extreme':
            answer(index, [10**7 if i % 2 else -10**7 for i in range(len(places))])
        answered += 1


main()
