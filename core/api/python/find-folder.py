# SPDX-License-Identifier: Apache-2.0
"""The folder for modules in a prefix, relative to it: find-folder.py PREFIX.

That is the folder in which Python looks by itself, and the one for a user's own modules in any other prefix.
"""
import pathlib
import site
import sys
import sysconfig


def main(prefix):
    user = sysconfig.get_path('purelib', 'posix_user', vars={'userbase': prefix})
    for folder in [*site.getsitepackages(), user]:
        # /usr/local is below /usr and is a prefix of its own.
        if pathlib.Path(folder).is_relative_to(pathlib.Path(prefix, 'lib')):
            print(pathlib.Path(folder).relative_to(prefix))
            return
    sys.exit(f'find-folder.py: no folder for modules in {prefix}')


main(sys.argv[1])
