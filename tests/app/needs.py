# SPDX-License-Identifier: Apache-2.0
"""A test that imports this first is skipped where a Python module that tests use is not installed."""
import sys

try:
    import numpy  # noqa: F401
    import onnx  # noqa: F401
except ModuleNotFoundError as e:
    print(f'skipped: python3-{e.name} is not installed')
    sys.exit(77)
