#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the archive of the sources, and builds and tests in it: the command line, and a program of quick tests.

test-dist.py SOURCE BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
# Nothing that is optimized is measured, and a compiler is done sooner.
OPTIONS = ['-Dgui=false', '-Ddebug=false', '-Doptimization=0', '-Db_pch=false', '-Dgpu=disabled']
TESTS = ['base', 'files', 'json-writer', 'lint-source', 'layers', 'packaging-ids']


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, command))}: {done.returncode}\n{done.stdout[-8000:]}')
    return done.stdout


def main():
    meson = shutil.which('meson')
    if meson is None or not (SOURCE / '.git').exists() or shutil.which('git') is None:
        print('an archive is made of a checkout with git and meson')
        return 77
    with tempfile.TemporaryDirectory(prefix='dist-', dir=BUILD) as folder:
        # In a build folder of its own: that of the tests is in use.
        folder = pathlib.Path(folder)
        run(meson, 'setup', folder / 'empty', SOURCE, '-Dtests=false', *OPTIONS)
        run(meson, 'dist', '-C', folder / 'empty', '--no-tests', '--allow-dirty')
        archive = next((folder / 'empty' / 'meson-dist').glob('assay-*.tar.xz'))
        run('sha256sum', '--check', f'{archive.name}.sha256sum', cwd=archive.parent)
        with tarfile.open(archive) as file:
            names = file.getnames()
            file.extractall(folder)
        tree = folder / archive.name.removesuffix('.tar.xz')
        assert {name.split('/')[0] for name in names} == {tree.name}, 'one folder'
        tracked = set(run('git', '-C', SOURCE, 'ls-tree', '-r', '--name-only', 'HEAD').splitlines())
        packed = {name.removeprefix(f'{tree.name}/') for name in names if (folder / name).is_file()}
        assert tracked == packed, f'not packed {tracked - packed}, not tracked {packed - tracked}'
        build = folder / 'build'
        run(meson, 'setup', build, tree, *OPTIONS)
        run('ninja', '-C', build, 'app/cli/assay', 'data/examples/mlp.onnx')
        print(run(build / 'app/cli/assay', 'check', build / 'data/examples/mlp.onnx', '--target', 'ia_420f_c6b32', '--bind', 'batch=1', cwd='/'))
        print(run(meson, 'test', '-C', build, *TESTS, env={**os.environ, 'LC_ALL': 'C.UTF-8'}))
    return 0


sys.exit(main())
