#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the enumerators of a table: one line `PREFIXid,` for each row `MACRO (id, ...`.

Headers include what this prints and not the table itself. Most files of core include the enum, so a change of
the text of a row would compile them all; as the names stay the same, the output is not written anew."""
import pathlib
import re
import sys


def main():
    table, output, macro, prefix = sys.argv[1:]
    names = re.findall(rf'^{macro} \((\w+)', pathlib.Path(table).read_text(), re.MULTILINE)
    if not names:
        sys.exit(f'{table}: no row begins with {macro} (')
    text = ''.join(f'{prefix}{name},\n' for name in names)
    path = pathlib.Path(output)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == '__main__':
    main()
