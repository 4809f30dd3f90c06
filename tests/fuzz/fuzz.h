/* fuzz.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * FUZZ_TARGET:
 * @name: the name of the target, with underscores
 *
 * Begins the entry point of a target, which takes `data` of `size` bytes and returns 0. libFuzzer
 * calls it in a program of its own; replay.c calls that of any target.
 */
/**
 * FUZZ_MUTATOR:
 * @name: the name of the target, with underscores
 *
 * Begins the mutator of a target that knows the structure of its input: it changes `data` of `size`
 * bytes in place by `seed`, to `max_size` bytes at the most, and returns the new size.
 */
#ifdef FUZZ_REPLAY
#define FUZZ_ENTRY(name) fuzz_target_##name
#define FUZZ_CHANGE(name) fuzz_mutator_##name
#else
#define FUZZ_ENTRY(name) LLVMFuzzerTestOneInput
#define FUZZ_CHANGE(name) LLVMFuzzerCustomMutator
#endif

#define FUZZ_TARGET(name)                                                                          \
  int FUZZ_ENTRY (name) (const uint8_t *data, size_t size);                                        \
  int FUZZ_ENTRY (name) (const uint8_t *data, size_t size)

#define FUZZ_MUTATOR(name)                                                                         \
  size_t FUZZ_CHANGE (name) (uint8_t * data, size_t size, size_t max_size, unsigned int seed);     \
  size_t FUZZ_CHANGE (name) (uint8_t * data, size_t size, size_t max_size, unsigned int seed)

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
