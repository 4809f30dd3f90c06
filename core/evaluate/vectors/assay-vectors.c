/* assay-vectors.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/vectors/assay-vectors.h"

#define LEVEL(symbol, test) extern const AssayVectors symbol;
#include "evaluate/vectors/assay-vector-levels.def"
#undef LEVEL

/**
 * assay_vectors_get:
 * @index: 0 for the slowest level, counting up
 *
 * Gets the loops of a level that this processor can run.
 *
 * Returns: (transfer none) (nullable): the loops, or %NULL past the last level
 */
const AssayVectors *
assay_vectors_get (guint index)
{
  guint n = 0;

#define LEVEL(symbol, test)                                                                        \
  if ((test) && n++ == index)                                                                      \
    return &symbol;
#include "evaluate/vectors/assay-vector-levels.def"
#undef LEVEL

  return NULL;
}

/**
 * assay_vectors_get_default:
 *
 * Gets the fastest loops that this processor can run.
 *
 * Returns: (transfer none): the loops
 */
const AssayVectors *
assay_vectors_get_default (void)
{
  const AssayVectors *best = NULL;

  for (guint i = 0; assay_vectors_get (i) != NULL; i++)
    best = assay_vectors_get (i);

  return best;
}
