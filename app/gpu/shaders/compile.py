#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a shader, and has the result checked."""
import subprocess
import sys

glslc, validator, source, result, *defines = sys.argv[1:]
subprocess.run([glslc, "--target-env=vulkan1.1", "-O", *defines, source, "-o", result], check=True)
subprocess.run([validator, "--target-env", "vulkan1.1", result], check=True)
