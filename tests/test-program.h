/* test-program.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * TEST_PROGRAM:
 * @name: the name of the test, with underscores
 *
 * Begins the main function of a test. The tests of a folder are linked into one program, whose
 * first argument is the name of a test: `tests/core/test-nnir infer -p /infer/corpus`.
 */
#define TEST_PROGRAM(name)                                                                         \
  int test_program_##name (int argc, char **argv);                                                 \
  int test_program_##name (int argc, char **argv)
