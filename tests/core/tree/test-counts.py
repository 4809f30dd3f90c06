#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences with a count are right for one thing too: a format such as `%u nodes` stands in a statement that asks whether the number
is 1, or the number is one that cannot be.

usage: test-counts.py SOURCE_ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
# What ends in s behind a number and is not counted.
OTHERS = ('as|has|is|was|does|its|less|this|axis|times|backwards|commas|differs|leads|reads|belongs|goes|starts|ends|accepts|'
          'makes|removes|counts|waits')
# What may be counted by a number that was written before, where a verb may stand as well.
NOUNS = ('nodes|blocks|cores|steps|cycles|tensors|outputs|inputs|elements|instructions|runs|cases|rows|vectors|files|pieces|fixes|'
         'rewrites|ways|dimensions|timesteps|registers|changes|causes|findings|tests|pages|partitions|transitions|subgraphs|'
         'pairs|layers|biases|bytes|values|weights|models|operators|threads|samples|images|names|axes|channels|groups|edges|targets|'
         'inferences')
# Not the last side of a size, nor a limit that stands in the source, nor what is more than a limit.
COUNT = re.compile(r'(?<![x×] )(?:(?<!more than )(?<!deeper than )(?<!at most )(?<! to )%d|%(?:u|zu|ld|lu|"\s*G_G\w+_FORMAT\s*")|%s(?=\s(?:' + NOUNS +
                   r')\b))\s?(?:\\u202f)?(?:more |other |further |different |open |equal |streaming |such )?'
                   r'((?!(?:' + OTHERS + r')\b)[a-z]+s|indices)\b(?! are (?:more than|too many))')
ONE = re.compile(r'[=!]= ?1\b|> ?1\b|\bone\b')
# Nouns whose number is never 1 in these files, or that are no nouns there: the reason, and the files.
NEVER_ONE = {
    'cycles': ('a whole inference', 'ui/compare/assay-result-window.c', 'ui/timeline/assay-timeline-page.c', 'ui/window/assay-context-bar.c',
               'core/report/assay-run-report.c'),
    'blocks': ('of all that a store has', 'ui/memory/assay-trial-bar.c', 'ui/window/assay-ui.c'),
    'steps': ('a limit, or one is asked for before', 'ui/sidebar/assay-setup-window.c'),
    'values': ('of a whole run, or none and more than a limit', 'ui/compare/assay-deploy-panel.c',
               'core/backend/stream/compile/assay-io-only.c'),
    'bytes': ('a program', 'app/cli/assay-command-boards.c'),
    'sizes': ('more than one was asked for', 'core/fix/assay-rewrite-bind-shape.c'),
    'others': ('the last of several', 'core/draw/assay-overlay.c'),
    'runs': ('a verb', 'app/cli/assay-command-deploy.c', 'app/cli/assay-suite-options.c', 'core/api/assay-nnir-report.c',
             'core/run/assay-runner.c'),
    'names': ('a verb', 'ui/window/assay-window-trust.c'),
    'targets': ('a family of them', 'app/cli/assay-cli-model.c'),
}
FOLDERS = ('app', 'core', 'ui')


def statements(text):
    """The text between two ends of statements, with the line on which it begins."""
    start = 0
    for match in re.finditer(r'[;{}](?=(?:[^"\n\\]|\\.|"(?:[^"\\\n]|\\.)*")*$)', text, re.M):
        yield text.count('\n', 0, start) + 1, text[start:match.end()]
        start = match.end()


def main():
    complaints = []
    unused = {(noun, name) for noun, (_, *names) in NEVER_ONE.items() for name in names}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob('*.c')):
            name = str(path.relative_to(ROOT))
            for line, statement in statements(path.read_text()):
                for found in COUNT.finditer(re.sub(r'"\s+"', '', statement)):
                    if ONE.search(statement):
                        continue
                    if name in NEVER_ONE.get(found.group(1), ()):
                        unused.discard((found.group(1), name))
                    else:
                        complaints.append(f'{name}:{line}: “{found.group(0)}” says nothing else of one')
    complaints += [f'{name}: “{noun}” of it need not be listed' for noun, name in sorted(unused)]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
