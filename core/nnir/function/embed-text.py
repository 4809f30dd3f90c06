#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a text file as C: an array of its lines, ended by NULL. Arguments: the file, the name of the array."""
import json
import sys

lines = open(sys.argv[1], encoding='ascii').read().splitlines()
name = sys.argv[2]
print(f'extern const char *const {name}[];\nconst char *const {name}[] = {{')
for line in lines:
    print(f'  {json.dumps(line)},')
print('  0\n};')
