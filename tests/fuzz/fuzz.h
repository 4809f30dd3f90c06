/* fuzz.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The entry point of every target, as libFuzzer calls it; returns 0. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A target that knows the structure of its input may have this too, as libFuzzer calls it: changes
 * @data of @size bytes in place, to @max_size bytes at the most, and returns the new size. */
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed)
    __attribute__ ((weak));

/* How many inputs a target has taken instead of refusing them. A corpus of which none is taken,
 * since the format has become another, tries nothing any more, and its test fails. */
unsigned fuzz_n_taken __attribute__ ((weak));

/* Says what is wrong and ends the process by abort(), at which libFuzzer keeps the input; it keeps
 * none at the trap of g_error(). */
#define fuzz_fail(...)                                                                             \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_printerr (__VA_ARGS__);                                                                      \
    abort ();                                                                                      \
  }                                                                                                \
  G_STMT_END
