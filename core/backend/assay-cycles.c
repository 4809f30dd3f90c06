/* assay-cycles.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-cycles.h"

/* Causes in words, and the letter that stands for each where there is no room for words. */
static const struct
{
  char letter;
  const char *words;
} waits[ASSAY_N_WAITS] = {
  [ASSAY_WAIT_NONE] = { ' ', "nothing" },
  [ASSAY_WAIT_UNIT] = { 'U', "the unit, which was at work" },
  [ASSAY_WAIT_OPERAND] = { 'R', "a result of the same core" },
  [ASSAY_WAIT_CORE] = { 'O', "an operand of another core" },
  [ASSAY_WAIT_INPUT] = { 'I', "an input word" },
  [ASSAY_WAIT_ACCUMULATOR] = { 'A', "a sum in the accumulators" },
  [ASSAY_WAIT_DRAIN] = { 'D', "room for the result" },
};

/**
 * assay_wait_get_words:
 * @wait: a cause
 *
 * Gets what was waited for in words that follow `waited for`.
 *
 * Returns: (transfer none): the words
 */
const char *
assay_wait_get_words (AssayWait wait)
{
  return waits[wait].words;
}

/**
 * assay_wait_get_letter:
 * @wait: a cause
 *
 * Gets the letter that marks a cause in pictures.
 *
 * Returns: the letter, a blank for no cause
 */
char
assay_wait_get_letter (AssayWait wait)
{
  return waits[wait].letter;
}
