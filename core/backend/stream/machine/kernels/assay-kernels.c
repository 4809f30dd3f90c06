/* assay-kernels.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/kernels/assay-kernels.h"

#define LEVEL(symbol, test) extern const AssayKernels symbol;
#include "backend/stream/machine/kernels/assay-kernel-levels.def"
#undef LEVEL

/**
 * assay_kernels_get:
 * @index: 0 for the scalar level, counting up
 *
 * Gets the kernels of a level that this processor can run.
 *
 * Returns: (transfer none) (nullable): the kernels, or %NULL past the last level
 */
const AssayKernels *
assay_kernels_get (guint index)
{
  guint n = 0;

#define LEVEL(symbol, test)                                                                        \
  if ((test) && n++ == index)                                                                      \
    return &symbol;
#include "backend/stream/machine/kernels/assay-kernel-levels.def"
#undef LEVEL

  return NULL;
}

/**
 * assay_kernels_get_default:
 *
 * Gets the fastest kernels that this processor can run.
 *
 * Returns: (transfer none): the kernels
 */
const AssayKernels *
assay_kernels_get_default (void)
{
  const AssayKernels *best = NULL;

  for (guint i = 0; assay_kernels_get (i) != NULL; i++)
    best = assay_kernels_get (i);

  return best;
}

/**
 * assay_function_name:
 * @function: a function
 *
 * Gets the name that disassembly and documents use.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_function_name (AssayFunction function)
{
  static const char *const names[] = {
#define FUNCTION(id, name, doc) name,
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION
  };

  g_return_val_if_fail ((guint) function < ASSAY_N_FUNCTIONS, "?");

  return names[function];
}
