"""The manual page from what the program says of itself: make-manual.py ASSAY TEMPLATE OUTPUT.

In the template @VERSION@, @SYNOPSIS@ and @COMMANDS@ stand for the version, and the usage and the help of every command.
SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys


def ask(assay, *words):
    return subprocess.run([assay, *words], capture_output=True, text=True, check=True).stdout


def escape(text):
    """As roff takes it: hyphens can be searched for, nothing at the start of a line is a request."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\n'.join(r'\&' + line if line[:1] in ('.', "'") else line for line in text.split('\n'))


def option(line):
    """`  -t, --target=TARGET    Words` as a paragraph with a tag."""
    tag, words = re.match(r'  (\S.*?)(?:  +(.*))?$', line).groups()
    name, _, value = tag.partition('=')
    tag = '.B ' + escape(name) if not value else '.BI "' + escape(name) + '=" "' + escape(value) + '"'
    return f'.TP\n{tag}\n{escape(words or "")}\n'


def command(text):
    """The usage of a command, and its section."""
    usage = re.search(r'^Usage:\n  (.*)', text, re.M).group(1)
    parts = [part for part in re.split(r'\n\n', text.strip('\n')) if not re.match(r'Usage:|Help Options:', part)]
    section = ''
    for part in parts:
        lines = part.split('\n')
        if lines[0] != 'Application Options:':
            section += '.PP\n' + escape(part) + '\n'
            continue
        section += ''.join(option(line) for line in lines[1:])
    return usage.replace(' [OPTION…]', '', 1) + (' [OPTION...]' if '[OPTION…]' in usage else ''), section


def main(assay, template, output):
    listed = ask(assay, '--help').split('\nCommands:\n')[1].split('\n\n')[0]
    synopsis, sections = [], []
    for name in re.findall(r'^  (\S+)', listed, re.M):
        usage, section = command(ask(assay, name, '--help'))
        synopsis.append('.B ' + escape(' '.join(usage.split()[:2])) + '\n' + escape(' '.join(usage.split()[2:])))
        sections.append(f'.SS {name}\n{section}')
    with open(template) as file:
        page = file.read()
    page = page.replace('@VERSION@', ask(assay, 'version').split()[1])
    page = page.replace('@SYNOPSIS@\n', '\n.br\n'.join(synopsis) + '\n').replace('@COMMANDS@\n', ''.join(sections))
    with open(output, 'w') as file:
        file.write(page)


main(*sys.argv[1:])
