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
# What is counted in sentences.
NOUNS = ('nodes|blocks|cores|steps|cycles|tensors|outputs|inputs|elements|instructions|runs|cases|rows|vectors|files|pieces|fixes|'
         'rewrites|ways|dimensions|timesteps|registers|changes|causes|findings|tests|pages|partitions|transitions|subgraphs|'
         'pairs|layers|biases|bytes|values|weights|models|operators|threads|samples|images|names|axes|channels|groups|edges|targets')
COUNT = re.compile(r'%(?:u|d|zu|s|ld|lu|"\s*G_G\w+_FORMAT\s*")\s?(?:\\u202f)?(?:more |other |further |different |open |equal )?(' + NOUNS + r')\b')
ONE = re.compile(r'[=!]= ?1\b|> ?1\b|\bone\b')
# Nouns whose number is never 1 in these files, or that are no nouns there: the reason, and the files.
NEVER_ONE = {
    'cycles': ('a whole inference', 'ui/compare/assay-result-window.c', 'ui/timeline/assay-timeline-page.c', 'ui/window/assay-context-bar.c',
               'core/draw/assay-timeline-scene.c', 'core/fix/assay-fix-offer.c', 'core/report/assay-build-report.c',
               'core/report/assay-run-report.c'),
    'blocks': ('of all that a store has', 'ui/memory/assay-memory-chart.c', 'ui/memory/assay-trial-bar.c', 'ui/window/assay-ui.c',
               'core/draw/assay-memory-scene.c', 'core/draw/assay-store-needs.c'),
    'bytes': ('beyond a limit, or of a whole program', 'app/gpu/assay-gpu-device.c', 'app/gpu/assay-gpu-engine.c', 'core/report/assay-build-report.c',
              'core/report/assay-overlay-file.c'),
    'nodes': ('one is asked for before', 'ui/canvas/assay-canvas-input.c', 'core/session/list/assay-finding-item.c', 'core/fix/assay-fix.c',
              'core/cause/assay-specimen.c', 'core/reduce/assay-reduce-folder.c', 'core/report/assay-reduce-report.c'),
    'steps': ('a limit, or one is asked for before', 'ui/sidebar/assay-setup-window.c', 'core/session/analysis/assay-query.c',
              'core/fix/assay-equivalence-recurrent.c'),
    'values': ('of a whole run', 'ui/compare/assay-deploy-panel.c', 'app/cli/assay-command-deploy.c'),
    'runs': ('a verb', 'app/cli/assay-command-deploy.c', 'app/cli/assay-suite-options.c'),
    'names': ('a verb', 'ui/window/assay-window-trust.c'),
    'targets': ('a family of them', 'app/cli/assay-cli-model.c'),
    'models': ('names are only counted of several', 'app/cli/assay-cli-model.c'),
    'groups': ('beyond a limit, or more than one was asked for', 'app/gpu/assay-gpu-engine.c', 'core/fix/assay-rewrite-split-channels.c'),
    'channels': ('two are named', 'core/cause/assay-suspect-layout.c'),
    'elements': ('more than a limit', 'core/fix/assay-equivalence-selection.c'),
    'pieces': ('more than a limit', 'core/fix/assay-equivalence-selection.c'),
    'dimensions': ('of a convolution', 'core/fix/assay-equivalence-window.c'),
    'pages': ('a map is of several', 'core/report/picture/assay-graph-pages.c'),
}
FOLDERS = ('ui', 'app', 'core/cause', 'core/document', 'core/draw', 'core/fix', 'core/reduce', 'core/report', 'core/session', 'core/work')


def statements(text):
    """The text between two ends of statements, with the line on which it begins."""
    start = 0
    for match in re.finditer(r'[;{}](?=(?:[^"\n\\]|\\.|"(?:[^"\\\n]|\\.)*")*$)', text, re.M):
        yield text.count('\n', 0, start) + 1, text[start:match.end()]
        start = match.end()


def main():
    complaints = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob('*.c')):
            name = str(path.relative_to(ROOT))
            for line, statement in statements(path.read_text()):
                found = COUNT.search(re.sub(r'"\s+"', '', statement))
                if found and not ONE.search(statement) and name not in NEVER_ONE.get(found.group(1), ()):
                    complaints.append((name, line, found.group(0)))
    for name, line, text in complaints:
        print(f'{name}:{line}: “{text}” says nothing else of one')
    return 1 if complaints else 0


sys.exit(main())
